#include "tactus/runtime/executive.hpp"

#include <algorithm>
#include <array>
#include <limits>
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
      draws_{system, options_.seed, options_.execution},
      horizon_{options_.horizon ? time_at(*options_.horizon) : never},
      book_{system, horizon_, options_.on_miss, observers, ending_},
      core_{system, options_.max_pending, device.capabilities(system).copy_slice},
      assumptions_{system},
      resident_{system, device, horizon_, book_, ending_, assumptions_},
      callers_{system, options_.sporadic_by_call},
      releases_{system,
                draws_,
                resident_.jobs(),
                callers_,
                book_,
                {.horizon = horizon_,
                 .plays_overheads = options_.plays_overheads,
                 .most_at_once = std::size_t{options_.max_pending} + system.tasks.size()}},
      budgets_{system},
      guard_{options_.quiet_before_release},
      longest_blocks_{longest_blocks(system, options_.bindings)},
      has_ended_jobs_(system.tasks.size()),
      one_at_a_time_{has_engine_time(system)},
      one_by_one_{system.policy.strategy->one_by_one || is_by_node(system)} {
  if (!device.waits_busily() || options_.decides_ahead < Duration{}) options_.decides_ahead = {};
  if (one_at_a_time_ && options_.plays_overheads) engine_.emplace(system, draws_);
  for (const Task& task : system.tasks) launch_.push_back(dispatch_overheads(system, task).launch);
  for (TaskIndex task = 0; task < options_.max_jobs.size(); ++task) {
    if (options_.max_jobs[task] > 0) core_.limit_jobs(task, options_.max_jobs[task]);
    if (options_.results != nullptr && options_.results->wants(task)) core_.keep_results(task);
  }
  if (options_.results != nullptr) {
    options_.results->on_freed([this](TaskIndex task) { callers_.give_back_place(task); });
    options_.results->on_failure([this] { stop(); });
  }
  core_.reserve();
  const std::size_t jobs = core_.jobs().capacity();
  const std::size_t segments = max_segments(system);
  const std::size_t releases = std::size_t{options_.max_pending} + system.tasks.size();
  releases_.reserve();
  book_.reserve(jobs + releases + releases_.most_unseen());
  in_flight_.reserve(jobs * segments,
                     core_.cpu_lanes().size() + core_.sm_sets().size() + 3,  // and all SMs, copies, any
                     system.tasks.size());
  budgets_.reserve(jobs, jobs * segments);
  guard_.reserve(jobs * segments);
  events_.reserve(jobs * (segments + 3) + releases + system.tasks.size() + 2);
  commands_.reserve(jobs * (2 * segments + 2) + releases + 3 * system.tasks.size() + 2);
  timers_.reserve(system.tasks.size() + 1);
}

void Executive::start() {
  device::Setup setup = device::make_setup(system_, draws_, core_, book_.trace());
  setup.bindings = options_.bindings;
  setup.assumptions = &assumptions_;
  setup.engine_has_core = options_.engine_has_core;
  setup.resident.assign(resident_.jobs().all().begin(), resident_.jobs().all().end());
  if (resident_.any()) setup.head_start = head_start;
  if (!options_.plays_overheads) touch_memory();
  device_.open(setup);
  running_.store(true);
}

/// Avoids page faults during the run. Not needed in virtual time.
void Executive::touch_memory() {
  core_.touch();
  book_.touch();
  in_flight_.touch();
  budgets_.touch();
  guard_.touch();
  releases_.touch();
  timers_.touch();
  touch(events_);
  touch(commands_);
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
    ending_.come(RunEnd::stopped);
  }
  Time now = is_ahead ? collect_ahead(until) : collect();
  const bool decides_ahead = is_ahead && now == until;
  if (one_at_a_time_ && !engine_ && !decides_ahead) now = handle_all(now);
  if (engine_ || may_submit_more_ || !events_.empty()) ask_core(now);
  if (guard_.holds() && (is_urgent_work_in_progress() || !is_release_near(now))) handle_what_waited(now);
  if (resident_.any()) {
    const bool has_nothing_else_to_do = events_.empty() && !may_submit_more_;
    has_more_resident_ = !has_nothing_else_to_do || resident_.hear(now);
  }
  if (book_.next_late() <= now) tell_of_late_releases(now);
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
  if (ending_.has_come() || now > horizon_) return true;
  if (now < horizon_) return false;
  return !device_.settle() && next_release_or_timer() > now && !(engine_ && engine_->next() <= now);
}

