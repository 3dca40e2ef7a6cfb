#include "tactus/runtime/executive.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>
#include <variant>

#include "tactus/base/error.hpp"
#include "tactus/base/touch.hpp"
#include "tactus/model/dispatch.hpp"
#include "tactus/runtime/opaque_work.hpp"
#include "tactus/sched/fate.hpp"

namespace tactus::runtime {

namespace {

const System& runnable(const System& system, const device::Device& device) {
  sched::refuse_what_is_missing(system, device.capabilities(system));
  return system;
}

std::optional<sched::SubmissionId> operation_of(const sched::Event& event) {
  if (const auto* finished = std::get_if<sched::Finished>(&event)) return finished->id;
  if (const auto* stopped = std::get_if<sched::Stopped>(&event)) return stopped->id;
  if (const auto* failed = std::get_if<sched::Failed>(&event)) return failed->id;
  return std::nullopt;
}

/// The number of releases that can be waiting to be seen: for each task, those within its longest release
/// delay.
std::size_t max_unseen(const System& system, const std::vector<Duration>& delays) {
  constexpr std::int64_t limit = 1 << 20;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Duration period = std::max(system.tasks[i].period.value_or(Duration::max()), nanoseconds(1));
    if (delays[i] > Duration{}) most = std::min(limit, most + std::min(limit, delays[i] / period + 2));
  }
  return static_cast<std::size_t>(most);
}

/// Resident tasks learn the first instant before it comes.
constexpr Duration head_start = std::chrono::milliseconds{2};
ServerUnit unit_of(const sched::Submit& submit) {
  if (submit.server == ServerKind::cpu)
    return {ServerKind::cpu, static_cast<std::uint32_t>(submit.cores.first)};
  return {submit.server, submit.server == ServerKind::gpu ? submit.sms : 0};
}

template <class... Kinds>
bool has_any(const sched::Commands& commands) {
  return std::any_of(commands.begin(), commands.end(), [](const sched::Command& command) {
    return (std::holds_alternative<Kinds>(command) || ...);
  });
}

}  // namespace

std::string_view to_string(RunEnd ending) {
  constexpr std::array<std::string_view, 5> names{"horizon", "stopped", "miss", "failed", "lost"};
  return names.at(static_cast<std::size_t>(ending));
}

