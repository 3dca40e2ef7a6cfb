#include "tactus/device/sim/sim_machine.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "tactus/model/dispatch.hpp"

namespace tactus::device {

namespace {

/// GPU work has a launch overhead and a completion overhead.
bool is_gpu_work(const SegmentFacts& facts) { return facts.server == ServerKind::gpu; }

}  // namespace

SimMachine::SimMachine(const Setup& setup, bool open_ended)
    : system_{setup.system},
      draws_{setup.draws},
      trace_{*setup.trace},
      open_ended_{open_ended},
      facts_{make_segment_facts(setup.system)},
      gpu_{setup.system.platform.gpu, setup.sm_sets,
           setup.dedicated_sms ? Queues::by_sm_set : Queues::by_priority},
      job_streams_{0, own_streams_of_job(setup) + 1},
      stream_of_segment_{0, max_segments(setup.system)},
      parts_{0, max_segments(setup.system)} {
  for (const Task& task : system_.tasks) overheads_.push_back(dispatch_overheads(system_, task));
  for (std::uint32_t i = 0; i < setup.streams; ++i) named_streams_.push_back(gpu_.open_stream());
  listen();
}

void SimMachine::listen() {
  gpu_.listen({.listener = this,
               .blocks = trace_.wants<trace::BlockRan>(),
               .copies = trace_.wants<trace::CopyRan>()});
  cpus_.listen(trace_.wants<trace::CpuRan>() ? this : nullptr);
}

void SimMachine::add_event(const Notice& notice, sched::Events& events) const {
  const sched::SubmissionId submission{jobs_.last_job(slot_of(notice.token)), segment_of(notice.token)};
  if (notice.finished) {
    std::get_if<sched::Finished>(&events.emplace_back(std::in_place_type<sched::Finished>))->id = submission;
  } else {
    events.emplace_back(sched::Stopped{submission, notice.progress});
  }
}

/// The device has finished an operation; the scheduler learns of it now, or later.
void SimMachine::finished(const Completion& completion, Time now, sched::Events& events) {
  const std::uint64_t token = completion.token;
  tell_finished(token, completion.called, completion.start, now);
  const Notice notice = end_part(token);
  if (const Duration delay = notice_delay(token); delay > Duration{}) {
    notices_.add(delayed(now, delay), notice);
  } else {
    add_event(notice, events);
  }
}

void SimMachine::tell_finished(std::uint64_t token, Time called, Time start, Time now) {
  remember_start(token, start);
  if (!trace_.wants<trace::OperationFinished>()) return;
  trace_.tell(trace::OperationFinished{name_of(token), segment_of(token),
                                       stream_of_segment_.last(slot_of(token), segment_of(token)), called,
                                       start, now});
}

/// From the end of an operation until the scheduler knows.
Duration SimMachine::notice_delay(std::uint64_t token) const {
  const JobFacts& job = jobs_.last(slot_of(token));
  const Duration bound = overheads_[job.task].completion;
  if (bound == Duration{} || !is_gpu_work(facts_of(token))) return {};
  return draws_.overhead(Purpose::completion_delay, job.task, job.number, segment_of(token), bound);
}

/// The segment has finished when its last submission has.
SimMachine::Notice SimMachine::end_part(std::uint64_t token) {
  Part* part = parts_.find(jobs_.last_job(slot_of(token)), segment_of(token));
  if (part == nullptr || part->on_device == no_index) return {token};
  part->on_device = no_index;
  return {token, part->end, part->is_last};
}

void SimMachine::submit(const sched::Submit& request, TaskIndex task, std::uint64_t number, Time now) {
  const sched::JobId id = request.id.job;
  const std::uint32_t segment = request.id.segment;
  if (id.slot >= jobs_.jobs()) make_room(id.slot);
  JobFacts& job = jobs_.open(id);
  job.task = task;
  job.number = number;
  if (trace_.wants<trace::OperationFinished>()) {
    stream_of_segment_.open(id, segment) =
        sched::is_own(request.stream) ? -1 : static_cast<std::int32_t>(request.stream);
  }
  const std::uint64_t token = token_of(request.id);
  if (request.server == ServerKind::cpu) {
    const Duration time = draws_.execution(job.task, job.number, segment, facts_of(token).time);
    const Duration added =
        draws_.overhead(Purpose::cpu_delay, job.task, job.number, segment, system_.platform.overheads.cpu);
    cpus_.submit(request.cores,
                 {.token = token, .urgency = request.urgency, .length = checked_add(time, added)}, now);
    return;
  }
  JobStream& job_stream = job_streams_.open(id, place_of(request.stream));
  DelayedCall call{token, stream_for(request, job_stream), request.level, request.sms};
  if (request.extent != sched::Extent::whole) prepare_part(call, request);
  const Duration bound = overheads_[task].launch;
  if (bound > Duration{}) {
    // The host makes the calls of a job in one stream one after the other, and each launch takes time.
    if (request.server != ServerKind::copy) {
      job_stream.last_call =
          delayed(std::max(job_stream.last_call, now),
                  draws_.overhead(Purpose::launch_delay, job.task, job.number, segment, bound));
    }
    if (job_stream.last_call > now) {
      calls_.add(job_stream.last_call, call);
      return;
    }
  }
  call_device(call, now);
}

void SimMachine::make_room(std::uint32_t slot) {
  jobs_.make_room(slot);
  job_streams_.make_room(slot);
  stream_of_segment_.make_room(slot);
}

/// Calls in a shared stream and in one of the job's own do not wait for each other.
std::size_t SimMachine::place_of(sched::StreamId stream) const {
  return sched::is_own(stream) ? stream - sched::own_stream : job_streams_.places() - 1;
}

StreamIndex SimMachine::stream_for(const sched::Submit& request, JobStream& job_stream) {
  if (!sched::is_own(request.stream)) return named_streams_[request.stream];
  if (job_stream.own == no_index) job_stream.own = gpu_.open_stream();
  return job_stream.own;
}

void SimMachine::call_device(const DelayedCall& call, Time now) {
  if (call.part > 0) {
    const Part& part = parts_.last(slot_of(call.token), segment_of(call.token));
    if (part.number != call.part || !part.launching) return;  // it was stopped before it reached the GPU
  }
  const SegmentFacts& facts = facts_of(call.token);
  const JobFacts& job = jobs_.last(slot_of(call.token));
  const std::uint32_t segment = segment_of(call.token);
  const Duration length = draws_.execution(job.task, job.number, segment, facts.time);
  if (facts.starts_at_once && call.part == 0 && call.sm_set == 0 &&
      (!facts.slice || length <= *facts.slice) &&
      gpu_.call_alone(call.stream, facts.call, call.rank, length, call.token, now)) {
    return;
  }
  TimedCall timed;
  timed.call = facts.call;
  timed.preemptible_anywhere = facts.preemptible_anywhere;
  timed.token = call.token;
  timed.call.level = call.rank;
  timed.call.sm_set = call.sm_set;
  timed.length = length;
  timed.last_length = length;
  if (call.part > 0) {
    call_part(call, timed, now);
    return;
  }
  if (timed.call.kind == OperationKind::copy) timed.length = with_copy_overhead(timed.length, call.token);
  cut_exclusive(timed, facts);
  gpu_.call(call.stream, timed, now);
}

Duration SimMachine::with_copy_overhead(Duration length, std::uint64_t token) const {
  const JobFacts& job = jobs_.last(slot_of(token));
  return checked_add(length, draws_.overhead(Purpose::copy_delay, job.task, job.number, segment_of(token),
                                             system_.platform.overheads.copy));
}

/// Exclusive work longer than its longest block runs in slices.
void SimMachine::cut_exclusive(TimedCall& call, const SegmentFacts& facts) const {
  if (!facts.slice || *facts.slice == Duration{} || call.length <= *facts.slice) return;
  call.call.blocks = ceil_div(in_ns(call.length), in_ns(*facts.slice));
  call.last_length = call.length - *facts.slice * (call.call.blocks - 1);
  call.length = *facts.slice;
}

void SimMachine::prepare_part(DelayedCall& call, const sched::Submit& request) {
  parts_.make_room(request.id.job.slot);
  parts_.open(request.id.job, request.id.segment) = {
      .number = ++parts_made_,
      .stretch = request.stretch,
      .job_stream = place_of(request.stream),
      .launching = true,
      .until_stopped = request.extent == sched::Extent::until_stopped};
  call.part = parts_made_;
}

void SimMachine::call_part(const DelayedCall& call, TimedCall timed, Time now) {
  Part& part = parts_.last(slot_of(call.token), segment_of(call.token));
  part.launching = false;
  const sched::Stretch& stretch = part.stretch;
  part.is_last = stretch.is_last;
  part.end = stretch.done;
  timed.first_block = stretch.done.blocks;
  if (timed.call.kind == OperationKind::copy) {
    timed.length = with_copy_overhead(stretch.time_of(timed.length), call.token);
    part.end.bytes = stretch.until.bytes;
  } else {
    if (timed.call.kind == OperationKind::kernel) {
      timed.call.blocks = stretch.blocks_of(timed.call.blocks);
    } else {
      part.is_last = timed.length <= stretch.until.time;
      timed.length = timed.last_length = stretch.time_of(timed.length);
      part.end.time += timed.length;
      cut_exclusive(timed, facts_of(call.token));
    }
    part.end.blocks += timed.call.blocks;
  }
  part.on_device = gpu_.call(call.stream, timed, now);
}

/// Work that stops between blocks starts no further block; if none is running, it leaves the device at once.
bool SimMachine::stop_on_device(std::uint64_t token, Part& part, Time now) {
  const SegmentFacts& facts = facts_of(token);
  Time called{};
  Time start = never;
  if (facts.preemptible_anywhere) {
    const SimGpu::Withdrawn withdrawn = gpu_.withdraw(part.on_device, now);
    called = withdrawn.called;
    start = withdrawn.start;
    part.end.time -= withdrawn.left;
    part.end.blocks = part.stretch.done.blocks + (start == never ? 0 : 1);
  } else if (part.until_stopped) {
    const SimGpu::Rest rest = gpu_.withdraw_rest(part.on_device);
    if (rest.parts == 0) return false;
    part.is_last = false;
    part.end.blocks -= rest.parts;
    const sched::SegmentProgress& done = part.stretch.done;
    if (facts.slice) part.end.time = done.time + *facts.slice * (part.end.blocks - done.blocks);
    if (!rest.ended) return false;
    called = rest.called;
    start = rest.start;
  } else {
    return false;
  }
  part.on_device = no_index;
  if (start == never) return true;
  tell_finished(token, called, start, now);
  return true;
}

/// Work that is preemptible anywhere leaves the device at once; the scheduler learns of it like of a
/// completion. If it has finished already, its notice is on the way and nothing is done.
void SimMachine::request_stop(sched::SubmissionId submission, Time now) {
  Part* part = parts_.find(submission.job, submission.segment);
  if (part == nullptr) return;
  const std::uint64_t token = token_of(submission);
  sched::SegmentProgress progress = part->stretch.done;
  if (part->on_device != no_index) {
    if (!stop_on_device(token, *part, now)) return;
    progress = part->end;
  } else if (part->launching) {
    part->launching = false;
    // A cancelled call does not delay the next one.
    job_streams_.open(submission.job, part->job_stream).last_call = now;
  } else {
    return;
  }
  notices_.add(delayed(now, notice_delay(token)), {token, progress, false});
}

Time SimMachine::job_over(sched::JobId job, Time now) {
  cpus_.release(token_of({job, 0}), now);
  for (std::size_t place = 0; place + 1 < job_streams_.places(); ++place) {
    JobStream* stream = job_streams_.find(job, place);
    if (stream != nullptr && stream->own != no_index) {
      gpu_.close_stream(std::exchange(stream->own, no_index));
    }
  }
  const JobFacts* facts = jobs_.find(job);  // null if nothing of it was submitted
  return facts == nullptr ? never : facts->start;
}

void SimMachine::remember_start(std::uint64_t token, Time start) {
  JobFacts& job = jobs_.last(slot_of(token));
  job.start = std::min(job.start, start);
}

void SimMachine::end_at(Time now) {
  const auto remember = [&](std::uint64_t token, Time start) { remember_start(token, start); };
  gpu_.for_each_operation(remember);
  cpus_.for_each_work(remember);
  cpus_.end_at(now);
}

void SimMachine::block_ran(std::uint64_t token, std::int64_t block, std::int32_t sm, Time start, Time end) {
  trace_.tell(trace::BlockRan{name_of(token), segment_of(token), block, sm, start, end});
}

void SimMachine::copy_ran(std::uint64_t token, std::int32_t engine, Time start, Time end) {
  trace_.tell(trace::CopyRan{name_of(token), segment_of(token), engine, start, end});
}

void SimMachine::cpu_ran(std::uint64_t token, std::int32_t core, Time start, Time end) {
  trace_.tell(trace::CpuRan{name_of(token), segment_of(token), core, start, end});
}

}  // namespace tactus::device
