#include "tactus/sim/simulate.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "tactus/base/error.hpp"
#include "tactus/device/sim/sim_cpus.hpp"
#include "tactus/device/sim/sim_gpu.hpp"
#include "tactus/sched/core.hpp"
#include "tactus/sim/arrivals.hpp"

namespace tactus::sim {

namespace {

using device::OperationKind;
using device::TimedCall;

/// What is the same for every job of one segment.
struct SegmentFacts {
  TimedCall call;
  Interval time;
  std::optional<Duration> slice;  // exclusive: longest_block, unless all of it
  bool on_cpu = false;
};

struct MakeFacts {
  const Task& task;
  const Gpu& gpu;
  std::int64_t virtual_sms = 0;

  SegmentFacts operator()(const CopySegment& copy) const {
    SegmentFacts facts;
    facts.call.call.kind = OperationKind::copy;
    facts.time = copy.time;
    return facts;
  }
  SegmentFacts operator()(const KernelSegment& kernel) const {
    SegmentFacts facts;
    facts.call.call.kind = OperationKind::kernel;
    facts.call.call.blocks = kernel.blocks();
    facts.call.call.demand = block_demand(kernel, gpu);
    facts.time = kernel.block_time;
    return facts;
  }
  SegmentFacts operator()(const ExclusiveSegment& exclusive) const {
    SegmentFacts facts;
    facts.call.call.kind = OperationKind::exclusive;
    facts.time = exclusive.time;
    facts.slice = task.longest_block;
    facts.call.preemptible_anywhere = task.longest_block == Duration{};
    return facts;
  }
  SegmentFacts operator()(const CpuSegment& cpu) const {
    SegmentFacts facts;
    facts.time = cpu.time;
    facts.on_cpu = true;
    return facts;
  }
  /// Its SMs are the task's own, so only the time counts. Without virtual SMs it is refused before a
  /// simulation starts.
  SegmentFacts operator()(const GpuSegment& work) const {
    SegmentFacts facts;
    facts.call.call.kind = OperationKind::exclusive;
    if (virtual_sms > 0) facts.time = gpu_time(work, virtual_sms);
    return facts;
  }
};

/// What is launched and whose completion the scheduler has to learn of.
bool is_gpu_work(const SegmentFacts& facts) {
  return !facts.on_cpu && facts.call.call.kind != OperationKind::copy;
}

sched::Capabilities capabilities(const System& system) {
  return {.engine = "the simulator",
          .priority_levels = system.platform.gpu.priority_levels,
          .sm_set_granularity = 1,
          .stops_kernels = true,
          .immediate_refill = true,
          .preemptive_cpu = true};
}

void refuse_what_is_missing(const System& system) {
  std::vector<Problem> problems;
  for (const std::string& refusal : sched::refusals(system, capabilities(system))) {
    problems.push_back({.file = {}, .line = 0, .column = 0, .message = refusal, .hint = {}});
  }
  if (!problems.empty()) throw InputError{std::move(problems)};
}

/// A queue of things to come, earliest first, in the order of insertion at one instant.
template <class Item>
class Agenda {
 public:
  void add(Time when, const Item& item) {
    queue_.push({when, ++added_, item});
    next_ = queue_.top().when;
  }
  [[nodiscard]] Time next() const { return next_; }
  [[nodiscard]] std::size_t size() const { return queue_.size(); }
  [[nodiscard]] const Item& first() const { return queue_.top().item; }
  Item take() {
    const Item item = queue_.top().item;
    queue_.pop();
    next_ = queue_.empty() ? never : queue_.top().when;
    return item;
  }

 private:
  struct Entry {
    Time when{};
    std::uint64_t order = 0;
    Item item;
    bool operator<(const Entry& other) const {
      return std::tie(other.when, other.order) < std::tie(when, order);
    }
  };
  std::priority_queue<Entry> queue_;
  Time next_ = never;  // kept here because it is asked for at every instant
  std::uint64_t added_ = 0;
};

class Engine final : private device::GpuListener, private device::CpuListener {
 public:
  Engine(const System& system, const Options& options, std::span<trace::Observer* const> observers);

  Outcome run();

 private:
  /// The engine's side of a row of the job table.
  struct Handle {
    std::uint32_t generation = ~std::uint32_t{0};  // of no job yet
    TaskIndex task = 0;
    std::uint64_t number = 0;
    device::StreamIndex own_stream = device::no_index;
    Time start = never;
    Time last_call{};          // when the job's latest call reaches the device
    std::int32_t stream = -1;  // the named stream it is in; -1: its own
  };