Executive::Executive(const System& system, device::Device& device, ExecutiveOptions options,
                     std::span<trace::Observer* const> observers)
    : system_{runnable(system, device)},
      device_{device},
      options_{std::move(options)},
      observers_{trace::guard(observers)},
      trace_{trace::pointers_to(observers_)},
      tally_{system.tasks.size()},
      draws_{system, options_.seed, options_.execution},
      horizon_{options_.horizon ? time_at(*options_.horizon) : never},
      core_{system, options_.max_pending, device.capabilities(system).copy_slice},
      arrivals_{system, draws_, horizon_},
      budgets_{system},
      assumptions_{system},
      guard_{options_.quiet_before_release},
      longest_blocks_{longest_blocks(system, options_.bindings)},
      calls_(system.tasks.size()),
      free_places_(system.tasks.size()),
      has_ended_jobs_(system.tasks.size()),
      max_seen_{std::size_t{options_.max_pending} + system.tasks.size()},
      one_at_a_time_{has_engine_time(system)},
      one_by_one_{system.policy.strategy->one_by_one || is_by_node(system)},
      watches_deadlines_{static_cast<bool>(options_.on_miss)} {
  if (!device.waits_busily() || options_.decides_ahead < Duration{}) options_.decides_ahead = {};
  if (one_at_a_time_ && options_.plays_overheads) engine_.emplace(system, draws_);
  if (device.capabilities(system).releases_jobs) resident_ = ResidentJobs{system, horizon_};
  if (resident_.any()) {
    arrivals_.remove_if([&](TaskIndex task) { return resident_.has(task); });
  }
  const std::size_t segments = max_segments(system);
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const Overheads overheads = dispatch_overheads(system, task);
    launch_.push_back(overheads.launch);
    release_delay_.push_back(
        checked_add(task.jitter, options_.plays_overheads ? overheads.release : Duration{}));
    watches_deadlines_ = watches_deadlines_ || task.on_miss != OnMiss::proceed;
    if (options_.sporadic_by_call && task.arrival == Arrival::sporadic) {
      calls_[i] = std::make_unique<ReleaseCalls>(*task.period);
      hears_calls_ = true;
      if (task.on_full == OnFull::block) {
        free_places_[i] = std::make_unique<FreePlaces>(static_cast<std::uint32_t>(*task.max_jobs));
      }
    }
  }
  if (options_.sporadic_by_call) {
    arrivals_.remove_if([&](TaskIndex task) { return system_.tasks[task].arrival == Arrival::sporadic; });
  }
  for (TaskIndex task = 0; task < options_.max_jobs.size(); ++task) {
    if (options_.max_jobs[task] > 0) core_.limit_jobs(task, options_.max_jobs[task]);
    if (options_.results != nullptr && options_.results->wants(task)) core_.keep_results(task);
  }
  if (options_.results != nullptr) {
    options_.results->on_freed([this](TaskIndex task) { give_back_place(task); });
    options_.results->on_failure([this] { stop(); });
  }
  core_.reserve();
  const std::size_t jobs = core_.jobs().capacity();
  max_unseen_ = max_unseen(system, release_delay_);
  unseen_.reserve(max_unseen_);
  deadlines_.reserve(watches_deadlines_ ? jobs + max_seen_ + max_unseen_ : 0);
  in_flight_.reserve(jobs * segments,
                     core_.cpu_lanes().size() + core_.sm_sets().size() + 3,  // and all SMs, copies, any
                     system.tasks.size());
  budgets_.reserve(jobs, jobs * segments);
  seen_.reserve(max_seen_);
  guard_.reserve(jobs * segments);
  events_.reserve(jobs * (segments + 2) + max_seen_ + system.tasks.size() + 2);
  commands_.reserve(jobs * (2 * segments + 2) + max_seen_ + 3 * system.tasks.size() + 2);
  timers_.reserve(system.tasks.size() + 1);
}

void Executive::start() {
  device::Setup setup = device::make_setup(system_, draws_, core_, trace_);
  setup.bindings = options_.bindings;
  setup.assumptions = &assumptions_;
  setup.engine_has_core = options_.engine_has_core;
  setup.resident.assign(resident_.all().begin(), resident_.all().end());
  if (resident_.any()) setup.head_start = head_start;
  if (!options_.plays_overheads) touch_memory();
  device_.open(setup);
  running_.store(true);
}

/// Avoids page faults during the run. Not needed in virtual time.
void Executive::touch_memory() {
  core_.touch();
  deadlines_.touch();
  in_flight_.touch();
  budgets_.touch();
  guard_.touch();
  touch(seen_);
  touch(events_);
  touch(commands_);
  touch(timers_);
  touch_stack();
}

bool Executive::step() {
  const bool open_to_calls = options_.sporadic_by_call || options_.stop != nullptr || resident_.any();
  Time until = next_instant();
  if (until == never && in_flight_.empty() && !open_to_calls) return false;  // no further event is possible
  if (open_to_calls) until = std::min(until, saturating_add(device_.now(), options_.longest_wait));
  const bool is_ahead = may_decide_ahead(until);
  device_.wait(is_ahead ? until - options_.decides_ahead : until);

  if (stop_.load(std::memory_order_relaxed) ||
      (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed))) {
    end(RunEnd::stopped);
  }
  const Time now = is_ahead ? collect_ahead(until) : collect();
  if (engine_ || may_submit_more_ || !events_.empty()) ask_core(now);
  if (guard_.holds() && (is_urgent_work_in_progress() || !is_release_near(now))) handle_what_waited(now);
  if (watches_deadlines_) watch_deadlines(now);
  if (resident_.any()) {
    const bool has_nothing_else_to_do = events_.empty() && !may_submit_more_;
    has_more_resident_ = !has_nothing_else_to_do || hear_resident(now);
  }
  if (options_.watchdog > Duration{}) watch_completions(now);
  outcome_.reached = now;
  if (options_.progress && now >= next_progress_) {
    next_progress_ = saturating_add(now, options_.longest_wait);
    options_.progress(now);
  }
  return !is_over(now);
}

