// How a submission gets into its stream, whole or chunk by chunk, and how failures are handled.
#include <algorithm>
#include <exception>

#include "tactus/base/error.hpp"
#include "tactus/base/stopwatch.hpp"
#include "tactus/device/cuda/gpu_run.hpp"

namespace tactus::cuda {

namespace {

using Kind = device::OperationKind;

/// Whether a submission may be asked to stop before its end.
bool is_stoppable(const SegmentWork& work, sched::Extent extent) {
  if (extent == sched::Extent::until_stopped) return true;
  return extent == sched::Extent::slice && work.preemptible_anywhere;
}

}  // namespace

void GpuRun::send(std::uint32_t index) {
  StreamEntry& entry = entries_[index];
  const device::Request& request = entry.request;
  if (!entry.is_sent && must_wait_for_loop(index)) {
    holds_ = true;
    return;
  }
  CallLauncher* launcher = launcher_of(entry);
  if (launcher != nullptr) {
    entry.is_sent = hand_over(*launcher, index);
    holds_ = true;
    if (!entry.is_sent) return;
  }
  entry.is_sent = true;
  if (loops_in_flight_ + calls_at_launchers_ > 0 && entry.work->needs_sms()) make_way_for(request);
  if (launcher != nullptr) return;
  try {
    enqueue(entry, row_of(request.id), streams_[entry.queue]);
  } catch (const std::exception& error) {
    break_off(index, error.what());
  } catch (...) {
    break_off(index, "an exception");
  }
  if (entry.loop != nothing) ++loops_in_flight_;
  feed(index);
  holds_ = holds_ || entry.bytes_left > 0;
}

bool GpuRun::needs_loop(const StreamEntry& entry) const {
  const SegmentWork& work = *entry.work;
  if (!work.is_built_in() || !work.needs_sms() || entry.part.blocks <= 0) return false;
  const sched::Extent extent = entry.request.extent;
  return streams_.place(entry.request.sms).is_pinned || is_stoppable(work, extent) ||
         (work.may_abort && extent == sched::Extent::whole);
}

bool GpuRun::has_bound_loop_in_flight() {
  bool found = false;
  entries_.for_each([&](const StreamEntry& entry) {
    found = found || entry.offered_loop != nothing || (entry.loop != nothing && !entry.ends_with_loop);
  });
  return found;
}

/// Work far back in its stream does not need a loop yet; otherwise one stream could take all loops.
bool GpuRun::must_wait_for_loop(std::uint32_t index) {
  const StreamEntry& entry = entries_[index];
  if (!entry.work->needs_sms()) return false;
  if (entry.work->calls == nullptr) {
    if (!needs_loop(entry)) return false;
    return !builtin_.has_loop() || entries_.loops_before(index) >= loops_in_stream;
  }
  // A bound function may or may not request a loop; captured work has none.
  if (entry.work->is_captured()) return false;
  if (row_of(entry.request.id).loop != nothing) return false;
  if (entries_.loops_before(index) >= loops_in_stream) return true;
  // Loops of stopped work become free only when that work continues.
  return bound_loops_.is_used_up() && has_bound_loop_in_flight();
}

void GpuRun::send_held() {
  if (!holds_ || broken_ != cudaSuccess) return;
  holds_ = false;
  for (const std::uint32_t queue : entries_.busy()) {
    for (std::uint32_t index = entries_.first(queue); index != nothing; index = entries_[index].next) {
      StreamEntry& entry = entries_[index];
      if (entry.cut) continue;
      if (entry.launch != nothing && !hear_launcher(index)) {
        holds_ = true;
        break;
      }
      if (entry.is_sent) {
        feed(index);
      } else {
        send(index);
      }
      if (entry.is_enqueued()) continue;
      holds_ = true;
      break;
    }
  }
}

void GpuRun::mark(std::uint32_t index) {
  StreamEntry& entry = entries_[index];
  const unsigned value = entry.signals == 0 ? entry.signal : entry.signal + 1;
  words_.signal(streams_[entry.queue], index, value);
  entry.signal = value;
  ++entry.signals;
}

/// A submission could not be enqueued, or only partly. What is in the stream may run, so its loop and its
/// entry are not free until the stream has passed it.
void GpuRun::break_off(std::uint32_t index, std::string_view what) {
  StreamEntry& entry = entries_[index];
  entry.failed = true;
  entry.bytes_left = 0;
  static_cast<void>(find_breakage(control_.get()));  // if so, running work is to blame
  fail(entry.request, what);
  entry.told = true;
  SegmentRow& row = row_of(entry.request.id);
  row.entry = nothing;
  if (entry.loop != nothing) row.loop = nothing;  // from now on it belongs to this submission only
  if (broken_ != cudaSuccess) return;
  try {
    mark(index);
  } catch (const std::exception&) {
    static_cast<void>(find_breakage(streams_[entry.queue]));
  }
  stop_loop(entry);
}

void GpuRun::enqueue(StreamEntry& entry, SegmentRow& row, cudaStream_t stream) {
  const SegmentWork& work = *entry.work;
  const SmPlace& place = streams_.place(entry.request.sms);
  if (work.calls != nullptr) {
    call(entry, row, stream);
    note_kernel(entry);
    return;
  }
  if (needs_loop(entry)) {
    launch_in_loop(entry, stream);
    return;
  }
  if (work.server == ServerKind::cpu) throw FailureError{"a `cpu` segment reached the GPU"};
  switch (work.call.kind) {
    case Kind::copy:
      begin_copy(entry, row);
      return;
    case Kind::kernel:
      if (entry.part.blocks > 0) builtin_.launch_kernel(work, entry.part, stream);
      return;
    case Kind::exclusive:
      builtin_.launch_exclusive(work, entry.part, place.sms, stream);
      return;
  }
}

BoundCall GpuRun::begin_call(const StreamEntry& entry, const SegmentRow& row, cudaStream_t stream) {
  const bool continues = row.loop != nothing;
  const std::uint32_t loop = continues ? row.loop : bound_loops_.take();
  tactus::Job::Facts facts = facts_of(setup_, entry);
  facts.task = names_[entry.request.task];
  return {.facts = facts,
          .work = entry.work,
          .place = &streams_.place(entry.request.sms),
          .stream = stream,
          .device_facts = facts_.data() + entry.queue,
          .loop_index = loop,
          .loop = loop == nothing ? nullptr : &bound_loops_.loop(loop),
          .continues = continues,
          .is_cut = entry.work->is(Kind::kernel) && entry.request.extent == sched::Extent::slice};
}

void GpuRun::end_call(const BoundCall& call, StreamEntry& entry, SegmentRow& row) {
  if (call.has_taken_loop) {
    entry.loop = row.loop = call.loop_index;
  } else if (call.loop != nullptr && !call.continues) {
    bound_loops_.give_back_unused(call.loop_index);
  }
}

/// What is known of bound work once it is enqueued.
void GpuRun::note_kernel(const StreamEntry& entry) {
  const SegmentWork& work = *entry.work;
  if (entry.loop != nothing || !work.needs_sms()) return;
  Seen& seen = seen_[entry.request.task];
  seen.cannot_stop = seen.cannot_stop || work.may_abort;
  seen.strays = seen.strays || streams_.place(entry.request.sms).is_pinned;
  seen.never_yields = seen.never_yields || is_stoppable(work, entry.request.extent);
}

void GpuRun::call(StreamEntry& entry, SegmentRow& row, cudaStream_t stream) {
  const Stopwatch watch;
  call_or_launch(entry, row, stream);
  const Duration time = watch.elapsed();
  now_ += time;
  note_call(entry, time);
}

void GpuRun::call_or_launch(StreamEntry& entry, SegmentRow& row, cudaStream_t stream) {
  if (entry.work->is_captured()) {
    captured_.launch(setup_, entry, stream);
    return;
  }
  BoundCall bound = begin_call(entry, row, stream);
  try {
    bound();
  } catch (...) {
    end_call(bound, entry, row);
    throw;
  }
  end_call(bound, entry, row);
}

void GpuRun::launch_in_loop(StreamEntry& entry, cudaStream_t stream) {
  const SegmentWork& work = *entry.work;
  const SmPlace& place = streams_.place(entry.request.sms);
  // Work that others may overtake at block boundaries must release its places there.
  const bool stays = place.is_pinned || is_stoppable(work, entry.request.extent);
  using Blocks = BuiltinWork::Blocks;
  entry.loop = builtin_.launch_stoppable(work, entry.part, place,
                                         stays ? Blocks::many_each : Blocks::one_each, stream);
  entry.ends_with_loop = entry.loop != nothing;
  if (entry.loop == nothing) throw FailureError{"too much work that can be stopped is in flight"};
}

void GpuRun::begin_copy(StreamEntry& entry, SegmentRow& row) {
  const SegmentWork& work = *entry.work;
  entry.chunk = chunk_rule_.chunk_of(entry.request.level, work.best_effort);
  if (work.copy != nullptr) entry.copy = copy_of(setup_, entry, row);
  const std::int64_t whole = work.copy != nullptr ? static_cast<std::int64_t>(entry.copy.bytes)
                                                  : copies_.bytes_of(work, entry.part.time, entry.chunk);
  const sched::Stretch& stretch = entry.request.stretch;
  entry.bytes_sent = std::min(stretch.done.bytes, whole);
  entry.bytes_left = std::min(stretch.until.bytes, whole) - entry.bytes_sent;
  // A bound copy may have fewer bytes than its segment.
  entry.part.is_last = stretch.is_last || whole <= stretch.until.bytes;
}

void GpuRun::feed(std::uint32_t index) {
  constexpr unsigned ahead = 2;  // so that the engine does not wait for the host
  StreamEntry& entry = entries_[index];
  if (entry.failed || entry.ends_with_loop) return;
  const cudaStream_t stream = streams_[entry.queue];
  const bool in_chunks = entry.chunk != ChunkRule::whole;
  try {
    if (entry.bytes_left == 0 && entry.signals == 0) mark(index);  // all of it was enqueued at once
    while (entry.bytes_left > 0) {
      if (in_chunks && StreamQueues::signals_ahead(entry, words_.value(index)) >= ahead) return;
      const std::int64_t most = std::min(entry.bytes_left, entry.chunk);
      const std::int64_t sent = entry.work->copy != nullptr
                                    ? enqueue_bytes(entry.copy, entry.bytes_sent, most, stream)
                                    : copies_.enqueue_some(*entry.work, most, stream);
      entry.bytes_sent += sent;
      entry.bytes_left -= sent;
      if (in_chunks || entry.bytes_left == 0) mark(index);
    }
  } catch (const std::exception& error) {
    break_off(index, error.what());
  }
}

}  // namespace tactus::cuda