  /// A segment that is submitted slice by slice, on the engine's side.
  struct Sliced {
    std::uint32_t generation = ~std::uint32_t{0};
    std::uint32_t segment = 0;
    std::int64_t parts = 0;        // submissions so far: the number of the current one
    std::int64_t blocks_done = 0;  // of a kernel; of exclusive work, its slices
    std::int64_t blocks = 0;       // of the current part
    Duration time_done{};
    Duration time{};  // of the current part
    Duration whole{};
    device::OperationIndex on_device = device::no_index;
    bool launching = false;
  };

  struct DelayedCall {
    std::uint64_t token = 0;
    device::StreamIndex stream = 0;
    std::uint32_t rank = 0;
    std::uint32_t sm_set = 0;
    std::int64_t part = 0;  // 0: the whole segment; else which of its parts
  };

  /// The scheduler learns that an operation finished, or stopped with so much done.
  struct Notice {
    std::uint64_t token = 0;
    Duration progress{};
    bool finished = true;
  };

  void collect_events(Time now);
  void collect_completions(Time now);
  void collect_releases(Time now);
  void release_nominally(const Release& release, Time now);
  void apply(const sched::Submit& submit, Time now);
  void apply(const sched::Done& done, Time now);
  void apply(const sched::Repeat& repeat, Time now);
  void apply(const sched::DropJob& drop, Time now);
  void apply(const sched::ArmTimer& arm, Time now);
  void apply(const sched::CancelTimer& cancel, Time now);
  void apply(const sched::RequestStop& stop, Time now);
  void prepare_part(DelayedCall& call);
  void call_part(const DelayedCall& call, TimedCall timed, Time now);
  Notice end_part(std::uint64_t token);
  [[nodiscard]] Duration notice_delay(std::uint64_t token) const;
  void add_event(const Notice& notice);
  void forget_stale_timers();
  void refill(Time now);
  bool nothing_will_happen();
  void end_at_barrier(Time now);
  void apply_completions(Time now);
  void call_device(const DelayedCall& call, Time now);
  [[nodiscard]] bool anything_due(Time now) const;
  [[nodiscard]] Time next_instant() const;
  void finished(const device::Completion& completion, Time now);
  bool keep_going(Time now, bool device_worked_long);
  void ask_observers();

  /// The queue that the first call of a task's jobs joins.
  struct WaitingPlace {
    OperationKind kind = OperationKind::kernel;
    std::uint32_t level = 0;
    friend bool operator==(const WaitingPlace&, const WaitingPlace&) = default;
  };
  /// Of the task whose facts were gathered last.
  [[nodiscard]] WaitingPlace waiting_place_of(const Task& description) const;
  void leave_out(const Release& release);
  void end_unfinished_jobs();
  void end_job(const trace::JobEnded& ended);

  void block_ran(std::uint64_t token, std::int64_t block, std::int32_t sm, Time start, Time end) override;
  void copy_ran(std::uint64_t token, std::int32_t engine, Time start, Time end) override;
  void cpu_ran(std::uint64_t token, std::int32_t core, Time start, Time end) override;

  [[nodiscard]] trace::JobName name_of(std::uint64_t token) const {
    const Handle& handle = handles_[slot_of(token)];
    return {handle.task, handle.number};
  }
  static std::uint64_t token_of(sched::Operation operation) {
    return (std::uint64_t{operation.job.slot} << 32U) | operation.segment;
  }
  static std::uint32_t slot_of(std::uint64_t token) { return static_cast<std::uint32_t>(token >> 32U); }
  static std::uint32_t segment_of(std::uint64_t token) { return static_cast<std::uint32_t>(token); }
  [[nodiscard]] const SegmentFacts& facts_of(std::uint64_t token) const {
    return facts_[handles_[slot_of(token)].task][segment_of(token)];
  }
  /// Nothing lies behind a horizon, but without one every event counts and must fit 64 bits.
  [[nodiscard]] Time delayed(Time time, Duration delay) const {
    return open_ended_ ? checked_add(time, delay) : saturating_add(time, delay);
  }
  [[nodiscard]] Time deadline_of(TaskIndex task, Time release) const {
    const std::optional<Duration>& deadline = system_.tasks[task].deadline;
    return deadline ? saturating_add(release, *deadline) : never;
  }

  const System& system_;
  const Options& options_;
  std::span<trace::Observer* const> observers_;
  Draws draws_;
  Outcome outcome_;

  std::vector<trace::Observer*> wants_releases_;
  std::vector<trace::Observer*> wants_blocks_;
  std::vector<trace::Observer*> wants_copies_;
  std::vector<trace::Observer*> wants_cpus_;
  std::vector<trace::Observer*> wants_operations_;
  std::vector<trace::Observer*> wants_ends_;