/// Events at the horizon itself are still handled. A real clock is past the horizon by then.
bool Executive::is_over(Time now) {
  if (ending_ || now > horizon_) return true;
  if (now < horizon_) return false;
  return !device_.settle() && std::min({arrivals_.next(), unseen_.next(), next_timer()}) > now &&
         !(engine_ && engine_->next() <= now);
}

void Executive::ask_core(Time now) {
  if (options_.results != nullptr) take_back_places();
  commands_.clear();
  if (engine_) {
    engine_->hear(events_);
    engine_->act(now, core_, commands_);
  } else {
    core_.step(now, events_, commands_);
  }
  may_submit_more_ = one_at_a_time_ && !engine_ && has_any<sched::Submit, sched::RequestStop>(commands_);
  if (options_.decides_ahead > Duration{}) {
    while (device_.now() < now) {  // without hearing the device: what it says meanwhile stays to be heard
    }
  }
  if (has_any<sched::Submit>(commands_)) device_.before_submissions();
  for (const sched::Command& command : commands_) {
    std::visit([&](const auto& one) { apply(one, now); }, command);
  }
  if (options_.results != nullptr) tell_results();
  if (budgets_.any()) budgets_.book(now, in_flight_);
}

/// Right before the core looks at the releases: a caller who waited for a place may have released a job into
/// it already.
void Executive::take_back_places() noexcept {
  while (const std::optional<Results::FreedPlace> freed = options_.results->take_freed()) {
    core_.give_back(freed->task, freed->place);
  }
}

/// After all commands of a step: of several jobs that end in it, the earlier may be handled last.
void Executive::tell_results() noexcept {
  for (TaskIndex task = 0; task < has_ended_jobs_.size(); ++task) {
    if (!has_ended_jobs_[task]) continue;
    has_ended_jobs_[task] = false;
    if (!options_.results->wants(task)) continue;
    constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    options_.results->set_oldest(task, core_.oldest_job(task).value_or(none));
  }
}

Time Executive::next_instant() const noexcept {
  if (seen_.size() == max_seen_ || may_submit_more_ || has_more_resident_) {
    return outcome_.reached;  // more may be due
  }
  Time next = std::min({arrivals_.next(), unseen_.next(), deadlines_.next(), next_timer(), horizon_});
  if (budgets_.any()) next = std::min(next, budgets_.next());
  if (engine_) next = std::min(next, engine_->next());
  if (!system_.chains.empty()) next = std::min(next, resident_.next());  // data flows in the order of time
  if (options_.watchdog > Duration{}) next = std::min(next, in_flight_.next_quiet(options_.watchdog));
  return next;
}

Time Executive::next_timer() const noexcept {
  return timers_.empty() ? never : *std::min_element(timers_.begin(), timers_.end());
}

/// Only where nothing but releases and timers of the core can happen at that instant, and before it nothing
/// but ends of best-effort work: these come as if they were so much later, which delays nobody else. What a
/// real-time job or a caller does is seen at once, so that no bound depends on it.
bool Executive::may_decide_ahead(Time until) const noexcept {
  if (options_.decides_ahead == Duration{} || until >= horizon_ || ending_ || budgets_.any()) return false;
  return !hears_calls_ && until == std::min({arrivals_.next(), unseen_.next(), next_timer()}) &&
         until < deadlines_.next() && !is_urgent_work_in_progress();
}

/// What is due at an instant that is near, unless something happens before it. What a job's release needs is
/// then done when it comes: it saves about a microsecond, most of it spent on memory that is not in a cache.
Time Executive::collect_ahead(Time until) {
  const Time now = collect();
  const bool is_near = until - now <= options_.decides_ahead;  // a device may end a wait for no event
  if (now >= until || !is_near || !events_.empty() || ending_) return now;
  collect_releases(until);
  collect_timers(until);
  return until;
}

