// How the end of work is found, and what is made of it; and the end of the run.
#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

#include "tactus/base/exact.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/flight_trace.hpp"
#include "tactus/device/cuda/gpu_run.hpp"

namespace tactus::cuda {

namespace {

/// How long nothing may be heard before CUDA is asked.
constexpr Duration quiet_time = std::chrono::milliseconds{10};
/// From one launch of pinned work to the next, where others have its SMs.
constexpr Duration launch_pause = std::chrono::microseconds{50};

/// CUDA remembers errors, this answer among them; whoever asks for the last one next must not get it.
cudaError_t query(cudaStream_t stream) {
  const cudaError_t status = cudaStreamQuery(stream);
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  return status;
}

}  // namespace

bool GpuRun::has_ended(std::uint32_t index) const {
  const Flight& flight = flights_[index];
  if (!flight.is_sent) return flight.cut;
  if (flight.ends_with_loop && !flight.failed) return builtin_.has_ended(flight.loop);
  // Not even its end could be put into the stream.
  if (flight.failed && flight.signals == 0) return query(streams_[flight.queue]) != cudaErrorNotReady;
  return flight.bytes_left == 0 && words_.value(index) == flight.signal;
}

bool GpuRun::left_early(const Flight& flight) const {
  if (flight.loop == nothing || flight.stopping || flight.failed) return false;
  if (!streams_.place(flight.request.sms).is_pinned) return false;
  if (flight.ends_with_loop) return !builtin_.has_finished(flight.loop);
  const PreemptibleWork& work = bound_loops_[flight.loop];
  return work.launch_ended() && !work.finished();
}

bool GpuRun::pauses(const Flight& flight, Time now) const {
  return now - flight.launched < launch_pause && left_early(flight);
}

/// Work on SMs of its own is alone in its stream, so the rest comes in its turn.
void GpuRun::send_again(std::uint32_t index, Time now) {
  Flight& flight = flights_[index];
  flight.launched = now;
  if (!flight.ends_with_loop) {
    flight.loop = nothing;  // the function asks for it again
    --loops_under_way_;
    ++flight.signal;
    flight.signals = 0;
    send(index);
    return;
  }
  try {
    builtin_.launch_again(flight.loop, *flight.work, flight.part, streams_.place(flight.request.sms),
                          streams_[flight.queue]);
  } catch (const std::exception& error) {
    break_off(index, error.what());
  }
}

bool GpuRun::has_news(Time now) {
  send_held();
  if (!refused_.empty()) return true;
  if (broken_ != cudaSuccess) return flights_.size() > 0;
  return std::any_of(flights_.busy().begin(), flights_.busy().end(), [&](std::uint32_t queue) {
    const std::uint32_t index = flights_.first(queue);
    return has_ended(index) && !pauses(flights_[index], now);
  });
}

void GpuRun::poll(Time now, sched::Events& events) {
  send_held();
  for (std::size_t i = 0; i < flights_.busy().size();) {
    const std::uint32_t queue = flights_.busy()[i];
    const std::uint32_t index = flights_.first(queue);
    if (!has_ended(index) || pauses(flights_[index], now)) {
      ++i;
      continue;
    }
    if (left_early(flights_[index])) {
      send_again(index, now);
      ++i;
      continue;
    }
    flights_.pop(queue);  // another queue may take its place in the list
    conclude(index, now, events);
  }
  if (broken_ != cudaSuccess) fail_all(events);
  for (const sched::Operation& operation : refused_) events.emplace_back(sched::Failed{operation});
  refused_.clear();
}

Time GpuRun::start_of(const Flight& flight) const { return std::max(flight.called, last_end_[flight.queue]); }

void GpuRun::conclude(std::uint32_t index, Time now, sched::Events& events) {
  const Flight& flight = flights_[index];
  const sched::Operation operation = flight.request.operation;
  const Time start = start_of(flight);
  heard_ = now;
  if (flight.loop != nothing) --loops_under_way_;
  if (flight.is_sent) {
    rows_.note_start(operation.job, start);
    tell_trace(setup_, flight, start, now);
    last_end_[flight.queue] = now;
  }
  if (flight.told) {
    give_loop_back(flight);
  } else if (JobRows::SegmentRow* row = rows_.find(operation)) {
    const Result result = result_of(flight, *row);
    row->flight = nothing;
    switch (result.kind) {
      case Result::Kind::finished:
        events.emplace_back(sched::Finished{operation});
        break;
      case Result::Kind::stopped:
        events.emplace_back(sched::Stopped{operation, result.done});
        break;
      case Result::Kind::failed:
        events.emplace_back(sched::Failed{operation});
        break;
    }
  }
  flights_.close(index);
}

/// Of work that was broken off.
void GpuRun::give_loop_back(const Flight& flight) {
  if (flight.loop == nothing) return;
  if (flight.ends_with_loop) {
    static_cast<void>(builtin_.end_stoppable(flight.loop, *flight.work, flight.part));
  } else {
    bound_loops_.give_back(flight.loop, false);
  }
}

GpuRun::Result GpuRun::result_of(const Flight& flight, JobRows::SegmentRow& row) {
  using enum Result::Kind;
  const bool has_more = flight.work->kind == SegmentWork::Kind::copy && !flight.part.is_last;
  if (flight.cut || has_more) {
    Result result{.kind = stopped, .done = flight.before()};
    result.done.bytes = std::max(flight.bytes_sent, flight.before().bytes);
    return result;
  }
  if (flight.ends_with_loop) {
    const Part done = builtin_.end_stoppable(flight.loop, *flight.work, flight.part);
    return {.kind = done.is_last ? finished : stopped,
            .done = after_part(*flight.work, done, flight.before())};
  }
  if (flight.loop != nothing) return result_of_bound_loop(flight, row);
  return {.kind = flight.part.is_last ? finished : stopped,
          .done = after_part(*flight.work, flight.part, flight.before())};
}

GpuRun::Result GpuRun::result_of_bound_loop(const Flight& flight, JobRows::SegmentRow& row) {
  using enum Result::Kind;
  const PreemptibleWork& work = bound_loops_[flight.loop];
  Result result{.done = flight.before()};
  if (!work.launch_ended()) {
    keep_failure(flight.request, "the function asked for a loop, but no kernel used it");
    result.kind = failed;
  } else if (!work.finished()) {
    result.kind = stopped;
    // The loop itself knows how far all launches of the job have come.
    return result;
  }
  bound_loops_.give_back(flight.loop, result.kind == finished);
  row.loop = nothing;
  return result;
}

void GpuRun::keep_failure(const device::Request& request, std::string_view what) {
  if (abandoned_) return;
  failure_.keep(setup_.system.tasks[request.task].name, request.number, request.operation.segment, what);
}

void GpuRun::fail(const device::Request& request, std::string_view what) {
  keep_failure(request, what);
  if (refused_.size() < refused_.capacity()) refused_.push_back(request.operation);
}

bool GpuRun::look_for_errors(Time now) {
  if (flights_.busy().empty() || broken_ != cudaSuccess || now - heard_ < quiet_time) return false;
  heard_ = now;
  // One stream at a time: an error that spoils the device is told by all of them.
  const std::uint32_t queue = flights_.busy()[next_look_++ % flights_.busy().size()];
  static_cast<void>(find_breakage(streams_[queue]));
  return true;
}

bool GpuRun::find_breakage(cudaStream_t stream) {
  if (broken_ != cudaSuccess) return true;
  const cudaError_t status = query(stream);
  if (status == cudaSuccess || status == cudaErrorNotReady) return false;
  broken_ = status;
  blame(status);
  return true;
}

/// CUDA does not say whose work it was. Of what may have run, bound work is the more likely culprit, and
/// of that what is there longest.
void GpuRun::blame(cudaError_t status) {
  const Flight* culprit = nullptr;
  std::size_t others = 0;
  for (const std::uint32_t queue : flights_.busy()) {
    const Flight& flight = flights_[flights_.first(queue)];
    if (flight.failed || !flight.is_sent) continue;
    if (culprit != nullptr) ++others;
    const bool bound = !flight.work->is_built_in();
    const bool better = culprit == nullptr || (bound && culprit->work->is_built_in()) ||
                        (bound != culprit->work->is_built_in() && flight.called < culprit->called);
    if (better) culprit = &flight;
  }
  if (culprit == nullptr) return;
  std::string what = failure_text("its work on the device failed", status);
  if (others > 0) {
    what += " (or that of " + std::to_string(others) + (others == 1 ? " other" : " others") + " under way)";
  }
  keep_failure(culprit->request, what);
}

void GpuRun::fail_all(sched::Events& events) {
  while (!flights_.busy().empty()) {
    const std::uint32_t queue = flights_.busy().front();
    const std::uint32_t index = flights_.first(queue);
    const Flight& flight = flights_[index];
    const sched::Operation operation = flight.request.operation;
    if (flight.is_sent) rows_.note_start(operation.job, start_of(flight));
    if (!flight.told) {
      if (JobRows::SegmentRow* row = rows_.find(operation)) row->flight = nothing;
      events.emplace_back(sched::Failed{operation});
    }
    flights_.pop(queue);
    flights_.close(index);
  }
}

Time GpuRun::job_over(sched::JobId job) {
  if (!rows_.knows(job)) return never;
  streams_.job_over(job);
  for (std::uint32_t segment = 0; segment < rows_.most_segments(); ++segment) {
    JobRows::SegmentRow* row = rows_.find({job, segment});
    if (row == nullptr || row->loop == nothing) continue;
    bound_loops_.give_back(std::exchange(row->loop, nothing), false);
  }
  return rows_.start(job);
}

void GpuRun::stop_all() {
  for (const std::uint32_t queue : flights_.busy()) {
    for (std::uint32_t index = flights_.first(queue); index != nothing; index = flights_[index].next) {
      cut(flights_[index]);
    }
  }
}

bool GpuRun::wait_for_streams() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point limit = Clock::now() + options_.patience;
  const auto is_running = [](cudaStream_t stream) { return query(stream) == cudaErrorNotReady; };
  for (std::uint32_t i = 0; i < streams_.size(); ++i) {
    while (is_running(streams_[i])) {
      if (Clock::now() > limit) return false;
      std::this_thread::sleep_for(std::chrono::microseconds{50});
    }
  }
  while (is_running(control_.get())) {
    if (Clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::microseconds{50});
  }
  return true;
}

bool GpuRun::abandon() {
  abandoned_ = true;
  stop_all();
  return wait_for_streams();
}

bool GpuRun::close(Time now) {
  sched::Events unheard;
  poll(now, unheard);
  stop_all();
  for (const std::uint32_t queue : flights_.busy()) {
    const Flight& flight = flights_[flights_.first(queue)];
    if (flight.is_sent) rows_.note_start(flight.request.operation.job, start_of(flight));
  }
  const bool ended = wait_for_streams();
  static_cast<void>(find_breakage(control_.get()));
  if (!ended) {
    for (const std::uint32_t queue : flights_.busy()) {
      keep_failure(flights_[flights_.first(queue)].request, "it did not end when the run was over");
    }
  }
  return ended;
}

}  // namespace tactus::cuda