  std::vector<std::vector<SegmentFacts>> facts_;  // by task and segment
  std::vector<WaitingPlace> waiting_place_;       // by task
  std::vector<Duration> release_delay_;           // by task: how late the scheduler may see a release
  std::uint32_t most_pending_;
  sched::Core core_;
  device::SimGpu gpu_;
  device::SimCpus cpus_;
  std::vector<device::StreamIndex> named_streams_;
  std::vector<std::int32_t> stream_of_task_;  // index of the named stream; -1 for one a job
  Arrivals arrivals_;
  Agenda<Release> unseen_;
  Agenda<DelayedCall> calls_;
  Agenda<Notice> notices_;  // what the scheduler does not know yet
  Agenda<sched::TimerId> timers_;
  std::map<sched::TimerId, Time> timer_at_;  // armed timers
  std::vector<Handle> handles_;
  std::vector<Sliced> sliced_;  // by slot; only as far as strategies cut work into slices

  std::vector<device::Completion> completions_;
  std::vector<sched::Event> events_;
  std::vector<Release> seen_;
  sched::Commands commands_;
  std::vector<Release> left_out_;  // first release of each task that `most_pending` left out
  std::uint64_t rounds_ = 0;
  std::uint64_t fruitless_timers_ = 0;  // in a row
  bool open_ended_;                     // there is no horizon
  bool lazy_;  // the device goes on by itself before it gets what a completion leaves to submit
  bool stop_sent_ = false;
};

/// Jobs of many segments take more room each, so fewer of them may be pending.
std::uint32_t most_pending(const System& system, const Options& options) {
  if (options.most_pending) return *options.most_pending;
  std::size_t segments = 1;
  for (const Task& task : system.tasks) segments = std::max(segments, task.work.nodes.size());
  constexpr std::size_t usual = 1U << 18U;
  constexpr std::size_t segments_for_free = 64;
  const std::size_t rows = usual / std::max<std::size_t>(1, segments / segments_for_free);
  return static_cast<std::uint32_t>(std::max(rows, 2 * system.tasks.size()));
}

std::vector<device::SmSet> all_sm_sets(const System& system, const sched::Core& core) {
  std::vector<device::SmSet> sets{device::all_sms(system.platform.gpu)};
  for (device::SmSet& set : core.sm_sets()) sets.push_back(std::move(set));
  return sets;
}

Engine::Engine(const System& system, const Options& options, std::span<trace::Observer* const> observers)
    : system_{system},
      options_{options},
      observers_{observers},
      draws_{system, options.seed, options.execution},
      outcome_{.horizon = options.horizon ? at(*options.horizon) : default_horizon(system)},
      most_pending_{most_pending(system, options)},
      core_{system, most_pending_},
      gpu_{system.platform.gpu, all_sm_sets(system, core_),
           core_.has_dedicated_sms() ? device::Queues::by_sm_set : device::Queues::by_priority},
      arrivals_{system, draws_, outcome_.horizon},
      open_ended_{outcome_.horizon == never},
      lazy_{core_.refills_lazily()} {
  ask_observers();
  std::map<std::string, std::int32_t> stream_by_name;
  for (const std::string& name : core_.named_streams()) {
    stream_by_name.emplace(name, static_cast<std::int32_t>(named_streams_.size()));
    named_streams_.push_back(gpu_.open_stream());
  }
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const std::int64_t virtual_sms =
        i < system.virtual_sms.size() ? system.virtual_sms[i].value_or(0) : std::int64_t{0};
    std::vector<SegmentFacts>& facts = facts_.emplace_back();
    for (const Node& node : task.work.nodes) {
      facts.push_back(std::visit(MakeFacts{task, system.platform.gpu, virtual_sms}, node.segment));
    }
    waiting_place_.push_back(waiting_place_of(task));
    release_delay_.push_back(checked_add(task.jitter, system.platform.overheads.release));
    const bool chooses_stream = system.policy.strategy == StrategyKind::as_submitted && task.stream;
    const auto named = chooses_stream ? stream_by_name.find(*task.stream) : stream_by_name.end();
    stream_of_task_.push_back(named == stream_by_name.end() ? -1 : named->second);
  }
}

Outcome Engine::run() {
  Time now = origin;
  bool device_worked_long = false;
  while (keep_going(now, device_worked_long)) {
    const Time limit = std::min(std::min(next_instant(), cpus_.next_end()), outcome_.horizon);
    completions_.clear();
    now = gpu_.advance(limit, completions_);
    if (now == never) break;
    cpus_.advance(now, completions_);
    device_worked_long = now < limit && completions_.empty();
    outcome_.reached = now;
    if (gpu_.barrier_passed()) {
      end_at_barrier(now);
      break;
    }
    collect_events(now);
    if (outcome_.ending == Ending::too_many_jobs) {
      events_.insert(events_.begin(), sched::StopRequested{});  // nothing repeats at this instant
    }
    commands_.clear();
    if (!events_.empty()) core_.step(now, events_, commands_);
    if (outcome_.ending == Ending::too_many_jobs) {
      apply_completions(now);
      break;
    }
    if (lazy_) refill(now);
    // Calls that were on their way were submitted before those of this step.
    while (calls_.next() == now) call_device(calls_.take(), now);
    for (const sched::Command& command : commands_) {
      std::visit([&](const auto& one) { apply(one, now); }, command);
    }
    gpu_.dispatch(now);
    cpus_.dispatch(now);
    if (gpu_.barrier_passed()) {
      outcome_.ending = Ending::too_many_jobs;
      break;
    }
    if (now == outcome_.horizon && !anything_due(now)) break;
    if (open_ended_ && nothing_will_happen()) break;
  }
  if (outcome_.horizon == never) outcome_.horizon = outcome_.reached;
  if (outcome_.ending == Ending::horizon) outcome_.reached = outcome_.horizon;
  end_unfinished_jobs();
  return outcome_;
}

/// Now and then, and whenever the device worked long alone.
bool Engine::keep_going(Time now, bool device_worked_long) {
  constexpr std::uint64_t rounds_between_looks = 1U << 14U;
  if ((++rounds_ % rounds_between_looks) != 0 && !device_worked_long) return true;
  if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) {
    outcome_.ending = Ending::interrupted;
    return false;
  }
  if (options_.progress) options_.progress(now, outcome_.horizon);
  ask_observers();
  return true;
}

