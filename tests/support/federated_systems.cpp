#include "support/federated_systems.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>

#include "support/dice.hpp"

namespace tactus::test {

namespace {

/// How a system's chains look.
struct Mix {
  std::int64_t unit = 1;     // times are up to some of these
  std::int64_t longest = 8;  // in units
  std::int64_t zeros = 10;   // percent
  std::int64_t intervals = 40;
  std::int64_t kernels = 0;
  std::int64_t exclusive = 0;
  std::int64_t gpu_factor = 1;
};

Interval any_time(Dice& dice, const Mix& mix) {
  if (dice.percent(mix.zeros)) return {};
  const std::int64_t worst = dice.between(mix.unit > 1 ? 1 : 0, mix.longest * mix.unit);
  if (!dice.percent(mix.intervals)) return Interval::exactly(nanoseconds(worst));
  return {dice.duration(0, worst), nanoseconds(worst)};
}

Segment any_gpu_segment(Dice& dice, const Mix& mix, const Gpu& gpu) {
  const std::int64_t roll = dice.between(1, 100);
  const Interval time = any_time(dice, mix);
  if (roll <= mix.kernels) {
    KernelSegment kernel;
    kernel.grid = {dice.between(1, 6), dice.percent(20) ? 2 : 1, 1};
    kernel.block = dice.between(1, gpu.threads_per_sm / gpu.warp * gpu.warp);
    kernel.block_time = {time.best / 2, time.worst / 2};
    if (dice.percent(20)) kernel.shared_memory = dice.between(0, gpu.shared_memory_per_sm);
    if (dice.percent(20)) kernel.registers = dice.between(0, gpu.registers_per_sm);
    return kernel;
  }
  if (roll <= mix.kernels + mix.exclusive) return ExclusiveSegment{time};
  GpuSegment segment{.work = {time.best * dice.between(1, 3) * mix.gpu_factor, {}}, .overhead = {}};
  segment.work.worst = std::max(segment.work.best, time.worst * dice.between(1, 3) * mix.gpu_factor);
  if (dice.percent(30)) segment.interleave = dice.pick({Rational{3, 2}, Rational{169, 100}, Rational{2}});
  if (dice.percent(30)) {
    segment.overhead.worst = dice.duration(0, segment.work.worst.count());
    segment.overhead.best = dice.duration(0, segment.overhead.worst.count());
  }
  return segment;
}

Segment any_segment(Dice& dice, const Mix& mix, const Gpu& gpu, std::int64_t kind) {
  if (kind == 0) return CpuSegment{any_time(dice, mix)};
  if (kind == 1) return CopySegment{.time = any_time(dice, mix), .bytes = {}};
  return any_gpu_segment(dice, mix, gpu);
}

/// Half of them in the usual order: CPU - copy - GPU - copy - CPU, or with one copy. The rest is anything.
Work any_chain(Dice& dice, const Mix& mix, const Gpu& gpu) {
  Work work;
  work.form = WorkForm::chain;
  const std::int64_t size = dice.between(1, 7);
  const auto add = [&](std::int64_t kind) {
    work.nodes.push_back({.name = "", .segment = any_segment(dice, mix, gpu, kind)});
  };
  if (dice.percent(15)) {
    for (std::int64_t i = 0; i < std::min<std::int64_t>(size, 2); ++i) add(0);
  } else if (dice.percent(60)) {
    const bool one_copy = dice.percent(30);
    std::int64_t place = dice.percent(80) ? 0 : dice.between(0, 3);
    for (std::int64_t i = 0; i < size; ++i) {
      constexpr std::array<std::int64_t, 4> two{0, 1, 2, 1};
      constexpr std::array<std::int64_t, 3> one{0, 1, 2};
      add(one_copy ? one.at(static_cast<std::size_t>(place++) % 3)
                   : two.at(static_cast<std::size_t>(place++) % 4));
    }
  } else {
    for (std::int64_t i = 0; i < size; ++i) add(dice.between(0, 2));
  }
  return work;
}

/// Makes sure that a job of the task takes time on any number of SMs, as best-effort jobs must.
void make_it_take_time(Work& work, std::int64_t time) {
  for (const Node& node : work.nodes) {
    if (!std::holds_alternative<GpuSegment>(node.segment) && drawn_time(node.segment).best > Duration{})
      return;
  }
  work.nodes.push_back({.name = "", .segment = CpuSegment{{nanoseconds(time), nanoseconds(time)}}});
}

/// Most copies get bytes, and some of these are longer than a piece may be.
void cut_copies(Dice& dice, const Mix& mix, System& system) {
  constexpr std::int64_t byte_a_nanosecond = 1'000'000'000;
  Gpu& gpu = system.platform.gpu;
  gpu.copy_bandwidth = byte_a_nanosecond * dice.pick({7, 10, 10, 23}) / 10;
  gpu.copy_chunk = dice.between(1, std::max<std::int64_t>(2, mix.longest / 2)) * mix.unit;
  for (Task& task : system.tasks) {
    for (Node& node : task.work.nodes) {
      auto* copy = std::get_if<CopySegment>(&node.segment);
      if (copy == nullptr || dice.percent(25)) continue;
      copy->bytes = copy->time.worst.count() * dice.between(1, 2);
      copy->time = Interval::exactly(*copy_time(*copy->bytes, *gpu.copy_bandwidth));
    }
  }
}

Gpu any_gpu(Dice& dice, const FederatedShape& shape, std::int64_t tasks) {
  Gpu gpu;
  gpu.sms =
      dice.small(static_cast<std::int32_t>(tasks), std::max(shape.max_sms, static_cast<std::int32_t>(tasks)));
  gpu.virtual_sms_per_sm = dice.small(1, 3);
  gpu.warp = dice.pick({1, 2});
  gpu.threads_per_sm = gpu.warp * dice.small(2, 6);
  gpu.blocks_per_sm = dice.percent(70) ? 32 : dice.small(1, 4);
  gpu.shared_memory_per_sm = 4;
  gpu.registers_per_sm = 4;
  gpu.copy_engines = dice.percent(70) ? 1 : 2;
  gpu.sm_choice =
      dice.pick({SmChoice::most_free, SmChoice::first_fit, SmChoice::best_fit, SmChoice::round_robin});
  return gpu;
}

Overheads any_overheads(Dice& dice, std::int64_t most) {
  const auto maybe = [&] { return dice.percent(60) ? dice.duration(0, most) : Duration{}; };
  Overheads overheads;
  overheads.release = maybe();
  overheads.launch = maybe();
  overheads.completion = maybe();
  overheads.copy = maybe();
  overheads.cpu = maybe();
  return overheads;
}

bool has_kernel(const Task& task) {
  return std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                     [](const Node& node) { return std::holds_alternative<KernelSegment>(node.segment); });
}

/// The pointer of round-robin belongs to the whole GPU, and no rule says whose blocks move it first at one
/// instant.
void avoid_shared_round_robin(System& system) {
  const auto kernels = std::count_if(system.tasks.begin(), system.tasks.end(), has_kernel);
  SmChoice& choice = system.platform.gpu.sm_choice;
  if (kernels > 1 && choice == SmChoice::round_robin) choice = SmChoice::most_free;
}

/// Whole SMs for every task that needs some, at least one each.
void give_sms(Dice& dice, System& system) {
  const std::int64_t unit = system.platform.gpu.virtual_sms_per_sm;
  std::int64_t spare = system.platform.gpu.sms;
  system.virtual_sms.assign(system.tasks.size(), std::nullopt);
  for (const Task& task : system.tasks) spare -= uses_gpu(task.work) ? 1 : 0;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    if (!uses_gpu(system.tasks[i].work)) {
      if (dice.percent(20)) system.virtual_sms[i] = 0;
      continue;
    }
    const std::int64_t more = dice.between(0, std::min<std::int64_t>(spare, 3));
    spare -= more;
    system.virtual_sms[i] = (1 + more) * unit;
  }
}

