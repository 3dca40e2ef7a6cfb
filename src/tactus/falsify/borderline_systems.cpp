#include "tactus/falsify/borderline_systems.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/base/error.hpp"
#include "tactus/model/validate.hpp"

namespace tactus::falsify {

namespace {

using analysis::Verdict;

/// All times are multiples of this; "just before" is one nanosecond.
constexpr std::int64_t unit = 1000;

Duration units(std::int64_t count) { return Duration{count * unit}; }

Gpu small_gpu(const Family& family, Dice& dice) {
  Gpu gpu;
  gpu.sms = family.strategy == "sm-cores" ? static_cast<std::int32_t>(dice.between(1, 4)) : 2;
  gpu.threads_per_sm = 128;
  gpu.blocks_per_sm = 4;
  gpu.priority_levels = 4;
  return gpu;
}

/// Mostly 0, so that few parameters differ from the simple case.
Duration any_delay(Dice& dice) { return dice.percent(60) ? Duration{} : units(dice.between(1, 2)); }

void add_overheads(System& system, Dice& dice) {
  if (!dice.percent(30)) return;
  system.platform.overheads = {.release = any_delay(dice),
                               .launch = any_delay(dice),
                               .completion = any_delay(dice),
                               .copy = any_delay(dice)};
}

/// Fractions of a unit, so that several actions fit into a short job; sometimes a long enqueue.
void add_engine(System& system, const Family& family, Dice& dice) {
  constexpr std::int64_t chance = 30;
  const bool always = family.engine == EngineNeeds::time_in_all;
  if (family.engine == EngineNeeds::no_time || (!always && !dice.percent(chance))) return;
  const auto any_time = [&] { return Duration{dice.pick<std::int64_t>({0, 100, 200, 250, 500, 1000})}; };
  EngineTime& engine = system.platform.overheads.engine;
  engine = {.event = any_time(), .submit = any_time()};
  for (Task& task : system.tasks) {
    if (dice.percent(25)) task.enqueue = dice.percent(60) ? any_time() : units(dice.between(1, 4));
  }
  if (!has_engine_time(system)) engine.event = Duration{dice.pick<std::int64_t>({1, 100, 500})};
}

/// A periodic task of nothing but its first GPU segment.
void make_resident(Task& task, Dice& dice) {
  std::vector<Node>& nodes = task.work.nodes;
  const auto first = std::find_if(nodes.begin(), nodes.end(), [](const Node& node) {
    return server_of(node.segment) == ServerKind::gpu;
  });
  if (first == nodes.end() || !repeats(task)) return;
  task.work = {.form = WorkForm::chain, .nodes = {{{}, first->segment}}, .edges = {}};
  task.dispatch = Dispatch::resident;
  if (task.arrival != Arrival::sporadic) return;
  task.arrival = Arrival::periodic;
  task.offset = units(dice.between(0, *task.period / units(1)));
}

/// Work that waits on its SMs, and launchers, for tasks that the model lets have them.
void choose_dispatch(System& system, Dice& dice) {
  Overheads& overheads = system.platform.overheads;
  if (dice.percent(70)) overheads.resident = {.release = any_delay(dice), .completion = any_delay(dice)};
  if (dice.percent(70)) overheads.doorbell = {.launch = any_delay(dice), .completion = any_delay(dice)};
  const bool may_wait = system.policy.strategy->sms == SmSharing::owned;
  for (Task& task : system.tasks) {
    const Task launched = task;
    if (may_wait && dice.percent(60)) {
      task.dispatch = Dispatch::doorbell;
      if (dice.percent(50)) make_resident(task, dice);
    } else if (dice.percent(60)) {
      task.launcher = true;
      if (dice.percent(70)) task.enqueue = units(dice.between(1, 4));
    }
    if (!validate(system).empty()) task = launched;
  }
}

std::int64_t any_period(Dice& dice) {
  return dice.percent(70) ? dice.between(4, 24) : dice.pick<std::int64_t>({5, 10, 20, 40, 6, 12, 24, 48});
}

Reservations any_reservations(Dice& dice, bool has_local, bool has_gang) {
  const std::int64_t period = dice.between(3, 16);
  Reservations reservations;
  reservations.period = units(period);
  if (has_local && has_gang) {
    const std::int64_t split = dice.between(1, period - 1);
    const std::int64_t gap = dice.percent(20) ? 1 : 0;
    const bool gang_first = dice.percent(30);
    const std::int64_t first = std::max<std::int64_t>(1, split - gap);
    Window early{.offset = units(0), .budget = units(first)};
    Window late{.offset = units(split), .budget = units(period - split)};
    reservations.local = gang_first ? late : early;
    reservations.all = gang_first ? early : late;
  } else {
    const std::int64_t budget = dice.percent(15) ? period : dice.between(1, period);
    const Window window{.offset = units(dice.between(0, period - budget)), .budget = units(budget)};
    (has_gang ? reservations.all : reservations.local) = window;
  }
  return reservations;
}

std::int64_t harmonic_period(std::int64_t reservation, Dice& dice) {
  if (dice.percent(50)) return reservation * dice.between(1, 4);
  std::vector<std::int64_t> dividers;
  for (std::int64_t i = 1; i <= reservation; ++i) {
    if (reservation % i == 0) dividers.push_back(i);
  }
  return dice.pick_from(dividers);
}

Work kernel_work(std::int64_t waves, Duration block_time, const Gpu& gpu, Dice& dice) {
  KernelSegment kernel;
  kernel.block = dice.pick<std::int64_t>({32, 64, 128});
  const std::int64_t together = blocks_per_sm(block_demand(kernel, gpu), gpu) * gpu.sms;
  kernel.grid[0] = std::max<std::int64_t>(1, waves * together - dice.between(0, together - 1));
  kernel.block_time = Interval::exactly(block_time);
  if (dice.percent(30)) kernel.block_time.best = Duration{dice.between(1, in_ns(block_time))};
  if (dice.percent(20)) kernel.shared_memory = gpu.shared_memory_per_sm / dice.between(1, 4);
  return {.form = WorkForm::single, .nodes = {{{}, kernel}}, .edges = {}};
}

void set_work(Task& task, std::int64_t cost, const Family& family, const Gpu& gpu, Dice& dice) {
  if (family.kernels && !family.ideal && dice.percent(25)) {
    const std::int64_t waves = dice.between(1, std::min<std::int64_t>(cost, 4));
    task.work = kernel_work(waves, units(std::max<std::int64_t>(1, cost / waves)), gpu, dice);
    return;
  }
  Interval time = Interval::exactly(units(cost));
  if (dice.percent(20)) time.best = units(dice.between(1, cost));
  task.work = {.form = WorkForm::single, .nodes = {{{}, ExclusiveSegment{time}}}, .edges = {}};
  if (family.ideal || dice.percent(15)) {
    task.longest_block = Duration{};
  } else if (dice.percent(60)) {
    task.longest_block = units(dice.between(1, std::min<std::int64_t>(cost, 4)));
  }
}

/// A copy before or behind the work, or both.
void make_chain(Task& task, Dice& dice) {
  const auto copy = [&] {
    return Node{{}, CopySegment{.time = Interval::exactly(units(dice.between(1, 2))), .bytes = {}}};
  };
  task.work.form = WorkForm::chain;
  const bool before = dice.percent(70);
  if (before) task.work.nodes.insert(task.work.nodes.begin(), copy());
  if (!before || dice.percent(50)) task.work.nodes.push_back(copy());
}

void place(Task& task, const System& system, Dice& dice) {
  if (system.policy.strategy->sms != SmSharing::cores || dice.percent(40)) return;
  const std::int32_t cores = system.platform.gpu.sms / system.policy.sm_group;
  task.sm = {SmAffinity::Kind::one, static_cast<std::int32_t>(dice.between(0, cores - 1))};
}

Task any_task(const Family& family, const System& system, std::int64_t reservation, std::int64_t tasks,
              Dice& dice) {
  Task task;
  const std::int64_t period = family.harmonic ? harmonic_period(reservation, dice) : any_period(dice);
  const std::int64_t fair = std::max<std::int64_t>(1, period * dice.between(40, 160) / (100 * tasks));
  const std::int64_t cost = std::min(fair, period);
  task.arrival = family.sporadic ? Arrival::sporadic : Arrival::periodic;
  task.period = units(period);
  task.deadline = dice.percent(40) ? units(period) : units(dice.between(cost, period));
  if (!family.sporadic && family.offsets && dice.percent(50)) task.offset = units(dice.between(0, period));
  if (family.overheads && dice.percent(15)) task.jitter = units(dice.between(1, 3));
  set_work(task, cost, family, system.platform.gpu, dice);
  if (family.mixed && family.sporadic && dice.percent(10)) {
    task.arrival = Arrival::periodic;
    task.offset = units(dice.between(0, period));
  }
  if (family.mixed && family.strategy == "single-stream" && dice.percent(15)) {
    make_chain(task, dice);
  }
  place(task, system, dice);
  return task;
}

/// Kernels with equal blocks, a stream each: all once, or all with one period.
System equal_blocks(Dice& dice) {
  System system;
  system.name = "hard";
  system.platform.gpu = small_gpu({}, dice);
  system.platform.gpu.blocks_per_sm = static_cast<std::int32_t>(dice.between(1, 4));
  const bool once = dice.percent(50);
  const std::int64_t period = dice.between(8, 40);
  for (std::int64_t i = dice.between(1, 6); i > 0; --i) {
    Task task;
    task.name = "task" + std::to_string(system.tasks.size());
    task.arrival = once ? Arrival::once : Arrival::periodic;
    if (once) task.offset = units(dice.between(0, 10));
    if (!once) task.period = units(period);
    task.deadline = units(dice.between(1, period));
    KernelSegment kernel;
    kernel.block = 32;
    kernel.grid[0] = dice.between(1, 12);
    const Duration worst = units(dice.between(1, 6));
    kernel.block_time = {dice.percent(50) ? worst : units(1), worst};
    task.work = {.form = WorkForm::single, .nodes = {{{}, kernel}}, .edges = {}};
    system.tasks.push_back(std::move(task));
  }
  return system;
}

/// Kernels of all shapes on a GPU on which any resource may run short first.
System kernels_as_they_come(const Family& family, Dice& dice) {
  System system;
  system.name = "hard";
  Gpu& gpu = system.platform.gpu;
  gpu.sms = static_cast<std::int32_t>(dice.between(1, 3));
  gpu.warp = static_cast<std::int32_t>(dice.pick<std::int64_t>({1, 8, 32}));
  gpu.threads_per_sm = static_cast<std::int32_t>(gpu.warp * dice.between(2, 8));
  gpu.blocks_per_sm = static_cast<std::int32_t>(dice.between(1, 8));
  gpu.shared_memory_per_sm = dice.between(4, 16);
  gpu.registers_per_sm = dice.between(4, 16);
  if (family.overheads) add_overheads(system, dice);
  const bool is_long = dice.percent(20);
  for (std::int64_t i = dice.between(1, 5); i > 0; --i) {
    Task task;
    task.name = "task" + std::to_string(system.tasks.size());
    task.arrival = dice.percent(10)   ? Arrival::once
                   : dice.percent(85) ? Arrival::sporadic
                                      : Arrival::periodic;
    if (task.arrival != Arrival::once) task.period = units(any_period(dice) * dice.between(1, 4));
    task.deadline = task.period && dice.percent(50) ? *task.period : units(dice.between(4, 120));
    if (family.overheads && task.arrival != Arrival::once && dice.percent(20)) {
      task.jitter = units(dice.between(1, 3));
    }
    KernelSegment kernel;
    kernel.block = dice.between(1, gpu.threads_per_sm);
    if (dice.percent(70)) kernel.block = std::max<std::int64_t>(1, kernel.block / 2);
    kernel.grid[0] = dice.between(1, is_long ? 40 : 8);
    const std::int64_t worst = dice.between(1, 8);
    kernel.block_time = {units(dice.percent(60) ? worst : dice.between(1, worst)), units(worst)};
    if (dice.percent(40)) kernel.shared_memory = dice.between(1, gpu.shared_memory_per_sm);
    if (dice.percent(40)) kernel.registers = dice.between(1, gpu.registers_per_sm);
    task.work = {.form = WorkForm::single, .nodes = {{{}, kernel}}, .edges = {}};
    system.tasks.push_back(std::move(task));
  }
  return system;
}

void set_priorities(System& system, Dice& dice) {
  if (system.policy.order != Order::fp || dice.percent(40)) return;
  for (Task& task : system.tasks) {
    if (task.arrival != Arrival::best_effort) task.priority = dice.between(1, 9);
  }
}

void make_deadlines_distinct(System& system) {
  std::vector<Duration> seen;
  for (Task& task : system.tasks) {
    if (!task.deadline) continue;
    while (std::find(seen.begin(), seen.end(), *task.deadline) != seen.end() && *task.deadline > units(1)) {
      *task.deadline -= units(1);
    }
    seen.push_back(*task.deadline);
  }
}

/// Deadlines that differ by less than a few nanoseconds are as good as equal: jobs of such tasks cannot be
/// released so close together that the one with the longer deadline comes first and is still less urgent.
bool are_deadlines_apart(const System& system) {
  constexpr Duration apart{16};
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::optional<Duration>& a = system.tasks[i].deadline;
      const std::optional<Duration>& b = system.tasks[j].deadline;
      if (a && b && *a < *b + apart && *b < *a + apart) return false;
    }
  }
  return true;
}

