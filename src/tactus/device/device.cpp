#include "tactus/device/device.hpp"

#include <algorithm>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/device/rules/sm_array.hpp"
#include "tactus/sched/core.hpp"
#include "tactus/sched/draws.hpp"
#include "tactus/trace/fanout.hpp"

namespace tactus::device {

Setup make_setup(const System& system, const sched::Draws& draws, const sched::Core& core,
                 trace::Fanout& trace) {
  Setup setup{
      .system = system,
      .draws = draws,
      .sm_sets = {all_sms(system.platform.gpu)},
      .streams = core.streams(),
      .lanes = core.lanes(),
      .cpu_lanes = core.cpu_lanes(),
      .max_pending = core.jobs().capacity(),
      .dedicated_sms = core.has_dedicated_sms(),
      .refills_lazily = core.refills_lazily(),
      .sm_sets_of = [&core](TaskIndex task, std::uint32_t segment) { return core.sm_sets_of(task, segment); },
      .trace = &trace};
  for (SmSet& set : core.sm_sets()) setup.sm_sets.push_back(std::move(set));
  return setup;
}

std::size_t max_submissions(const Setup& setup, const std::string& device) {
  constexpr std::size_t most = std::size_t{1} << 20U;
  const std::size_t segments = max_segments(setup.system);
  if (setup.max_pending * segments > most) {
    throw InputError{device + " cannot keep track of " + std::to_string(setup.max_pending) +
                         " jobs of up to " + std::to_string(segments) + " segments in progress",
                     "allow fewer jobs to be pending"};
  }
  return setup.max_pending * segments;
}

std::size_t own_streams_of_job(const Setup& setup) {
  std::size_t most = 1;
  for (const sched::Lane& lane : setup.lanes) {
    if (sched::is_own(lane.stream)) most = std::max<std::size_t>(most, lane.stream - sched::own_stream + 1);
  }
  return most;
}

}  // namespace tactus::device
