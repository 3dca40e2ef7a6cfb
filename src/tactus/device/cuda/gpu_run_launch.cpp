// Calls of bound functions that launchers make (`launcher: true`).
#include <algorithm>
#include <utility>

#include "tactus/device/assumptions.hpp"
#include "tactus/device/cuda/gpu_run.hpp"

namespace tactus::cuda {

CallLauncher* GpuRun::launcher_of(const StreamEntry& entry) const {
  if (entry.work->calls == nullptr || entry.work->is_captured()) return nullptr;
  return launchers_[entry.request.task].get();
}

bool GpuRun::hand_over(CallLauncher& launcher, std::uint32_t index) {
  StreamEntry& entry = entries_[index];
  const LaunchedCall call{.call = begin_call(entry, row_of(entry.request.id), streams_[entry.queue]),
                          .words = &words_,
                          .word = index,
                          .value = entry.signal};
  const bool is_new = call.call.loop != nullptr && !call.call.continues;
  const std::optional<std::uint32_t> slot = launcher.hand_over(call);
  if (!slot) {
    if (is_new) bound_loops_.give_back_unused(call.call.loop_index);
    return false;
  }
  entry.launch = *slot;
  ++calls_at_launchers_;
  if (is_new) entry.offered_loop = call.call.loop_index;
  return true;
}

bool GpuRun::hear_launcher(std::uint32_t index) {
  StreamEntry& entry = entries_[index];
  CallLauncher& launcher = *launchers_[entry.request.task];
  if (!launcher.is_made(entry.launch)) return false;
  const std::uint32_t slot = std::exchange(entry.launch, nothing);
  --calls_at_launchers_;
  entry.offered_loop = nothing;
  end_call(launcher.call(slot).call, entry, row_of(entry.request.id));
  const device::CallResult result = launcher.result(slot);
  launcher.give_back(slot);
  note_call(entry, result.time);
  if (entry.loop != nothing) ++loops_in_flight_;
  if (result.failed) {
    break_off(index, result.what());
    return true;
  }
  entry.signals = 1;  // the launcher has enqueued it
  note_kernel(entry);
  if (entry.stop_when_launched) stop_loop(entry);
  return true;
}

/// A call that has not begun is not made. Otherwise its loop, if it takes one, is stopped afterwards.
void GpuRun::stop_launched(StreamEntry& entry) {
  if (!launchers_[entry.request.task]->withdraw(entry.launch)) {
    entry.stop_when_launched = true;
    return;
  }
  entry.launch = nothing;
  --calls_at_launchers_;
  entry.is_sent = false;
  entry.cut = true;
  const std::uint32_t loop = std::exchange(entry.offered_loop, nothing);
  if (loop != nothing) bound_loops_.give_back_unused(loop);
}

void GpuRun::end_launchers(Duration patience) {
  for (const std::unique_ptr<CallLauncher>& launcher : launchers_) {
    if (launcher != nullptr && !launcher->end(patience)) is_left_behind_ = true;
  }
  for (const std::uint32_t queue : entries_.busy()) {
    for (std::uint32_t index = entries_.first(queue); index != nothing; index = entries_[index].next) {
      if (entries_[index].launch == nothing || hear_launcher(index)) continue;
      keep_failure(entries_[index].request, "its function did not return when the run was over");
    }
  }
}

void GpuRun::note_call(const StreamEntry& entry, Duration time) {
  if (setup_.assumptions == nullptr || abandoned_) return;
  const device::Request& request = entry.request;
  setup_.assumptions->called({request.task, request.number}, request.id.segment, now_ - time, time);
}

}  // namespace tactus::cuda
