// How a submission goes to its stream: at once, or chunk by chunk, and what becomes of one that cannot.
#include <algorithm>
#include <exception>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/bound_call.hpp"
#include "tactus/device/cuda/copy_chunks.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/gpu_run.hpp"

namespace tactus::cuda {

namespace {

using Kind = SegmentWork::Kind;

/// Whether a submission may be asked to stop before its end.
bool is_stoppable(const SegmentWork& work, sched::Extent extent) {
  if (extent == sched::Extent::until_stopped) return true;
  return extent == sched::Extent::slice && work.is_preemptible_anywhere();
}

}  // namespace

void GpuRun::send(std::uint32_t index) {
  Flight& flight = flights_[index];
  const device::Request& request = flight.request;
  if (!flight.is_sent && must_wait_for_loop(index)) {
    holds_ = true;
    return;
  }
  flight.is_sent = true;
  if (loops_under_way_ > 0 && flight.work->needs_sms()) make_way_for(request);
  try {
    enqueue(flight, rows_.open(request.operation), streams_[flight.queue]);
  } catch (const std::exception& error) {
    break_off(index, error.what());
  } catch (...) {
    break_off(index, "an exception");
  }
  if (flight.loop != nothing) ++loops_under_way_;
  feed(index);
  holds_ = holds_ || flight.bytes_left > 0;
}

bool GpuRun::needs_loop(const Flight& flight) const {
  const SegmentWork& work = *flight.work;
  if (!work.is_built_in() || !work.needs_sms() || flight.part.blocks <= 0) return false;
  const sched::Extent extent = flight.request.extent;
  return streams_.place(flight.request.sms).is_pinned || is_stoppable(work, extent) ||
         (work.may_abort && extent == sched::Extent::whole);
}

bool GpuRun::has_bound_loop_under_way() const {
  for (const std::uint32_t queue : flights_.busy()) {
    for (std::uint32_t index = flights_.first(queue); index != nothing; index = flights_[index].next) {
      if (flights_[index].loop != nothing && !flights_[index].ends_with_loop) return true;
    }
  }
  return false;
}

/// What is far behind in its stream can do without one yet, so that no stream uses up the loops of others.
bool GpuRun::must_wait_for_loop(std::uint32_t index) {
  const Flight& flight = flights_[index];
  if (!flight.work->needs_sms()) return false;
  if (flight.work->calls == nullptr) {
    if (!needs_loop(flight)) return false;
    return !builtin_.has_loop() || flights_.loops_before(index) >= loops_in_stream;
  }
  // A bound function may ask for one or not.
  if (rows_.open(flight.request.operation).loop != nothing) return false;
  if (flights_.loops_before(index) >= loops_in_stream) return true;
  // Those of work that was stopped half-way come back only when that goes on.
  return bound_loops_.is_used_up() && has_bound_loop_under_way();
}

void GpuRun::send_held() {
  if (!holds_ || broken_ != cudaSuccess) return;
  holds_ = false;
  for (const std::uint32_t queue : flights_.busy()) {
    for (std::uint32_t index = flights_.first(queue); index != nothing; index = flights_[index].next) {
      Flight& flight = flights_[index];
      if (flight.cut) continue;
      if (flight.is_sent) {
        feed(index);
      } else {
        send(index);
      }
      if (flight.is_sent && flight.bytes_left == 0) continue;
      holds_ = true;
      break;
    }
  }
}

void GpuRun::mark(std::uint32_t index) {
  Flight& flight = flights_[index];
  const unsigned value = flight.signals == 0 ? flight.signal : flight.signal + 1;
  words_.signal(streams_[flight.queue], index, value);
  flight.signal = value;
  ++flight.signals;
}

/// It could not be sent, or not all of it. What is in the stream may run, so its loop and its place are not
/// free before the stream is rid of it.
void GpuRun::break_off(std::uint32_t index, std::string_view what) {
  Flight& flight = flights_[index];
  flight.failed = true;
  flight.bytes_left = 0;
  static_cast<void>(find_breakage(control_.get()));  // then something that runs is to blame
  fail(flight.request, what);
  flight.told = true;
  JobRows::SegmentRow& row = rows_.open(flight.request.operation);
  row.flight = nothing;
  if (flight.loop != nothing) row.loop = nothing;  // it belongs to the flight alone
  if (broken_ != cudaSuccess) return;
  try {
    mark(index);
  } catch (const std::exception&) {
    static_cast<void>(find_breakage(streams_[flight.queue]));
  }
  stop_loop(flight);
}

void GpuRun::enqueue(Flight& flight, JobRows::SegmentRow& row, cudaStream_t stream) {
  const SegmentWork& work = *flight.work;
  const SmPlace& place = streams_.place(flight.request.sms);
  if (work.calls != nullptr) {
    call_bound({.setup = setup_, .loops = bound_loops_, .place = place}, flight, row, stream);
    if (flight.loop != nothing || !work.needs_sms()) return;
    Seen& seen = seen_[flight.request.task];
    seen.cannot_stop = seen.cannot_stop || work.may_abort;
    seen.strays = seen.strays || place.is_pinned;
    seen.never_yields = seen.never_yields || is_stoppable(work, flight.request.extent);
    return;
  }
  if (needs_loop(flight)) {
    launch_in_loop(flight, stream);
    return;
  }
  switch (work.kind) {
    case Kind::cpu:
      throw FailureError{"a `cpu` segment reached the GPU"};
    case Kind::copy:
      begin_copy(flight, row);
      return;
    case Kind::kernel:
      if (flight.part.blocks > 0) builtin_.launch_kernel(work, flight.part, stream);
      return;
    case Kind::exclusive:
      builtin_.launch_exclusive(work, flight.part, place.sms, stream);
      return;
  }
}

void GpuRun::launch_in_loop(Flight& flight, cudaStream_t stream) {
  const SegmentWork& work = *flight.work;
  const SmPlace& place = streams_.place(flight.request.sms);
  // Work that others may overtake at the ends of its blocks must leave its places at each.
  const bool stays = place.is_pinned || is_stoppable(work, flight.request.extent);
  using Blocks = BuiltinWork::Blocks;
  flight.loop = builtin_.launch_stoppable(work, flight.part, place,
                                          stays ? Blocks::many_each : Blocks::one_each, stream);
  flight.ends_with_loop = flight.loop != nothing;
  if (flight.loop == nothing) throw FailureError{"too much work that can be stopped is under way"};
}

void GpuRun::begin_copy(Flight& flight, JobRows::SegmentRow& row) {
  const SegmentWork& work = *flight.work;
  flight.chunk = chunk_rule_.chunk_of(flight.request.level, work.best_effort);
  if (work.copy != nullptr) {
    flight.copy = copy_of(setup_, flight, row);
    flight.bytes_left = static_cast<std::int64_t>(flight.copy.bytes);
  } else {
    flight.bytes_left = copies_.bytes_of(work, flight.part.time, flight.chunk);
  }
  // It goes on where it was stopped.
  flight.bytes_sent = std::min(flight.before().bytes, flight.bytes_left);
  flight.bytes_left -= flight.bytes_sent;
  const std::int64_t slice = flight.request.stretch.most_bytes;
  if (flight.bytes_left <= slice) return;
  flight.bytes_left = slice;
  flight.part.is_last = false;
}

void GpuRun::feed(std::uint32_t index) {
  constexpr unsigned ahead = 2;  // so that the engine need not wait for the host
  Flight& flight = flights_[index];
  if (flight.failed || flight.ends_with_loop) return;
  const cudaStream_t stream = streams_[flight.queue];
  const bool in_chunks = flight.chunk != ChunkRule::whole;
  try {
    if (flight.bytes_left == 0 && flight.signals == 0) mark(index);  // all of it went at once
    while (flight.bytes_left > 0) {
      if (in_chunks && Flights::signals_ahead(flight, words_.value(index)) >= ahead) return;
      const std::int64_t most = std::min(flight.bytes_left, flight.chunk);
      const std::int64_t sent = flight.work->copy != nullptr
                                    ? enqueue_bytes(flight.copy, flight.bytes_sent, most, stream)
                                    : copies_.enqueue_some(*flight.work, most, stream);
      flight.bytes_sent += sent;
      flight.bytes_left -= sent;
      if (in_chunks || flight.bytes_left == 0) mark(index);
    }
  } catch (const std::exception& error) {
    break_off(index, error.what());
  }
}

}  // namespace tactus::cuda