/// Without a horizon, jobs that never get their turn (no window is long enough for their next slice) must not
/// keep the simulation going: timers alone wake the scheduler, again and again, and it submits nothing.
bool Engine::nothing_will_happen() {
  constexpr std::uint64_t patience = 4096;
  const bool only_timers =
      !events_.empty() && std::all_of(events_.begin(), events_.end(), [](const auto& event) {
        return std::holds_alternative<sched::TimerFired>(event);
      });
  const bool submits = std::any_of(commands_.begin(), commands_.end(), [](const auto& command) {
    return std::holds_alternative<sched::Submit>(command);
  });
  const bool others_to_come = std::min({arrivals_.next(), unseen_.next(), calls_.next(), notices_.next(),
                                        gpu_.next_end(), cpus_.next_end()}) != never;
  fruitless_timers_ = only_timers && !submits && !others_to_come ? fruitless_timers_ + 1 : 0;
  return fruitless_timers_ > patience;
}

Time Engine::next_instant() const {
  return std::min(
      std::min(std::min(arrivals_.next(), unseen_.next()), std::min(calls_.next(), notices_.next())),
      timers_.next());
}

bool Engine::anything_due(Time now) const {
  return std::min({next_instant(), gpu_.next_end(), cpus_.next_end()}) <= now;
}

/// Observers may lose interest while a simulation runs.
void Engine::ask_observers() {
  for (auto* list :
       {&wants_releases_, &wants_blocks_, &wants_copies_, &wants_cpus_, &wants_operations_, &wants_ends_}) {
    list->clear();
  }
  for (trace::Observer* observer : observers_) {
    const trace::Interests interests = observer->interests();
    if (interests.releases) wants_releases_.push_back(observer);
    if (interests.blocks) wants_blocks_.push_back(observer);
    if (interests.copies) wants_copies_.push_back(observer);
    if (interests.cpus) wants_cpus_.push_back(observer);
    if (interests.operations) wants_operations_.push_back(observer);
    if (interests.ends) wants_ends_.push_back(observer);
  }
  gpu_.listen({.listener = this, .blocks = !wants_blocks_.empty(), .copies = !wants_copies_.empty()});
  cpus_.listen(wants_cpus_.empty() ? nullptr : this);
}

void Engine::collect_events(Time now) {
  events_.clear();
  if (now == outcome_.horizon && !stop_sent_) {
    stop_sent_ = true;
    events_.emplace_back(sched::StopRequested{});
  }
  collect_completions(now);
  if (arrivals_.next() == now || unseen_.next() == now) collect_releases(now);
  while (timers_.next() == now) {
    const sched::TimerId timer = timers_.take();
    if (const auto armed = timer_at_.find(timer); armed != timer_at_.end() && armed->second == now) {
      timer_at_.erase(armed);
      events_.emplace_back(sched::TimerFired{timer});
    }
  }
}

