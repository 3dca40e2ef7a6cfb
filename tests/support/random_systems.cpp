#include "support/random_systems.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <sstream>
#include <utility>
#include <variant>
#include <vector>

#include "support/dice.hpp"
#include "tactus/base/text.hpp"
#include "tactus/io/write_system.hpp"

namespace tactus::test {

namespace {

SmChoice any_sm_choice(Dice& dice) {
  return dice.pick({SmChoice::most_free, SmChoice::first_fit, SmChoice::best_fit, SmChoice::round_robin});
}

Execution any_execution(Dice& dice) {
  return dice.pick({Execution::worst, Execution::best, Execution::random});
}

/// Often exact, else best < worst where there is room.
Interval any_time(Dice& dice, std::int64_t least, std::int64_t most) {
  const Duration worst = dice.duration(least, most);
  if (dice.percent(70)) return Interval::exactly(worst);
  return {dice.duration(least, worst.count()), worst};
}

Gpu small_gpu(Dice& dice) {
  Gpu gpu;
  gpu.sms = dice.percent(70) ? dice.small(1, 3) : dice.small(1, 8);
  gpu.warp = dice.pick({1, 2, 4, 32});
  gpu.threads_per_sm = gpu.warp * dice.small(2, 10);
  if (dice.percent(20)) gpu.threads_per_sm += dice.small(0, gpu.warp - 1);  // the rest is of no use
  gpu.blocks_per_sm = dice.percent(60) ? 32 : dice.small(1, 5);
  gpu.shared_memory_per_sm = dice.between(4, 12);
  gpu.registers_per_sm = dice.between(4, 12);
  gpu.priority_levels = dice.small(1, 4);
  gpu.copy_engines = dice.percent(60) ? 1 : dice.small(1, 3);
  gpu.sm_choice = any_sm_choice(dice);
  return gpu;
}

/// The grid as one number or as three.
std::array<std::int64_t, 3> any_grid(Dice& dice, std::int64_t most) {
  if (dice.percent(85)) return {dice.between(1, most), 1, 1};
  return {dice.between(1, std::max<std::int64_t>(1, most / 4)), dice.between(1, 2), dice.between(1, 2)};
}

KernelSegment any_kernel(Dice& dice, const Gpu& gpu, std::int64_t min_time, std::int64_t max_blocks) {
  KernelSegment kernel;
  kernel.grid = any_grid(dice, max_blocks);
  const std::int64_t warps = gpu.threads_per_sm / gpu.warp;
  // Small blocks most of the time; now and then one that fills an SM.
  const std::int64_t used =
      dice.percent(75) ? dice.between(1, std::max<std::int64_t>(1, warps / 2)) : dice.between(1, warps);
  kernel.block = used * gpu.warp - (dice.percent(30) ? dice.between(0, gpu.warp - 1) : 0);
  kernel.block_time = any_time(dice, min_time, dice.percent(80) ? 5 : 10);
  if (dice.percent(25)) kernel.shared_memory = dice.between(0, gpu.shared_memory_per_sm);
  if (dice.percent(25)) kernel.registers = dice.between(0, gpu.registers_per_sm);
  return kernel;
}

/// How likely the kinds of segments are, in percent; kernels get the rest.
struct Mix {
  std::int64_t copies = 0;
  std::int64_t exclusive = 0;
  std::int64_t longest_exclusive = 10;
};

Segment any_segment(Dice& dice, const Gpu& gpu, Mix mix, std::int64_t min_time) {
  const std::int64_t roll = dice.between(1, 100);
  if (roll <= mix.copies) return CopySegment{.time = any_time(dice, min_time, 6), .bytes = {}};
  if (roll <= mix.copies + mix.exclusive)
    return ExclusiveSegment{any_time(dice, min_time, mix.longest_exclusive)};
  return any_kernel(dice, gpu, min_time, dice.percent(80) ? 4 : 16);
}

/// Edges from earlier to later places of a random order, so the calls rarely follow the file.
std::vector<Edge> any_edges(Dice& dice, std::size_t nodes) {
  std::vector<std::size_t> order(nodes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = nodes; i-- > 1;) {
    std::swap(order[i], order[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(i)))]);
  }
  std::vector<Edge> edges;
  for (std::size_t from = 0; from < nodes; ++from) {
    for (std::size_t to = from + 1; to < nodes; ++to) {
      if (dice.percent(50)) edges.push_back({.from = order[from], .to = order[to]});
    }
  }
  return edges;
}

