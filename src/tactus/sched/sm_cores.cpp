// Strategy `sm-cores`: SMs, or groups of them, act as cores.
//
// In a `local` window each core serves its own tasks; in an `all` window gang jobs run on all SMs, one at a
// time. Within a window the most urgent ready job runs (EDF or fixed priorities). Work is submitted slice by
// slice: a slice of exclusive work, or one wave of blocks, which start and end together. So every submission
// starts at once, no submission of one core blocks the head of a queue that other cores share, and the
// scheduler decides again after every slice. Work that is preemptible anywhere is submitted whole, and
// stopped when a more urgent job is ready or the window closes.
//
// A slice starts only if its worst-case execution time fits into the rest of the window. If the next slice of
// the most urgent job does not fit, the core idles to the end of the window. Best-effort slices run at the
// least urgent level when no real-time job of the core is ready.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "tactus/model/dispatch.hpp"
#include "tactus/model/violation.hpp"
#include "tactus/sched/gpu_work.hpp"
#include "tactus/sched/ready_queue.hpp"
#include "tactus/sched/strategies.hpp"
#include "tactus/sched/windows.hpp"

namespace tactus::sched {

namespace {

constexpr TimerId edge_timer = 0;

/// How a segment is cut, with worst-case times.
struct Cut {
  GpuCall call;
  Duration whole{};
  Duration slice{};      // length of a slice or wave
  Duration start{};      // from the decision until it starts
  bool stops = false;    // it can be stopped at any instant
  bool shrinks = false;  // the last slice may be shorter than the others

  /// The latest end of the next slice, relative to its decision. Work that exceeds its declared time
  /// continues in full slices.
  [[nodiscard]] Duration next_end(std::int64_t slices_done) const {
    const Duration left = whole - slice * slices_done;
    const Duration length = shrinks && left > Duration{} ? std::min(slice, left) : slice;
    return saturating_add(time_at(start), length).time_since_epoch();
  }
};

struct MakeCut {
  const Task& task;
  const Overheads& overheads;
  GpuCall call;

  Cut operator()(const CopySegment& copy) const {
    const Duration length = saturating_add(time_at(copy.time.worst), overheads.copy).time_since_epoch();
    return {.call = call, .whole = length, .slice = length};
  }
  Cut operator()(const KernelSegment& kernel) const {
    return {.call = call,
            .whole = kernel.block_time.worst,
            .slice = kernel.block_time.worst,
            .start = overheads.launch};
  }
  Cut operator()(const ExclusiveSegment& exclusive) const {
    const Duration whole = exclusive.time.worst;
    const Duration block = task.longest_block.value_or(whole);
    return {.call = call,
            .whole = whole,
            .slice = block == Duration{} ? whole : std::min(block, whole),
            .start = overheads.launch,
            .stops = task.longest_block == Duration{},
            .shrinks = true};
  }
  // CPU work has servers of its own, and `gpu` segments are refused before the run.
  Cut operator()(const CpuSegment& /*cpu*/) const { return {}; }
  Cut operator()(const GpuSegment& /*gpu*/) const { return {}; }
};

/// In the order of submission; where nodes come one by one, by segment.
std::vector<Cut> cuts_of(const System& system, TaskIndex index, bool by_node) {
  const Task& task = system.tasks[index];
  const Overheads overheads = dispatch_overheads(system, task);
  std::vector<Cut> cuts;
  std::vector<GpuCall> calls = call_order(task);
  if (by_node) std::ranges::sort(calls, {}, &GpuCall::segment);
  cuts.reserve(calls.size());
  for (const GpuCall& call : calls) {
    Cut& cut =
        cuts.emplace_back(std::visit(MakeCut{task, overheads, call}, task.work.nodes[call.segment].segment));
    cut.start =
        saturating_add(time_at(cut.start), submission_time(system, index, call.server)).time_since_epoch();
  }
  return cuts;
}

class SmCores final : public Strategy {
 public:
  explicit SmCores(const System& system)
      : order_{system},
        by_node_{is_by_node(system)},
        group_{system.policy.sm_group},
        cores_(static_cast<std::size_t>(system.platform.gpu.sms / group_)),
        local_{system.policy.reservations->local, system.policy.reservations->period},
        all_{system.policy.reservations->all, system.policy.reservations->period},
        least_urgent_{static_cast<std::uint32_t>(system.platform.gpu.priority_levels - 1)} {
    for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
      const Task& task = system.tasks[index];
      cuts_.push_back(cuts_of(system, index, by_node_));
      core_of_task_.push_back(task.sm.kind == SmAffinity::Kind::one ? task.sm.core : gang);
    }
    for (std::size_t core = 0; core < cores_.size(); ++core) {
      cores_[core].stream = static_cast<StreamId>(core);
      cores_[core].sms = static_cast<SmSetId>(core + 1);
    }
    gang_.stream = static_cast<StreamId>(cores_.size());
  }

