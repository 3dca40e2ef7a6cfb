// How the end of work is detected and reported, and the end of the run.
#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "tactus/base/exact.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/gpu_run.hpp"
#include "tactus/trace/fanout.hpp"

namespace tactus::cuda {

namespace {

/// After this time without an event CUDA is asked for errors.
constexpr Duration quiet_time = std::chrono::milliseconds{10};
/// Between two launches of pinned work whose SMs are occupied.
constexpr Duration launch_pause = std::chrono::microseconds{50};

/// CUDA stores errors, including this one; it must not be returned by a later query.
cudaError_t query(cudaStream_t stream) {
  const cudaError_t status = cudaStreamQuery(stream);
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  return status;
}

/// The device does not report where blocks ran, so GPU work leaves one event for every SM of its set.
void tell_blocks(const device::Setup& setup, const trace::BlockRan& on_one, sched::SmSetId sms) {
  if (setup.trace == nullptr || !setup.trace->wants<trace::BlockRan>()) return;
  trace::BlockRan event = on_one;
  for (const std::int32_t sm : setup.sm_sets[sms]) {
    event.sm = sm;
    setup.trace->tell(event);
  }
}

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
  tell_blocks(setup, {job, segment, entry.before().blocks, 0, start, end}, request.sms);
}

}  // namespace

bool GpuRun::has_ended(std::uint32_t index) const {
  const StreamEntry& entry = entries_[index];
  if (!entry.is_sent) return entry.cut;
  if (entry.launch != nothing) return false;
  if (entry.ends_with_loop && !entry.failed) return builtin_.has_ended(entry.loop);
  // Not even its signal could be enqueued.
  if (entry.failed && entry.signals == 0) return query(streams_[entry.queue]) != cudaErrorNotReady;
  return entry.bytes_left == 0 && words_.value(index) == entry.signal;
}

bool GpuRun::left_early(const StreamEntry& entry) const {
  if (entry.loop == nothing || entry.stopping || entry.failed) return false;
  if (!streams_.place(entry.request.sms).is_pinned) return false;
  if (entry.ends_with_loop) return !builtin_.has_finished(entry.loop);
  const PreemptibleWork& work = bound_loops_[entry.loop];
  return work.launch_ended() && !work.finished();
}

bool GpuRun::pauses(const StreamEntry& entry, Time now) const {
  return now - entry.launched < launch_pause && left_early(entry);
}

/// Work that owns its SMs is alone in its stream, so the rest keeps its place.
void GpuRun::send_again(std::uint32_t index, Time now) {
  StreamEntry& entry = entries_[index];
  entry.launched = now;
  if (!entry.ends_with_loop) {
    entry.loop = nothing;  // the function requests it again
    --loops_in_flight_;
    ++entry.signal;
    entry.signals = 0;
    send(index);
    return;
  }
  try {
    builtin_.launch_again(entry.loop, *entry.work, entry.part, streams_.place(entry.request.sms),
                          streams_[entry.queue]);
  } catch (const std::exception& error) {
    break_off(index, error.what());
  }
}

bool GpuRun::has_news(Time now) {
  now_ = now;
  send_held();
  if (!refused_.empty() || resident_->has_news()) return true;
  if (broken_ != cudaSuccess) return entries_.size() > 0 || !resident_->is_idle();
  return std::any_of(entries_.busy().begin(), entries_.busy().end(), [&](std::uint32_t queue) {
    const std::uint32_t index = entries_.first(queue);
    return has_ended(index) && !pauses(entries_[index], now);
  });
}

void GpuRun::poll(Time now, sched::Events& events) {
  now_ = now;
  send_held();
  for (std::size_t i = 0; i < entries_.busy().size();) {
    const std::uint32_t queue = entries_.busy()[i];
    const std::uint32_t index = entries_.first(queue);
    if (!has_ended(index) || pauses(entries_[index], now)) {
      ++i;
      continue;
    }
    if (left_early(entries_[index])) {
      send_again(index, now);
      ++i;
      continue;
    }
    entries_.pop(queue);  // another queue may take its index in the list
    conclude(index, now, events);
  }
  while (const std::optional<ResidentTasks::Rung> rung = resident_->take_rung()) {
    conclude_rung(*rung, now, events);
  }
  if (broken_ != cudaSuccess) fail_all(events);
  for (const sched::SubmissionId& submission : refused_) events.emplace_back(sched::Failed{submission});
  refused_.clear();
}