void forget_sms(System& system) {
  bool any = false;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    if (system.tasks[i].arrival != Arrival::best_effort) system.virtual_sms[i].reset();
    any = any || system.virtual_sms[i].value_or(0) > 0;
  }
  if (!any) system.virtual_sms.clear();
}

/// About what a job takes alone: worst cases with overheads, GPU work on the task's virtual SMs.
std::int64_t time_alone(const System& system, std::size_t index) {
  const Overheads& overheads = system.platform.overheads;
  const Gpu& gpu = system.platform.gpu;
  std::int64_t total = 0;
  for (const Node& node : system.tasks[index].work.nodes) {
    total += drawn_time(node.segment).worst.count();
    if (std::holds_alternative<CpuSegment>(node.segment)) {
      total += overheads.cpu.count();
      continue;
    }
    if (const auto* copy = std::get_if<CopySegment>(&node.segment)) {
      total += overheads.copy.count() * chunks_of(*copy, gpu).count;
      continue;
    }
    const std::int64_t virtual_sms = *system.virtual_sms[index];
    total += overheads.launch.count() + overheads.completion.count();
    total -= drawn_time(node.segment).worst.count();
    if (const auto* segment = std::get_if<GpuSegment>(&node.segment)) {
      total += gpu_time(*segment, virtual_sms).worst.count();
    } else if (const auto* kernel = std::get_if<KernelSegment>(&node.segment)) {
      total +=
          kernel->block_time.worst.count() * waves_of(*kernel, gpu, virtual_sms / gpu.virtual_sms_per_sm);
    } else {
      total += drawn_time(node.segment).worst.count();
    }
  }
  return total;
}