/// The time of a task's first segment, to be made longer or shorter.
Interval& first_time(Task& task) {
  Segment& segment = task.work.nodes.front().segment;
  if (auto* exclusive = std::get_if<ExclusiveSegment>(&segment)) return exclusive->time;
  if (auto* copy = std::get_if<CopySegment>(&segment)) return copy->time;
  return std::get<KernelSegment>(segment).block_time;
}

bool change_cost(Task& task, bool harder, Duration step) {
  Interval& time = first_time(task);
  time.worst += harder ? step : -step;
  time.best = std::min(time.best, time.worst);
  if (std::holds_alternative<ExclusiveSegment>(task.work.nodes.front().segment) && task.longest_block &&
      *task.longest_block > time.worst) {
    task.longest_block = time.worst;
  }
  return time.worst > Duration{};
}

bool change_window(System& system, Dice& dice, bool harder, Duration step) {
  if (!system.policy.reservations) return false;
  Reservations& reservations = *system.policy.reservations;
  std::optional<Window>& window = dice.percent(50) ? reservations.local : reservations.all;
  if (!window) return false;
  window->budget += harder ? -step : step;
  return window->budget > Duration{};
}

bool change_task(Task& task, Dice& dice, bool harder, Duration step) {
  const Duration change = harder ? -step : step;
  switch (dice.between(0, task.arrival == Arrival::best_effort ? 1 : 5)) {
    case 0:
      return change_cost(task, harder, step);
    case 1:
      if (!task.longest_block || *task.longest_block == Duration{}) return change_cost(task, harder, step);
      *task.longest_block -= change;
      return *task.longest_block > Duration{};
    case 2:
      if (!task.deadline) return change_cost(task, harder, step);
      if (task.deadline == task.period) {
        *task.period += change;
        task.deadline = task.period;
      } else {
        *task.deadline += change;
      }
      return *task.deadline > Duration{} && (!task.period || *task.deadline <= *task.period);
    case 3:
      if (!task.period) return change_cost(task, harder, step);
      *task.period += change;
      *task.deadline = std::min(*task.deadline, *task.period);
      return *task.period > Duration{};
    case 4:
      if (task.jitter == Duration{}) return change_cost(task, harder, step);
      task.jitter -= change;
      return task.jitter >= Duration{};
    default:
      return change_cost(task, harder, step);
  }
}

