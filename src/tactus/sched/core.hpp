// The scheduler core: events in, commands out.
//
// Pure and deterministic. It owns the job table, but no clock, thread or device. The simulator drives it in
// virtual time, the runtime in real time; both get the same decisions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/touch.hpp"
#include "tactus/model/system.hpp"
#include "tactus/sched/capabilities.hpp"
#include "tactus/sched/command.hpp"
#include "tactus/sched/cutting.hpp"
#include "tactus/sched/event.hpp"
#include "tactus/sched/job_table.hpp"
#include "tactus/sched/places.hpp"
#include "tactus/sched/precedence.hpp"
#include "tactus/sched/strategy.hpp"
#include "tactus/sched/urgency.hpp"

namespace tactus::sched {

/// The reasons why an engine cannot run a system; empty when it can.
std::vector<std::string> refusals(const System& system, const Capabilities& capabilities);

/// Throws InputError with all refusals, and with a hint where another strategy would work.
void refuse_what_is_missing(const System& system, const Capabilities& capabilities);

class Core {
 public:
  /// Requires that `refusals` is empty for the system. `capacity` bounds the jobs in progress; every
  /// best-effort task has a row of its own besides, so that it can always repeat. `copy_slice`: see
  /// Capabilities.
  Core(const System& system, std::uint32_t capacity, std::optional<std::int64_t> copy_slice = {});

  /// Handles all events of one instant: completions and timers as they come, then releases (file order); then
  /// makes one scheduling pass. Commands are appended. Events of a job or segment that no longer exists are
  /// ignored. Where the engine needs time (EngineTime), at most one command is a submission or stop request,
  /// and a further step, also without events, gives the next.
  void step(Time now, std::span<const Event> events, Commands& commands) noexcept;
  /// Only the first half of it, where the engine needs time: nothing is submitted.
  void hear(Time now, std::span<const Event> events, Commands& commands) noexcept;

  /// The same for events of resident tasks, where the engine needs time: the GPU handles these, and submits
  /// what follows from them, without the engine.
  void step_resident(Time now, std::span<const Event> events, Commands& commands) noexcept;
  /// Whether an event concerns a resident task.
  [[nodiscard]] bool is_resident(const Event& event) const noexcept;
  [[nodiscard]] bool has_resident_tasks() const noexcept { return has_resident_; }

  /// Allocates all memory now: later steps do not allocate as long as `commands` has capacity.
  void reserve() {
    strategy_->reserve(jobs_.capacity());
    jobs_.reserve_progress();
    arrivals_.reserve(std::size_t{jobs_.capacity()} + tasks_.size());
    if (one_at_a_time_) held_.reserve(std::size_t{jobs_.capacity()} * completed_.capacity());
  }
  /// Touches the memory that `reserve` allocated, so that no step takes a page fault on it.
  void touch() {
    jobs_.touch();
    tactus::touch(arrivals_);
  }

  /// Before the first step: so many jobs of the task are in progress at once, and each has a place of its
  /// own. Where the system has a limit, that one counts; a job beyond this one has no room.
  void limit_jobs(TaskIndex task, std::uint32_t jobs);
  /// Before the first step, of a task with a limit: the place of a completed job is taken until it is given
  /// back.
  void keep_results(TaskIndex task) { tasks_[task].places.keep(); }
  void give_back(TaskIndex task, std::uint32_t place) noexcept { tasks_[task].places.give_back(place); }
  /// Of a task with a limit: the number of its oldest job in progress; nothing when there is none.
  [[nodiscard]] std::optional<std::uint64_t> oldest_job(TaskIndex task) const noexcept {
    const std::optional<JobId> oldest =
        tasks_[task].places.oldest(jobs_, [](const JobRow& /*job*/) { return true; });
    return oldest ? std::optional{jobs_.get(*oldest).number} : std::nullopt;
  }