/// Before it decides, the engine handles all it can see, and looks again until there is nothing: what the
/// bounds count for the time from an event to a decision (engine_clock.hpp).
Time Executive::handle_all(Time now) {
  constexpr int most_looks = 64;  // then a submission comes in between: others would wait for ever
  for (int looks = 0; looks < most_looks && !events_.empty(); ++looks) {
    if (options_.results != nullptr) take_back_places();
    commands_.clear();
    core_.hear(now, events_, commands_);
    may_submit_more_ = true;
    carry_out(now);
    now = collect();
  }
  return now;
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
  carry_out(now);
}

void Executive::carry_out(Time now) {
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
  if (releases_.is_full() || may_submit_more_ || has_more_resident_) {
    return outcome_.reached;  // more may be due
  }
  Time next = std::min({next_release_or_timer(), book_.next_late(), horizon_});
  if (budgets_.any()) next = std::min(next, budgets_.next());
  if (engine_) next = std::min(next, engine_->next());
  if (!system_.chains.empty())
    next = std::min(next, resident_.jobs().next());  // data flows in the order of time
  if (options_.watchdog > Duration{}) next = std::min(next, in_flight_.next_quiet(options_.watchdog));
  return next;
}

Time Executive::next_release_or_timer() const noexcept { return std::min(releases_.next(), timers_.next()); }

/// Only where nothing but releases and timers of the core can happen at that instant, and before it nothing
/// but ends of best-effort work: these come as if they were so much later, which delays nobody else. What a
/// real-time job or a caller does is seen at once, so that no bound depends on it.
bool Executive::may_decide_ahead(Time until) const noexcept {
  if (options_.decides_ahead == Duration{} || until >= horizon_ || ending_.has_come()) return false;
  return !budgets_.any() && !callers_.any() && until == next_release_or_timer() &&
         until < book_.next_late() && !is_urgent_work_in_progress();
}

/// What is due at an instant that is near, unless something happens before it. What a job's release needs is
/// then done when it comes: it saves about a microsecond, most of it spent on memory that is not in a cache.
Time Executive::collect_ahead(Time until) {
  const Time now = collect();
  const bool is_near = until - now <= options_.decides_ahead;  // a device may end a wait for no event
  if (now >= until || !is_near || !events_.empty() || ending_.has_come()) return now;
  releases_.collect(until, events_);
  timers_.fire(until, events_);
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
  book_.tell_late(now, core_.jobs(), events_);
  if ((now >= horizon_ || ending_.has_come()) && !stop_sent_) {
    stop_sent_ = true;
    events_.insert(events_.begin(), sched::StopRequested{});  // best-effort jobs that end now do not repeat
  }
  releases_.collect(now, events_);
  timers_.fire(now, events_);
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
      ending_.fail(device_);
    } else {
      note_run(*taken, now);
    }
  }
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
  if (ending_.has_come() || now >= horizon_) return false;
  return guard_.is_near(next_release_or_timer(), now);
}

/// Whether the event is the end of best-effort work that no real-time job waits for.
bool Executive::can_wait(const sched::Event& event) const noexcept {
  const auto* finished = std::get_if<sched::Finished>(&event);
  const sched::JobRow* job = finished == nullptr ? nullptr : core_.jobs().find(finished->id.job);
  if (job == nullptr || system_.tasks[job->task].arrival != Arrival::best_effort) return false;
  return !is_urgent_work_in_progress();
}

/// Uses the book instead of scanning the job table: this runs just before a release.
bool Executive::is_urgent_work_in_progress() const noexcept {
  for (TaskIndex i = 0; i < system_.tasks.size(); ++i) {
    const bool is_urgent = system_.tasks[i].arrival != Arrival::best_effort && !resident_.jobs().has(i);
    if (is_urgent && book_.in_progress(i) > 0) return true;
  }
  return false;
}

void Executive::handle_what_waited(Time now) {
  guard_.give_back(events_);
  hear(now);
  ask_core(now);
}

void Executive::collect_used_up_budgets(Time now) {
  budgets_.book(now, in_flight_);
  while (const std::optional<sched::JobId> id = budgets_.take_used_up()) {
    const sched::JobRow* job = core_.jobs().find(*id);
    if (job == nullptr) continue;
    book_.overran(job->task);
    if (options_.on_overrun) {
      options_.on_overrun({{job->task, job->number}, job->release, job->deadline, now});
    }
    events_.emplace_back(sched::BudgetUsedUp{*id});
  }
}

/// Jobs that were late already when their releases were seen.
void Executive::tell_of_late_releases(Time now) {
  events_.clear();
  book_.tell_late(now, core_.jobs(), events_);
  if (!events_.empty()) ask_core(now);
}

