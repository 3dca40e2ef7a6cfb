// Strategy `multi-stream`: streams of rising priority. Preemption is left to the GPU, which serves the stream
// of the highest priority first.
//
// Levels count from 0, the least urgent; each holds at most one job. When all are empty, the most urgent
// ready job goes to level 0. Otherwise it goes one above the highest occupied level if it is more urgent than
// the job there. It waits if it is not, or if there is no level above, even when lower levels are empty.
// Preempted jobs resume by themselves when those above are done, because the GPU assigns blocks of the most
// urgent queue first.
//
// Best-effort work is submitted at level 0 when nothing else is there or ready: slice by slice, or whole if
// it is preemptible. When a real-time job becomes ready, preemptible best-effort work is asked to stop. So is
// work that is preemptible anywhere if it occupies the only level.
//
// Where GPU nodes come one by one, a level holds a node instead of a job.
//
// Strategy `single-stream` is the same with one level: one job on the GPU at a time, which is submitted whole
// and not preempted. There the device never refills by itself.
#include <algorithm>
#include <optional>
#include <utility>

#include "tactus/sched/gpu_work.hpp"
#include "tactus/sched/ready_queue.hpp"
#include "tactus/sched/strategies.hpp"

namespace tactus::sched {

namespace {

class Streams final : public Strategy {
 public:
  Streams(const System& system, std::int32_t levels)
      : order_{system},
        lazy_{levels > 1 && system.policy.refill == Refill::lazy},
        by_node_{is_by_node(system)} {
    levels_.resize(static_cast<std::size_t>(levels));
    for (const Task& task : system.tasks) {
      calls_.push_back(call_order(task));
      preemptible_anywhere_.push_back(task.longest_block == Duration{});
      preemptible_.push_back(task.preemptible);
    }
    ready_.reserve(2 * system.tasks.size());
  }

  void on_released(JobId id, const JobRow& job) noexcept override {
    ready_.push({.urgency = order_.of_waiting(job), .id = id, .task = job.task});
  }

  void on_ready(SubmissionId submission, const JobRow& job) noexcept override {
    if (!by_node_) return;
    ready_.push({.urgency = order_.of_waiting(job),
                 .id = submission.job,
                 .task = job.task,
                 .position = submission.segment});
  }

  void on_finished(SubmissionId submission, const JobRow& /*job*/, bool job_done) noexcept override {
    Level* level = level_of(submission);
    if (level == nullptr) return;
    if (job_done || by_node_) {
      level->job.reset();
    } else if (level->in_slices) {
      // The next segment of a best-effort job queues like any of its slices.
      ReadyJob job = *std::exchange(level->job, std::nullopt);
      ++job.position;
      job.slices = 0;
      ready_.push(job);
    }
  }

  void on_stopped(SubmissionId submission, const JobRow& /*job*/) noexcept override {
    if (Level* level = level_of(submission)) ready_.push(*std::exchange(level->job, std::nullopt));
  }

  void forget(JobId id, const JobRow& /*job*/) noexcept override { ready_.remove(id); }

  void on_demoted(JobId id, const JobRow& /*job*/) noexcept override {
    for (Level& level : levels_) {
      if (level.job && level.job->id == id) level.job->urgency.best_effort = true;
    }
    ready_.demote(id);
  }
  // With a single level, a submitted job runs to its end whatever its urgency.
  [[nodiscard]] bool demotes() const override { return levels_.size() > 1; }

  void schedule(Time /*now*/, const JobTable& /*jobs*/, Pass& pass, Commands& commands) noexcept override {
    while (!ready_.empty()) {
      const std::optional<std::size_t> highest = highest_occupied();
      if (!highest) {
        if (!pass.may_submit(ready_.best().id)) return;
        submit(0, commands);
        continue;
      }
      const bool full = *highest + 1 == levels_.size();
      if (full && !levels_[*highest].in_slices) return;  // real-time jobs are not stopped
      const Urgency& best = ready_.best().urgency;
      if (best.best_effort || !(best < levels_[*highest].job->urgency)) return;
      if (is_to_stop(levels_[*highest], full)) {
        if (!pass.may_submit(ready_.best().id)) return;
        stop(levels_[*highest], commands);
      }
      if (full || !pass.may_submit(ready_.best().id)) return;
      submit(*highest + 1, commands);
    }
  }

  [[nodiscard]] std::uint32_t streams() const override { return static_cast<std::uint32_t>(levels_.size()); }

  void reserve(std::size_t jobs) override { ready_.reserve(jobs); }

  [[nodiscard]] std::vector<Lane> lanes() const override {
    std::vector<Lane> lanes;
    for (std::size_t level = 0; level < levels_.size(); ++level) lanes.push_back(lane(level));
    return lanes;
  }

  [[nodiscard]] bool refills_lazily() const override { return lazy_; }

 private:
  struct Level {
    std::optional<ReadyJob> job;
    bool in_slices = false;
    bool stopping = false;
  };

