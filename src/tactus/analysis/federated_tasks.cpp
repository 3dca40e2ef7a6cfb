#include "tactus/analysis/federated_tasks.hpp"

#include <algorithm>

#include "tactus/analysis/engine_delays.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::analysis {

namespace {

Interval operator+(Interval a, Interval b) {
  return {checked_add(a.best, b.best), checked_add(a.worst, b.worst)};
}

/// One segment as a stage of its own, on so many SMs.
struct MakeStage {
  const Platform& platform;
  std::int64_t sms = 0;
  Duration launch_and_completion{};  // of the task's GPU work

  /// While a thread is woken up, others may use the core; counting this as its own CPU time is safe.
  Stage operator()(const CpuSegment& cpu) const {
    if (cpu.time.worst == Duration{}) return Stage::whole(ServerKind::cpu, {});
    return Stage::whole(ServerKind::cpu, cpu.time + Interval{Duration{}, platform.overheads.cpu});
  }
  Stage operator()(const CopySegment& copy) const {
    if (copy.time.worst == Duration{}) return Stage::whole(ServerKind::copy, {});
    const CopyChunks chunks = chunks_of(copy, platform.gpu);
    const Duration each = platform.overheads.copy;
    const auto chunk = [&](std::int64_t number) {
      return checked_add(chunks.time(number, copy.time.worst), each);
    };
    // No chunk is longer than the first one: of equal bytes, it is rounded up from a whole nanosecond.
    return {ServerKind::copy, copy.time + Interval{Duration{}, checked_mul(each, chunks.count)}, chunks.count,
            chunk(0), chunk(chunks.count - 1)};
  }
  Stage operator()(const KernelSegment& kernel) const {
    const std::int64_t count = waves_of(kernel, platform.gpu, sms);
    return on_gpu({checked_mul(kernel.block_time.best, count), checked_mul(kernel.block_time.worst, count)});
  }
  Stage operator()(const GpuSegment& gpu) const {
    return on_gpu(gpu_time(gpu, sms * platform.gpu.virtual_sms_per_sm));
  }
  Stage operator()(const ExclusiveSegment& exclusive) const { return on_gpu(exclusive.time); }

  [[nodiscard]] Stage on_gpu(Interval time) const {
    return Stage::whole(ServerKind::gpu, time + Interval{Duration{}, launch_and_completion});
  }
};

/// A stage goes on with a segment of its kind.
void append(Stage& stage, const Stage& more, bool in_chunks) {
  const bool was_issued = stage.is_issued();
  stage.time = stage.time + more.time;
  if (!in_chunks) {
    stage = Stage::whole(stage.server, stage.time);
  } else if (more.is_issued()) {
    stage.chunks = was_issued ? checked_add(stage.chunks, more.chunks) : more.chunks;
    stage.longest_chunk = std::max(stage.longest_chunk, more.longest_chunk);
    stage.last_chunk = more.last_chunk;
  }
}

bool is_cut(const Task& task, const Gpu& gpu) {
  return std::any_of(task.work.nodes.begin(), task.work.nodes.end(), [&](const Node& node) {
    const auto* copy = std::get_if<CopySegment>(&node.segment);
    return copy != nullptr && chunks_of(*copy, gpu).count > 1;
  });
}

std::string find_why_not(const System& system) {
  bool has_deadlines = false;
  const bool needs_whole_copies = has_engine_time(system);
  for (const Task& task : system.tasks) {
    if (task.work.form == WorkForm::graph) return "task '" + task.name + "' is a graph; needs chains";
    if (task.arrival == Arrival::once) return "task '" + task.name + "' arrives once; needs repeating tasks";
    if (needs_whole_copies && is_cut(task, system.platform.gpu)) {
      return "a copy of task '" + task.name + "' is cut; with engine time copies must be whole";
    }
    if (task.arrival == Arrival::best_effort) continue;
    has_deadlines = true;
    if (*task.deadline > *task.period) {
      return "task '" + task.name + "' has a deadline beyond its period; needs D <= T";
    }
  }
  return has_deadlines ? "" : "there is no task with a deadline";
}

std::optional<std::int64_t> given_sms(const System& system, TaskIndex index, bool uses_gpu) {
  if (!uses_gpu) return 0;
  if (index >= system.virtual_sms.size() || !system.virtual_sms[index]) return std::nullopt;
  return *system.virtual_sms[index] / system.platform.gpu.virtual_sms_per_sm;
}

std::optional<Duration> event_time(const System& system) {
  if (!has_engine_time(system)) return std::nullopt;
  return system.platform.overheads.engine.event;
}

/// `event`: what the engine needs for one, where it needs time.
FederatedTask make_task(const System& system, TaskIndex index, std::optional<Duration> event) {
  const Task& task = system.tasks[index];
  const bool needs_sms = uses_gpu(task.work);
  return {.task = index,
          .core = task.core,
          .deadline = *task.deadline,
          .period = *task.period,
          .jitter = checked_add(task.jitter, dispatch_overheads(system, task).release),
          .uses_gpu = needs_sms,
          .sms = given_sms(system, index, needs_sms),
          .event = uses_engine(system, index) ? event : std::nullopt,
          .watched = (task.budget ? 1 : 0) + (task.on_miss == OnMiss::skip_next ? 1 : 0),
          .stages = {}};
}

void fill_stages(FederatedTask& task, const System& system, StageTable table, std::int64_t most) {
  const Task& description = system.tasks[task.task];
  const Neighbours neighbours = task.event ? Neighbours::apart : Neighbours::joined;
  if (!task.uses_gpu) {
    task.stages.push_back(stages_on(system, description, 0, neighbours));
    return;
  }
  const std::int64_t given = task.sms.value_or(0);
  const std::int64_t last = table == StageTable::every_number ? std::max(most, given) : given;
  task.stages.resize(static_cast<std::size_t>(last) + 1);
  const std::int64_t first = table == StageTable::every_number ? 1 : std::max<std::int64_t>(last, 1);
  for (std::int64_t sms = first; sms <= last; ++sms) {
    task.stages[static_cast<std::size_t>(sms)] = stages_on(system, description, sms, neighbours);
  }
}

bool never_leaves_cpu(const FederatedTask& task) {
  const Stages& stages = task.stages.back();
  // With engine time a job is on its way between two segments, and before the first.
  return !task.event && !task.uses_gpu && std::none_of(stages.begin(), stages.end(), [](const Stage& stage) {
    return stage.server != ServerKind::cpu && stage.is_issued();
  });
}

}  // namespace

