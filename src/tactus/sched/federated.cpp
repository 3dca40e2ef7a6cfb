// Strategy `federated`: every task owns SMs. CPU cores serve by preemptive fixed priority, the copy engine by
// non-preemptive fixed priority.
//
// The segments of a job run one after the other, and so do the jobs of a task. CPU segments are submitted to
// their cores with the rank of the task. Copies queue in the strategy and go to the copy engine one request
// at a time, the most urgent first; neighbouring copies form one request. GPU segments start at once on the
// SMs of their task. CPU segments and copies whose longest time is zero are not submitted.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "tactus/base/utf8.hpp"
#include "tactus/model/violation.hpp"
#include "tactus/sched/job_fifo.hpp"
#include "tactus/sched/ready_queue.hpp"
#include "tactus/sched/strategies.hpp"

namespace tactus::sched {

namespace {

enum class Destination : std::uint8_t { nowhere, empty_copy, cpu, copy_engine, gpu };

/// The server of a segment. CPU segments and copies whose longest time is zero are not submitted.
Destination destination_of(const Segment& segment) {
  const bool takes_time = drawn_time(segment).worst > Duration{};
  if (std::holds_alternative<CpuSegment>(segment))
    return takes_time ? Destination::cpu : Destination::nowhere;
  if (std::holds_alternative<CopySegment>(segment)) {
    return takes_time ? Destination::copy_engine : Destination::empty_copy;
  }
  return Destination::gpu;
}

bool is_cut(const Segment& segment, const Gpu& gpu) {
  const auto* copy = std::get_if<CopySegment>(&segment);
  return copy != nullptr && chunks_of(*copy, gpu).count > 1;
}

class Federated final : public Strategy {
 public:
  explicit Federated(const System& system)
      : order_{system}, in_pieces_{system.platform.gpu.copy_chunk.has_value()} {
    tasks_.resize(system.tasks.size());
    const std::int64_t per_sm = system.platform.gpu.virtual_sms_per_sm;
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      TaskState& task = tasks_[i];
      for (const Node& node : system.tasks[i].work.nodes) {
        task.places.push_back(destination_of(node.segment));
        task.is_cut.push_back(is_cut(node.segment, system.platform.gpu));
        task.cores.push_back({.first = core_of(system.tasks[i], node)});
      }
      add_cpu_lanes(task);
      task.waiting.reserve(usual_backlog);
      const auto index = static_cast<TaskIndex>(i);
      const SmSetId of_task = add_sm_set(virtual_sms_of(system, index) / per_sm);
      for (const Node& node : system.tasks[i].work.nodes) {
        task.sm_sets.push_back(node.virtual_sms ? add_sm_set(*node.virtual_sms / per_sm) : of_task);
      }
    }
    copies_.reserve(tasks_.size());
    ready_.reserve(2 * tasks_.size());
  }

  void on_released(JobId id, const JobRow& job) noexcept override {
    TaskState& task = tasks_[job.task];
    task.waiting.push(id);
    if (!task.active) start_next_job(job.task);
  }

  void on_finished(SubmissionId submission, const JobRow& job, bool job_done) noexcept override {
    TaskState& task = tasks_[job.task];
    if (copying_ == submission.job) {
      if (task.places[submission.segment] == Destination::copy_engine) --copies_in_flight_;
      if (job_done || copies_in_flight_ == 0) copying_.reset();
    }
    if (!job_done || task.active != submission.job) return;
    task.active.reset();
    start_next_job(job.task);
  }

  void on_ready(SubmissionId submission, const JobRow& job) noexcept override {
    if (tasks_[job.task].active == submission.job) ready_.push_back({job.task, submission.segment});
  }

  /// A chunk of a copy has ended. The next chunk joins the queue at once, so that no less urgent copy goes
  /// first.
  void on_stopped(SubmissionId submission, const JobRow& job) noexcept override {
    const TaskState& task = tasks_[job.task];
    if (copying_ == submission.job) copying_.reset();
    if (task.active == submission.job) ready_.push_back({job.task, submission.segment});
  }

  void forget(JobId id, const JobRow& job) noexcept override {
    TaskState& task = tasks_[job.task];
    if (!task.active || !(*task.active == id)) {
      task.waiting.remove(id);
      return;
    }
    copies_.remove(id);
    std::erase_if(ready_, [&](const Ready& ready) { return ready.task == job.task; });
    if (job.in_flight > 0) return;
    task.active.reset();
    start_next_job(job.task);
  }

  void on_demoted(JobId id, const JobRow& job) noexcept override {
    tasks_[job.task].demoted = id;
    copies_.demote(id);
  }
  [[nodiscard]] bool demotes() const override { return true; }

  void schedule(Time /*now*/, const JobTable& jobs, Commands& commands) noexcept override {
    for (const Ready& ready : ready_) {
      const JobId id = *tasks_[ready.task].active;
      if (ready.segment != first_ones) {
        issue(ready.task, {id, ready.segment}, *jobs.find(id), commands);
        continue;
      }
      for (std::uint32_t segment = 0; segment < tasks_[ready.task].places.size(); ++segment) {
        const SubmissionId submission{id, segment};
        if (jobs.is_ready(submission)) issue(ready.task, submission, *jobs.find(id), commands);
      }
    }
    ready_.clear();
    if (!copying_ && !copies_.empty()) submit_copies(commands);
  }