  [[nodiscard]] std::optional<std::size_t> highest_occupied() const {
    for (std::size_t level = levels_.size(); level > 0; --level) {
      if (levels_[level - 1].job) return level - 1;
    }
    return std::nullopt;
  }

  /// The levels of a lane count the other way round: 0 is the most urgent.
  [[nodiscard]] Lane lane(std::size_t level) const {
    return {.stream = static_cast<StreamId>(level),
            .level = static_cast<std::uint32_t>(levels_.size() - 1 - level)};
  }

  Level* level_of(SubmissionId submission) {
    for (Level& level : levels_) {
      if (level.job && level.job->id == submission.job &&
          (!by_node_ || level.job->position == submission.segment)) {
        return &level;
      }
    }
    return nullptr;
  }

  /// Of a submission that is not the whole job.
  [[nodiscard]] GpuCall call_of(const ReadyJob& job) const {
    return by_node_ ? GpuCall{.segment = job.position} : calls_[job.task][job.position];
  }

  void submit(std::size_t place, Commands& commands) {
    Level& level = levels_[place];
    const ReadyJob& job = level.job.emplace(ready_.pop());
    level.job->urgency.waiting = false;
    level.in_slices = order_.is_best_effort(job.task);
    level.stopping = false;
    if (level.in_slices) {
      submit(place, call_of(job), commands).extent =
          preemptible_[job.task] ? Extent::until_stopped : Extent::slice;
    } else if (by_node_) {
      submit(place, call_of(job), commands);
    } else {
      for (const GpuCall& call : calls_[job.task]) submit(place, call, commands);
    }
  }

  Submit& submit(std::size_t place, const GpuCall& call, Commands& commands) const {
    auto& submit = append<Submit>(commands);
    submit.id.job = levels_[place].job->id;
    submit.id.segment = call.segment;
    submit.server = call.server;
    submit.stream = lane(place).stream;
    submit.level = lane(place).level;
    return submit;
  }

  /// Work that is preemptible anywhere gives way to higher levels without being stopped.
  [[nodiscard]] bool is_to_stop(const Level& level, bool full) const {
    if (!level.in_slices || level.stopping) return false;
    const TaskIndex task = level.job->task;
    return preemptible_[task] || (full && preemptible_anywhere_[task]);
  }

  void stop(Level& level, Commands& commands) const {
    level.stopping = true;
    commands.emplace_back(RequestStop{{level.job->id, call_of(*level.job).segment}});
  }

  JobOrder order_;
  bool lazy_;
  bool by_node_;
  std::vector<Level> levels_;
  std::vector<std::vector<GpuCall>> calls_;  // by task
  std::vector<bool> preemptible_anywhere_;   // by task
  std::vector<bool> preemptible_;            // by task
  ReadyQueue ready_;
};

std::vector<std::string> multi_stream_refusals(const System& system, const Capabilities& capabilities) {
  std::vector<std::string> refusals = refuse_virtual_sms(system);
  if (system.policy.levels > capabilities.priority_levels) {
    refusals.push_back("policy.levels is " + std::to_string(system.policy.levels) + ", but " +
                       capabilities.engine + " has only " + std::to_string(capabilities.priority_levels) +
                       " stream priorities");
  }
  if (system.policy.levels > 1 && system.policy.refill == Refill::immediate &&
      !capabilities.immediate_refill) {
    refusals.push_back("policy.refill is immediate, an ideal that " + capabilities.engine +
                       " cannot keep; use lazy");
  }
  for (std::string& refusal : refuse_ideal_preemption(system, capabilities)) {
    refusals.push_back(std::move(refusal));
  }
  return refusals;
}

std::vector<std::string> names_of_levels(const System& system) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(system.policy.levels));
  for (std::int32_t level = 0; level < system.policy.levels; ++level) {
    names.push_back("level " + std::to_string(level));
  }
  return names;
}

/// The next job is submitted when the one before it has ended.
OneServer one_server_of_stream(const System& system) {
  const bool are_alone = std::all_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
    return is_one_segment<ExclusiveSegment>(task) || is_one_segment<KernelSegment>(task);
  });
  return are_alone ? OneServer::by_urgency : OneServer::no;
}

}  // namespace

constinit const StrategyEntry multi_stream{.facts = {.name = "multi-stream",
                                                     .orders = edf_or_fp,
                                                     .has_levels = true,
                                                     .handed = Handed::jobs_or_nodes,
                                                     .stream_names = names_of_levels},
                                           .refusals = multi_stream_refusals,
                                           .make = [](const System& system) -> std::unique_ptr<Strategy> {
                                             return std::make_unique<Streams>(system, system.policy.levels);
                                           }};

constinit const StrategyEntry single_stream{
    .facts = {.name = "single-stream",
              .orders = edf_or_fp,
              .handed = Handed::jobs_or_nodes,
              .one_server = one_server_of_stream},
    .refusals = [](const System& system,
                   const Capabilities& /*capabilities*/) { return refuse_virtual_sms(system); },
    .make = [](const System& system) -> std::unique_ptr<Strategy> {
      return std::make_unique<Streams>(system, 1);
    }};

}  // namespace tactus::sched