  void on_released(JobId id, const JobRow& job) noexcept override {
    ++pending_;
    server_of(job.task).ready.push({.urgency = order_.of_waiting(job), .id = id, .task = job.task});
  }

  void on_ready(SubmissionId submission, const JobRow& job) noexcept override {
    if (!by_node_) return;
    ++pending_;
    server_of(job.task).ready.push({.urgency = order_.of_waiting(job),
                                    .id = submission.job,
                                    .task = job.task,
                                    .position = submission.segment});
  }

  void on_finished(SubmissionId submission, const JobRow& job, bool job_done) noexcept override {
    const bool is_over = job_done || by_node_;
    if (is_over) --pending_;
    CoreServer& server = server_of(job.task);
    if (!runs(server, submission)) return;
    ReadyJob running = vacate(server);
    if (is_over) return;
    ++running.position;
    running.slices = 0;
    server.ready.push(running);
  }

  void on_stopped(SubmissionId submission, const JobRow& job) noexcept override {
    CoreServer& server = server_of(job.task);
    if (!runs(server, submission)) return;
    ReadyJob running = vacate(server);
    ++running.slices;
    server.ready.push(running);
  }

  void forget(JobId id, const JobRow& job) noexcept override {
    pending_ -= server_of(job.task).ready.remove(id);
  }

  void on_demoted(JobId id, const JobRow& job) noexcept override {
    CoreServer& server = server_of(job.task);
    if (server.running && server.running->id == id) server.running->urgency.best_effort = true;
    server.ready.demote(id);
  }
  [[nodiscard]] bool demotes() const override { return true; }

  void schedule(Time now, const JobTable& /*jobs*/, Pass& pass, Commands& commands) noexcept override {
    const std::optional<Time> local_end = local_.open_until(now);
    const std::optional<Time> all_end = all_.open_until(now);
    for (CoreServer& core : cores_) stop_if_due(core, local_end, pass, commands);
    stop_if_due(gang_, all_end, pass, commands);
    if (local_end && !gang_.running) {
      for (CoreServer& core : cores_) start_best(core, now, *local_end, pass, commands);
    }
    if (all_end && running_cores_ == 0) start_best(gang_, now, *all_end, pass, commands);
    wait_for_edge(now, commands);
  }

  [[nodiscard]] std::uint32_t streams() const override {
    return static_cast<std::uint32_t>(cores_.size() + 1);
  }

  [[nodiscard]] std::vector<std::vector<std::int32_t>> sm_sets() const override {
    std::vector<std::vector<std::int32_t>> sets;
    for (std::size_t core = 0; core < cores_.size(); ++core) {
      std::vector<std::int32_t> sms(static_cast<std::size_t>(group_));
      std::iota(sms.begin(), sms.end(), static_cast<std::int32_t>(core) * group_);
      sets.push_back(std::move(sms));
    }
    return sets;
  }

  void reserve(std::size_t jobs) override {
    for (CoreServer& core : cores_) core.ready.reserve(jobs);
    gang_.ready.reserve(jobs);
  }

  [[nodiscard]] std::vector<Lane> lanes() const override {
    std::vector<Lane> lanes;
    const auto add = [&](const CoreServer& server) {
      lanes.push_back({.stream = server.stream, .level = 0, .sms = server.sms});
      if (least_urgent_ > 0) {
        lanes.push_back({.stream = server.stream, .level = least_urgent_, .sms = server.sms});
      }
    };
    for (const CoreServer& core : cores_) add(core);
    add(gang_);
    return lanes;
  }
  [[nodiscard]] std::vector<SmSetId> sm_sets_of(TaskIndex task, std::uint32_t /*segment*/) const override {
    const std::int32_t core = core_of_task_[task];
    return {core == gang ? gang_.sms : cores_[static_cast<std::size_t>(core)].sms};
  }

 private:
  static constexpr std::int32_t gang = -1;

  /// A core, or all SMs together for gang tasks.
  struct CoreServer {
    ReadyQueue ready;
    std::optional<ReadyJob> running;  // until the end of its slice is known
    bool stopping = false;
    StreamId stream = 0;
    SmSetId sms = 0;
  };

  CoreServer& server_of(TaskIndex task) {
    return core_of_task_[task] == gang ? gang_ : cores_[static_cast<std::size_t>(core_of_task_[task])];
  }

  [[nodiscard]] bool runs(const CoreServer& server, SubmissionId submission) const {
    return server.running && server.running->id == submission.job &&
           (!by_node_ || server.running->position == submission.segment);
  }

  ReadyJob vacate(CoreServer& server) {
    if (&server != &gang_) --running_cores_;
    server.stopping = false;
    return *std::exchange(server.running, std::nullopt);
  }

  [[nodiscard]] const Cut& next_cut(const ReadyJob& job) const { return cuts_[job.task][job.position]; }