void Executive::watch_completions(Time now) {
  if (resident_.any() && !has_more_resident_) resident_.watch(now, options_.watchdog);
  const Submission* quiet = in_flight_.find_quiet(now, options_.watchdog);
  if (quiet == nullptr || ending_.has_come()) return;
  const sched::JobRow* job = core_.jobs().find(quiet->id.job);
  ending_.lose("nothing was heard of task '" + system_.tasks[quiet->task].name + "'" +
               (job == nullptr ? "" : ", job " + std::to_string(job->number)) + ", segment " +
               std::to_string(quiet->id.segment) + ", for longer than the watchdog allows");
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
    callers_.give_back_place(done.task);
  }
  book_.ended({.job = {done.task, done.number},
               .release = done.release,
               .start = std::min(device_.job_over(done.job), now),
               .completion = now,
               .deadline = done.deadline,
               .missed = now > done.deadline},
              now);
}

void Executive::apply(const sched::Repeat& repeat, Time /*now*/) {
  const sched::JobRow& job = *core_.jobs().find(repeat.job);
  book_.released_unwatched({.nominal = job.release, .task = job.task, .number = job.number});
}

void Executive::apply(const sched::DropJob& drop, Time now) {
  has_ended_jobs_[drop.task] = true;
  callers_.give_back_place(drop.task);
  if (drop.job) {
    budgets_.close(*drop.job);
    in_flight_.release(*drop.job, now);
  }
  const Time deadline = book_.deadline_of(drop.task, drop.release);
  const trace::Fate fate = sched::fate_of(drop.why);
  book_.ended({.job = {drop.task, drop.number},
               .release = drop.release,
               .start = drop.job ? device_.job_over(*drop.job) : never,
               .deadline = deadline,
               .missed = !trace::is_turned_away(fate) && book_.is_within_run(deadline),
               .fate = fate},
              now);
}

void Executive::apply(const sched::ArmTimer& arm, Time /*now*/) {
  const Duration late = options_.plays_overheads ? system_.platform.overheads.release : Duration{};
  timers_.arm(arm.timer, saturating_add(arm.at, draws_.timer_delay(arm.timer, arm.at, late)));
}

void Executive::apply(const sched::CancelTimer& cancel, Time /*now*/) { timers_.cancel(cancel.timer); }

bool Executive::release(TaskIndex task) noexcept {
  if (!running_.load() || !callers_.ask(task, device_.now())) {
    callers_.give_back_place(task);
    return false;
  }
  device_.wake();
  return true;
}

void Executive::stop() noexcept {
  stop_.store(true);
  if (running_.load()) device_.wake();
}

Outcome Executive::finish() {
  running_.store(false);
  callers_.close_places();
  device_.close();
  if (!ending_.has_come() && horizon_ != never) outcome_.reached = horizon_;
  std::vector<trace::JobEnded> unfinished = resident_.close(outcome_.reached);
  ending_.close(device_);
  outcome_.ending = ending_.why();
  outcome_.failure = ending_.failure();
  end_unfinished_jobs(std::move(unfinished));
  book_.count(outcome_);
  outcome_.unseen += outcome_.untold;
  outcome_.not_enforced = device_.not_enforced();
  outcome_.absences = device_.absences();
  outcome_.assumptions = assumptions_.seen();
  for (const Task& task : system_.tasks) {
    if (!task.budget || task.on_overrun != OnOverrun::demote || core_.demotes()) continue;
    outcome_.not_enforced.push_back(
        "on_overrun: demote of task '" + task.name + "': under " +
        std::string{system_.policy.strategy->name} +
        " the device has a job as a whole, where it keeps its place until it ends");
  }
  return outcome_;
}

void Executive::end_unfinished_jobs(std::vector<trace::JobEnded> unfinished) {
  core_.jobs().for_each([&](sched::JobId id, const sched::JobRow& job) {
    unfinished.push_back({.job = {job.task, job.number},
                          .release = job.release,
                          .start = device_.job_over(id),
                          .deadline = job.deadline});
  });
  ReleaseQueue::Rest rest = releases_.close(outcome_.reached);
  outcome_.counts_all = rest.counts_all;
  for (const sched::Released& release :
       engine_ ? engine_->unhandled_releases() : std::vector<sched::Released>{}) {
    rest.jobs.push_back({.nominal = release.nominal, .task = release.task, .number = release.number});
  }
  outcome_.unseen = rest.jobs.size();
  for (const sched::Release& release : rest.jobs) {
    unfinished.push_back({.job = {release.task, release.number},
                          .release = release.nominal,
                          .deadline = book_.deadline_of(release.task, release.nominal)});
  }
  std::sort(unfinished.begin(), unfinished.end(),
            [](const trace::JobEnded& a, const trace::JobEnded& b) { return a.job < b.job; });
  for (trace::JobEnded& job : unfinished) {
    job.missed = job.deadline <= outcome_.reached;
    book_.ended(job, std::max(outcome_.reached, job.release));
  }
}

}  // namespace tactus::runtime