/// Where CUDA is broken, the next job is told as failed, once, so that the run ends.
std::optional<device::ResidentJob> GpuRun::take_resident() {
  if (const std::optional<device::ResidentJob> job = resident_->take_resident()) {
    if (!abandoned_) {
      tell_blocks(setup_, {{job->task, job->number}, 0, 0, 0, job->start, job->end},
                  resident_->sms_of(job->task));
    }
    return job;
  }
  if (broken_ == cudaSuccess || std::exchange(told_broken_, true)) return std::nullopt;
  std::optional<device::ResidentJob> next = resident_->next_released();
  if (!next) return std::nullopt;
  next->start = next->end = now_;
  next->failed = true;
  return next;
}

void GpuRun::conclude_rung(const ResidentTasks::Rung& rung, Time now, sched::Events& events) {
  heard_ = now;
  starts_.note(rung.request.id.job, rung.called);
  StreamEntry entry;
  entry.request = rung.request;
  entry.work = &works_[rung.request.task][rung.request.id.segment];
  entry.called = rung.called;
  tell_trace(setup_, entry, rung.called, now);
  events.emplace_back(sched::Finished{rung.request.id});
}

Time GpuRun::start_of(const StreamEntry& entry) const {
  return std::max(entry.called, last_end_[entry.queue]);
}

void GpuRun::conclude(std::uint32_t index, Time now, sched::Events& events) {
  const StreamEntry& entry = entries_[index];
  const sched::SubmissionId submission = entry.request.id;
  const Time start = start_of(entry);
  heard_ = now;
  if (entry.loop != nothing) --loops_in_flight_;
  if (entry.is_sent) {
    starts_.note(submission.job, start);
    tell_trace(setup_, entry, start, now);
    last_end_[entry.queue] = now;
  }
  if (entry.told) {
    give_loop_back(entry);
  } else if (SegmentRow* row = find_row(submission)) {
    const Result result = result_of(entry, *row);
    row->entry = nothing;
    switch (result.kind) {
      case Result::Kind::finished:
        events.emplace_back(sched::Finished{submission});
        break;
      case Result::Kind::stopped:
        events.emplace_back(sched::Stopped{submission, result.done});
        break;
      case Result::Kind::failed:
        events.emplace_back(sched::Failed{submission});
        break;
    }
  }
  streams_.submission_over(entry.request);
  entries_.close(index);
}

/// For aborted work.
void GpuRun::give_loop_back(const StreamEntry& entry) {
  if (entry.loop == nothing) return;
  if (entry.ends_with_loop) {
    static_cast<void>(builtin_.end_stoppable(entry.loop, *entry.work, entry.part));
  } else {
    bound_loops_.give_back(entry.loop, false);
  }
}

GpuRun::Result GpuRun::result_of(const StreamEntry& entry, SegmentRow& row) {
  using enum Result::Kind;
  const bool has_more = entry.work->is(device::OperationKind::copy) && !entry.part.is_last;
  if (entry.cut || has_more) {
    Result result{.kind = stopped, .done = entry.before()};
    result.done.bytes = std::max(entry.bytes_sent, entry.before().bytes);
    return result;
  }
  if (entry.ends_with_loop) {
    const Part done = builtin_.end_stoppable(entry.loop, *entry.work, entry.part);
    return {.kind = done.is_last ? finished : stopped, .done = after_part(*entry.work, done, entry.before())};
  }
  if (entry.loop != nothing) return result_of_bound_loop(entry, row);
  return {.kind = entry.part.is_last ? finished : stopped,
          .done = after_part(*entry.work, entry.part, entry.before())};
}

GpuRun::Result GpuRun::result_of_bound_loop(const StreamEntry& entry, SegmentRow& row) {
  using enum Result::Kind;
  const PreemptibleWork& work = bound_loops_[entry.loop];
  Result result{.done = entry.before()};
  if (!work.launch_ended()) {
    keep_failure(entry.request, "the function asked for a loop, but no kernel used it");
    result.kind = failed;
  } else if (!work.finished()) {
    result.kind = stopped;
    // The loop itself keeps the progress of the job.
    return result;
  }
  bound_loops_.give_back(entry.loop, result.kind == finished);
  row.loop = nothing;
  return result;
}

void GpuRun::keep_failure(const device::Request& request, std::string_view what) {
  if (!abandoned_) failure_.keep(setup_.system, request, what);
}