Mix any_mix(Dice& dice) {
  Mix mix;
  if (dice.percent(15)) {
    mix.unit = 1000;
    mix.longest = dice.between(1, 8);
  } else {
    mix.longest = dice.pick({2, 4, 8});
  }
  mix.zeros = dice.pick({0, 10, 30});
  mix.intervals = dice.pick({0, 40, 80});
  mix.kernels = dice.percent(30) ? 40 : 0;
  mix.exclusive = dice.percent(20) ? 30 : 0;
  return mix;
}

std::string task_name(std::size_t index) { return "task" + std::to_string(index + 1); }

}  // namespace

System federated_system(std::uint64_t seed, const FederatedShape& shape) {
  Dice dice{seed};
  System system;
  system.name = "federated " + std::to_string(seed);
  system.policy.strategy = strategy_named("federated");
  system.policy.order = Order::fp;
  const std::int64_t tasks = dice.between(1, 5);
  const std::int64_t background = shape.best_effort && dice.percent(25) ? dice.between(1, 2) : 0;
  system.platform.gpu = any_gpu(dice, shape, tasks + background);
  const std::int32_t cores = shape.several_cores && dice.percent(40) ? dice.small(2, 3) : 1;
  system.platform.clusters = {cores};
  Mix mix = any_mix(dice);
  mix.gpu_factor = shape.gpu_factor;
  if (shape.jitter_and_overheads && dice.percent(25))
    system.platform.overheads = any_overheads(dice, 2 * mix.unit);

  const bool priorities = dice.percent(40);
  for (std::int64_t i = 0; i < tasks + background; ++i) {
    Task task;
    task.name = task_name(system.tasks.size());
    task.arrival = i >= tasks         ? Arrival::best_effort
                   : dice.percent(50) ? Arrival::sporadic
                                      : Arrival::periodic;
    task.core = dice.small(0, cores - 1);
    task.work = any_chain(dice, mix, system.platform.gpu);
    if (i >= tasks) make_it_take_time(task.work, mix.unit);
    if (priorities) task.priority = dice.between(0, 3);
    system.tasks.push_back(std::move(task));
  }
  Dice other_dice{~seed};  // what is not about pieces stays as it is
  if (shape.copies_in_pieces && other_dice.percent(30)) cut_copies(other_dice, mix, system);
  give_sms(dice, system);
  avoid_shared_round_robin(system);

  const std::int64_t slack = dice.pick({100, 150, 250, 400});  // more room than the load asks for
  for (std::size_t i = 0; i < static_cast<std::size_t>(tasks); ++i) {
    Task& task = system.tasks[i];
    if (shape.jitter_and_overheads && dice.percent(15)) task.jitter = dice.duration(0, 3 * mix.unit);
    const std::int64_t alone =
        time_alone(system, i) + task.jitter.count() + system.platform.overheads.release.count() + 1;
    const std::int64_t longest = std::max(alone, alone * tasks * slack / shape.load_percent);
    task.period = dice.duration(alone, std::max(alone, longest));
    task.deadline = dice.percent(40) ? *task.period
                                     : dice.duration(std::max<std::int64_t>(1, alone), task.period->count());
    if (dice.percent(30)) task.offset = dice.duration(0, 10 * mix.unit);
  }
  if (!shape.virtual_sms) forget_sms(system);
  return system;
}

namespace {

/// Times of all segments, each inside its range.
std::vector<Duration> any_times(Dice& dice, const System& system, std::size_t index) {
  std::vector<Duration> times;
  for (const Node& node : system.tasks[index].work.nodes) {
    Interval range = drawn_time(node.segment);
    if (const auto* segment = std::get_if<GpuSegment>(&node.segment)) {
      range = gpu_time(*segment, *system.virtual_sms[index]);
    }
    times.push_back(dice.duration(range.best.count(), range.worst.count()));
  }
  return times;
}

std::vector<ScriptedJob> any_script(Dice& dice, const System& system, std::size_t index) {
  const Task& task = system.tasks[index];
  const Overheads& overheads = system.platform.overheads;
  std::vector<ScriptedJob> jobs;
  Time earliest = time_at(task.offset);
  for (std::int64_t left = dice.between(1, 3); left > 0; --left) {
    ScriptedJob job;
    if (task.arrival == Arrival::sporadic) {
      job.release = earliest + dice.duration(0, 5);
      earliest = *job.release + *task.period;
    }
    const auto at_most = [&](Duration bound) { return dice.duration(0, bound.count()); };
    if (task.arrival != Arrival::best_effort && dice.percent(50))
      job.late = at_most(task.jitter + overheads.release);
    if (dice.percent(30)) job.launch = at_most(overheads.launch);
    if (dice.percent(30)) job.completion = at_most(overheads.completion);
    if (dice.percent(30)) job.cpu = at_most(overheads.cpu);
    if (dice.percent(60)) job.times = any_times(dice, system, index);
    jobs.push_back(std::move(job));
    if (task.arrival == Arrival::once) break;
  }
  return jobs;
}

void set_longest_block(Dice& dice, Task& task) {
  Duration longest{};
  for (const Node& node : task.work.nodes) {
    if (const auto* exclusive = std::get_if<ExclusiveSegment>(&node.segment))
      longest = std::max(longest, exclusive->time.worst);
  }
  if (longest > Duration{}) task.longest_block = dice.duration(0, longest.count());
}

}  // namespace

