#include "tactus/sim/simulate.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "tactus/base/agenda.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/sim/sim_device.hpp"
#include "tactus/device/sim/sim_machine.hpp"
#include "tactus/model/dispatch.hpp"
#include "tactus/sched/arrivals.hpp"
#include "tactus/sched/core.hpp"
#include "tactus/sched/engine_clock.hpp"
#include "tactus/sched/fate.hpp"
#include "tactus/sim/one_server.hpp"

namespace tactus::sim {

namespace {

using device::OperationKind;

class Engine final {
 public:
  Engine(const System& system, const SimulationOptions& options, trace::Fanout& trace);

  Outcome run();

 private:
  void collect_events(Time now);
  void decide(Time now);
  void collect_releases(Time now);
  void release_nominally(const sched::Release& release, Time now);
  void see(const sched::Release& release);
  void apply(const sched::Command& command, Time now);
  void apply(const sched::Submit& submit, Time now);
  void apply(const sched::Done& done, Time now);
  void apply(const sched::Repeat& repeat, Time now);
  void apply(const sched::DropJob& drop, Time now);
  void apply(const sched::ArmTimer& arm, Time now);
  void apply(const sched::CancelTimer& cancel, Time now);
  void apply(const sched::RequestStop& stop, Time now);
  void apply(const sched::HoldCore& hold, Time now);
  void forget_stale_timers();
  void refill(Time now);
  bool nothing_will_happen();
  void end_at_barrier(Time now);
  void apply_completions(Time now);
  [[nodiscard]] bool anything_due(Time now) const;
  [[nodiscard]] Time next_instant() const;
  bool keep_going(Time now, bool device_worked_long);

  /// The queue that the first call of a job of the task joins.
  struct WaitingPlace {
    OperationKind kind = OperationKind::kernel;
    std::uint32_t level = 0;
    friend bool operator==(const WaitingPlace&, const WaitingPlace&) = default;
  };
  [[nodiscard]] WaitingPlace waiting_place_of(TaskIndex task) const;
  void leave_out(const sched::Release& release);
  void end_unfinished_jobs();

  /// With a horizon, later events do not matter. Without one every event counts and must fit into 64 bits.
  [[nodiscard]] Time delayed(Time time, Duration delay) const {
    return open_ended_ ? checked_add(time, delay) : saturating_add(time, delay);
  }
  [[nodiscard]] Time deadline_of(TaskIndex task, Time release) const {
    const std::optional<Duration>& deadline = system_.tasks[task].deadline;
    return deadline ? saturating_add(release, *deadline) : never;
  }

  const System& system_;
  const SimulationOptions& options_;
  trace::Fanout& trace_;
  sched::Draws draws_;
  Outcome outcome_;

  std::vector<WaitingPlace> waiting_place_;  // by task
  std::vector<Duration> release_delay_;      // by task: how late the scheduler may see a release
  std::uint32_t max_pending_;
  sched::Core core_;
  device::SimMachine machine_;
  std::vector<std::int32_t> stream_of_task_;  // index of the named stream; -1: every job has its own
  sched::Arrivals arrivals_;
  Agenda<sched::Release> unseen_;
  Agenda<sched::TimerId> timers_;
  std::map<sched::TimerId, Time> timer_at_;  // armed timers