/// The time of an event, a submission, or one task's submissions.
bool change_engine(System& system, Dice& dice, bool harder, Duration step) {
  EngineTime& engine = system.platform.overheads.engine;
  std::vector<Duration*> all{&engine.event, &engine.submit};
  for (Task& task : system.tasks) {
    if (task.enqueue) all.push_back(&*task.enqueue);
  }
  Duration& time = *dice.pick_from(all);
  time = std::max(Duration{}, time + (harder ? step : -step) / 10);
  return has_engine_time(system);
}

Verdict verdict_of(const analysis::Analysis& analysis, const System& system) {
  const analysis::CheckResult result = analysis::check(system, {&analysis, 1});
  const analysis::Result& answer = result.analyses.front().result;
  if (answer.threw)
    throw FailureError{answer.reason};  // nobody would see it among the systems it passes over
  return answer.applies() ? *answer.verdict : Verdict::gave_up;
}

}  // namespace

bool uses_window(const System& system, bool gang) {
  return std::any_of(system.tasks.begin(), system.tasks.end(),
                     [&](const Task& task) { return (task.sm.kind == SmAffinity::Kind::all) == gang; });
}

namespace {

/// `reservation`: the period that the tasks of a harmonic family were made for.
void give_windows(System& system, const Family& family, std::int64_t reservation, Dice& dice) {
  Reservations reservations = any_reservations(dice, uses_window(system, false), uses_window(system, true));
  if (family.harmonic) {
    // The tasks were made for this period; the windows scale with it.
    const Duration period = units(reservation);
    const auto fit = [&](std::optional<Window>& window) {
      if (!window) return;
      window->offset = std::min(window->offset, period - units(1));
      window->budget = std::min(window->budget, period - window->offset);
    };
    fit(reservations.local);
    fit(reservations.all);
    if (reservations.local && reservations.all) {
      const std::int64_t split = dice.between(1, reservation - 1);
      reservations.local = Window{.offset = units(0), .budget = units(split)};
      reservations.all = Window{.offset = units(split), .budget = units(reservation - split)};
    }
    reservations.period = period;
  }
  system.policy.reservations = reservations;
}

System launched_system(const Family& family, Dice& dice) {
  if (family.strategy == "as-submitted") {
    return family.sporadic ? kernels_as_they_come(family, dice) : equal_blocks(dice);
  }
  if (family.strategy == "graph") {
    System graphs = random_graphs(family, Duration{unit}, dice);
    if (family.overheads) add_overheads(graphs, dice);
    if (family.overheads && dice.percent(20)) graphs.platform.overheads.cpu = any_delay(dice);
    add_engine(graphs, family, dice);
    if (has_engine_time(graphs)) make_room_for_engine(graphs, dice);
    return graphs;
  }
  if (family.strategy == "federated") {
    System chains = random_chains(family, Duration{unit}, dice);
    if (family.by_node) share_servers(chains, family, Duration{unit}, dice);
    if (family.overheads) add_overheads(chains, dice);
    if (family.overheads && dice.percent(20)) chains.platform.overheads.cpu = any_delay(dice);
    set_priorities(chains, dice);
    add_engine(chains, family, dice);
    if (has_engine_time(chains)) make_room_for_engine(chains, dice);
    return chains;
  }
  System system;
  system.name = "hard";
  system.platform.gpu = small_gpu(family, dice);
  system.policy = {.strategy = strategy_named(family.strategy),
                   .order = family.order,
                   .levels = static_cast<std::int32_t>(dice.between(1, 4)),
                   .refill = family.refill,
                   .reservations = {}};
  if (family.overheads) add_overheads(system, dice);
  if (family.mixed && family.strategy == "multi-stream" && dice.percent(20)) {
    system.policy.refill = Refill::immediate;  // nothing that holds with lazy refill may break
  }
  if (system.platform.gpu.sms > 1 && dice.percent(25)) system.policy.sm_group = 2;
  const std::int64_t reservation = dice.between(3, 16);
  const std::int64_t tasks = dice.between(1, 5);
  for (std::int64_t i = 0; i < tasks; ++i) {
    system.tasks.push_back(any_task(family, system, reservation, tasks, dice));
    system.tasks.back().name = "task" + std::to_string(i);
  }
  while (family.best_effort && system.tasks.size() < 7 && dice.percent(15)) {
    Task task;
    task.name = "background" + std::to_string(system.tasks.size());
    task.arrival = Arrival::best_effort;
    Family background = family;
    background.ideal = family.ideal && dice.percent(50);
    set_work(task, dice.between(1, 4), background, system.platform.gpu, dice);
    place(task, system, dice);
    const bool has_blocks = std::holds_alternative<KernelSegment>(task.work.nodes.front().segment);
    task.preemptible = (has_blocks || task.longest_block) && dice.percent(30);
    system.tasks.push_back(std::move(task));
  }
  if (family.strategy == "sm-cores") give_windows(system, family, reservation, dice);
  set_priorities(system, dice);
  if (family.distinct_deadlines) make_deadlines_distinct(system);
  add_engine(system, family, dice);
  return system;
}

/// Short best-effort work, much of it: its first releases keep the engine busy.
void add_crowd(System& system, Dice& dice) {
  for (std::int64_t left = dice.between(2, 5); left > 0; --left) {
    Task task;
    task.name = "crowd" + std::to_string(system.tasks.size());
    task.arrival = Arrival::best_effort;
    const Duration time = dice.percent(50) ? Duration{1} : units(1);
    task.work.nodes.push_back({.name = {}, .segment = ExclusiveSegment{Interval::exactly(time)}});
    place(task, system, dice);
    system.tasks.push_back(std::move(task));
  }
}

}  // namespace