void Engine::collect_completions(Time now) {
  for (const device::Completion& completion : completions_) finished(completion, now);
  while (notices_.next() == now) add_event(notices_.take());
}

void Engine::add_event(const Notice& notice) {
  const sched::Operation operation{{slot_of(notice.token), handles_[slot_of(notice.token)].generation},
                                   segment_of(notice.token)};
  if (notice.finished) {
    events_.emplace_back(sched::Finished{operation});
  } else {
    events_.emplace_back(sched::Stopped{operation, notice.progress});
  }
}

/// The device has finished an operation; the scheduler learns it now, or later.
void Engine::finished(const device::Completion& completion, Time now) {
  const std::uint64_t token = completion.token;
  Handle& handle = handles_[slot_of(token)];
  handle.start = std::min(handle.start, completion.start);
  for (trace::Observer* observer : wants_operations_) {
    observer->on(trace::OperationFinished{name_of(token), segment_of(token), handle.stream, completion.called,
                                          completion.start, now});
  }
  const Notice notice = sliced_.empty() ? Notice{token} : end_part(token);
  if (const Duration delay = notice_delay(token); delay > Duration{}) {
    notices_.add(delayed(now, delay), notice);
  } else {
    add_event(notice);
  }
}

/// From the end of an operation until the scheduler knows.
Duration Engine::notice_delay(std::uint64_t token) const {
  const Duration bound = system_.platform.overheads.completion;
  if (bound == Duration{} || !is_gpu_work(facts_of(token))) return {};
  const Handle& handle = handles_[slot_of(token)];
  return draws_.overhead(Purpose::completion_delay, handle.task, handle.number, segment_of(token), bound);
}

/// Counts what a part has done; the segment is finished when nothing is left of it.
Engine::Notice Engine::end_part(std::uint64_t token) {
  const std::uint32_t slot = slot_of(token);
  if (slot >= sliced_.size() || sliced_[slot].generation != handles_[slot].generation ||
      sliced_[slot].segment != segment_of(token) || sliced_[slot].on_device == device::no_index) {
    return {token};
  }
  Sliced& sliced = sliced_[slot];
  sliced.on_device = device::no_index;
  sliced.blocks_done += sliced.blocks;
  sliced.time_done += sliced.time;
  const device::Call& call = facts_of(token).call.call;
  const bool finished = call.kind == OperationKind::kernel ? sliced.blocks_done == call.blocks
                                                           : sliced.time_done == sliced.whole;
  return {token, sliced.time_done, finished};
}

// The device goes on by itself before it gets what a completion leaves to submit.
void Engine::refill(Time now) {
  const bool completed = std::any_of(events_.begin(), events_.end(), [](const sched::Event& event) {
    return std::holds_alternative<sched::Finished>(event) || std::holds_alternative<sched::Stopped>(event);
  });
  if (!completed) return;
  const bool submits = std::any_of(commands_.begin(), commands_.end(), [](const sched::Command& command) {
    return std::holds_alternative<sched::Submit>(command);
  });
  if (submits) gpu_.dispatch(now);
}

void Engine::collect_releases(Time now) {
  seen_.clear();
  while (arrivals_.next() == now) release_nominally(arrivals_.take(), now);
  while (unseen_.next() == now) seen_.push_back(unseen_.take());
  if (seen_.size() > 1) {
    std::sort(seen_.begin(), seen_.end(), [](const Release& a, const Release& b) {
      return std::tie(a.task, a.number) < std::tie(b.task, b.number);
    });
  }
  for (const Release& release : seen_) {
    events_.emplace_back(sched::Released{release.task, release.number, release.nominal});
  }
}

void Engine::release_nominally(const Release& release, Time now) {
  if (core_.jobs().size() + unseen_.size() + seen_.size() >= most_pending_) {
    // Only where jobs wait on the device, first come first served, is it known that a left-out job changes
    // nothing for the time being.
    if (system_.policy.strategy == StrategyKind::as_submitted) {
      leave_out(release);
    } else {
      outcome_.ending = Ending::too_many_jobs;
    }
    return;
  }
  ++outcome_.released;
  for (trace::Observer* observer : wants_releases_) {
    observer->on(trace::JobReleased{
        {release.task, release.number}, release.nominal, deadline_of(release.task, release.nominal)});
  }
  if (const Duration bound = release_delay_[release.task]; bound > Duration{}) {
    const Duration delay = draws_.release_delay(release.task, release.number, bound);
    if (delay > Duration{}) {
      unseen_.add(delayed(now, delay), release);
      return;
    }
  }
  seen_.push_back(release);
}

