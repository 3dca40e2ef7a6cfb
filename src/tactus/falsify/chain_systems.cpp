// Chains to attack federated analyses with.

#include <algorithm>
#include <string>
#include <utility>

#include "tactus/base/random.hpp"
#include "tactus/falsify/borderline_systems.hpp"

namespace tactus::falsify {

namespace {

using Shape = std::vector<ServerKind>;

/// Mostly the shapes of the published model, often a plain CPU task: its bound is the tightest, so it shows
/// best the interference of others.
Shape any_shape(Dice& dice) {
  using enum ServerKind;
  static const std::vector<Shape> published{{cpu},
                                            {cpu},
                                            {cpu},
                                            {cpu, copy, gpu, copy, cpu},
                                            {cpu, copy, gpu, copy, cpu},
                                            {cpu, copy, gpu, cpu},
                                            {cpu, gpu, cpu},
                                            {copy},
                                            {cpu, copy, gpu, copy, cpu, copy, gpu, copy, cpu}};
  const std::size_t choice = dice.index(published.size() + 1);
  if (choice < published.size()) return published[choice];
  Shape shape;
  for (std::int64_t i = dice.between(1, 7); i > 0; --i) shape.push_back(dice.pick({cpu, copy, gpu}));
  return shape;
}

/// Short, and often with a best case below the worst.
Interval any_time(Duration unit, bool may_be_zero, Dice& dice) {
  const std::int64_t worst = may_be_zero && dice.percent(15) ? 0 : dice.between(1, 5);
  const std::int64_t best = dice.percent(50) ? worst : dice.between(0, worst);
  return {unit * best, unit * worst};
}

Segment any_gpu_segment(const Family& family, Duration unit, Dice& dice) {
  if (family.kernels && dice.percent(15)) {
    KernelSegment kernel;
    kernel.block = dice.pick<std::int64_t>({32, 64, 128});
    kernel.grid[0] = dice.between(1, 9);
    kernel.block_time = any_time(unit, false, dice);
    return kernel;
  }
  if (family.kernels && dice.percent(10)) return ExclusiveSegment{any_time(unit, false, dice)};
  GpuSegment gpu;
  gpu.work = any_time(unit, false, dice);
  if (dice.percent(30)) gpu.interleave = dice.pick({Rational{3, 2}, Rational{31, 25}});
  if (dice.percent(30)) gpu.overhead = Interval::exactly(unit * dice.between(0, gpu.work.worst / unit));
  return gpu;
}

Work any_chain(const Family& family, Duration unit, Dice& dice) {
  Work work{.form = WorkForm::chain, .nodes = {}, .edges = {}};
  for (const ServerKind kind : any_shape(dice)) {
    Segment segment;
    if (kind == ServerKind::cpu) segment = CpuSegment{any_time(unit, true, dice)};
    if (kind == ServerKind::copy) segment = CopySegment{.time = any_time(unit, true, dice), .bytes = {}};
    if (kind == ServerKind::gpu) segment = any_gpu_segment(family, unit, dice);
    work.nodes.push_back({{}, segment});
  }
  return work;
}

Duration worst_sum(const Work& work) {
  Duration sum{};
  for (const Node& node : work.nodes) sum += drawn_time(node.segment).worst;
  return sum;
}

/// A job of a best-effort task must take time.
void make_it_take_time(Work& work, Duration unit) {
  for (Node& node : work.nodes) {
    if (auto* cpu = std::get_if<CpuSegment>(&node.segment))
      cpu->time = Interval::exactly(cpu->time.worst + unit);
    if (auto* copy = std::get_if<CopySegment>(&node.segment)) {
      copy->time = Interval::exactly(copy->time.worst + unit);
    }
  }
  work.nodes.push_back({{}, CpuSegment{Interval::exactly(unit)}});
}

Task any_task(const Family& family, Duration unit, std::int64_t tasks, Dice& dice) {
  Task task;
  task.work = any_chain(family, unit, dice);
  const std::int64_t least = std::max<std::int64_t>(1, worst_sum(task.work) / unit);
  const std::int64_t period = least * dice.between(100, 100 + 120 * tasks) / 100 + dice.between(0, 3);
  task.arrival = Arrival::sporadic;
  task.period = unit * period;
  task.deadline = dice.percent(50) ? unit * period : unit * dice.between(least, period);
  if (family.overheads && dice.percent(15)) task.jitter = unit * dice.between(1, 3);
  if (family.mixed && dice.percent(8)) {
    task.arrival = Arrival::periodic;
    task.offset = unit * dice.between(0, period);
  }
  return task;
}

void give_virtual_sms(System& system, Dice& dice) {
  Gpu& gpu = system.platform.gpu;
  std::int32_t sms = 0;
  for (const Task& task : system.tasks) {
    const std::int64_t own = uses_gpu(task.work) ? dice.between(1, 2) : 0;
    system.virtual_sms.emplace_back(own * gpu.virtual_sms_per_sm);
    sms += static_cast<std::int32_t>(own);
  }
  gpu.sms = std::max(1, sms);
}

/// At this bandwidth a byte takes a nanosecond.
constexpr std::int64_t byte_a_nanosecond = 1'000'000'000;

void give_bytes(CopySegment& copy) {
  copy.time = Interval::exactly(copy.time.worst);
  copy.bytes = in_ns(copy.time.worst);
}

/// Most copies are given in bytes, some of them shorter than the chunk.
void cut_copies(System& system, Duration unit, Dice& dice) {
  Gpu& gpu = system.platform.gpu;
  gpu.copy_bandwidth = byte_a_nanosecond;
  gpu.copy_chunk = in_ns(unit) * dice.between(1, 5) / 2;
  for (Task& task : system.tasks) {
    const bool in_the_way = task.arrival == Arrival::best_effort;
    for (Node& node : task.work.nodes) {
      auto* copy = std::get_if<CopySegment>(&node.segment);
      if (copy == nullptr || dice.percent(20)) continue;
      if (in_the_way) copy->time.worst *= dice.between(1, 4);
      give_bytes(*copy);
    }
  }
}

bool change_segment(Segment& segment, Dice& dice, bool harder, Duration step) {
  Interval& time = drawn_time(segment);
  if (auto* copy = std::get_if<CopySegment>(&segment); copy != nullptr && copy->bytes) {
    time.worst += harder ? step : -step;
    give_bytes(*copy);
    return time.worst > Duration{};
  }
  if (dice.percent(25)) {
    time.best += harder ? -step : step;
    return time.best >= Duration{} && time.best <= time.worst;
  }
  time.worst += harder ? step : -step;
  time.best = std::min(time.best, time.worst);
  return time.worst > Duration{};
}

}  // namespace

System random_chains(const Family& family, Duration unit, Dice& dice) {
  System system;
  system.name = "hard";
  system.policy = {.strategy = strategy_named("federated"), .order = Order::fp, .reservations = {}};
  Gpu& gpu = system.platform.gpu;
  gpu.threads_per_sm = 128;
  gpu.blocks_per_sm = 4;
  gpu.virtual_sms_per_sm = dice.percent(60) ? 1 : 2;
  if (family.mixed && dice.percent(15)) system.platform.clusters = {2};
  const std::int64_t tasks = dice.pick<std::int64_t>({1, 2, 2, 2, 3, 3, 4, 5});
  for (std::int64_t i = 0; i < tasks; ++i) {
    system.tasks.push_back(any_task(family, unit, tasks, dice));
    system.tasks.back().name = "task" + std::to_string(i);
    system.tasks.back().core = static_cast<std::int32_t>(dice.between(0, system.platform.cpus() - 1));
  }
  if (family.best_effort && dice.percent(15)) {
    Task task;
    task.name = "background";
    task.arrival = Arrival::best_effort;
    task.work = any_chain(family, unit, dice);
    make_it_take_time(task.work, unit);
    system.tasks.push_back(std::move(task));
  }
  give_virtual_sms(system, dice);
  Dice aside{Dice{dice}.bits(), 1};  // separate draws, so that systems without pieces do not change
  if (family.mixed && aside.percent(30)) cut_copies(system, unit, aside);
  return system;
}

namespace {

/// `gpu` work becomes exclusive work.
void share_gpu(System& system) {
  for (Task& task : system.tasks) {
    for (Node& node : task.work.nodes) {
      if (const auto* work = std::get_if<GpuSegment>(&node.segment))
        node.segment = ExclusiveSegment{work->work};
    }
  }
  system.virtual_sms.clear();
}

/// In windows everything can be stopped anywhere; elsewhere some work is in slices.
void cut_exclusive(System& system, Duration unit, bool in_windows, Dice& dice) {
  for (Task& task : system.tasks) {
    Duration longest{};
    for (const Node& node : task.work.nodes) {
      if (const auto* work = std::get_if<ExclusiveSegment>(&node.segment)) {
        longest = std::max(longest, work->time.worst);
      }
    }
    if (longest == Duration{}) continue;
    if (in_windows) {
      task.longest_block = dice.percent(70) ? Duration{} : longest;
    } else if (dice.percent(50)) {
      task.longest_block = unit * dice.between(1, longest / unit);
    }
  }
}

/// Some graphs have many nodes: up to twelve.
void make_graph(const Family& family, Work& work, Duration unit, Dice& dice) {
  work.form = WorkForm::graph;
  if (dice.percent(30)) {
    const Work more = any_chain(family, unit, dice);
    for (std::size_t i = 0; i < more.nodes.size() && work.nodes.size() < 12; ++i) {
      work.nodes.push_back(more.nodes[i]);
    }
  }
  for (std::size_t i = 0; i < work.nodes.size(); ++i) {
    work.nodes[i].name = "n" + std::to_string(i);
    for (std::size_t j = i + 1; j < work.nodes.size(); ++j) {
      if (dice.percent(j == i + 1 ? 60 : 20)) work.edges.push_back({i, j});
    }
  }
}

/// Edges to later jobs: most from a node to itself, some from a later node.
void add_history(Work& work, Dice& dice) {
  for (std::size_t to = 0; to < work.nodes.size(); ++to) {
    if (!dice.percent(25)) continue;
    const std::size_t from =
        dice.percent(60) ? to : static_cast<std::size_t>(dice.between(0, std::ssize(work.nodes) - 1));
    const auto takes_time = [&](std::size_t node) {
      const Segment& segment = work.nodes[node].segment;
      return server_of(segment) == ServerKind::gpu || drawn_time(segment).worst > Duration{};
    };
    const auto joins = [&](const Edge& edge) { return edge.from == from && edge.to == to; };
    if (!takes_time(from) || !takes_time(to) || std::ranges::any_of(work.edges, joins)) continue;
    work.edges.push_back({from, to, dice.pick<std::int64_t>({1, 1, 1, 2, 3})});
  }
}

/// One to four cores in one or two clusters.
void choose_cores(System& system, Dice& dice) {
  const std::int32_t cores = dice.pick<std::int32_t>({1, 1, 2, 2, 3, 4});
  system.platform.clusters = {cores};
  if (cores > 1 && dice.percent(50)) system.platform.clusters = {1, cores - 1};
  for (Task& task : system.tasks) task.core = static_cast<std::int32_t>(dice.between(0, cores - 1));
}

void choose_policies(System& system, const Family& family, Dice& dice) {
  Policy& policy = system.policy;
  const bool by_deadline = family.order == Order::edf;
  const auto any_order = [&] { return by_deadline && dice.percent(70) ? Order::edf : Order::fp; };
  if (policy.strategy->orders.size() > 1) policy.order = any_order();
  policy.cpu = CpuChoice{.order = any_order(), .preemptive = dice.percent(85)};
  if (by_deadline && dice.percent(15)) policy.cpu->order = Order::fair_lateness;
  if (dice.percent(15)) policy.cpu->scope = dice.pick({CpuScope::global, CpuScope::clustered});
  policy.copies =
      dice.percent(15) ? CopyOrder::fifo : (any_order() == Order::edf ? CopyOrder::edf : CopyOrder::fp);
}

/// One core, or two kinds of windows and any cores.
void choose_windows(System& system, Duration unit, Dice& dice) {
  const std::int64_t local = dice.between(4, 16);
  const std::int64_t all = dice.percent(60) ? 0 : dice.between(4, 16);
  system.policy.reservations = Reservations{
      .period = unit * (local + all + dice.between(0, 4)), .local = Window{{}, unit * local}, .all = {}};
  if (all > 0) system.policy.reservations->all = Window{unit * local, unit * all};
  for (Task& task : system.tasks) {
    const std::int64_t core = all > 0 ? dice.between(0, system.platform.gpu.sms - 1) : 0;
    task.sm = {.kind = SmAffinity::Kind::one, .core = static_cast<std::int32_t>(core)};
    if (all > 0 && dice.percent(40)) task.sm = {.kind = SmAffinity::Kind::all, .core = 0};
  }
}

/// Bits that follow from the periods alone: what they decide changes no other draw.
std::uint64_t bits_of_periods(const System& system) {
  std::uint64_t bits = 0;
  for (const Task& task : system.tasks) {
    bits = mix_bits(bits ^ static_cast<std::uint64_t>(task.period.value_or(Duration{}).count()));
  }
  return bits;
}

/// In every fourth system with several cores some segments have a core of their own.
void place_nodes(System& system) {
  std::uint64_t bits = mix_bits(bits_of_periods(system));
  const auto cores = static_cast<std::uint64_t>(system.platform.cpus());
  if (bits % 4 != 0 || cores < 2) return;
  for (Task& task : system.tasks) {
    if (task.wait == Waiting::busy) continue;  // it has one core
    for (Node& node : task.work.nodes) {
      bits = mix_bits(bits);
      if (server_of(node.segment) != ServerKind::cpu || bits % 100 >= 40) continue;
      node.core = static_cast<std::int32_t>((bits >> 32U) % cores);
    }
  }
}

/// Every fifth system has an order of GPU work alone.
void order_gpu(System& system) {
  std::uint64_t bits = bits_of_periods(system);
  if (bits % 5 != 0 || !is_by_node(system)) return;
  for (Task& task : system.tasks) {
    bits = mix_bits(bits);
    task.gpu_priority = static_cast<std::int64_t>(bits % 4);
  }
}

}  // namespace

void share_servers(System& system, const Family& family, Duration unit, Dice& dice) {
  Policy& policy = system.policy;
  Gpu& gpu = system.platform.gpu;
  policy.strategy = strategy_named(
      dice.pick<std::string_view>({"single-stream", "single-stream", "multi-stream", "multi-stream",
                                   "as-submitted", "sm-cores", "time-sliced", "federated"}));
  policy.time_slice = unit * dice.between(1, 4);
  gpu.priority_levels = 4;
  policy.levels = static_cast<std::int32_t>(dice.between(2, 4));
  gpu.copy_engines = dice.percent(85) ? 1 : 2;
  choose_cores(system, dice);
  choose_policies(system, family, dice);
  const bool in_windows = policy.strategy->sms == SmSharing::cores;
  for (Task& task : system.tasks) {
    if (dice.percent(25)) make_graph(family, task.work, unit, dice);
  }
  system.virtual_sms.clear();
  give_virtual_sms(system, dice);
  if (policy.strategy->sms != SmSharing::owned) share_gpu(system);
  cut_exclusive(system, unit, in_windows, dice);
  if (in_windows) choose_windows(system, unit, dice);
  const bool may_wait_busily = policy.cpu->preemptive && policy.cpu->scope == CpuScope::partitioned;
  for (Task& task : system.tasks) {
    if (may_wait_busily && dice.percent(20)) task.wait = Waiting::busy;
    if (task.deadline && dice.percent(15)) *task.deadline += *task.period * dice.between(0, 2);
  }
  order_gpu(system);
  place_nodes(system);
}

System random_graphs(const Family& family, Duration unit, Dice& dice) {
  Family chains = family;
  chains.best_effort = false;
  System system = random_chains(chains, unit, dice);
  system.virtual_sms.clear();
  Gpu& gpu = system.platform.gpu;
  gpu.sms = static_cast<std::int32_t>(dice.between(1, 3));
  gpu.copy_engines = static_cast<std::int32_t>(dice.between(1, 2));
  gpu.copy_chunk.reset();
  choose_cores(system, dice);
  Policy& policy = system.policy;
  policy.strategy = strategy_named("graph");
  policy.order = family.order;
  policy.clusters = dice.percent(70) ? ClusterMode::global : ClusterMode::per_cluster;
  policy.early_release = dice.percent(50);
  policy.parallel_jobs = dice.percent(60);
  if (dice.percent(30)) policy.cpu = CpuChoice{.order = {}, .preemptive = false};
  const bool has_history = dice.percent(40);
  for (Task& task : system.tasks) {
    if (dice.percent(60)) make_graph(family, task.work, unit, dice);
    for (Node& node : task.work.nodes) {
      if (server_of(node.segment) != ServerKind::gpu) continue;
      KernelSegment kernel;
      kernel.block = dice.pick<std::int64_t>({32, 64, 128});
      kernel.grid[0] = dice.between(1, 6);
      kernel.block_time = any_time(unit, false, dice);
      node.segment = kernel;
    }
    // As late as jobs in order can be.
    if (family.overheads && dice.percent(15)) task.jitter = unit * dice.between(0, *task.period / unit);
    if (has_history && task.work.form == WorkForm::graph) add_history(task.work, dice);
    if (dice.percent(50)) *task.period = std::max(unit, *task.period / dice.between(1, 4));
    *task.deadline = *task.period * dice.between(1, 8);
  }
  place_nodes(system);
  return system;
}

void make_room_for_engine(System& system, Dice& dice) {
  system.platform.gpu.copy_chunk.reset();
  for (Task& task : system.tasks) {
    if (!task.period) continue;
    const std::int64_t longer = dice.between(1, 4);
    *task.period *= longer;
    *task.deadline *= longer;
  }
}

bool change_chain(Task& task, Dice& dice, bool harder, Duration step) {
  const Duration change = harder ? -step : step;
  const bool was_beyond = task.deadline && *task.deadline > *task.period;
  switch (dice.between(0, task.arrival == Arrival::best_effort ? 2 : 6)) {
    case 3:
      *task.deadline += change;
      return *task.deadline > Duration{} && (*task.deadline <= *task.period || was_beyond);
    case 4:
      *task.period += change;
      if (!was_beyond) *task.deadline = std::min(*task.deadline, *task.period);
      return *task.period > Duration{};
    case 5:
      if (task.jitter > Duration{}) {
        task.jitter -= change;
        return task.jitter >= Duration{};
      }
      [[fallthrough]];
    default:
      return change_segment(task.work.nodes[dice.index(task.work.nodes.size())].segment, dice, harder, step);
  }
}

}  // namespace tactus::falsify