  [[nodiscard]] const JobTable& jobs() const { return jobs_; }
  [[nodiscard]] std::uint32_t streams() const { return strategy_->streams(); }
  [[nodiscard]] std::vector<std::vector<std::int32_t>> sm_sets() const { return strategy_->sm_sets(); }
  [[nodiscard]] std::vector<Lane> lanes() const { return strategy_->lanes(); }
  [[nodiscard]] std::vector<CpuLane> cpu_lanes() const { return strategy_->cpu_lanes(); }
  [[nodiscard]] std::vector<SmSetId> sm_sets_of(TaskIndex task, std::uint32_t segment) const {
    return strategy_->sm_sets_of(task, segment);
  }
  [[nodiscard]] bool has_dedicated_sms() const { return strategy_->has_dedicated_sms(); }
  [[nodiscard]] bool refills_lazily() const { return strategy_->refills_lazily(); }
  [[nodiscard]] bool demotes() const { return strategy_->demotes(); }

 private:
  struct TaskFacts {
    Duration deadline{};
    Precedence segments;
    std::vector<std::uint32_t> skipped;  // segments that are never submitted
    OnOverrun on_overrun = OnOverrun::proceed;
    OnMiss on_miss = OnMiss::proceed;
    Places places;
    Dropped when_full = Dropped::full;
    bool drops_oldest = false;
    std::uint32_t to_skip = 0;  // releases to skip
    bool has_deadline = false;
    bool best_effort = false;
  };

  void handle_all(Time now, std::span<const Event> events, Commands& commands);
  void handle(const Finished& event, Time now, Commands& commands);
  void handle(const Stopped& event, Time now, Commands& commands);
  void handle(const Failed& event, Time now, Commands& commands);
  void handle(const BudgetUsedUp& event, Time now, Commands& commands);
  void handle(const DeadlinePassed& event);
  void give_up(JobId id, Dropped why, Commands& commands);
  void note_landed_of_given_up(SubmissionId submission, Time now, Commands& commands);
  void complete(SubmissionId submission, const Precedence& segments);
  void drop(JobId id, Time now, Commands& commands);
  void repeat_best_effort(const JobRow& job, Time now);
  void close(JobId id, TaskIndex task, bool done);
  void decide_one(Time now, Commands& commands);
  bool submit_held(const std::optional<Urgency>& other, Commands& commands);
  void hold_all_but_one(std::size_t first, const Urgency& urgency, Commands& commands);
  void forget_held(JobId id);
  void number_submissions(std::size_t first, Commands& commands);
  void release(const Released& released, Time now, Commands& commands, bool repeated);
  bool make_place(TaskIndex task, Time now, Commands& commands);
  bool skip_segments(const JobRow& job, Commands& commands);
  void release_all(Time now, Commands& commands);
  static void finish(JobId id, const JobRow& job, Commands& commands);

  std::vector<TaskFacts> tasks_;
  JobTable jobs_;
  std::unique_ptr<Strategy> strategy_;
  Cutting cutting_;
  struct PendingRelease {
    Released released;
    bool repeated = false;
  };
  std::vector<PendingRelease> arrivals_;  // of the current instant
  std::vector<std::uint32_t> ready_;      // segments of one job that have just become ready
  std::vector<std::uint32_t> completed_;  // segments of one job whose successors are still to be visited
  /// Where one submission is made at a time: the others of a job that a strategy submits whole.
  struct HeldSubmit {
    Urgency urgency;
    Submit submit;
  };
  std::optional<JobOrder> one_at_a_time_;  // the order in which the engine makes submissions
  std::vector<HeldSubmit> held_;           // in the order of the strategy
  std::uint32_t capacity_;
  std::uint32_t best_effort_jobs_ = 0;
  bool repeats_ = false;  // best-effort jobs repeat at the current instant
  bool stopping_ = false;
  std::vector<bool> resident_;  // by task
  bool has_resident_ = false;
};

}  // namespace tactus::sched