void Engine::apply(const sched::Submit& submit, Time now) {
  const sched::JobId job = submit.operation.job;
  if (job.slot >= handles_.size()) handles_.resize(std::size_t{job.slot} + 1);
  Handle& handle = handles_[job.slot];
  if (handle.generation != job.generation) {
    const sched::Job& row = *core_.jobs().find(job);
    handle = {.generation = job.generation, .task = row.task, .number = row.number, .last_call = now};
  }
  const std::uint64_t token = token_of(submit.operation);
  if (facts_of(token).on_cpu) {
    const Duration length =
        draws_.execution(handle.task, handle.number, submit.operation.segment, facts_of(token).time);
    cpus_.submit(system_.tasks[handle.task].core, {.token = token, .rank = submit.rank, .length = length},
                 now);
    return;
  }
  device::StreamIndex stream = device::no_index;
  if (submit.stream != sched::own_stream) {
    stream = named_streams_[submit.stream];
    handle.stream = static_cast<std::int32_t>(submit.stream);
  } else {
    if (handle.own_stream == device::no_index) handle.own_stream = gpu_.open_stream();
    stream = handle.own_stream;
  }
  DelayedCall call{token, stream, submit.rank, submit.sms};
  if (submit.extent == sched::Extent::slice) prepare_part(call);
  const Duration bound = system_.platform.overheads.launch;
  if (bound > Duration{}) {
    // The host makes the calls of a job one after the other; each launch takes its time.
    if (facts_of(call.token).call.call.kind != OperationKind::copy) {
      handle.last_call = delayed(std::max(handle.last_call, now),
                                 draws_.overhead(Purpose::launch_delay, handle.task, handle.number,
                                                 submit.operation.segment, bound));
    }
    if (handle.last_call > now) {
      calls_.add(handle.last_call, call);
      return;
    }
  }
  call_device(call, now);
}

void Engine::call_device(const DelayedCall& call, Time now) {
  const SegmentFacts& facts = facts_of(call.token);
  const Handle& handle = handles_[slot_of(call.token)];
  const std::uint32_t segment = segment_of(call.token);
  TimedCall timed = facts.call;
  timed.token = call.token;
  timed.call.level = call.rank;
  timed.call.sm_set = call.sm_set;
  timed.length = draws_.execution(handle.task, handle.number, segment, facts.time);
  timed.last_length = timed.length;
  if (timed.call.kind == OperationKind::copy) {
    timed.length = checked_add(timed.length, draws_.overhead(Purpose::copy_delay, handle.task, handle.number,
                                                             segment, system_.platform.overheads.copy));
  }
  if (call.part > 0) {
    call_part(call, timed, now);
    return;
  }
  if (facts.slice && *facts.slice > Duration{} && timed.length > *facts.slice) {
    timed.call.blocks = ceil_div(count(timed.length), count(*facts.slice));
    timed.last_length = timed.length - *facts.slice * (timed.call.blocks - 1);
    timed.length = *facts.slice;
  }
  gpu_.call(call.stream, timed, now);
}

/// The segment goes on where its last part ended.
void Engine::prepare_part(DelayedCall& call) {
  const std::uint32_t slot = slot_of(call.token);
  if (slot >= sliced_.size()) sliced_.resize(handles_.size());
  Sliced& sliced = sliced_[slot];
  if (sliced.generation != handles_[slot].generation || sliced.segment != segment_of(call.token)) {
    sliced = {.generation = handles_[slot].generation, .segment = segment_of(call.token)};
  }
  sliced.launching = true;
  call.part = ++sliced.parts;
}

void Engine::call_part(const DelayedCall& call, TimedCall timed, Time now) {
  Sliced& sliced = sliced_[slot_of(call.token)];
  if (sliced.generation != handles_[slot_of(call.token)].generation ||
      sliced.segment != segment_of(call.token) || sliced.parts != call.part || !sliced.launching) {
    return;  // it was stopped on its way
  }
  sliced.launching = false;
  sliced.whole = timed.length;
  timed.first_block = sliced.blocks_done;
  if (timed.call.kind == OperationKind::kernel) {
    const std::int64_t wave = blocks_per_sm(timed.call.demand, system_.platform.gpu) *
                              static_cast<std::int64_t>(gpu_.rules().set_size(call.sm_set));
    timed.call.blocks = std::min(timed.call.blocks - sliced.blocks_done, wave);
  } else if (timed.call.kind == OperationKind::exclusive) {
    timed.length -= sliced.time_done;
    const std::optional<Duration>& slice = facts_of(call.token).slice;
    if (slice && *slice > Duration{}) timed.length = std::min(timed.length, *slice);
    timed.last_length = timed.length;
  }
  sliced.blocks = timed.call.blocks;
  sliced.time = timed.length;
  sliced.on_device = gpu_.call(call.stream, timed, now);
}