Scenario federated_scenario(std::uint64_t seed) {
  Dice dice{mix_bits(seed)};
  Scenario scenario;
  scenario.system = federated_system(seed, {.max_sms = 6, .load_percent = dice.pick({60, 150, 400})});
  System& system = scenario.system;
  Duration longest{1};
  Duration shortest = Duration::max();
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    Task& task = system.tasks[i];
    if (repeats(task)) {
      // Jobs are seen in the order of their releases.
      const Duration late = std::max(Duration{1}, task.jitter + system.platform.overheads.release);
      if (dice.percent(15))
        task.period = dice.duration(std::max(late.count(), task.period->count() / 4), task.period->count());
      shortest = std::min(shortest, *task.period);
      if (dice.percent(15)) {
        task.arrival = Arrival::once;
        longest = std::max(longest, *task.period);
        task.period.reset();
        if (dice.percent(40)) task.deadline.reset();
      } else {
        longest = std::max(longest, *task.period);
      }
    }
    if (dice.percent(50)) set_longest_block(dice, task);
    if (dice.percent(15)) task.jobs = any_script(dice, system, i);
  }
  scenario.options.seed = dice.bits();
  scenario.options.execution =
      dice.pick({Execution::worst, Execution::best, Execution::random, Execution::random});
  const std::int64_t min_end = std::min(longest.count(), shortest.count() * 20);
  scenario.options.horizon = dice.duration(1, min_end * dice.pick({2, 5, 10}));
  return scenario;
}

System federated_chains(const std::vector<FederatedChain>& tasks) {
  System system;
  system.name = "test";
  system.policy.strategy = strategy_named("federated");
  system.policy.order = Order::fp;
  system.platform.gpu.sms = static_cast<std::int32_t>(std::max<std::size_t>(1, tasks.size()));
  system.platform.gpu.virtual_sms_per_sm = 1;
  for (const FederatedChain& chain : tasks) {
    Task task;
    task.name = task_name(system.tasks.size());
    task.arrival = Arrival::sporadic;
    task.deadline = nanoseconds(chain.deadline);
    task.period = nanoseconds(chain.period);
    task.priority = static_cast<std::int64_t>(tasks.size() - system.tasks.size());
    task.work.form = WorkForm::chain;
    for (const Segment& segment : chain.segments) task.work.nodes.push_back({.name = "", .segment = segment});
    system.virtual_sms.emplace_back(uses_gpu(task.work) ? 1 : 0);
    system.tasks.push_back(std::move(task));
  }
  return system;
}

Scenario with_resident_tasks(Scenario scenario, std::uint64_t seed) {
  Dice dice{seed};
  Overheads& overheads = scenario.system.platform.overheads;
  if (dice.percent(70)) overheads.resident = {dice.duration(0, 2), dice.duration(0, 2)};
  if (dice.percent(70)) overheads.doorbell = {dice.duration(0, 2), dice.duration(0, 2)};
  for (Task& task : scenario.system.tasks) {
    const auto on_gpu = std::find_if(task.work.nodes.begin(), task.work.nodes.end(), [](const Node& node) {
      return server_of(node.segment) == ServerKind::gpu;
    });
    if (on_gpu == task.work.nodes.end() || task.arrival == Arrival::best_effort || dice.percent(30)) continue;
    task.jobs.clear();
    const bool is_periodic = task.arrival == Arrival::periodic && !task.budget;
    task.dispatch = is_periodic && dice.percent(70) ? Dispatch::resident : Dispatch::doorbell;
    if (task.dispatch == Dispatch::doorbell && dice.percent(50)) continue;  // with all of its segments
    task.work = {
        .form = WorkForm::single, .nodes = {Node{.name = {}, .segment = on_gpu->segment}}, .edges = {}};
  }
  return scenario;
}

}  // namespace tactus::test
