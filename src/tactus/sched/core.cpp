#include "tactus/sched/core.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/model/dispatch.hpp"
#include "tactus/sched/by_node.hpp"

namespace tactus::sched {

std::vector<std::string> refusals(const System& system, const Capabilities& capabilities) {
  const StrategyEntry* entry = find_strategy(system.policy.strategy);
  if (entry != nullptr) {
    std::vector<std::string> refusals = entry->refusals(system, capabilities);
    if (!is_by_node(system)) return refusals;
    for (std::string& refusal : refuse_by_node(system, capabilities)) refusals.push_back(std::move(refusal));
    return refusals;
  }
  std::string known;
  for (const StrategyRef strategy : known_strategies()) {
    known += (known.empty() ? "" : ", ") + std::string{strategy->name};
  }
  return {capabilities.engine + " does not have the strategy " + std::string{system.policy.strategy->name} +
          " yet; it has: " + known};
}

void refuse_what_is_missing(const System& system, const Capabilities& capabilities) {
  std::vector<Problem> problems;
  for (std::string& refusal : refusals(system, capabilities)) {
    problems.push_back({.file = {},
                        .line = 0,
                        .column = 0,
                        .message = std::move(refusal),
                        .hint = {},
                        .id = ProblemId::not_supported});
  }
  if (problems.empty()) return;
  problems.back().hint =
      "another strategy may take it (`policy.strategy`, as-submitted where nothing is said): `tactus compare "
      "FILE` shows "
      "which";
  throw InputError{std::move(problems)};
}

namespace {

std::unique_ptr<Strategy> make_strategy_of(const System& system) {
  std::unique_ptr<Strategy> strategy = find_strategy(system.policy.strategy)->make(system);
  return is_by_node(system) ? make_by_node(system, std::move(strategy)) : std::move(strategy);
}

/// Strategies do not use the `part` of a submission.
SubmissionId without_part(SubmissionId submission) { return {submission.job, submission.segment}; }

/// Number of SMs of each set, by id; 0 is all SMs.
std::vector<std::int64_t> sizes_of_sm_sets(const System& system, const Strategy& strategy) {
  std::vector<std::int64_t> sizes{system.platform.gpu.sms};
  for (const std::vector<std::int32_t>& set : strategy.sm_sets()) {
    sizes.push_back(static_cast<std::int64_t>(set.size()));
  }
  return sizes;
}

std::uint32_t most_urgent_level(const Strategy& strategy) {
  std::uint32_t level = ~std::uint32_t{0} - 1;
  for (const Lane& lane : strategy.lanes()) level = std::min(level, lane.level);
  return level;
}

std::uint32_t best_effort_tasks(const System& system) {
  return static_cast<std::uint32_t>(
      std::count_if(system.tasks.begin(), system.tasks.end(),
                    [](const Task& task) { return task.arrival == Arrival::best_effort; }));
}

}  // namespace

Core::Core(const System& system, std::uint32_t capacity, std::optional<std::int64_t> copy_slice)
    : jobs_{capacity + best_effort_tasks(system), static_cast<std::uint32_t>(max_segments(system))},
      strategy_{make_strategy_of(system)},
      cutting_{
          system,
          sizes_of_sm_sets(system, *strategy_),
          {.slice = copy_slice.value_or(Stretch::all), .overtaken_from = most_urgent_level(*strategy_) + 1}},
      capacity_{capacity} {
  for (const Task& task : system.tasks) {
    const auto index = static_cast<TaskIndex>(tasks_.size());
    std::vector<std::uint32_t> skipped;
    for (std::uint32_t segment = 0; segment < task.work.nodes.size(); ++segment) {
      if (strategy_->skips(index, segment)) skipped.push_back(segment);
    }
    tasks_.push_back({.deadline = task.deadline.value_or(Duration{}),
                      .segments = Precedence{task.work},
                      .skipped = std::move(skipped),
                      .on_overrun = task.on_overrun,
                      .on_miss = task.on_miss,
                      .places = task.max_jobs ? Places{static_cast<std::uint32_t>(*task.max_jobs)} : Places{},
                      .drops_oldest = task.on_full == OnFull::drop_oldest,
                      .has_deadline = task.deadline.has_value(),
                      .best_effort = task.arrival == Arrival::best_effort});
    resident_.push_back(tactus::is_resident(system, task));
    has_resident_ = has_resident_ || resident_.back();
  }
  if (has_engine_time(system)) one_at_a_time_.emplace(system, system.policy.order);
  arrivals_.reserve(system.tasks.size());
  ready_.reserve(max_segments(system));
  completed_.reserve(max_segments(system));
}

void Core::hear(Time now, std::span<const Event> events, Commands& commands) noexcept {
  const std::size_t first_command = commands.size();
  handle_all(now, events, commands);
  number_submissions(first_command, commands);
}

void Core::step(Time now, std::span<const Event> events, Commands& commands) noexcept {
  if (one_at_a_time_) {
    hear(now, events, commands);
    decide_one(now, commands);
    return;
  }
  const std::size_t first_command = commands.size();
  handle_all(now, events, commands);
  Pass pass;
  strategy_->schedule(now, jobs_, pass, commands);
  number_submissions(first_command, commands);
}

void Core::step_resident(Time now, std::span<const Event> events, Commands& commands) noexcept {
  const std::size_t first_command = commands.size();
  handle_all(now, events, commands);
  Pass pass = Pass::resident(resident_, jobs_);
  strategy_->schedule(now, jobs_, pass, commands);
  number_submissions(first_command, commands);
}

bool Core::is_resident(const Event& event) const noexcept {
  if (const auto* released = std::get_if<Released>(&event)) return resident_[released->task];
  const JobRow* job = nullptr;
  if (const auto* finished = std::get_if<Finished>(&event)) {
    job = jobs_.find(finished->id.job);
  } else if (const auto* failed = std::get_if<Failed>(&event)) {
    job = jobs_.find(failed->id.job);
  } else if (const auto* passed = std::get_if<DeadlinePassed>(&event)) {
    job = jobs_.find(passed->job);
  }
  return job != nullptr && resident_[job->task];
}

void Core::handle_all(Time now, std::span<const Event> events, Commands& commands) {
  for (const Event& event : events) {
    if (const auto* finished = std::get_if<Finished>(&event)) {
      handle(*finished, now, commands);
    } else if (const auto* released = std::get_if<Released>(&event)) {
      arrivals_.push_back({*released, false});
    } else if (const auto* stopped = std::get_if<Stopped>(&event)) {
      handle(*stopped, now, commands);
    } else if (const auto* failed = std::get_if<Failed>(&event)) {
      handle(*failed, now, commands);
    } else if (const auto* budget = std::get_if<BudgetUsedUp>(&event)) {
      handle(*budget, now, commands);
    } else if (const auto* passed = std::get_if<DeadlinePassed>(&event)) {
      handle(*passed);
    } else if (std::holds_alternative<StopRequested>(event)) {
      stopping_ = true;
    }
  }
  if (std::exchange(repeats_, false)) {
    // Not stable_sort, which allocates.
    std::sort(arrivals_.begin(), arrivals_.end(), [](const PendingRelease& a, const PendingRelease& b) {
      return std::tie(a.released.task, a.released.number) < std::tie(b.released.task, b.released.number);
    });
  }
  release_all(now, commands);
}

void Core::decide_one(Time now, Commands& commands) {
  Pass look = Pass::look(*one_at_a_time_, jobs_);
  strategy_->schedule(now, jobs_, look, commands);
  if (submit_held(look.best(), commands) || !look.best()) return;
  const std::size_t first = commands.size();
  Pass take = Pass::take(*look.best(), *one_at_a_time_, jobs_);
  strategy_->schedule(now, jobs_, take, commands);
  number_submissions(first, commands);
  hold_all_but_one(first, *look.best(), commands);
}

/// Of a job that was begun before, unless a more urgent candidate waits.
bool Core::submit_held(const std::optional<Urgency>& other, Commands& commands) {
  const auto best =
      std::min_element(held_.begin(), held_.end(),
                       [](const HeldSubmit& a, const HeldSubmit& b) { return a.urgency < b.urgency; });
  if (best == held_.end() || (other && *other < best->urgency)) return false;
  commands.emplace_back(best->submit);
  held_.erase(best);
  return true;
}

void Core::hold_all_but_one(std::size_t first, const Urgency& urgency, Commands& commands) {
  bool is_first = true;
  const auto moved = std::remove_if(commands.begin() + static_cast<std::ptrdiff_t>(first), commands.end(),
                                    [&](const Command& command) {
                                      const auto* submit = std::get_if<Submit>(&command);
                                      if (submit == nullptr || std::exchange(is_first, false)) return false;
                                      held_.push_back({urgency, *submit});
                                      return true;
                                    });
  commands.erase(moved, commands.end());
}

/// A job is given up before all of it was submitted, though the strategy takes it for submitted.
void Core::forget_held(JobId id) {
  const JobRow& job = jobs_.get(id);
  std::erase_if(held_, [&](const HeldSubmit& held) {
    if (held.submit.id.job != id) return false;
    static_cast<void>(jobs_.note_landed(held.submit.id));
    strategy_->on_finished(without_part(held.submit.id), job, job.in_flight == 0);
    return true;
  });
}

/// Numbers every submission, because later events must name it, and sets the part of the segment that it
/// covers.
void Core::number_submissions(std::size_t first, Commands& commands) {
  for (auto command = commands.begin() + static_cast<std::ptrdiff_t>(first); command != commands.end();
       ++command) {
    if (auto* submit = std::get_if<Submit>(&*command)) {
      submit->id.part = jobs_.note_submitted(submit->id);
      const JobRow& job = jobs_.get(submit->id.job);
      if (submit->extent == Extent::whole && !job.was_cut) continue;  // the usual case: all of it
      submit->stretch = cutting_.stretch(job.task, *submit, jobs_.progress(submit->id));
    } else if (auto* stop = std::get_if<RequestStop>(&*command)) {
      stop->id.part = jobs_.part_in_flight(stop->id);
    }
  }
}

void Core::handle(const Finished& event, Time now, Commands& commands) {
  if (!jobs_.note_landed(event.id)) return;
  const JobId id = event.id.job;
  const JobRow& job = jobs_.get(id);
  const JobTable::Mark mark = jobs_.mark_finished(event.id);
  const bool done = mark == JobTable::Mark::job_done;
  // A job that completed before the abort took effect counts as completed.
  if (job.given_up && !(done && job.why == Dropped::aborted)) {
    note_landed_of_given_up(event.id, now, commands);
    return;
  }
  strategy_->on_finished(without_part(event.id), job, done);
  if (!done) {
    if (!jobs_.has_joined(event.id)) return;
    complete(event.id, tasks_[job.task].segments);
    for (const std::uint32_t segment : ready_) strategy_->on_ready({id, segment}, job);
    return;
  }
  finish(id, job, commands);
  repeat_best_effort(job, now);
  close(id, job.task, true);
}

/// A segment and all its predecessors have finished. That may complete successors which are never submitted,
/// or whose own end was reported earlier.
void Core::complete(SubmissionId submission, const Precedence& segments) {
  ready_.clear();
  completed_.assign(1, submission.segment);
  while (!completed_.empty()) {
    const std::uint32_t segment = completed_.back();
    completed_.pop_back();
    for (const std::uint32_t next : segments.successors(segment)) {
      const SubmissionId successor{submission.job, next};
      if (!jobs_.join(successor)) continue;
      if (jobs_.is_finished(successor)) {
        completed_.push_back(next);
      } else if (jobs_.part_in_flight(successor) == 0) {
        ready_.push_back(next);
      }
    }
  }
}

void Core::close(JobId id, TaskIndex task, bool done) {
  if (tasks_[task].best_effort) --best_effort_jobs_;
  if (tasks_[task].places.any()) tasks_[task].places.leave(jobs_.get(id).place, done);
  jobs_.close(id);
}

void Core::repeat_best_effort(const JobRow& job, Time now) {
  if (!tasks_[job.task].best_effort || stopping_) return;
  arrivals_.push_back({Released{.task = job.task, .number = job.number + 1, .nominal = now}, true});
  repeats_ = true;
}

void Core::finish(JobId id, const JobRow& job, Commands& commands) {
  auto& done = append<Done>(commands);
  done.job = id;
  done.task = job.task;
  done.number = job.number;
  done.release = job.release;
  done.deadline = job.deadline;
  done.place = job.place;
}

void Core::handle(const Stopped& event, Time now, Commands& commands) {
  if (!jobs_.note_landed(event.id)) return;
  const JobRow& job = *jobs_.find(event.id.job);
  if (job.given_up) {
    note_landed_of_given_up(event.id, now, commands);
  } else {
    jobs_.note_progress(event.id, event.progress);
    strategy_->on_stopped(without_part(event.id), job);
  }
}

void Core::handle(const Failed& event, Time now, Commands& commands) {
  if (!jobs_.note_landed(event.id)) return;
  if (!jobs_.find(event.id.job)->given_up) give_up(event.id.job, Dropped::failed, commands);
  note_landed_of_given_up(event.id, now, commands);
}

void Core::handle(const BudgetUsedUp& event, Time now, Commands& commands) {
  const JobRow* job = jobs_.find(event.job);
  if (job == nullptr || job->given_up) return;
  switch (tasks_[job->task].on_overrun) {
    case OnOverrun::proceed:
      return;
    case OnOverrun::skip_next:
      ++tasks_[job->task].to_skip;
      return;
    case OnOverrun::demote:
      strategy_->on_demoted(event.job, *job);
      return;
    case OnOverrun::abort:
      give_up(event.job, Dropped::aborted, commands);
      if (job->in_flight == 0) drop(event.job, now, commands);
      return;
  }
}

void Core::handle(const DeadlinePassed& event) {
  const JobRow* job = jobs_.find(event.job);
  if (job != nullptr && tasks_[job->task].on_miss == OnMiss::skip_next) ++tasks_[job->task].to_skip;
}

/// Nothing more of the job is submitted, and its submissions in flight are asked to stop.
void Core::give_up(JobId id, Dropped why, Commands& commands) {
  jobs_.give_up(id, why);
  const JobRow& job = jobs_.get(id);
  strategy_->forget(id, job);
  forget_held(id);
  for (std::uint32_t segment = 0; segment < job.segments && job.in_flight > 0; ++segment) {
    const SubmissionId submission{id, segment};
    if (jobs_.part_in_flight(submission) != 0) commands.emplace_back(RequestStop{submission});
  }
}

void Core::note_landed_of_given_up(SubmissionId submission, Time now, Commands& commands) {
  const JobRow& job = jobs_.get(submission.job);
  strategy_->on_finished(without_part(submission), job, job.in_flight == 0);
  if (job.in_flight == 0) drop(submission.job, now, commands);
}

void Core::drop(JobId id, Time now, Commands& commands) {
  const JobRow& job = jobs_.get(id);
  if (job.why == Dropped::aborted) repeat_best_effort(job, now);
  commands.emplace_back(
      DropJob{.task = job.task, .number = job.number, .release = job.release, .why = job.why, .job = id});
  close(id, job.task, false);
}

void Core::release_all(Time now, Commands& commands) {
  for (const PendingRelease& arrival : arrivals_) {
    release(arrival.released, now, commands, arrival.repeated);
  }
  arrivals_.clear();
}

void Core::release(const Released& released, Time now, Commands& commands, bool repeated) {
  const auto& [task, number, nominal] = released;
  TaskFacts& facts = tasks_[task];
  const auto drop_it = [&](Dropped why) {
    commands.emplace_back(
        DropJob{.task = released.task, .number = released.number, .release = released.nominal, .why = why});
  };
  if (facts.to_skip > 0 && !repeated) {
    --facts.to_skip;
    drop_it(Dropped::skipped);
    return;
  }
  if (facts.places.full() && !make_place(task, now, commands)) {
    drop_it(facts.when_full);
    return;
  }
  const Time deadline = facts.has_deadline ? saturating_add(nominal, facts.deadline) : never;
  const bool has_room = facts.best_effort || jobs_.size() - best_effort_jobs_ < capacity_;
  const JobRow* job =
      has_room ? jobs_.open(task, number, nominal, deadline, facts.segments.predecessors()) : nullptr;
  if (job == nullptr) {
    drop_it(Dropped::no_room);
    return;
  }
  if (facts.places.any()) jobs_.set_place(job->id, facts.places.take(job->id));
  if (facts.best_effort) ++best_effort_jobs_;
  if (repeated) commands.emplace_back(Repeat{job->id});
  if (!facts.skipped.empty() && !skip_segments(*job, commands)) return;
  strategy_->on_released(job->id, *job);
}

/// Drops the oldest job of the task of which nothing was ever submitted: no server knows of it. False when
/// there is none, or the task keeps its oldest.
bool Core::make_place(TaskIndex task, Time now, Commands& commands) {
  if (!tasks_[task].drops_oldest) return false;
  const auto has_not_begun = [](const JobRow& job) { return job.parts == 0 && !job.given_up; };
  const std::optional<JobId> oldest = tasks_[task].places.oldest(jobs_, has_not_begun);
  if (!oldest) return false;
  give_up(*oldest, Dropped::full, commands);
  drop(*oldest, now, commands);
  return !tasks_[task].places.full();
}

void Core::limit_jobs(TaskIndex task, std::uint32_t jobs) {
  if (tasks_[task].places.any()) return;
  tasks_[task].places = Places{jobs};
  tasks_[task].when_full = Dropped::no_room;
}

/// Segments that are never submitted have finished already. False when the job has no others.
bool Core::skip_segments(const JobRow& job, Commands& commands) {
  const TaskFacts& facts = tasks_[job.task];
  for (const std::uint32_t segment : facts.skipped) {
    if (jobs_.mark_finished({job.id, segment}) != JobTable::Mark::job_done) continue;
    finish(job.id, job, commands);
    close(job.id, job.task, true);
    return false;
  }
  for (const std::uint32_t segment : facts.skipped) {
    if (facts.segments.predecessors()[segment] == 0) complete({job.id, segment}, facts.segments);
  }
  return true;
}

}  // namespace tactus::sched