Work any_work(Dice& dice, const Gpu& gpu, Mix mix, std::int64_t min_time) {
  Work work;
  work.form = dice.pick({WorkForm::single, WorkForm::single, WorkForm::chain, WorkForm::graph});
  if (work.form == WorkForm::single) {
    mix.copies = 0;  // a lone copy is written as a chain
    work.nodes.push_back({.name = "", .segment = any_segment(dice, gpu, mix, min_time)});
    return work;
  }
  const std::int64_t size = dice.between(1, 4);
  for (std::int64_t i = 0; i < size; ++i) {
    work.nodes.push_back({.name = work.form == WorkForm::graph ? "n" + std::to_string(i) : "",
                          .segment = any_segment(dice, gpu, mix, min_time)});
  }
  if (work.form == WorkForm::graph) work.edges = any_edges(dice, work.nodes.size());
  return work;
}

/// None, 0, or at most the longest exclusive segment.
std::optional<Duration> any_longest_block(Dice& dice, const Work& work) {
  std::optional<Duration> longest;
  for (const Node& node : work.nodes) {
    if (const auto* exclusive = std::get_if<ExclusiveSegment>(&node.segment)) {
      longest = std::max(longest.value_or(Duration{}), exclusive->time.worst);
    }
  }
  if (!longest) return std::nullopt;
  const std::int64_t roll = dice.between(0, 3);
  if (roll == 0) return std::nullopt;
  if (roll <= 2 || *longest == Duration{}) return Duration{};
  return dice.duration(1, longest->count());
}

void set_arrival(Dice& dice, Task& task, std::int64_t shortest_period, std::int64_t longest_period) {
  task.arrival = dice.pick({Arrival::periodic, Arrival::periodic, Arrival::sporadic, Arrival::once,
                            Arrival::once, Arrival::best_effort});
  if (repeats(task)) {
    task.period = dice.duration(shortest_period, longest_period);
    task.deadline = dice.percent(60) ? *task.period : dice.duration(1, 2 * task.period->count());
  } else if (task.arrival == Arrival::once && dice.percent(50)) {
    task.deadline = dice.duration(1, 40);
  }
  if (dice.percent(50)) task.offset = dice.duration(0, 10);
  if (task.arrival != Arrival::best_effort && dice.percent(20)) task.jitter = dice.duration(0, 10);
}

void set_stream(Dice& dice, Task& task, const Gpu& gpu, bool named) {
  if (named && dice.percent(60)) task.stream = dice.pick({"a", "b", "c"});
  task.stream_priority = -dice.small(0, gpu.priority_levels - 1);
}

Overheads any_overheads(Dice& dice) {
  Overheads overheads;
  if (dice.percent(60)) return overheads;
  const auto maybe = [&] { return dice.percent(50) ? dice.duration(0, 4) : Duration{}; };
  overheads.release = maybe();
  overheads.launch = maybe();
  overheads.completion = maybe();
  overheads.copy = maybe();
  return overheads;
}

std::string task_name(std::size_t index) { return "t" + std::to_string(index); }

// --- Systems for the strategies
// -----------------------------------------------------------------------------

Gpu gpu_for_strategies(Dice& dice) {
  Gpu gpu;
  gpu.sms = dice.small(1, 4);
  gpu.warp = 1;
  gpu.threads_per_sm = dice.small(1, 6);
  gpu.blocks_per_sm = dice.percent(70) ? 32 : dice.small(1, 4);
  gpu.shared_memory_per_sm = 4;
  gpu.registers_per_sm = 4;
  gpu.priority_levels = dice.small(1, 4);
  gpu.sm_choice = any_sm_choice(dice);
  return gpu;
}