  [[nodiscard]] std::vector<std::vector<std::int32_t>> sm_sets() const override { return sm_sets_; }
  void reserve(std::size_t jobs) override {
    for (TaskState& task : tasks_) task.waiting.reserve(jobs);
  }
  [[nodiscard]] std::vector<Lane> lanes() const override {
    std::vector<Lane> lanes{Lane{}};  // copies
    for (SmSetId set = 1; set <= sm_sets_.size(); ++set) lanes.push_back({.sms = set});
    return lanes;
  }
  [[nodiscard]] std::vector<CpuLane> cpu_lanes() const override { return cpu_lanes_; }
  [[nodiscard]] bool has_dedicated_sms() const override { return true; }
  [[nodiscard]] bool skips(TaskIndex task, std::uint32_t segment) const override {
    const Destination place = tasks_[task].places[segment];
    return place == Destination::nowhere || place == Destination::empty_copy;
  }

 private:
  static constexpr std::size_t usual_backlog = 4;

  struct TaskState {
    std::vector<Destination> places;  // by segment
    std::vector<bool> is_cut;         // by segment: a copy of several chunks
    std::vector<Cores> cores;         // by segment, of CPU work
    std::vector<SmSetId> sm_sets;     // by segment
    std::optional<JobId> active;
    std::optional<JobId> demoted;
    JobFifo waiting;
  };

  static constexpr std::uint32_t first_ones = ~std::uint32_t{0};

  /// A segment that is ready, or `first_ones`: all segments that are ready at the release.
  struct Ready {
    TaskIndex task = 0;
    std::uint32_t segment = first_ones;
  };

  /// The copy after `segment` that belongs to the same request; copies that are not submitted may lie
  /// between. Where copies are cut into chunks, every copy is a request.
  [[nodiscard]] std::optional<std::uint32_t> next_copy_of_request(const TaskState& task,
                                                                  std::uint32_t segment) const {
    if (in_pieces_ || task.places[segment] != Destination::copy_engine) return std::nullopt;
    for (std::uint32_t next = segment + 1; next < task.places.size(); ++next) {
      if (task.places[next] == Destination::copy_engine) return next;
      if (task.places[next] != Destination::empty_copy) break;
    }
    return std::nullopt;
  }

  /// The next SMs that no task owns yet; 0 when the task needs none.
  SmSetId add_sm_set(std::int64_t sms) {
    if (sms == 0) return 0;
    const std::int32_t next = sm_sets_.empty() ? 0 : sm_sets_.back().back() + 1;
    std::vector<std::int32_t>& set = sm_sets_.emplace_back(static_cast<std::size_t>(sms));
    std::iota(set.begin(), set.end(), next);
    return static_cast<SmSetId>(sm_sets_.size());
  }

  /// The segments of a task run one after the other, so each task has at most one of them on a core.
  void add_cpu_lanes(const TaskState& task) {
    std::vector<Cores> seen;
    for (std::size_t segment = 0; segment < task.places.size(); ++segment) {
      const Cores cores = task.cores[segment];
      if (task.places[segment] != Destination::cpu) continue;
      if (std::find(seen.begin(), seen.end(), cores) != seen.end()) continue;
      seen.push_back(cores);
      const auto lane = std::find_if(cpu_lanes_.begin(), cpu_lanes_.end(),
                                     [&](const CpuLane& known) { return known.cores == cores; });
      if (lane == cpu_lanes_.end()) {
        cpu_lanes_.push_back({.cores = cores});
      } else {
        ++lane->width;
      }
    }
  }

  void start_next_job(TaskIndex index) {
    TaskState& task = tasks_[index];
    if (task.waiting.empty()) return;
    task.active = task.waiting.pop();
    ready_.push_back({index});
  }

  void issue(TaskIndex index, SubmissionId submission, const JobRow& job, Commands& commands) {
    const TaskState& task = tasks_[index];
    Urgency urgency = order_.of_waiting(job);
    const bool demoted = task.demoted == submission.job;
    switch (task.places[submission.segment]) {
      case Destination::nowhere:
      case Destination::empty_copy:
        return;  // it is never submitted
      case Destination::cpu:
        if (demoted) {  // less urgent even than best-effort work
          urgency.best_effort = true;
          urgency.rank += static_cast<std::uint32_t>(tasks_.size());
        }
        commands.emplace_back(Submit{.id = submission,
                                     .server = ServerKind::cpu,
                                     .cores = task.cores[submission.segment],
                                     .urgency = urgency});
        return;
      case Destination::copy_engine:
        copies_.push(
            {.urgency = urgency, .id = submission.job, .task = index, .position = submission.segment});
        if (demoted) copies_.demote(submission.job);
        return;
      case Destination::gpu:
        commands.emplace_back(Submit{.id = submission, .sms = task.sm_sets[submission.segment]});
        return;
    }
  }

