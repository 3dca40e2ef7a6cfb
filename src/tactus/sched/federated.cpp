#include "tactus/sched/federated.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "tactus/base/utf8.hpp"
#include "tactus/model/finding.hpp"
#include "tactus/sched/job_fifo.hpp"
#include "tactus/sched/ready_queue.hpp"

namespace tactus::sched {

namespace {

enum class Place : std::uint8_t { nowhere, empty_copy, cpu, copy_engine, gpu };

/// Where a segment goes. CPU segments and copies that can only take no time are not issued.
Place place_of(const Segment& segment) {
  const bool takes_time = drawn_time(segment).worst > Duration{};
  if (std::holds_alternative<CpuSegment>(segment)) return takes_time ? Place::cpu : Place::nowhere;
  if (std::holds_alternative<CopySegment>(segment)) {
    return takes_time ? Place::copy_engine : Place::empty_copy;
  }
  return Place::gpu;
}

bool is_cut(const Segment& segment, const Gpu& gpu) {
  const auto* copy = std::get_if<CopySegment>(&segment);
  return copy != nullptr && copy_pieces(*copy, gpu).count > 1;
}

class Federated final : public Strategy {
 public:
  explicit Federated(const System& system)
      : order_{system}, in_pieces_{system.platform.gpu.copy_chunk.has_value()} {
    tasks_.resize(system.tasks.size());
    std::uint32_t rank = 0;
    for (const TaskIndex task : urgency_order(system)) tasks_[task].rank = rank++;
    std::int32_t next_sm = 0;
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      TaskState& task = tasks_[i];
      for (const Node& node : system.tasks[i].work.nodes) {
        task.places.push_back(place_of(node.segment));
        task.is_cut.push_back(is_cut(node.segment, system.platform.gpu));
      }
      task.waiting.reserve(usual_backlog);
      const std::int64_t virtual_sms =
          i < system.virtual_sms.size() ? system.virtual_sms[i].value_or(0) : std::int64_t{0};
      const auto sms = static_cast<std::int32_t>(virtual_sms / system.platform.gpu.virtual_sms_per_sm);
      if (sms == 0) continue;
      std::vector<std::int32_t>& set = sm_sets_.emplace_back(static_cast<std::size_t>(sms));
      std::iota(set.begin(), set.end(), next_sm);
      next_sm += sms;
      task.sm_set = static_cast<SmSetId>(sm_sets_.size());
    }
    copies_.reserve(tasks_.size());
    ready_.reserve(2 * tasks_.size());
  }

  void on_released(JobId id, const Job& job) noexcept override {
    TaskState& task = tasks_[job.task];
    task.waiting.push(id);
    if (!task.active) start_next_job(job.task);
  }

  void on_finished(Operation operation, const Job& job, bool job_done) noexcept override {
    TaskState& task = tasks_[job.task];
    // Copies of one request may become known in any order.
    if (job.under_way > 0) return;
    if (copying_ == operation.job) copying_.reset();
    if (!task.active || !(*task.active == operation.job)) return;
    if (job_done) {
      task.active.reset();
      start_next_job(job.task);
      return;
    }
    std::uint32_t last = operation.segment;
    while (const std::optional<std::uint32_t> next = next_copy_of_request(task, last)) last = *next;
    ready_.push_back({job.task, next_issued(task, last + 1)});
  }

  /// A piece of a copy is over. The next one asks for the engine at once, so that nothing less urgent comes
  /// between.
  void on_stopped(Operation operation, const Job& job) noexcept override {
    const TaskState& task = tasks_[job.task];
    if (copying_ == operation.job) copying_.reset();
    if (task.active == operation.job) ready_.push_back({job.task, operation.segment});
  }

  void forget(JobId id, const Job& job) noexcept override {
    TaskState& task = tasks_[job.task];
    if (!task.active || !(*task.active == id)) {
      task.waiting.remove(id);
      return;
    }
    copies_.remove(id);
    std::erase_if(ready_, [&](const Ready& ready) { return ready.task == job.task; });
    task.active.reset();
    start_next_job(job.task);
  }

  void on_demoted(JobId id, const Job& job) noexcept override {
    tasks_[job.task].demoted = id;
    copies_.demote(id);
  }
  [[nodiscard]] bool demotes() const override { return true; }