/// Two windows with gaps of no or some length around them; now and then one only, which may cover the period.
Reservations any_reservations(Dice& dice) {
  const std::int64_t longest = dice.pick({3, 6, 12});
  const auto gap = [&] { return dice.percent(60) ? Duration{} : dice.duration(0, 3); };
  const Window first{.offset = gap(), .budget = dice.duration(1, longest)};
  Reservations reservations;
  if (dice.percent(25)) {
    (dice.percent(50) ? reservations.local : reservations.all) = first;
    reservations.period = first.offset + first.budget + gap();
    return reservations;
  }
  const Duration between = gap();
  const Window second{.offset = first.offset + first.budget + between, .budget = dice.duration(1, longest)};
  reservations.period = second.offset + second.budget + gap();
  const bool local_first = dice.percent(50);
  reservations.local = local_first ? first : second;
  reservations.all = local_first ? second : first;
  return reservations;
}

void set_strategy(Dice& dice, System& system) {
  Policy& policy = system.policy;
  const Gpu& gpu = system.platform.gpu;
  policy.strategy =
      dice.pick({strategy_named("single-stream"), strategy_named("multi-stream"),
                 strategy_named("multi-stream"), strategy_named("sm-cores"), strategy_named("sm-cores")});
  policy.order = dice.pick({Order::edf, Order::fp});
  policy.refill = dice.pick({Refill::lazy, Refill::immediate});
  policy.levels = dice.small(1, gpu.priority_levels);
  if (policy.strategy != strategy_named("sm-cores")) return;
  policy.sm_group = dice.percent(60) ? 1 : dice.small(1, gpu.sms);
  policy.reservations = any_reservations(dice);
}

Work any_single_work(Dice& dice, const Gpu& gpu, std::int64_t kernels, std::int64_t min_time,
                     std::int64_t longest) {
  Work work;
  if (dice.percent(kernels)) {
    KernelSegment kernel{.grid = any_grid(dice, 8),
                         .block = dice.between(1, gpu.threads_per_sm),
                         .block_time = any_time(dice, min_time, std::min<std::int64_t>(longest, 4))};
    if (dice.percent(15)) kernel.shared_memory = dice.between(0, gpu.shared_memory_per_sm);
    work.nodes.push_back({.name = "", .segment = kernel});
  } else {
    work.nodes.push_back({.name = "", .segment = ExclusiveSegment{any_time(dice, min_time, longest)}});
  }
  return work;
}

/// What is legal for the task: delays within the overheads, times within its interval.
std::vector<ScriptedJob> any_script(Dice& dice, const System& system, const Task& task) {
  std::vector<ScriptedJob> jobs;
  const std::int64_t most = task.arrival == Arrival::once ? 1 : 5;
  const Overheads& overheads = system.platform.overheads;
  const Interval time = drawn_time(task.work.nodes.front().segment);
  Time release = time_at(task.offset);
  for (std::int64_t left = dice.between(1, most); left > 0; --left) {
    ScriptedJob job;
    if (task.arrival == Arrival::sporadic) {
      if (dice.percent(50)) release += dice.duration(0, 6);
      job.release = release;
      release += *task.period;
    }
    const bool follows = task.arrival == Arrival::best_effort && !jobs.empty();  // never seen late
    if (dice.percent(40) && !follows) job.late = dice.duration(0, in_ns(task.jitter + overheads.release));
    if (dice.percent(40)) job.launch = dice.duration(0, in_ns(overheads.launch));
    if (dice.percent(40)) job.completion = dice.duration(0, in_ns(overheads.completion));
    if (dice.percent(50)) job.times = {dice.duration(in_ns(time.best), in_ns(time.worst))};
    jobs.push_back(job);
  }
  return jobs;
}

}  // namespace

