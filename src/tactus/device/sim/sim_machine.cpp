#include "tactus/device/sim/sim_machine.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace tactus::device {

namespace {

/// What is launched and whose completion the scheduler has to learn of.
bool is_gpu_work(const SegmentFacts& facts) { return facts.server == Server::gpu; }

}  // namespace

SimMachine::SimMachine(const Setup& setup, bool open_ended)
    : system_{setup.system},
      draws_{setup.draws},
      trace_{*setup.trace},
      open_ended_{open_ended},
      facts_{make_segment_facts(setup.system)},
      gpu_{setup.system.platform.gpu, setup.sm_sets,
           setup.dedicated_sms ? Queues::by_sm_set : Queues::by_priority} {
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
  const sched::Operation operation{{slot_of(notice.token), handles_[slot_of(notice.token)].generation},
                                   segment_of(notice.token)};
  if (notice.finished) {
    std::get_if<sched::Finished>(&events.emplace_back(std::in_place_type<sched::Finished>))->operation =
        operation;
  } else {
    events.emplace_back(sched::Stopped{operation, notice.progress});
  }
}

/// The device has finished an operation; the scheduler learns it now, or later.
void SimMachine::finished(const Completion& completion, Time now, sched::Events& events) {
  const std::uint64_t token = completion.token;
  remember_start(token, completion.start);
  if (trace_.wants<trace::OperationFinished>()) {
    trace_.tell(trace::OperationFinished{name_of(token), segment_of(token), handles_[slot_of(token)].stream,
                                         completion.called, completion.start, now});
  }
  const Notice notice = parts_.empty() ? Notice{token} : end_part(token);
  if (const Duration delay = notice_delay(token); delay > Duration{}) {
    notices_.add(delayed(now, delay), notice);
  } else {
    add_event(notice, events);
  }
}

/// From the end of an operation until the scheduler knows.
Duration SimMachine::notice_delay(std::uint64_t token) const {
  const Duration bound = system_.platform.overheads.completion;
  if (bound == Duration{} || !is_gpu_work(facts_of(token))) return {};
  const Handle& handle = handles_[slot_of(token)];
  return draws_.overhead(Purpose::completion_delay, handle.task, handle.number, segment_of(token), bound);
}

/// The segment is finished when its last part is.
SimMachine::Notice SimMachine::end_part(std::uint64_t token) {
  const std::uint32_t slot = slot_of(token);
  if (slot >= parts_.size() || parts_[slot].generation != handles_[slot].generation ||
      parts_[slot].segment != segment_of(token) || parts_[slot].on_device == no_index) {
    return {token};
  }
  Part& part = parts_[slot];
  part.on_device = no_index;
  return {token, part.progress(), part.is_last};
}

void SimMachine::submit(const Request& request, Time now) {
  const sched::JobId job = request.operation.job;
  if (job.slot >= handles_.size()) handles_.resize(std::size_t{job.slot} + 1);
  Handle& handle = handles_[job.slot];
  if (handle.generation != job.generation) {
    handle = {.generation = job.generation, .task = request.task, .number = request.number, .last_call = now};
  }
  const std::uint64_t token = token_of(request.operation);
  if (facts_of(token).server == Server::cpu) {
    const std::uint32_t segment = request.operation.segment;
    const Duration time = draws_.execution(handle.task, handle.number, segment, facts_of(token).time);
    const Duration added = draws_.overhead(Purpose::cpu_delay, handle.task, handle.number, segment,
                                           system_.platform.overheads.cpu);
    cpus_.submit(system_.tasks[handle.task].core,
                 {.token = token, .rank = request.rank, .length = checked_add(time, added)}, now);
    return;
  }
  StreamIndex stream = no_index;
  if (request.stream != sched::own_stream) {
    stream = named_streams_[request.stream];
    handle.stream = static_cast<std::int32_t>(request.stream);
  } else {
    if (handle.own_stream == no_index) handle.own_stream = gpu_.open_stream();
    stream = handle.own_stream;
  }
  DelayedCall call{token, stream, request.rank, request.sms};
  if (request.extent != sched::Extent::whole) prepare_part(call, request);
  const Duration bound = system_.platform.overheads.launch;
  if (bound > Duration{}) {
    // The host makes the calls of a job one after the other; each launch takes its time.
    if (facts_of(call.token).call.kind != OperationKind::copy) {
      handle.last_call = delayed(std::max(handle.last_call, now),
                                 draws_.overhead(Purpose::launch_delay, handle.task, handle.number,
                                                 request.operation.segment, bound));
    }
    if (handle.last_call > now) {
      calls_.add(handle.last_call, call);
      return;
    }
  }
  call_device(call, now);
}

void SimMachine::call_device(const DelayedCall& call, Time now) {
  const SegmentFacts& facts = facts_of(call.token);
  const Handle& handle = handles_[slot_of(call.token)];
  const std::uint32_t segment = segment_of(call.token);
  const Duration length = draws_.execution(handle.task, handle.number, segment, facts.time);
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
  const Handle& handle = handles_[slot_of(token)];
  return checked_add(length, draws_.overhead(Purpose::copy_delay, handle.task, handle.number,
                                             segment_of(token), system_.platform.overheads.copy));
}

