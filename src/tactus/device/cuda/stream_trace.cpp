#include "tactus/device/cuda/stream_trace.hpp"

#include "tactus/trace/fanout.hpp"

namespace tactus::cuda {

void tell_trace(const device::Setup& setup, const StreamEntry& entry, Time start, Time end) {
  if (setup.trace == nullptr) return;
  const trace::Fanout& trace = *setup.trace;
  const device::Request& request = entry.request;
  const trace::JobName job{request.task, request.number};
  const std::uint32_t segment = request.id.segment;
  const bool named = !sched::is_own(request.stream);
  trace.tell(trace::OperationFinished{job, segment, named ? static_cast<std::int32_t>(request.stream) : -1,
                                      entry.called, start, end});
  if (entry.work->is(device::OperationKind::copy)) {
    const bool second_engine = entry.work->from_device && setup.system.platform.gpu.copy_engines > 1;
    trace.tell(trace::CopyRan{job, segment, second_engine ? 1 : 0, start, end});
    return;
  }
  if (!trace.wants<trace::BlockRan>()) return;
  for (const std::int32_t sm : setup.sm_sets[request.sms]) {
    trace.tell(trace::BlockRan{job, segment, entry.before().blocks, sm, start, end});
  }
}

}  // namespace tactus::cuda