/// The clock is read after the poll, so that no event is handled at an instant before it happened.
Time Executive::collect() {
  events_.clear();
  device_.poll(events_);
  const Time now = device_.now();
  if (is_release_near(now)) {
    guard_.hold_back(events_, now, [this](const sched::Event& event) { return can_wait(event); });
  }
  hear(now);
  if ((now >= horizon_ || ending_) && !stop_sent_) {
    stop_sent_ = true;
    events_.insert(events_.begin(), sched::StopRequested{});  // best-effort jobs that end now do not repeat
  }
  collect_releases(now);
  collect_timers(now);
  if (budgets_.any()) collect_used_up_budgets(now);
  return now;
}

void Executive::hear(Time now) {
  if (budgets_.any()) budgets_.book(now, in_flight_);
  for (const sched::Event& event : events_) {
    const std::optional<sched::SubmissionId> submission = operation_of(event);
    if (!submission) continue;
    const std::optional<Submission> taken = in_flight_.take(*submission, now);
    if (!taken) continue;
    if (std::holds_alternative<sched::Failed>(event)) {
      note_failure();
    } else {
      note_run(*taken, now);
    }
  }
}

void Executive::note_failure() {
  end(RunEnd::failed);
  if (outcome_.failure.empty()) outcome_.failure = device_.failure();
  if (outcome_.failure.empty()) outcome_.failure = "the device broke off an operation";
}

/// Only work that nothing else can have delayed tells how long it takes: with its launch, whose share nobody
/// knows, and which is part of what is assumed.
void Executive::note_run(const Submission& submission, Time now) noexcept {
  const sched::JobRow* job = core_.jobs().find(submission.id.job);
  if (job == nullptr || !submission.is_alone || submission.place == 0) return;
  assumptions_.ran({job->task, job->number}, submission.id.segment, submission.first_from,
                   std::max(Duration{}, now - submission.first_from));
}

bool Executive::is_release_near(Time now) const noexcept {
  if (ending_ || now >= horizon_) return false;
  return guard_.is_near(std::min({arrivals_.next(), unseen_.next(), next_timer()}), now);
}

/// Whether the event is the end of best-effort work that no real-time job waits for.
bool Executive::can_wait(const sched::Event& event) const noexcept {
  const auto* finished = std::get_if<sched::Finished>(&event);
  const sched::JobRow* job = finished == nullptr ? nullptr : core_.jobs().find(finished->id.job);
  if (job == nullptr || system_.tasks[job->task].arrival != Arrival::best_effort) return false;
  return !is_urgent_work_in_progress();
}

/// Uses the tally instead of scanning the job table: this runs just before a release.
bool Executive::is_urgent_work_in_progress() const noexcept {
  for (std::size_t i = 0; i < system_.tasks.size(); ++i) {
    const bool is_urgent =
        system_.tasks[i].arrival != Arrival::best_effort && !resident_.has(static_cast<TaskIndex>(i));
    if (is_urgent && tally_.tasks()[i].in_progress() > 0) return true;
  }
  return false;
}

void Executive::handle_what_waited(Time now) {
  guard_.give_back(events_);
  hear(now);
  ask_core(now);
}

void Executive::collect_releases(Time now) {
  seen_.clear();
  collected_ = now;
  while (has_room_for(unseen_.next(), now)) seen_.push_back(unseen_.take());
  while (has_room_for(arrivals_.next(), now)) release_nominally(arrivals_.take(), now);
  if (options_.sporadic_by_call) collect_calls(now);
  std::sort(seen_.begin(), seen_.end(), [](const Release& a, const Release& b) {
    return std::tie(a.task, a.number) < std::tie(b.task, b.number);
  });
  for (const Release& release : seen_) {
    events_.emplace_back(sched::Released{release.task, release.number, release.nominal});
  }
}

bool Executive::has_room_for(Time next, Time now) const {
  return next <= now && next != never && seen_.size() < max_seen_;
}

void Executive::collect_calls(Time now) {
  for (TaskIndex task = 0; task < calls_.size(); ++task) {
    if (calls_[task] == nullptr) continue;
    while (seen_.size() < max_seen_) {
      const std::uint64_t number = calls_[task]->taken();
      const std::optional<Time> instant = calls_[task]->take();
      if (!instant) break;
      release_nominally({.nominal = *instant, .task = task, .number = number}, now);
    }
  }
}