void Engine::apply(const sched::Done& done, Time now) {
  // A job of which nothing was issued has no handle; it starts where it ends.
  const bool issued =
      done.job.slot < handles_.size() && handles_[done.job.slot].generation == done.job.generation;
  const Handle handle = issued ? handles_[done.job.slot] : Handle{};
  if (handle.own_stream != device::no_index) gpu_.close_stream(handle.own_stream);
  ++outcome_.completed;
  end_job({.job = {done.task, done.number},
           .release = done.release,
           .start = std::min(handle.start, now),
           .completion = now,
           .deadline = done.deadline,
           .missed = now > done.deadline});
}

/// A timer may be late by the platform's release overhead.
void Engine::apply(const sched::ArmTimer& arm, Time /*now*/) {
  const Duration late = draws_.timer_delay(arm.timer, arm.at, system_.platform.overheads.release);
  const Time when = delayed(arm.at, late);
  timer_at_[arm.timer] = when;
  timers_.add(when, arm.timer);
  forget_stale_timers();
}

void Engine::apply(const sched::CancelTimer& cancel, Time /*now*/) {
  timer_at_.erase(cancel.timer);
  forget_stale_timers();
}

/// The core gave up a job: what it still had on the device runs out unheeded, and the job counts as not
/// completed.
void Engine::apply(const sched::DropJob& drop, Time /*now*/) {
  const Time release = drop.release;
  end_job({.job = {drop.task, drop.number},
           .release = release,
           .deadline = deadline_of(drop.task, release),
           .missed = deadline_of(drop.task, release) <= outcome_.horizon});
}

/// What is preemptible anywhere is off the device at once; the scheduler learns it like a completion. What
/// has finished already is left alone: its notice is on the way.
void Engine::apply(const sched::RequestStop& stop, Time now) {
  const std::uint32_t slot = stop.operation.job.slot;
  if (slot >= sliced_.size() || sliced_[slot].generation != stop.operation.job.generation) return;
  Sliced& sliced = sliced_[slot];
  if (sliced.segment != stop.operation.segment) return;
  const std::uint64_t token = token_of(stop.operation);
  if (sliced.on_device != device::no_index) {
    if (!facts_of(token).call.preemptible_anywhere) return;
    const device::SimGpu::Withdrawn withdrawn = gpu_.withdraw(sliced.on_device, now);
    sliced.on_device = device::no_index;
    sliced.time_done += sliced.time - withdrawn.left;
    if (withdrawn.start != never) {
      ++sliced.blocks_done;
      Handle& handle = handles_[slot];
      handle.start = std::min(handle.start, withdrawn.start);
      for (trace::Observer* observer : wants_operations_) {
        observer->on(trace::OperationFinished{name_of(token), segment_of(token), handle.stream,
                                              withdrawn.called, withdrawn.start, now});
      }
    }
  } else if (sliced.launching) {
    sliced.launching = false;
    handles_[slot].last_call = now;  // a call that is given up does not hold up the next
  } else {
    return;
  }
  notices_.add(delayed(now, notice_delay(token)), {token, sliced.time_done, false});
}

/// Timers that were cancelled or armed anew do not keep the simulation going.
void Engine::forget_stale_timers() {
  while (timers_.size() > 0) {
    const auto armed = timer_at_.find(timers_.first());
    if (armed != timer_at_.end() && armed->second == timers_.next()) return;
    timers_.take();
  }
}

/// The jobs that were left out would have started. What ended at this very instant is still known.
void Engine::end_at_barrier(Time now) {
  outcome_.ending = Ending::too_many_jobs;
  events_.clear();
  events_.emplace_back(sched::StopRequested{});
  collect_completions(now);
  commands_.clear();
  core_.step(now, events_, commands_);
  apply_completions(now);
}

void Engine::apply_completions(Time now) {
  for (const sched::Command& command : commands_) {
    if (const auto* done = std::get_if<sched::Done>(&command)) apply(*done, now);
  }
}

void Engine::apply(const sched::Repeat& repeat, Time /*now*/) {
  const sched::Job& job = *core_.jobs().find(repeat.job);
  ++outcome_.released;
  for (trace::Observer* observer : wants_releases_) {
    observer->on(trace::JobReleased{{job.task, job.number}, job.release, job.deadline});
  }
}