  void schedule(Time /*now*/, const JobTable& jobs, Commands& commands) noexcept override {
    for (const Ready& ready : ready_) issue(ready, jobs, commands);
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
  [[nodiscard]] bool has_dedicated_sms() const override { return true; }
  [[nodiscard]] bool skips(TaskIndex task, std::uint32_t segment) const override {
    const Place place = tasks_[task].places[segment];
    return place == Place::nowhere || place == Place::empty_copy;
  }

 private:
  static constexpr std::size_t usual_backlog = 4;

  struct TaskState {
    std::vector<Place> places;  // by segment
    std::vector<bool> is_cut;   // by segment: a copy of several pieces
    std::uint32_t rank = 0;
    SmSetId sm_set = 0;
    std::optional<JobId> active;
    std::optional<JobId> demoted;
    JobFifo waiting;
  };

  /// A segment whose turn it is.
  struct Ready {
    TaskIndex task = 0;
    std::uint32_t segment = 0;
  };

  /// From a segment on; there is one, since what is skipped never is the last to finish.
  static std::uint32_t next_issued(const TaskState& task, std::uint32_t segment) {
    while (task.places[segment] == Place::nowhere || task.places[segment] == Place::empty_copy) ++segment;
    return segment;
  }

  /// The copy that belongs to the same request as one before it. Copies that are not issued do not part them.
  /// In pieces every copy is a request.
  [[nodiscard]] std::optional<std::uint32_t> next_copy_of_request(const TaskState& task,
                                                                  std::uint32_t segment) const {
    if (in_pieces_ || task.places[segment] != Place::copy_engine) return std::nullopt;
    for (std::uint32_t next = segment + 1; next < task.places.size(); ++next) {
      if (task.places[next] == Place::copy_engine) return next;
      if (task.places[next] != Place::empty_copy) break;
    }
    return std::nullopt;
  }

  void start_next_job(TaskIndex index) {
    TaskState& task = tasks_[index];
    if (task.waiting.empty()) return;
    task.active = task.waiting.pop();
    ready_.push_back({index, next_issued(task, 0)});
  }

  void issue(const Ready& ready, const JobTable& jobs, Commands& commands) {
    const TaskState& task = tasks_[ready.task];
    const JobId id = *task.active;
    const bool demoted = task.demoted == id;
    Submit call{.operation = {id, ready.segment},
                .rank = demoted ? static_cast<std::uint32_t>(tasks_.size()) + task.rank : task.rank};
    switch (task.places[ready.segment]) {
      case Place::nowhere:
      case Place::empty_copy:
        return;  // never issued
      case Place::cpu:
        break;
      case Place::copy_engine:
        copies_.push({.urgency = order_.of_waiting(*jobs.find(id)),
                      .id = id,
                      .task = ready.task,
                      .position = ready.segment});
        if (demoted) copies_.demote(id);
        return;
      case Place::gpu:
        call.rank = 0;
        call.sms = task.sm_set;
        break;
    }
    commands.emplace_back(call);
  }

  void submit_copies(Commands& commands) {
    const ReadyJob job = copies_.pop();
    const TaskState& task = tasks_[job.task];
    // The engine goes from one copy of a request to the next by itself.
    copying_ = job.id;
    for (std::optional<std::uint32_t> copy = job.position; copy; copy = next_copy_of_request(task, *copy)) {
      commands.emplace_back(
          Submit{.operation = {job.id, *copy}, .extent = task.is_cut[*copy] ? Extent::slice : Extent::whole});
    }
  }

  JobOrder order_;
  bool in_pieces_;
  std::vector<TaskState> tasks_;
  std::vector<std::vector<std::int32_t>> sm_sets_;
  std::vector<Ready> ready_;
  ReadyQueue copies_;
  std::optional<JobId> copying_;  // whose request has the engine
};

/// A best-effort task whose jobs can take no time at all would repeat for ever at one instant.
bool can_take_no_time(const System& system, std::size_t index) {
  const std::int64_t virtual_sms =
      index < system.virtual_sms.size() ? system.virtual_sms[index].value_or(1) : std::int64_t{1};
  for (const Node& node : system.tasks[index].work.nodes) {
    const auto* gpu = std::get_if<GpuSegment>(&node.segment);
    const Duration least = gpu != nullptr ? gpu_time(*gpu, virtual_sms).best : drawn_time(node.segment).best;
    if (least > Duration{}) return false;
  }
  return true;
}

bool has_cpu_work(const Task& task) {
  return std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                     [](const Node& node) { return std::holds_alternative<CpuSegment>(node.segment); });
}

}  // namespace

std::unique_ptr<Strategy> make_federated(const System& system) { return std::make_unique<Federated>(system); }

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
    if (!uses_gpu(task.work) || i >= system.virtual_sms.size() || !system.virtual_sms[i]) continue;
    const std::int64_t sms = *system.virtual_sms[i] / system.platform.gpu.virtual_sms_per_sm;
    if (capabilities.sm_set_granularity == 0) {
      refusals.push_back(where + capabilities.engine + " cannot restrict work to SMs");
    } else if (sms % capabilities.sm_set_granularity != 0) {
      refusals.push_back(where + "it has " + std::to_string(sms) + " SMs, but " + capabilities.engine +
                         " gives them in multiples of " + std::to_string(capabilities.sm_set_granularity));
    }
  }
  return refusals;
}

std::vector<Finding> missing_virtual_sms(const System& system) {
  std::vector<Finding> findings;
  const std::string path = "policy.virtual_sms";
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (!uses_gpu(task.work)) continue;
    if (system.virtual_sms.empty()) {
      findings.push_back({path,
                          "the strategy `federated` needs `virtual_sms`, for instance {" +
                              printable(task.name) + ": " +
                              std::to_string(system.platform.gpu.virtual_sms_per_sm) + "}",
                          std::string{plan_finds_them},
                          {},
                          ProblemId::needs_plan});
      break;
    }
    if (i < system.virtual_sms.size() && system.virtual_sms[i]) continue;
    findings.push_back({child_path(path, task.name),
                        describe(task) + " uses the GPU but has no virtual SMs",
                        "add it to `virtual_sms`; " + std::string{plan_finds_them},
                        {},
                        ProblemId::needs_plan});
  }
  return findings;
}

}  // namespace tactus::sched