Duration longest_job(const Stages& stages) {
  Duration sum{};
  for (const Stage& stage : stages) sum = checked_add(sum, stage.time.worst);
  return sum;
}

Duration longest_copy(const Stages& stages) {
  Duration longest{};
  for (const Stage& stage : stages) {
    if (stage.server == ServerKind::copy) longest = std::max(longest, stage.longest_chunk);
  }
  return longest;
}

Stages stages_on(const System& system, const Task& task, std::int64_t sms, Neighbours neighbours) {
  Stages stages;
  const Platform& platform = system.platform;
  const Overheads overheads = dispatch_overheads(system, task);
  const MakeStage make{platform, sms, checked_add(overheads.launch, overheads.completion)};
  for (const Node& node : task.work.nodes) {
    Stage stage = std::visit(make, node.segment);
    stage.submission = submission_time(platform, task, stage.server);
    if (neighbours == Neighbours::joined && !stages.empty() && stages.back().server == stage.server) {
      append(stages.back(), stage, platform.gpu.copy_chunk.has_value());
    } else {
      stages.push_back(stage);
    }
  }
  return stages;
}

FederatedTasks federated_tasks(const System& system, StageTable table) {
  FederatedTasks result;
  result.why_not = find_why_not(system);
  if (!result.why_not.empty()) return result;
  result.sms = system.platform.gpu.sms;
  result.event = event_time(system);
  for (const TaskIndex index : urgency_order(system)) {
    const Task& task = system.tasks[index];
    if (task.arrival == Arrival::best_effort) {
      const std::int64_t sms = given_sms(system, index, uses_gpu(task.work)).value_or(1);
      result.background.push_back(
          stages_on(system, task, sms, result.event ? Neighbours::apart : Neighbours::joined));
      result.background_copy = std::max(result.background_copy, longest_copy(result.background.back()));
      result.sms -= sms;
      continue;
    }
    result.tasks.push_back(make_task(system, index, result.event));
    result.complete = result.complete && result.tasks.back().sms.has_value();
  }
  bool all_stay = true;
  for (FederatedTask& task : result.tasks) {
    fill_stages(task, system, table, std::max<std::int64_t>(result.sms, 0));
    task.never_leaves_cpu = never_leaves_cpu(task);
    all_stay = all_stay && task.never_leaves_cpu;
  }
  for (FederatedTask& task : result.tasks) task.among_such = all_stay;
  return result;
}

}  // namespace tactus::analysis