void GpuRun::fail(const device::Request& request, std::string_view what) {
  keep_failure(request, what);
  if (refused_.size() < refused_.capacity()) refused_.push_back(request.id);
}

bool GpuRun::look_for_errors(Time now) {
  const bool is_idle = entries_.busy().empty() && resident_->is_idle() && resident_->released() == 0;
  if (is_idle || broken_ != cudaSuccess || now - heard_ < quiet_time) return false;
  heard_ = now;
  // One stream per check is enough: an error that invalidates the device shows in all of them.
  static_cast<void>(find_breakage(entries_.busy().empty()
                                      ? resident_->some_stream()
                                      : streams_[entries_.busy()[next_look_++ % entries_.busy().size()]]));
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

/// CUDA does not say whose work failed. Bound work is more likely than built-in work, and among bound work
/// the one submitted first.
void GpuRun::blame(cudaError_t status) {
  const StreamEntry* culprit = nullptr;
  std::size_t others = 0;
  for (const std::uint32_t queue : entries_.busy()) {
    const StreamEntry& entry = entries_[entries_.first(queue)];
    if (entry.failed || !entry.is_sent) continue;
    if (culprit != nullptr) ++others;
    const bool bound = !entry.work->is_built_in();
    const bool better = culprit == nullptr || (bound && culprit->work->is_built_in()) ||
                        (bound != culprit->work->is_built_in() && entry.called < culprit->called);
    if (better) culprit = &entry;
  }
  std::string what = failure_text("its work on the device failed", status);
  if (culprit == nullptr) {
    device::Request request;
    if (const ResidentTasks::Rung* rung = resident_->first_rung()) {
      request = rung->request;
    } else if (const std::optional<device::ResidentJob> next = resident_->next_released()) {
      request.task = next->task;
      request.number = next->number;
    } else {
      return;
    }
    keep_failure(request, what);
    return;
  }
  others += resident_->released();
  if (others > 0) {
    what += " (or that of " + std::to_string(others) + (others == 1 ? " other" : " others") + " under way)";
  }
  keep_failure(culprit->request, what);
}

void GpuRun::fail_all(sched::Events& events) {
  while (!entries_.busy().empty()) {
    const std::uint32_t queue = entries_.busy().front();
    const std::uint32_t index = entries_.first(queue);
    const StreamEntry& entry = entries_[index];
    const sched::SubmissionId submission = entry.request.id;
    if (entry.is_sent) starts_.note(submission.job, start_of(entry));
    if (!entry.told) {
      if (SegmentRow* row = find_row(submission)) row->entry = nothing;
      events.emplace_back(sched::Failed{submission});
    }
    entries_.pop(queue);
    entries_.close(index);
  }
  while (const std::optional<ResidentTasks::Rung> rung = resident_->give_up_rung()) {
    events.emplace_back(sched::Failed{rung->request.id});
  }
}

Time GpuRun::job_over(sched::JobId job) {
  streams_.job_over(job);
  for (std::uint32_t segment = 0; segment < rows_.places(); ++segment) {
    SegmentRow* row = rows_.find(job, segment);
    if (row == nullptr || row->loop == nothing) continue;
    bound_loops_.give_back(std::exchange(row->loop, nothing), false);
  }
  return starts_.of(job);
}

void GpuRun::stop_all() {
  resident_->stop();
  entries_.for_each([this](StreamEntry& entry) { cut(entry); });
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
  while (!resident_->has_ended()) {
    if (Clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::microseconds{50});
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
  end_launchers(options_.patience);
  return !is_left_behind_ && wait_for_streams();
}

bool GpuRun::close(Time now) {
  sched::Events unheard;
  poll(now, unheard);
  stop_all();
  end_launchers(options_.patience);
  for (const std::uint32_t queue : entries_.busy()) {
    const StreamEntry& entry = entries_[entries_.first(queue)];
    if (entry.is_sent) starts_.note(entry.request.id.job, start_of(entry));
  }
  const bool ended = !is_left_behind_ && wait_for_streams();
  static_cast<void>(find_breakage(control_.get()));
  if (!ended) {
    for (const std::uint32_t queue : entries_.busy()) {
      keep_failure(entries_[entries_.first(queue)].request, "it did not end when the run was over");
    }
  }
  return ended;
}

}  // namespace tactus::cuda