System equal_block_system(std::uint64_t seed) {
  Dice dice{seed};
  System system;
  system.name = "equal blocks " + std::to_string(seed);
  Gpu& gpu = system.platform.gpu;
  gpu.sms = dice.small(1, 8);
  gpu.warp = dice.pick({1, 4, 32});
  gpu.threads_per_sm = gpu.warp * dice.small(1, 12);
  gpu.blocks_per_sm = dice.percent(50) ? 32 : dice.small(1, 6);
  gpu.shared_memory_per_sm = dice.between(4, 12);
  gpu.registers_per_sm = dice.between(4, 12);
  gpu.sm_choice = any_sm_choice(dice);

  const std::int64_t warps = gpu.threads_per_sm / gpu.warp;
  KernelSegment block;
  block.block = gpu.warp * dice.between(1, std::max<std::int64_t>(1, dice.percent(70) ? warps / 2 : warps));
  if (dice.percent(30)) block.shared_memory = dice.between(0, gpu.shared_memory_per_sm);
  if (dice.percent(30)) block.registers = dice.between(0, gpu.registers_per_sm);

  const bool periodic = dice.percent(30);
  const Duration period = dice.duration(10, 200);
  const std::int64_t tasks = dice.between(1, 10);
  const std::int64_t max_blocks = dice.percent(80) ? 20 : 300;
  const std::int64_t last_offset = dice.percent(30) ? 0 : 30;
  const std::int64_t longest = dice.percent(50) ? 6 : 30;
  for (std::int64_t i = 0; i < tasks; ++i) {
    Task task;
    task.name = task_name(static_cast<std::size_t>(i));
    if (periodic) {
      task.period = period;
      task.deadline = period;
    } else {
      task.arrival = Arrival::once;
      task.offset = dice.duration(0, last_offset);
      if (dice.percent(50)) task.deadline = dice.duration(1, 60);
    }
    KernelSegment kernel = block;
    kernel.grid = any_grid(dice, max_blocks);
    kernel.block -= dice.percent(20) ? dice.between(0, gpu.warp - 1) : 0;
    kernel.block_time = any_time(dice, dice.percent(10) ? 0 : 1, longest);
    task.work.nodes.push_back({.name = "", .segment = kernel});
    system.tasks.push_back(task);
  }
  return system;
}

Scenario mixed_scenario(std::uint64_t seed) {
  Dice dice{seed};
  Scenario scenario;
  System& system = scenario.system;
  system.name = "mixed " + std::to_string(seed);
  system.platform.gpu = small_gpu(dice);
  system.policy.levels = system.platform.gpu.priority_levels;
  system.platform.overheads = any_overheads(dice);
  const Gpu& gpu = system.platform.gpu;

  const Mix mix{.copies = dice.pick({0, 20, 50}),
                .exclusive = dice.pick({0, 0, 15, 40}),
                .longest_exclusive = dice.pick({10, 40})};
  const bool named = dice.percent(40);
  const bool all_once = dice.percent(10);  // runs until all is done
  const std::int64_t tasks = dice.between(1, 8);
  const std::int64_t shortest_period = dice.pick({3, 10, 30});
  for (std::int64_t i = 0; i < tasks; ++i) {
    Task task;
    task.name = task_name(static_cast<std::size_t>(i));
    set_arrival(dice, task, shortest_period, 60);
    if (all_once) {
      task.arrival = Arrival::once;
      task.period.reset();
    }
    set_stream(dice, task, gpu, named);
    // Best-effort work of no length would come again for ever at one instant.
    const bool takes_time = task.arrival == Arrival::best_effort || dice.percent(70);
    task.work = any_work(dice, gpu, mix, takes_time ? 1 : 0);
    task.longest_block = any_longest_block(dice, task.work);
    // Long work at the least urgent level is what gets interrupted.
    if (task.longest_block && dice.percent(60)) task.stream_priority = 0;
    system.tasks.push_back(std::move(task));
  }

  scenario.options.seed = dice.bits();
  scenario.options.execution = any_execution(dice);
  if (!all_once) scenario.options.horizon = dice.duration(1, dice.pick({50, 200, 500}));
  return scenario;
}

