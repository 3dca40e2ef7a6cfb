#include "tactus/device/device.hpp"

#include <utility>

#include "tactus/device/rules/sm_array.hpp"

namespace tactus::device {

Setup make_setup(const System& system, const sched::Draws& draws, const sched::Core& core,
                 trace::Fanout& trace) {
  Setup setup{.system = system,
              .draws = draws,
              .sm_sets = {all_sms(system.platform.gpu)},
              .streams = core.streams(),
              .lanes = core.lanes(),
              .most_pending = core.jobs().capacity(),
              .dedicated_sms = core.has_dedicated_sms(),
              .refills_lazily = core.refills_lazily(),
              .trace = &trace};
  for (SmSet& set : core.sm_sets()) setup.sm_sets.push_back(std::move(set));
  return setup;
}

Request make_request(const sched::Submit& submit, const sched::Job& job) {
  return {.operation = submit.operation,
          .task = job.task,
          .number = job.number,
          .release = job.release,
          .deadline = job.deadline,
          .stream = submit.stream,
          .rank = submit.rank,
          .sms = submit.sms,
          .extent = submit.extent,
          .stretch = submit.stretch};
}

}  // namespace tactus::device