  std::optional<sched::EngineClock> engine_;  // where the engine needs time
  sched::Events events_;
  std::uint32_t seen_ = 0;  // number of releases among the events
  sched::Commands commands_;
  std::vector<sched::Release> left_out_;  // the first release of each task that `max_pending` left out
  std::uint64_t rounds_ = 0;
  std::uint64_t fruitless_timers_ = 0;  // consecutive timers without a submission
  bool open_ended_;                     // there is no horizon
  bool lazy_;  // the device refills before it gets the submissions that follow from a completion
  bool stop_sent_ = false;
};

/// Jobs with many segments need more memory, so fewer of them may be pending.
std::uint32_t max_pending(const System& system, const SimulationOptions& options) {
  if (options.max_pending) return *options.max_pending;
  constexpr std::size_t segments_for_free = 64;
  const std::size_t rows =
      usual_max_pending / std::max<std::size_t>(1, max_segments(system) / segments_for_free);
  return static_cast<std::uint32_t>(std::max(rows, 2 * system.tasks.size()));
}

Engine::Engine(const System& system, const SimulationOptions& options, trace::Fanout& trace)
    : system_{system},
      options_{options},
      trace_{trace},
      draws_{system, options.seed, options.execution},
      outcome_{.horizon = options.horizon ? time_at(*options.horizon) : default_horizon(system)},
      max_pending_{max_pending(system, options)},
      core_{system, max_pending_},
      machine_{device::make_setup(system, draws_, core_, trace_), outcome_.horizon == never},
      arrivals_{system, draws_, outcome_.horizon},
      open_ended_{outcome_.horizon == never},
      lazy_{core_.refills_lazily()} {
  if (has_engine_time(system)) engine_.emplace(system, draws_);
  std::map<std::string, std::int32_t> stream_by_name;
  if (system.policy.strategy->streams_of_tasks) {
    for (const std::string& name : system.policy.strategy->stream_names(system)) {
      stream_by_name.emplace(name, static_cast<std::int32_t>(stream_by_name.size()));
    }
  }
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    waiting_place_.push_back(waiting_place_of(i));
    release_delay_.push_back(checked_add(task.jitter, dispatch_overheads(system, task).release));
    const auto named = task.stream ? stream_by_name.find(*task.stream) : stream_by_name.end();
    stream_of_task_.push_back(named == stream_by_name.end() ? -1 : named->second);
  }
}

Outcome Engine::run() {
  Time now = origin;
  bool device_worked_long = false;
  while (keep_going(now, device_worked_long)) {
    const Time limit = std::min(std::min(next_instant(), machine_.next()), outcome_.horizon);
    now = machine_.advance(limit);
    if (now == never) break;
    device_worked_long = now < limit && !machine_.has_finished();
    outcome_.reached = now;
    if (machine_.gpu().barrier_passed()) {
      end_at_barrier(now);
      break;
    }
    collect_events(now);
    if (outcome_.ending == SimulationEnd::too_many_jobs) {
      events_.insert(events_.begin(), sched::StopRequested{});  // best-effort jobs do not repeat
    }
    commands_.clear();
    decide(now);
    if (outcome_.ending == SimulationEnd::too_many_jobs) {
      apply_completions(now);
      break;
    }
    if (lazy_) refill(now);
    // Calls in their launch overhead were submitted before those of this step.
    machine_.make_calls(now);
    for (const sched::Command& command : commands_) apply(command, now);
    machine_.dispatch(now);
    if (machine_.gpu().barrier_passed()) {
      outcome_.ending = SimulationEnd::too_many_jobs;
      break;
    }
    if (now == outcome_.horizon && !anything_due(now)) break;
    if (open_ended_ && nothing_will_happen()) break;
  }
  if (outcome_.horizon == never) outcome_.horizon = outcome_.reached;
  if (outcome_.ending == SimulationEnd::horizon) outcome_.reached = outcome_.horizon;
  end_unfinished_jobs();
  return outcome_;
}

/// Checks for interruption periodically, and whenever the device ran alone for long.
bool Engine::keep_going(Time now, bool device_worked_long) {
  constexpr std::uint64_t rounds_between_looks = 1U << 14U;
  if ((++rounds_ % rounds_between_looks) != 0 && !device_worked_long) return true;
  if (options_.watch.stopped()) {
    outcome_.ending = SimulationEnd::interrupted;
    return false;
  }
  options_.watch.show(outcome_.horizon == never
                          ? -1.0
                          : static_cast<double>(in_ns(now)) / static_cast<double>(in_ns(outcome_.horizon)));
  trace_.ask();
  machine_.listen();
  return true;
}

/// Without a horizon, jobs that can never run (no window is long enough for their next slice) must not keep
/// the simulation going: only timers wake the scheduler, again and again, and it submits nothing.
bool Engine::nothing_will_happen() {
  constexpr std::uint64_t patience = 4096;
  const bool only_timers =
      !events_.empty() && std::all_of(events_.begin(), events_.end(), [](const auto& event) {
        return std::holds_alternative<sched::TimerFired>(event);
      });
  const bool submits = std::any_of(commands_.begin(), commands_.end(), [](const auto& command) {
    return std::holds_alternative<sched::Submit>(command);
  });
  const Time acts = engine_ ? engine_->next() : never;
  const bool others_to_come =
      std::min({arrivals_.next(), unseen_.next(), machine_.next_end(), acts}) != never;
  fruitless_timers_ = only_timers && !submits && !others_to_come ? fruitless_timers_ + 1 : 0;
  return fruitless_timers_ > patience;
}

void Engine::decide(Time now) {
  if (engine_) {
    engine_->hear(events_);
    engine_->act(now, core_, commands_);
  } else if (!events_.empty()) {
    core_.step(now, events_, commands_);
  }
}

Time Engine::next_instant() const {
  const Time next = std::min(std::min(arrivals_.next(), unseen_.next()), timers_.next());
  return engine_ ? std::min(next, engine_->next()) : next;
}

bool Engine::anything_due(Time now) const { return std::min(next_instant(), machine_.next_end()) <= now; }

void Engine::collect_events(Time now) {
  events_.clear();
  if (now == outcome_.horizon && !stop_sent_) {
    stop_sent_ = true;
    events_.emplace_back(sched::StopRequested{});
  }
  machine_.collect(now, events_);
  if (arrivals_.next() == now || unseen_.next() == now) collect_releases(now);
  while (timers_.next() == now) {
    const sched::TimerId timer = timers_.take();
    if (const auto armed = timer_at_.find(timer); armed != timer_at_.end() && armed->second == now) {
      timer_at_.erase(armed);
      events_.emplace_back(sched::TimerFired{timer});
    }
  }
}

// The device dispatches work it already has before it gets the submissions that follow from a completion.
void Engine::refill(Time now) {
  const bool completed = std::any_of(events_.begin(), events_.end(), [](const sched::Event& event) {
    return std::holds_alternative<sched::Finished>(event) || std::holds_alternative<sched::Stopped>(event);
  });
  if (!completed) return;
  const bool submits = std::any_of(commands_.begin(), commands_.end(), [](const sched::Command& command) {
    return std::holds_alternative<sched::Submit>(command);
  });
  if (submits) machine_.gpu().dispatch(now);
}

void Engine::collect_releases(Time now) {
  seen_ = 0;
  while (arrivals_.next() == now) release_nominally(arrivals_.take(), now);
  if (unseen_.next() != now) return;  // releases of one instant are in order already
  while (unseen_.next() == now) see(unseen_.take());
  std::sort(events_.end() - seen_, events_.end(), [](const sched::Event& a, const sched::Event& b) {
    const auto& first = std::get<sched::Released>(a);
    const auto& second = std::get<sched::Released>(b);
    return std::tie(first.task, first.number) < std::tie(second.task, second.number);
  });
}

void Engine::see(const sched::Release& release) {
  auto& event = *std::get_if<sched::Released>(&events_.emplace_back(std::in_place_type<sched::Released>));
  event.task = release.task;
  event.number = release.number;
  event.nominal = release.nominal;
  ++seen_;
}

void Engine::release_nominally(const sched::Release& release, Time now) {
  const std::size_t unhandled = engine_ ? engine_->unhandled() : 0;
  if (core_.jobs().size() + unseen_.size() + seen_ + unhandled >= max_pending_) {
    // A job that was left out has no effect for the time being only if jobs queue on the device in FIFO
    // order.
    if (system_.policy.strategy->streams_of_tasks && !is_by_node(system_) && !engine_) {
      leave_out(release);
    } else {
      outcome_.ending = SimulationEnd::too_many_jobs;
    }
    return;
  }
  ++outcome_.released;
  trace_.tell(trace::JobReleased{
      {release.task, release.number}, release.nominal, deadline_of(release.task, release.nominal)});
  if (const Duration bound = release_delay_[release.task]; bound > Duration{}) {
    const Duration delay = draws_.release_delay(release.task, release.number, bound);
    if (delay > Duration{}) {
      unseen_.add(delayed(now, delay), release);
      return;
    }
  }
  see(release);
}

void Engine::apply(const sched::Command& command, Time now) {
  // Nearly all commands are of these two kinds.
  if (const auto* submit = std::get_if<sched::Submit>(&command)) {
    apply(*submit, now);
  } else if (const auto* done = std::get_if<sched::Done>(&command)) {
    apply(*done, now);
  } else {
    std::visit([&](const auto& other) { apply(other, now); }, command);
  }
}

void Engine::apply(const sched::Submit& submit, Time now) {
  const sched::JobRow& job = core_.jobs().get(submit.id.job);
  machine_.submit(submit, job.task, job.number, now);
}

void Engine::apply(const sched::RequestStop& stop, Time now) { machine_.request_stop(stop.id, now); }

void Engine::apply(const sched::HoldCore& hold, Time now) { machine_.hold_core(hold, now); }

void Engine::apply(const sched::Done& done, Time now) {
  ++outcome_.completed;
  trace_.tell<trace::JobEnded>({.job = {done.task, done.number},
                                .release = done.release,
                                .start = std::min(machine_.job_over(done.job, now),
                                                  now),  // none of its segments may have been submitted
                                .completion = now,
                                .deadline = done.deadline,
                                .missed = now > done.deadline});
}

/// A timer may be late by the release overhead of the platform.
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

/// The core gave up a job: its work on the device is ignored from now on, and the job counts as not
/// completed.
void Engine::apply(const sched::DropJob& drop, Time now) {
  const Time deadline = deadline_of(drop.task, drop.release);
  const trace::Fate fate = sched::fate_of(drop.why);
  ++outcome_.dropped;
  trace_.tell<trace::JobEnded>(
      {.job = {drop.task, drop.number},
       .release = drop.release,
       .start = drop.job ? machine_.job_over(*drop.job, now) : never,
       .deadline = deadline,
       .missed = !trace::is_turned_away(fate) && deadline != never && deadline <= outcome_.horizon,
       .fate = fate});
}

/// Timers that were cancelled or rearmed do not keep the simulation going.
void Engine::forget_stale_timers() {
  while (timers_.size() > 0) {
    const auto armed = timer_at_.find(timers_.first());
    if (armed != timer_at_.end() && armed->second == timers_.next()) return;
    timers_.take();
  }
}

/// A job that was left out would start now. Completions at this instant are still known.
void Engine::end_at_barrier(Time now) {
  outcome_.ending = SimulationEnd::too_many_jobs;
  events_.clear();
  events_.emplace_back(sched::StopRequested{});
  machine_.collect(now, events_);
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
  const sched::JobRow& job = *core_.jobs().find(repeat.job);
  ++outcome_.released;
  trace_.tell(trace::JobReleased{{job.task, job.number}, job.release, job.deadline});
}

// There is no room for another pending job. Jobs that would join the same queue, behind everything now
// waiting there, are left out; they have no effect until one of them would start. A barrier detects that.
void Engine::leave_out(const sched::Release& release) {
  left_out_.push_back(release);
  const std::int32_t stream = stream_of_task_[release.task];
  const WaitingPlace place = waiting_place_[release.task];
  device::BlockRules& rules = machine_.gpu().rules();
  if (stream >= 0) {
    rules.set_stream_barrier(machine_.named_stream(static_cast<std::size_t>(stream)));
  } else {
    rules.set_barrier(place.kind, place.level);
  }
  for (const sched::Release& next : arrivals_.remove_if([&](TaskIndex task) {
         return stream_of_task_[task] == stream && (stream >= 0 || waiting_place_[task] == place);
       })) {
    if (next.task != release.task) left_out_.push_back(next);
  }
}

Engine::WaitingPlace Engine::waiting_place_of(TaskIndex task) const {
  const Task& description = system_.tasks[task];
  const std::size_t first = topological_order(description.work).front();
  const OperationKind kind = machine_.facts(task)[first].call.kind == OperationKind::copy
                                 ? OperationKind::copy
                                 : OperationKind::kernel;
  const auto level =
      static_cast<std::uint32_t>(description.stream_priority + system_.platform.gpu.priority_levels - 1);
  return {kind, kind == OperationKind::copy ? 0 : level};
}

void Engine::end_unfinished_jobs() {
  machine_.end_at(outcome_.reached);
  std::vector<trace::JobEnded> unfinished;
  core_.jobs().for_each([&](sched::JobId id, const sched::JobRow& job) {
    unfinished.push_back({.job = {job.task, job.number},
                          .release = job.release,
                          .start = machine_.job_over(id, outcome_.reached),
                          .deadline = job.deadline});
  });
  const auto not_started = [&](const sched::Release& release) {
    return trace::JobEnded{.job = {release.task, release.number},
                           .release = release.nominal,
                           .deadline = deadline_of(release.task, release.nominal)};
  };
  while (unseen_.size() > 0) unfinished.push_back(not_started(unseen_.take()));
  for (const sched::Released& release :
       engine_ ? engine_->unhandled_releases() : std::vector<sched::Released>{}) {
    unfinished.push_back(
        not_started({.nominal = release.nominal, .task = release.task, .number = release.number}));
  }
  std::sort(unfinished.begin(), unfinished.end(),
            [](const trace::JobEnded& a, const trace::JobEnded& b) { return a.job < b.job; });
  const auto cut_off = [&](trace::JobEnded job) {
    ++outcome_.pending;
    job.missed = job.deadline <= outcome_.reached;
    trace_.tell<trace::JobEnded>(job);
  };
  for (const trace::JobEnded& job : unfinished) cut_off(job);
  for (const sched::Release& first : left_out_) {
    for (std::optional<sched::Release> release = first; release && release->nominal < outcome_.reached;
         release = arrivals_.after(*release)) {
      ++outcome_.released;
      trace_.tell(trace::JobReleased{
          {release->task, release->number}, release->nominal, deadline_of(release->task, release->nominal)});
      cut_off(not_started(*release));
    }
  }
}

}  // namespace

std::string_view to_string(SimulationEnd ending) {
  constexpr std::array<std::string_view, 3> names{"horizon", "too-many-jobs", "interrupted"};
  return names.at(static_cast<std::size_t>(ending));
}

Outcome simulate(const System& system, const SimulationOptions& options,
                 std::span<trace::Observer* const> observers) {
  sched::refuse_what_is_missing(system, device::simulated_capabilities(system));
  trace::Fanout trace{observers};
  if (const std::optional<Outcome> outcome = simulate_one_server(system, options, trace)) return *outcome;
  return Engine{system, options, trace}.run();
}

}  // namespace tactus::sim