  void submit_copies(Commands& commands) {
    const ReadyJob job = copies_.pop();
    const TaskState& task = tasks_[job.task];
    // The copy engine serves the copies of a request back to back.
    copying_ = job.id;
    copies_in_flight_ = 0;
    for (std::optional<std::uint32_t> copy = job.position; copy; copy = next_copy_of_request(task, *copy)) {
      ++copies_in_flight_;
      commands.emplace_back(Submit{.id = {job.id, *copy},
                                   .server = ServerKind::copy,
                                   .extent = task.is_cut[*copy] ? Extent::slice : Extent::whole});
    }
  }

  JobOrder order_;
  bool in_pieces_;
  std::vector<TaskState> tasks_;
  std::vector<std::vector<std::int32_t>> sm_sets_;
  std::vector<Ready> ready_;
  ReadyQueue copies_;
  std::optional<JobId> copying_;        // the job whose request has the copy engine
  std::uint32_t copies_in_flight_ = 0;  // of that request
  std::vector<CpuLane> cpu_lanes_;
};

/// A best-effort task whose jobs can take zero time would repeat forever at one instant.
bool can_take_no_time(const System& system, std::size_t index) {
  for (const Node& node : system.tasks[index].work.nodes) {
    const auto* gpu = std::get_if<GpuSegment>(&node.segment);
    const std::int64_t virtual_sms =
        std::max<std::int64_t>(1, virtual_sms_of(system, static_cast<TaskIndex>(index), node));
    const Duration least = gpu != nullptr ? gpu_time(*gpu, virtual_sms).best : drawn_time(node.segment).best;
    if (least > Duration{}) return false;
  }
  return true;
}

bool has_cpu_work(const Task& task) {
  return std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                     [](const Node& node) { return std::holds_alternative<CpuSegment>(node.segment); });
}

std::vector<std::string> federated_refusals(const System& system, const Capabilities& capabilities) {
  std::vector<std::string> refusals;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const std::string where = "task '" + task.name + "': ";
    if (task.work.form == WorkForm::graph) {
      refusals.push_back(where + "federated runs chains of segments, not graphs");
    }
    if (has_cpu_work(task) && !capabilities.preemptive_cpu) {
      refusals.push_back(where + capabilities.engine + " has no preemptive priorities for `cpu` segments");
    }
    if (task.arrival == Arrival::best_effort && can_take_no_time(system, i)) {
      refusals.push_back(where +
                         "its jobs can take no time at all, and it would repeat for ever at one instant");
    }
    const auto check_sms = [&](std::optional<std::int64_t> virtual_sms) {
      if (!virtual_sms) return;
      const std::int64_t sms = *virtual_sms / system.platform.gpu.virtual_sms_per_sm;
      if (capabilities.sm_set_granularity == 0) {
        refusals.push_back(where + capabilities.engine + " cannot restrict work to SMs");
      } else if (sms % capabilities.sm_set_granularity != 0) {
        refusals.push_back(where + "it has " + std::to_string(sms) + " SMs, but " + capabilities.engine +
                           " gives them in multiples of " + std::to_string(capabilities.sm_set_granularity));
      }
    };
    if (uses_gpu(task.work) && i < system.virtual_sms.size()) check_sms(system.virtual_sms[i]);
    for (const Node& node : task.work.nodes) check_sms(node.virtual_sms);
  }
  refusals.erase(std::unique(refusals.begin(), refusals.end()), refusals.end());  // told once a task
  return refusals;
}

std::vector<Violation> missing_virtual_sms(const System& system) {
  std::vector<Violation> violations;
  const std::string path = "policy.virtual_sms";
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const bool needs_some = std::any_of(task.work.nodes.begin(), task.work.nodes.end(), [](const Node& node) {
      return server_of(node.segment) == ServerKind::gpu && !node.virtual_sms;
    });
    if (!needs_some) continue;
    if (system.virtual_sms.empty()) {
      violations.push_back({path,
                            "the strategy `federated` needs `virtual_sms`, for instance {" +
                                printable(task.name) + ": " +
                                std::to_string(system.platform.gpu.virtual_sms_per_sm) + "}",
                            std::string{plan_finds_them},
                            {},
                            ProblemId::needs_plan});
      break;
    }
    if (i < system.virtual_sms.size() && system.virtual_sms[i]) continue;
    violations.push_back({child_path(path, task.name),
                          describe(task) + " uses the GPU but has no virtual SMs",
                          "add it to `virtual_sms`; " + std::string{plan_finds_them},
                          {},
                          ProblemId::needs_plan});
  }
  return violations;
}

constexpr std::array fp_only{Order::fp};

}  // namespace

constinit const StrategyEntry federated{.facts = {.name = "federated",
                                                  .orders = fp_only,
                                                  .sms = SmSharing::owned,
                                                  .one_by_one = true,
                                                  .cuts_copies = true,
                                                  .missing = missing_virtual_sms},
                                        .refusals = federated_refusals,
                                        .make = make_strategy<Federated>};

}  // namespace tactus::sched