Scenario bulk_scenario(std::uint64_t seed) {
  Dice dice{seed};
  Scenario scenario;
  System& system = scenario.system;
  system.name = "bulk " + std::to_string(seed);
  system.platform.gpu = small_gpu(dice);
  system.policy.levels = system.platform.gpu.priority_levels;
  if (dice.percent(20)) system.platform.overheads = any_overheads(dice);
  const Gpu& gpu = system.platform.gpu;

  const std::int64_t tasks = dice.between(1, 5);
  const bool named = dice.percent(20);
  const std::int64_t max_blocks = dice.pick({40, 150, 500});
  // Small kernels of no length make a grid start in several pieces at one instant.
  const std::int64_t no_length = dice.pick({0, 10, 60});
  for (std::int64_t i = 0; i < tasks; ++i) {
    Task task;
    task.name = task_name(static_cast<std::size_t>(i));
    set_arrival(dice, task, 20, dice.pick({60, 400}));
    set_stream(dice, task, gpu, named);
    const bool takes_time = task.arrival == Arrival::best_effort || !dice.percent(no_length);
    if (dice.percent(80)) {
      const std::int64_t blocks = dice.percent(70) ? max_blocks : 5;
      KernelSegment kernel = any_kernel(dice, gpu, takes_time ? 1 : 0, blocks);
      if (!takes_time && blocks < max_blocks) kernel.block_time = {};
      task.work.nodes.push_back({.name = "", .segment = kernel});
    } else {
      task.work =
          any_work(dice, gpu, {.copies = 20, .exclusive = 30, .longest_exclusive = 10}, takes_time ? 1 : 0);
      task.longest_block = any_longest_block(dice, task.work);
    }
    system.tasks.push_back(std::move(task));
  }

  scenario.options.seed = dice.bits();
  scenario.options.execution = any_execution(dice);
  scenario.options.horizon = dice.duration(20, dice.pick({200, 600, 1500}));
  return scenario;
}

Scenario pieces_scenario(std::uint64_t seed) {
  Dice dice{seed};
  Scenario scenario;
  System& system = scenario.system;
  system.name = "pieces " + std::to_string(seed);
  Gpu& gpu = system.platform.gpu;
  gpu.sms = dice.small(2, 6);
  gpu.warp = 1;
  gpu.threads_per_sm = dice.small(2, 8);
  gpu.sm_choice = dice.percent(80) ? SmChoice::round_robin : any_sm_choice(dice);
  const std::int64_t half = gpu.threads_per_sm / 2;
  const auto add = [&](std::int64_t blocks, std::int64_t block, Duration time) {
    Task task;
    task.name = task_name(system.tasks.size());
    task.arrival = Arrival::once;
    task.work.nodes.push_back(
        {.name = "",
         .segment =
             KernelSegment{.grid = {blocks, 1, 1}, .block = block, .block_time = Interval::exactly(time)}});
    system.tasks.push_back(std::move(task));
  };
  if (dice.percent(70)) {
    const std::int64_t blocks = dice.between(1, gpu.sms);
    add(blocks, dice.between(1, half), Duration{1000});
  }
  const std::int64_t longest = dice.pick({0, 2});
  for (std::int64_t left = dice.between(1, 5); left > 0; --left) {
    const std::int64_t blocks = dice.between(1, 4);
    const std::int64_t block = dice.between(1, half + 1);
    add(blocks, block, dice.duration(0, longest));
  }
  const std::int64_t grid = dice.between(10, 60);
  const std::int64_t block = dice.between(1, half);
  add(grid, block, dice.duration(1, 4));
  const std::int64_t last_blocks = dice.between(1, 3);
  const std::int64_t last_block = dice.between(half, gpu.threads_per_sm);
  add(last_blocks, last_block, dice.duration(1, 9));
  return scenario;
}