/// Exclusive work that is longer than its longest block runs in slices.
void SimMachine::cut_exclusive(TimedCall& call, const SegmentFacts& facts) const {
  if (!facts.slice || *facts.slice == Duration{} || call.length <= *facts.slice) return;
  call.call.blocks = ceil_div(count(call.length), count(*facts.slice));
  call.last_length = call.length - *facts.slice * (call.call.blocks - 1);
  call.length = *facts.slice;
}

void SimMachine::prepare_part(DelayedCall& call, const Request& request) {
  const std::uint32_t slot = slot_of(call.token);
  if (slot >= parts_.size()) parts_.resize(handles_.size());
  parts_[slot] = {.generation = handles_[slot].generation,
                  .segment = segment_of(call.token),
                  .number = ++parts_made_,
                  .stretch = request.stretch,
                  .launching = true,
                  .until_stopped = request.extent == sched::Extent::until_stopped};
  call.part = parts_made_;
}

void SimMachine::call_part(const DelayedCall& call, TimedCall timed, Time now) {
  Part& part = parts_[slot_of(call.token)];
  if (part.number != call.part || !part.launching) return;  // it was stopped on its way
  part.launching = false;
  const sched::Stretch& stretch = part.stretch;
  const SegmentFacts& facts = facts_of(call.token);
  timed.first_block = stretch.done.blocks;
  if (timed.call.kind == OperationKind::kernel) {
    const std::int64_t left = timed.call.blocks - stretch.done.blocks;
    timed.call.blocks = std::min(left, stretch.most_blocks);
    part.is_last = timed.call.blocks == left;
    part.time = timed.length;
  } else if (timed.call.kind == OperationKind::exclusive) {
    const Duration left = timed.length - stretch.done.time;
    timed.length = std::min(left, stretch.most_time);
    timed.last_length = timed.length;
    part.is_last = timed.length == left;
    part.time = timed.length;
    cut_exclusive(timed, facts);
  } else {
    const Duration length = facts.pieces.time(stretch.done.blocks, timed.length);
    timed.length = with_copy_overhead(length, call.token);
    part.is_last = stretch.done.blocks + 1 == facts.pieces.count;
    part.time = timed.length;
  }
  part.blocks = timed.call.blocks;
  part.on_device = gpu_.call(call.stream, timed, now);
}

/// Of what stops between its blocks no further one starts; where none runs, it is off the device at once.
bool SimMachine::stop_on_device(std::uint64_t token, Part& part, Time now) {
  const SegmentFacts& facts = facts_of(token);
  Time called{};
  Time start = never;
  if (facts.preemptible_anywhere) {
    const SimGpu::Withdrawn withdrawn = gpu_.withdraw(part.on_device, now);
    called = withdrawn.called;
    start = withdrawn.start;
    part.time -= withdrawn.left;
    part.blocks = start == never ? 0 : 1;
  } else if (part.until_stopped) {
    const SimGpu::Rest rest = gpu_.withdraw_rest(part.on_device);
    if (rest.parts == 0) return false;
    part.is_last = false;
    part.blocks -= rest.parts;
    if (facts.slice) part.time = *facts.slice * part.blocks;
    if (!rest.ended) return false;
    called = rest.called;
    start = rest.start;
  } else {
    return false;
  }
  part.on_device = no_index;
  if (start == never) return true;
  remember_start(token, start);
  trace_.tell(trace::OperationFinished{name_of(token), segment_of(token), handles_[slot_of(token)].stream,
                                       called, start, now});
  return true;
}

/// What is preemptible anywhere is off the device at once; the scheduler learns it like a completion. What
/// has finished already is left alone: its notice is on the way.
void SimMachine::request_stop(sched::Operation operation, Time now) {
  const std::uint32_t slot = operation.job.slot;
  if (slot >= parts_.size() || parts_[slot].generation != operation.job.generation) return;
  Part& part = parts_[slot];
  if (part.segment != operation.segment) return;
  const std::uint64_t token = token_of(operation);
  sched::Progress progress = part.stretch.done;
  if (part.on_device != no_index) {
    if (!stop_on_device(token, part, now)) return;
    progress = part.progress();
  } else if (part.launching) {
    part.launching = false;
    handles_[slot].last_call = now;  // a call that is given up does not hold up the next
  } else {
    return;
  }
  notices_.add(delayed(now, notice_delay(token)), {token, progress, false});
}

Time SimMachine::job_over(sched::JobId job) {
  // Nothing of it may have been issued.
  if (job.slot >= handles_.size() || handles_[job.slot].generation != job.generation) return never;
  Handle& handle = handles_[job.slot];
  if (handle.own_stream != no_index) gpu_.close_stream(std::exchange(handle.own_stream, no_index));
  return handle.start;
}

void SimMachine::remember_start(std::uint64_t token, Time start) {
  Handle& handle = handles_[slot_of(token)];
  handle.start = std::min(handle.start, start);
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