void Executive::release_nominally(const Release& release, Time now) {
  ++outcome_.released;
  const Time deadline = deadline_of(release.task, release.nominal);
  tell(trace::JobReleased{{release.task, release.number}, release.nominal, deadline});
  if (watches_deadlines_ && deadline != never) {
    deadlines_.add(saturating_add(deadline, nanoseconds(1)), release);
  }
  if (const Duration bound = release_delay_[release.task]; bound > Duration{}) {
    const Duration delay = draws_.release_delay(release.task, release.number, bound);
    const Time seen = saturating_add(release.nominal, delay);
    // Without a free entry the release is seen at once. That is correct, since the delay is only an upper
    // bound.
    if (seen > now && unseen_.size() < max_unseen_) {
      unseen_.add(seen, release);
      return;
    }
  }
  seen_.push_back(release);
}

void Executive::collect_timers(Time now) {
  for (sched::TimerId timer = 0; timer < timers_.size(); ++timer) {
    if (timers_[timer] > now) continue;
    timers_[timer] = never;
    events_.emplace_back(sched::TimerFired{timer});
  }
}

void Executive::collect_used_up_budgets(Time now) {
  budgets_.book(now, in_flight_);
  while (const std::optional<sched::JobId> id = budgets_.take_used_up()) {
    const sched::JobRow* job = core_.jobs().find(*id);
    if (job == nullptr) continue;
    ++outcome_.overruns;
    tally_.overrun(job->task);
    if (options_.on_overrun) {
      options_.on_overrun({{job->task, job->number}, job->release, job->deadline, now});
    }
    events_.emplace_back(sched::BudgetUsedUp{*id});
  }
}

/// A job is late after its deadline. All completions up to now have been handled already.
void Executive::watch_deadlines(Time now) {
  const std::size_t first = events_.size();
  while (deadlines_.next() <= now && deadlines_.next() != never) {
    const Release release = deadlines_.take();
    const trace::JobName name{release.task, release.number};
    note_miss(name, release.nominal, now);
    if (system_.tasks[release.task].on_miss != OnMiss::skip_next) continue;
    core_.jobs().for_each([&](sched::JobId id, const sched::JobRow& job) {
      if (job.task == name.task && job.number == name.number) {
        events_.emplace_back(sched::DeadlinePassed{id});
      }
    });
  }
  if (events_.size() == first) return;
  events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(first));
  ask_core(now);
}

void Executive::note_miss(const trace::JobName& job, Time release, Time now) {
  if (options_.on_miss) options_.on_miss({job, release, deadline_of(job.task, release), now});
  if (system_.tasks[job.task].on_miss == OnMiss::stop) end(RunEnd::miss);
}

void Executive::watch_completions(Time now) {
  if (resident_.any()) watch_resident(now);
  const Submission* quiet = in_flight_.find_quiet(now, options_.watchdog);
  if (quiet == nullptr || ending_) return;
  end(RunEnd::lost);
  const sched::JobRow* job = core_.jobs().find(quiet->id.job);
  outcome_.failure = "nothing was heard of task '" + system_.tasks[quiet->task].name + "'" +
                     (job == nullptr ? "" : ", job " + std::to_string(job->number)) + ", segment " +
                     std::to_string(quiet->id.segment) + ", for longer than the watchdog allows";
}

void Executive::apply(const sched::Submit& submit, Time now) {
  const sched::JobRow& job = *core_.jobs().find(submit.id.job);
  if (budgets_.any()) budgets_.open(submit.id.job, job.task);
  const bool on_cpu = submit.server == ServerKind::cpu;
  const ServerUnit engine = unit_of(submit);
  if (budgets_.any() && on_cpu) {
    budgets_.give(submit.id.job, system_.platform.overheads.cpu);
  }
  device_.submit(
      {submit, job.task, job.number, job.release, job.deadline, job.place});  // first: the job waits for it
  // Where the segments of a job queue in one stream, a copy or kernel may wait for any server.
  in_flight_.add({.id = submit.id,
                  .task = job.task,
                  .server = one_by_one_ ? engine : ServerUnit{},
                  .engine = engine,
                  .cores = submit.cores.count,
                  .stream = submit.stream,
                  .urgency = on_cpu ? submit.urgency : sched::Urgency{.rank = submit.level},
                  .longest_block = longest_blocks_[job.task][submit.id.segment],
                  .launch = submit.server == ServerKind::gpu ? launch_[job.task] : Duration{},
                  .since = now});
}