Scenario strategy_scenario(std::uint64_t seed) {
  Dice dice{seed};
  Scenario scenario;
  System& system = scenario.system;
  system.name = "strategy " + std::to_string(seed);
  system.platform.gpu = gpu_for_strategies(dice);
  set_strategy(dice, system);
  if (dice.percent(50)) system.platform.overheads = any_overheads(dice);
  system.platform.overheads.copy = {};

  const std::int64_t tasks = dice.between(1, 5);
  const std::int64_t shortest_period = dice.pick({2, 5, 10});
  const std::int64_t longest_period = dice.pick({10, 16, 40});
  const std::int64_t longest = dice.pick({2, 5, 8});
  const std::int64_t kernels = dice.pick({0, 0, 30, 70});
  const std::int64_t stopping = dice.pick({0, 30, 80});
  const bool priorities = dice.percent(20);
  const std::int32_t cores = system.platform.gpu.sms / system.policy.sm_group;
  for (std::int64_t i = 0; i < tasks; ++i) {
    Task task;
    task.name = task_name(static_cast<std::size_t>(i));
    set_arrival(dice, task, shortest_period, longest_period);
    if (dice.percent(80)) task.jitter = {};
    if (priorities && dice.percent(70)) task.priority = dice.between(0, 3);
    const bool takes_time = task.arrival == Arrival::best_effort || dice.percent(95);
    task.work = any_single_work(dice, system.platform.gpu, kernels, takes_time ? 1 : 0, longest);
    if (const auto* exclusive = std::get_if<ExclusiveSegment>(&task.work.nodes.front().segment)) {
      if (dice.percent(stopping)) {
        task.longest_block = Duration{};
      } else if (exclusive->time.worst > Duration{} && dice.percent(60)) {
        task.longest_block = dice.duration(1, in_ns(exclusive->time.worst));
      }
    }
    const bool has_blocks = std::holds_alternative<KernelSegment>(task.work.nodes.front().segment);
    task.preemptible =
        task.arrival == Arrival::best_effort && (has_blocks || task.longest_block) && seed % 2 == 1;
    if (dice.percent(65)) task.sm = {.kind = SmAffinity::Kind::one, .core = dice.small(0, cores - 1)};
    if (dice.percent(15)) task.jobs = any_script(dice, system, task);
    system.tasks.push_back(std::move(task));
  }

  scenario.options.seed = dice.bits();
  scenario.options.execution = any_execution(dice);
  scenario.options.horizon = dice.duration(1, dice.pick({30, 80, 200}));
  return scenario;
}

std::string describe(const System& system) { return to_system_file(system); }

std::string describe(const Scenario& scenario) {
  constexpr std::array<const char*, 3> executions{"worst", "best", "random"};
  const sim::SimulationOptions& options = scenario.options;
  std::ostringstream out;
  out << "# --execution " << executions.at(static_cast<std::size_t>(options.execution)) << " --seed "
      << options.seed;
  if (options.horizon) out << " --for " << to_text(*options.horizon);
  if (options.max_pending.value_or(enough_pending) != enough_pending) {
    out << ", at most " << *options.max_pending << " pending";
  }
  out << "\n" << describe(scenario.system);
  return out.str();
}

Scenario with_max_jobs(Scenario scenario, std::uint64_t seed) {
  Dice dice{seed ^ 0xf011U};
  for (Task& task : scenario.system.tasks) {
    if (task.arrival == Arrival::best_effort || task.dispatch == Dispatch::resident) continue;
    if (!dice.percent(70)) continue;
    task.max_jobs = dice.between(1, 4);
    const bool may_block = task.arrival == Arrival::sporadic && dice.percent(20);
    task.on_full = may_block ? OnFull::block : dice.pick({OnFull::drop_newest, OnFull::drop_oldest});
  }
  return scenario;
}

}  // namespace tactus::test
