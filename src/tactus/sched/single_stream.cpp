#include "tactus/sched/single_stream.hpp"

#include "tactus/sched/gpu_work.hpp"
#include "tactus/sched/multi_stream.hpp"

namespace tactus::sched {

std::vector<std::string> single_stream_refusals(const System& system, const Capabilities& /*capabilities*/) {
  return refuse_other_than_gpu_work(system, "single-stream");
}

std::unique_ptr<Strategy> make_single_stream(const System& system) { return make_streams(system, 1); }

}  // namespace tactus::sched