void Executive::apply(const sched::RequestStop& stop, Time /*now*/) { device_.request_stop(stop.id); }

void Executive::apply(const sched::HoldCore& hold, Time /*now*/) {
  in_flight_.hold(hold);
  device_.hold_core(hold);
}

void Executive::apply(const sched::Done& done, Time now) {
  ++outcome_.completed;
  budgets_.close(done.job);
  in_flight_.release(done.job, now);
  has_ended_jobs_[done.task] = true;
  if (options_.results != nullptr && options_.results->wants(done.task)) {
    options_.results->add({.task = done.task,
                           .number = done.number,
                           .place = done.place,
                           .release = done.release,
                           .deadline = done.deadline});
  } else {
    give_back_place(done.task);
  }
  tell(trace::JobEnded{.job = {done.task, done.number},
                       .release = done.release,
                       .start = std::min(device_.job_over(done.job), now),
                       .completion = now,
                       .deadline = done.deadline,
                       .missed = now > done.deadline},
       now);
}

void Executive::apply(const sched::Repeat& repeat, Time /*now*/) {
  const sched::JobRow& job = *core_.jobs().find(repeat.job);
  ++outcome_.released;
  tell(trace::JobReleased{{job.task, job.number}, job.release, job.deadline});
}

void Executive::apply(const sched::DropJob& drop, Time now) {
  ++outcome_.dropped;
  has_ended_jobs_[drop.task] = true;
  give_back_place(drop.task);
  if (drop.job) {
    budgets_.close(*drop.job);
    in_flight_.release(*drop.job, now);
  }
  const Time deadline = deadline_of(drop.task, drop.release);
  const trace::JobName name{drop.task, drop.number};
  const trace::Fate fate = sched::fate_of(drop.why);
  const bool missed = !trace::is_turned_away(fate) && deadline != never && deadline <= horizon_;
  // The job will never complete, so its deadline is not watched any more.
  if (watches_deadlines_ && deadlines_.remove(name) && missed) note_miss(name, drop.release, now);
  tell(trace::JobEnded{.job = name,
                       .release = drop.release,
                       .start = drop.job ? device_.job_over(*drop.job) : never,
                       .deadline = deadline,
                       .missed = missed,
                       .fate = fate},
       now);
}

void Executive::apply(const sched::ArmTimer& arm, Time /*now*/) {
  if (arm.timer >= timers_.size()) timers_.resize(std::size_t{arm.timer} + 1, never);
  const Duration late = options_.plays_overheads ? system_.platform.overheads.release : Duration{};
  timers_[arm.timer] = saturating_add(arm.at, draws_.timer_delay(arm.timer, arm.at, late));
}

void Executive::apply(const sched::CancelTimer& cancel, Time /*now*/) {
  if (cancel.timer < timers_.size()) timers_[cancel.timer] = never;
}

bool Executive::release(TaskIndex task) noexcept {
  if (!running_.load() || calls_[task] == nullptr || !calls_[task]->ask(device_.now())) {
    give_back_place(task);
    return false;
  }
  device_.wake();
  return true;
}

void Executive::stop() noexcept {
  stop_.store(true);
  if (running_.load()) device_.wake();
}

/// Some failures show only when the device closes. They turn a run that went well so far into a failed one.
void Executive::note_failure_at_close() {
  const std::string failure = device_.failure();
  if (outcome_.ending == RunEnd::lost) {
    if (!failure.empty()) outcome_.failure += "; the device says: " + failure;
    return;
  }
  if (outcome_.failure.empty()) outcome_.failure = failure;
  if (!outcome_.failure.empty()) outcome_.ending = RunEnd::failed;
}