System random_system(const Family& family, Dice& dice) {
  System system = launched_system(family, dice);
  Dice aside{Dice{dice}.bits(), 2};  // separate draws, so that systems without these do not change
  if (family.overheads && family.dispatch && aside.percent(30)) choose_dispatch(system, aside);
  const bool is_whole = family.strategy != "as-submitted" && family.strategy != "graph" && !family.by_node &&
                        family.strategy != "federated";
  const bool may_crowd = is_whole && family.best_effort && !family.distinct_deadlines;
  if (may_crowd && has_engine_time(system) && aside.percent(10)) add_crowd(system, aside);
  return system;
}

bool change_a_number(System& system, const Family& family, Dice& dice, bool harder) {
  // Avoids huge hyperperiods, which some tests unroll.
  const bool whole = !family.sporadic || dice.percent(70);
  // A miss can be confirmed only where demand exceeds supply by more than the nanoseconds of "just before".
  const std::int64_t least = family.distinct_deadlines ? 10 : 1;
  const Duration step = whole ? units(1) : Duration{dice.pick<std::int64_t>({least, 10, 100, 500})};
  if (system.policy.reservations && dice.percent(20)) return change_window(system, dice, harder, step);
  if (has_engine_time(system) && dice.percent(20)) return change_engine(system, dice, harder, step);
  Task& task = system.tasks[dice.index(system.tasks.size())];
  if (family.strategy == "federated" || family.strategy == "graph") {
    return change_chain(task, dice, harder, step);
  }
  return change_task(task, dice, harder, step);
}

std::optional<System> borderline_system(const analysis::Analysis& analysis, const Family& family,
                                        Wanted wanted, Dice& dice) {
  const Verdict sought = wanted == Wanted::accepted ? Verdict::schedulable : Verdict::unschedulable;
  const auto fits = [&](const System& system) {
    return validate(system).empty() && verdict_of(analysis, system) == sought &&
           (!family.distinct_deadlines || are_deadlines_apart(system));
  };
  System system = random_system(family, dice);
  const bool towards_edge = wanted == Wanted::accepted;  // harder, as long as it is accepted
  constexpr int attempts_to_fit = 8;
  for (int attempt = 0; !fits(system); ++attempt) {
    if (attempt == attempts_to_fit || !change_a_number(system, family, dice, !towards_edge))
      return std::nullopt;
  }
  constexpr int steps_to_edge = 24;
  for (int step = 0; step < steps_to_edge; ++step) {
    System changed = system;
    if (!change_a_number(changed, family, dice, towards_edge)) continue;
    if (family.distinct_deadlines) make_deadlines_distinct(changed);
    if (fits(changed)) system = std::move(changed);
  }
  return system;
}

}  // namespace tactus::falsify