// There is no room for another pending job. Those that would wait in the same place, behind everything now
// waiting there, are left out; until one of them would start they change nothing. A barrier tells when that
// is.
void Engine::leave_out(const Release& release) {
  left_out_.push_back(release);
  const std::int32_t stream = stream_of_task_[release.task];
  const WaitingPlace place = waiting_place_[release.task];
  if (stream >= 0) {
    gpu_.rules().set_stream_barrier(named_streams_[static_cast<std::size_t>(stream)]);
  } else {
    gpu_.rules().set_barrier(place.kind, place.level);
  }
  for (const Release& next : arrivals_.remove_if([&](TaskIndex task) {
         return stream_of_task_[task] == stream && (stream >= 0 || waiting_place_[task] == place);
       })) {
    if (next.task != release.task) left_out_.push_back(next);
  }
}

Engine::WaitingPlace Engine::waiting_place_of(const Task& description) const {
  const std::vector<SegmentFacts>& facts = facts_.back();
  const OperationKind kind =
      facts[topological_order(description.work).front()].call.call.kind == OperationKind::copy
          ? OperationKind::copy
          : OperationKind::kernel;
  const auto level =
      static_cast<std::uint32_t>(description.stream_priority + system_.platform.gpu.priority_levels - 1);
  return {kind, kind == OperationKind::copy ? 0 : level};
}

void Engine::end_unfinished_jobs() {
  const auto remember_start = [&](std::uint64_t token, Time start) {
    Handle& handle = handles_[slot_of(token)];
    handle.start = std::min(handle.start, start);
  };
  gpu_.for_each_operation(remember_start);
  cpus_.for_each_work(remember_start);
  cpus_.end_at(outcome_.reached);
  std::vector<trace::JobEnded> unfinished;
  core_.jobs().for_each([&](sched::JobId id, const sched::Job& job) {
    const bool known = id.slot < handles_.size() && handles_[id.slot].generation == id.generation;
    unfinished.push_back({.job = {job.task, job.number},
                          .release = job.release,
                          .start = known ? handles_[id.slot].start : never,
                          .deadline = job.deadline});
  });
  const auto not_started = [&](const Release& release) {
    return trace::JobEnded{.job = {release.task, release.number},
                           .release = release.nominal,
                           .deadline = deadline_of(release.task, release.nominal)};
  };
  while (unseen_.size() > 0) unfinished.push_back(not_started(unseen_.take()));
  std::sort(unfinished.begin(), unfinished.end(),
            [](const trace::JobEnded& a, const trace::JobEnded& b) { return a.job < b.job; });
  const auto cut_off = [&](trace::JobEnded job) {
    ++outcome_.pending;
    job.missed = job.deadline <= outcome_.reached;
    end_job(job);
  };
  for (const trace::JobEnded& job : unfinished) cut_off(job);
  for (const Release& first : left_out_) {
    for (std::optional<Release> release = first; release && release->nominal < outcome_.reached;
         release = arrivals_.after(*release)) {
      ++outcome_.released;
      for (trace::Observer* observer : wants_releases_) {
        observer->on(trace::JobReleased{{release->task, release->number},
                                        release->nominal,
                                        deadline_of(release->task, release->nominal)});
      }
      cut_off(not_started(*release));
    }
  }
}

void Engine::end_job(const trace::JobEnded& ended) {
  for (trace::Observer* observer : wants_ends_) observer->on(ended);
}

void Engine::block_ran(std::uint64_t token, std::int64_t block, std::int32_t sm, Time start, Time end) {
  const trace::BlockRan event{name_of(token), segment_of(token), block, sm, start, end};
  for (trace::Observer* observer : wants_blocks_) observer->on(event);
}

void Engine::copy_ran(std::uint64_t token, std::int32_t engine, Time start, Time end) {
  const trace::CopyRan event{name_of(token), segment_of(token), engine, start, end};
  for (trace::Observer* observer : wants_copies_) observer->on(event);
}

void Engine::cpu_ran(std::uint64_t token, std::int32_t core, Time start, Time end) {
  const trace::CpuRan event{name_of(token), segment_of(token), core, start, end};
  for (trace::Observer* observer : wants_cpus_) observer->on(event);
}

}  // namespace

Outcome simulate(const System& system, const Options& options, std::span<trace::Observer* const> observers) {
  refuse_what_is_missing(system);
  return Engine{system, options, observers}.run();
}

}  // namespace tactus::sim