  /// Stops the running job when its window ends or a more urgent job is ready.
  void stop_if_due(CoreServer& server, const std::optional<Time>& window_end, Pass& pass,
                   Commands& commands) {
    if (!server.running || server.stopping) return;
    const Cut& cut = next_cut(*server.running);
    if (!cut.stops) return;
    const bool better_waits = !server.ready.empty() && server.ready.best().urgency < server.running->urgency;
    if (window_end && !better_waits) return;
    if (!pass.may_submit(better_waits ? server.ready.best().id : server.running->id)) return;
    server.stopping = true;
    commands.emplace_back(RequestStop{{server.running->id, cut.call.segment}});
  }

  void start_best(CoreServer& server, Time now, Time window_end, Pass& pass, Commands& commands) {
    if (server.running || server.ready.empty()) return;
    const ReadyJob& best = server.ready.best();
    const Cut& cut = next_cut(best);
    const Time latest_end = saturating_add(now, cut.stops ? cut.start : cut.next_end(best.slices));
    if (cut.stops ? latest_end >= window_end : latest_end > window_end) return;
    if (!pass.may_submit(best.id)) return;
    server.running = server.ready.pop();
    server.running->urgency.waiting = false;
    if (&server != &gang_) ++running_cores_;
    commands.emplace_back(Submit{.id = {server.running->id, cut.call.segment},
                                 .server = cut.call.server,
                                 .stream = server.stream,
                                 .level = server.running->urgency.best_effort ? least_urgent_ : 0,
                                 .sms = server.sms,
                                 .extent = Extent::slice});
  }

  /// No timer is needed while there are no jobs.
  void wait_for_edge(Time now, Commands& commands) {
    const Time edge = pending_ == 0 ? never : std::min(local_.next_edge(now), all_.next_edge(now));
    if (edge == armed_) return;
    armed_ = edge;
    if (edge == never) {
      commands.emplace_back(CancelTimer{edge_timer});
    } else {
      commands.emplace_back(ArmTimer{edge_timer, edge});
    }
  }

  JobOrder order_;
  bool by_node_;
  std::int32_t group_;
  std::vector<CoreServer> cores_;
  CoreServer gang_;
  Windows local_;
  Windows all_;
  std::uint32_t least_urgent_;
  std::vector<std::vector<Cut>> cuts_;  // by task, see cuts_of
  std::vector<std::int32_t> core_of_task_;
  std::uint64_t pending_ = 0;
  std::size_t running_cores_ = 0;
  Time armed_ = never;
};

std::vector<std::string> sm_cores_refusals(const System& system, const Capabilities& capabilities) {
  std::vector<std::string> refusals = refuse_virtual_sms(system);
  const std::int32_t granularity = capabilities.sm_set_granularity;
  if (granularity == 0) {
    refusals.push_back(capabilities.engine + " cannot restrict work to some of the SMs");
  } else if (system.policy.sm_group % granularity != 0) {
    refusals.push_back("policy.sm_group is " + std::to_string(system.policy.sm_group) + ", but " +
                       capabilities.engine + " has SM sets in multiples of " + std::to_string(granularity));
  }
  for (std::string& refusal : refuse_ideal_preemption(system, capabilities)) {
    refusals.push_back(std::move(refusal));
  }
  return refusals;
}

std::vector<std::string> names_of_cores(const System& system) {
  const std::int32_t cores = system.platform.gpu.sms / system.policy.sm_group;
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(cores) + 1);
  for (std::int32_t core = 0; core < cores; ++core) {
    names.push_back("core " + std::to_string(core));
  }
  names.emplace_back("all SMs");
  return names;
}

std::vector<Violation> missing_windows_and_cores(const System& system) {
  std::vector<Violation> violations;
  if (!system.policy.reservations) {
    violations.push_back({"policy.reservations",
                          "the strategy `sm-cores` needs `reservations`",
                          std::string{plan_finds_them},
                          {},
                          ProblemId::needs_plan});
  }
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    if (system.tasks[i].sm.kind != SmAffinity::Kind::any) continue;
    violations.push_back(
        {task_path(i) + ".sm",
         fmt::format("{} has no core yet: `sm: any` leaves the choice open", describe(system.tasks[i])),
         "`tactus plan FILE` with the same options finds one; or write its number, or `all`",
         {},
         ProblemId::needs_plan});
  }
  return violations;
}

}  // namespace

constinit const StrategyEntry sm_cores{.facts = {.name = "sm-cores",
                                                 .orders = edf_or_fp,
                                                 .sms = SmSharing::cores,
                                                 .one_by_one = true,
                                                 .handed = Handed::jobs_or_nodes,
                                                 .stream_names = names_of_cores,
                                                 .missing = missing_windows_and_cores},
                                       .refusals = sm_cores_refusals,
                                       .make = make_strategy<SmCores>};

}  // namespace tactus::sched