/// After a long delay some releases may not have been handled. There can be arbitrarily many when tasks
/// release faster than the engine runs: observers are told of the first ones, the rest is only counted.
void Executive::release_what_was_not_looked_at() {
  seen_.clear();
  while (arrivals_.next() <= collected_ && seen_.size() < max_seen_) {
    release_nominally(arrivals_.take(), never);
  }
  if (arrivals_.next() > collected_) return;
  for (const Release& first : arrivals_.remove_if([](TaskIndex) { return true; })) count_untold(first);
}

/// Counts the jobs of one task from `first` on.
void Executive::count_untold(const Release& first) {
  constexpr std::uint64_t max_steps = 1 << 20;
  std::uint64_t steps = 0;
  std::optional<Release> next = first;
  while (next && next->nominal <= collected_) {
    if (++steps > max_steps) {
      outcome_.counts_all = false;
      return;
    }
    const sched::Releases alike = arrivals_.alike_until(*next, collected_);
    const std::uint64_t missed =
        alike.jobs_before(outcome_.reached, system_.tasks[next->task].deadline.value_or(Duration::max()));
    outcome_.released += alike.jobs;
    outcome_.untold += alike.jobs;
    tally_.pending(trace::JobEnded{.job = {next->task, next->number},
                                   .release = next->nominal,
                                   .deadline = deadline_of(next->task, next->nominal),
                                   .missed = missed > 0},
                   alike.jobs, missed, std::max(outcome_.reached, next->nominal));
    next = arrivals_.after(alike.last);
  }
}

Outcome Executive::finish() {
  running_.store(false);
  for (const std::unique_ptr<FreePlaces>& places : free_places_) {
    if (places != nullptr) places->close();
  }
  device_.close();
  if (ending_) outcome_.ending = *ending_;
  if (outcome_.ending == RunEnd::horizon && horizon_ != never) outcome_.reached = horizon_;
  note_failure_at_close();
  std::vector<trace::JobEnded> unfinished;
  add_pending_resident(unfinished);
  core_.jobs().for_each([&](sched::JobId id, const sched::JobRow& job) {
    unfinished.push_back({.job = {job.task, job.number},
                          .release = job.release,
                          .start = device_.job_over(id),
                          .deadline = job.deadline});
  });
  release_what_was_not_looked_at();
  max_seen_ = std::numeric_limits<std::size_t>::max();
  for (const std::unique_ptr<ReleaseCalls>& calls : calls_) {
    if (calls != nullptr) calls->close();
  }
  collect_calls(never);
  for (const Release& release : seen_) unseen_.add(release.nominal, release);
  for (const sched::Released& release :
       engine_ ? engine_->unhandled_releases() : std::vector<sched::Released>{}) {
    unseen_.add(release.nominal,
                {.nominal = release.nominal, .task = release.task, .number = release.number});
  }
  outcome_.unseen = unseen_.size() + outcome_.untold;
  while (unseen_.size() > 0) {
    const Release release = unseen_.take();
    unfinished.push_back({.job = {release.task, release.number},
                          .release = release.nominal,
                          .deadline = deadline_of(release.task, release.nominal)});
  }
  std::sort(unfinished.begin(), unfinished.end(),
            [](const trace::JobEnded& a, const trace::JobEnded& b) { return a.job < b.job; });
  outcome_.pending = outcome_.untold;
  for (trace::JobEnded& job : unfinished) {
    ++outcome_.pending;
    job.missed = job.deadline <= outcome_.reached;
    tell(job, std::max(outcome_.reached, job.release));
  }
  outcome_.misses = tally_.misses();
  outcome_.tasks = tally_.tasks();
  outcome_.first_miss = tally_.first_miss();
  outcome_.not_enforced = device_.not_enforced();
  outcome_.absences = device_.absences();
  outcome_.assumptions = assumptions_.seen();
  outcome_.observer_failures = trace::failures_of(observers_);
  for (const Task& task : system_.tasks) {
    if (!task.budget || task.on_overrun != OnOverrun::demote || core_.demotes()) continue;
    outcome_.not_enforced.push_back(
        "on_overrun: demote of task '" + task.name + "': under " +
        std::string{system_.policy.strategy->name} +
        " the device has a job as a whole, where it keeps its place until it ends");
  }
  return outcome_;
}

}  // namespace tactus::runtime
