#include "support/any_system.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "support/dice.hpp"
#include "support/effect_chain_systems.hpp"
#include "tactus/model/core_times.hpp"
#include "tactus/model/dispatch.hpp"
#include "tactus/model/limits.hpp"
#include "tactus/model/presets.hpp"

namespace tactus::test {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

// --- Values -----------------------------------------------------------------------------------------------

/// Of any size, often with few digits.
std::int64_t any_count(Dice& dice, std::int64_t most) {
  const std::int64_t unit = dice.pick({1, 1'000, 1'000'000, 1'000'000'000});
  switch (dice.between(0, 3)) {
    case 0:
      return std::min(most, dice.between(0, 50) * unit);
    case 1:
      return std::min(most, dice.between(0, 9'999) * (unit / 10 + 1));
    case 2:
      return dice.between(0, std::min<std::int64_t>(most, 1'000'000'000'000));
    default:
      return dice.between(0, most);
  }
}

Duration any_duration(Dice& dice, Duration most = Duration::max()) {
  return Duration{any_count(dice, most.count())};
}

Duration positive_duration(Dice& dice, Duration most = Duration::max()) {
  return std::max(Duration{1}, any_duration(dice, most));
}

Interval any_interval(Dice& dice, bool takes_time) {
  const Duration worst = takes_time ? positive_duration(dice) : any_duration(dice);
  if (dice.percent(60)) return Interval::exactly(worst);
  const Duration best = any_duration(dice, worst);
  return {takes_time ? std::max(best, Duration{1}) : best, worst};
}

std::string utf8(char32_t code) {
  const auto byte = [](char32_t bits) { return static_cast<char>(static_cast<unsigned char>(bits)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xc0 | (code >> 6U)), byte(0x80 | (code & 0x3fU))};
  if (code < 0x10000) {
    return {byte(0xe0 | (code >> 12U)), byte(0x80 | ((code >> 6U) & 0x3fU)), byte(0x80 | (code & 0x3fU))};
  }
  return {byte(0xf0 | (code >> 18U)), byte(0x80 | ((code >> 12U) & 0x3fU)),
          byte(0x80 | ((code >> 6U) & 0x3fU)), byte(0x80 | (code & 0x3fU))};
}

char32_t any_character(Dice& dice) {
  const auto between = [&](std::int64_t least, std::int64_t most) {
    return static_cast<char32_t>(dice.between(least, most));
  };
  switch (dice.between(0, 5)) {
    case 0:
      return between('a', 'z');
    case 1:
    case 2:
      return between(' ', '~');
    case 3:
      return between(0xa0, 0xd7ff);
    case 4:
      return dice.pick<char32_t>({0xfeff, 0x2028, 0x2029, 0x3000, 0xfffd, 0x10ffff, 0xa0});
    default:
      return between(0xe000, 0x10ffff);
  }
}

std::string any_name(Dice& dice) {
  constexpr std::array<const char*, 40> special{
      "null", "~",     "true", "yes", "NO",   "12",  "1.5", "0x1f", "1ms",    "-",
      "- a",  "a: b",  "a:b",  ": ",  "a #b", "#",   "'",   "\"",   "\\",     "\\n",
      "a\"b", "don't", "*a",   "&a",  "!tag", "|",   ">",   "[a]",  "{a: b}", "a, b",
      "%x",   "@x",    "`x`",  " a",  "a ",   "   ", "---", "...",  "?",      "? a"};
  const std::int64_t roll = dice.between(1, 100);
  if (roll <= 40) return "task" + std::to_string(dice.between(0, 99));
  if (roll <= 70) return special.at(static_cast<std::size_t>(dice.between(0, std::ssize(special) - 1)));
  std::string name;
  if (roll == 71) {  // as long as names get, and longer still when written
    for (std::size_t i = 0; i < limits::name_characters; ++i) name += utf8(0xfeff);
    return name;
  }
  const std::int64_t length = roll <= 80 ? dice.between(1, 200) : dice.between(1, 8);
  for (std::int64_t i = 0; i < length; ++i) name += utf8(any_character(dice));
  return name;
}

/// A name nobody has yet.
std::string new_name(Dice& dice, std::unordered_set<std::string>& taken) {
  std::string name = any_name(dice);
  while (!taken.insert(name).second) name = any_name(dice);
  return name;
}

// --- Platform ---------------------------------------------------------------------------------------------

std::int32_t within(Dice& dice, Range range, std::int64_t usual) {
  const std::int64_t most = dice.percent(80) ? std::min(range.max, usual) : range.max;
  return static_cast<std::int32_t>(dice.between(range.min, most));
}

void change_gpu(Dice& dice, Gpu& gpu, std::int64_t chance) {
  const auto change = [&](std::int32_t& field, Range range, std::int64_t usual) {
    if (dice.percent(chance)) field = within(dice, range, usual);
  };
  change(gpu.sms, limits::sms, 8);
  change(gpu.warp, limits::warp, 64);
  change(gpu.threads_per_sm, limits::threads_per_sm, 4096);
  gpu.threads_per_sm = std::max(gpu.threads_per_sm, gpu.warp);
  change(gpu.blocks_per_sm, limits::blocks_per_sm, 64);
  change(gpu.priority_levels, limits::priority_levels, 6);
  change(gpu.copy_engines, limits::copy_engines, 3);
  change(gpu.virtual_sms_per_sm, limits::virtual_sms_per_sm, 4);
  if (dice.percent(chance)) {
    gpu.shared_memory_per_sm = any_count(dice, limits::shared_memory_per_sm.max);
  }
  if (dice.percent(chance)) gpu.registers_per_sm = any_count(dice, limits::registers_per_sm.max);
  change(gpu.register_files, limits::register_files, 4);
  if (dice.percent(chance)) gpu.register_unit = dice.between(1, 256);
  if (dice.percent(chance)) gpu.shared_memory_unit = dice.between(1, 256);
  const std::int64_t most = gpu.shared_memory_per_sm - gpu.shared_memory_per_sm % gpu.shared_memory_unit;
  if (dice.percent(chance)) gpu.shared_memory_reserved = dice.between(0, most);
  gpu.shared_memory_reserved = std::min(gpu.shared_memory_reserved, most);
  if (dice.percent(chance)) {
    gpu.sm_choice =
        dice.pick({SmChoice::most_free, SmChoice::first_fit, SmChoice::best_fit, SmChoice::round_robin});
  }
  if (dice.percent(60)) gpu.copy_bandwidth = std::max<std::int64_t>(1, any_count(dice, largest));
  if (gpu.copy_bandwidth && dice.percent(30)) {
    gpu.copy_chunk = std::max<std::int64_t>(1, any_count(dice, largest));
  }
}

Platform any_platform(Dice& dice) {
  Platform platform;
  const bool has_base = dice.percent(60);
  if (has_base) {
    const auto index = static_cast<std::size_t>(dice.between(0, std::ssize(presets()) - 1));
    platform = presets()[index].platform;
    if (dice.percent(30)) return platform;
  }
  change_gpu(dice, platform.gpu, has_base ? 20 : 60);
  if (dice.percent(50)) {
    platform.clusters.clear();
    for (std::int64_t left = dice.between(1, 3); left > 0; --left) {
      platform.clusters.push_back(dice.small(1, 20'000));
    }
  }
  for (Duration* overhead :
       {&platform.overheads.release, &platform.overheads.launch, &platform.overheads.completion,
        &platform.overheads.copy, &platform.overheads.cpu, &platform.overheads.engine.event,
        &platform.overheads.engine.submit}) {
    if (dice.percent(30)) *overhead = any_duration(dice);
  }
  if (dice.percent(30)) platform.overheads.resident = {any_duration(dice), any_duration(dice)};
  if (dice.percent(30)) platform.overheads.doorbell = {any_duration(dice), any_duration(dice)};
  return platform;
}

// --- Policy -----------------------------------------------------------------------------------------------

Reservations any_reservations(Dice& dice) {
  Reservations reservations;
  reservations.period = std::max(Duration{2}, any_duration(dice));
  const std::int64_t period = reservations.period.count();
  // Two disjoint windows: [a, b) and [c, d) with a < b <= c < d.
  std::array<std::int64_t, 4> edges{dice.between(0, period), dice.between(0, period), dice.between(0, period),
                                    dice.between(0, period)};
  if (dice.percent(50)) edges = {0, dice.between(1, period - 1), 0, period};
  if (dice.percent(50) && edges[2] == 0) edges[2] = edges[1];
  std::sort(edges.begin(), edges.end());
  const auto window = [&](std::int64_t begin, std::int64_t end) -> std::optional<Window> {
    if (begin == end) return std::nullopt;
    return Window{.offset = Duration{begin}, .budget = Duration{end - begin}};
  };
  reservations.local = window(edges[0], edges[1]);
  reservations.all = window(edges[2], edges[3]);
  if (dice.percent(50)) std::swap(reservations.local, reservations.all);
  return reservations;
}

Policy any_policy(Dice& dice, const Gpu& gpu) {
  Policy policy;
  policy.strategy = dice.pick({strategy_named("as-submitted"), strategy_named("single-stream"),
                               strategy_named("multi-stream"), strategy_named("sm-cores"),
                               strategy_named("federated"), strategy_named("graph")});
  policy.order = dice.pick({Order::edf, Order::fp});
  if (policy.strategy == strategy_named("federated")) policy.order = Order::fp;
  if (policy.strategy == strategy_named("graph"))
    policy.order = dice.pick({Order::edf, Order::fair_lateness});
  policy.levels = dice.percent(50) ? gpu.priority_levels : dice.small(1, gpu.priority_levels);
  policy.refill = dice.pick({Refill::lazy, Refill::immediate});
  if (dice.percent(40)) policy.sm_group = dice.small(1, gpu.sms);
  if (dice.percent(60)) policy.reservations = any_reservations(dice);
  if (dice.percent(40)) {
    policy.cpu = {.order = {},
                  .scope = dice.pick({CpuScope::partitioned, CpuScope::global, CpuScope::clustered}),
                  .preemptive = dice.percent(70)};
    if (dice.percent(70)) policy.cpu->order = dice.pick({Order::edf, Order::fp, Order::fair_lateness});
  }
  if (dice.percent(40)) policy.copies = dice.pick({CopyOrder::fp, CopyOrder::edf, CopyOrder::fifo});
  policy.clusters = dice.pick({ClusterMode::global, ClusterMode::per_cluster});
  policy.early_release = dice.percent(50);
  policy.parallel_jobs = dice.percent(50);
  if (policy.strategy->times_nodes) {
    // Only what has its default can be left out.
    policy.open = {.order = policy.order == Order::edf && dice.percent(50),
                   .clusters = policy.clusters == ClusterMode::global && dice.percent(50),
                   .parallel_jobs = policy.parallel_jobs && dice.percent(50)};
  }
  return policy;
}

bool needs_gpu(const Work& work) {
  return std::any_of(work.nodes.begin(), work.nodes.end(), [](const Node& node) {
    return !std::holds_alternative<CpuSegment>(node.segment) &&
           !std::holds_alternative<CopySegment>(node.segment);
  });
}

void set_virtual_sms(Dice& dice, System& system) {
  if (dice.percent(60)) return;
  system.virtual_sms.resize(system.tasks.size());
  std::int64_t left = system.platform.gpu.sms;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const bool needs_some = needs_gpu(system.tasks[i].work);
    if (dice.percent(30) || (needs_some && left == 0)) continue;
    const std::int64_t sms = dice.between(needs_some ? 1 : 0, std::min<std::int64_t>(left, 5));
    system.virtual_sms[i] = sms * system.platform.gpu.virtual_sms_per_sm;
    left -= sms;
  }
}

// --- Tasks ------------------------------------------------------------------------------------------------

Segment any_copy(Dice& dice, const Gpu& gpu, bool takes_time) {
  CopySegment copy;
  copy.time = any_interval(dice, takes_time);
  if (!gpu.copy_bandwidth || dice.percent(50)) return copy;
  const std::int64_t bytes = std::max<std::int64_t>(takes_time ? 1 : 0, any_count(dice, largest));
  const std::optional<Duration> time = copy_time(bytes, *gpu.copy_bandwidth);
  if (!time) return copy;
  if (gpu.copy_chunk && bytes / *gpu.copy_chunk >= limits::chunks_of.max) return copy;
  copy.time = Interval::exactly(*time);
  copy.bytes = bytes;
  copy.direction =
      dice.pick({CopyDirection::unspecified, CopyDirection::to_device, CopyDirection::from_device});
  return copy;
}

Segment any_gpu_work(Dice& dice, bool takes_time) {
  GpuSegment segment;
  segment.work = any_interval(dice, takes_time);
  if (dice.percent(60)) {
    segment.overhead.worst = any_duration(dice, segment.work.worst);
    segment.overhead.best =
        dice.percent(50) ? segment.overhead.worst : any_duration(dice, segment.overhead.worst);
  }
  if (dice.percent(60)) {
    const std::int64_t denominator = dice.pick({1, 2, 5, 8, 100, 1'000'000'000});
    segment.interleave = Rational{dice.between(denominator, 3 * denominator), denominator};
  }
  return segment;
}

Segment any_kernel(Dice& dice, const Gpu& gpu, bool takes_time) {
  KernelSegment kernel;
  kernel.grid = {dice.between(1, 1'000), 1, 1};
  if (dice.percent(30)) kernel.grid = {dice.between(1, 4), dice.between(1, 3), dice.between(1, 2)};
  if (dice.percent(5)) kernel.grid = {limits::grid[0].max, limits::grid[1].max, limits::grid[2].max};
  kernel.block = dice.between(
      1, std::min(limits::threads_per_block.max, std::int64_t{gpu.threads_per_sm} / gpu.warp * gpu.warp));
  kernel.block_time = any_interval(dice, takes_time);
  if (dice.percent(40)) kernel.shared_memory = dice.between(0, gpu.shared_memory_per_sm);
  if (dice.percent(40)) kernel.registers = dice.between(0, gpu.registers_per_sm);
  const auto fits = [&] { return blocks_per_sm(block_demand(kernel, gpu), gpu) > 0; };
  if (kernel.registers < kernel.block || !fits()) kernel.registers = 0;
  if (!fits()) kernel.shared_memory = 0;
  return kernel;
}

Segment any_segment(Dice& dice, const Gpu& gpu, bool alone, bool takes_time) {
  switch (dice.between(gpu.parts_per_sm > 1 ? 2 : 0, alone ? 1 : 4)) {
    case 0:
      return ExclusiveSegment{any_interval(dice, takes_time)};
    case 1:
      return any_kernel(dice, gpu, takes_time);
    case 2:
      return CpuSegment{any_interval(dice, takes_time)};
    case 3:
      return any_copy(dice, gpu, takes_time);
    default:
      return any_gpu_work(dice, takes_time);
  }
}

/// Some nodes that stand together become the parts of a coarse one, with names or numbers.
void make_parts(Dice& dice, Work& work) {
  for (std::size_t first = 0; first < work.nodes.size();) {
    const auto count = static_cast<std::size_t>(dice.between(1, 3));
    const std::size_t behind = std::min(work.nodes.size(), first + count);
    const bool are_numbered = dice.percent(50);
    if (dice.percent(40)) {
      const std::string coarse = "coarse" + std::to_string(first);
      for (std::size_t node = first; node < behind; ++node) {
        std::string part = are_numbered ? std::to_string(node - first) : work.nodes[node].name;
        std::erase(part, '.');
        if (part.empty() || part.size() > 150) part = "part" + std::to_string(node);
        work.nodes[node].name = coarse + "." + part;
        work.nodes[node].part_of = coarse;
      }
    }
    first = behind;
  }
}

Work any_work(Dice& dice, const Gpu& gpu, bool takes_time) {
  Work work;
  work.form = gpu.parts_per_sm > 1 ? dice.pick({WorkForm::chain, WorkForm::graph})
                                   : dice.pick({WorkForm::single, WorkForm::chain, WorkForm::graph});
  std::unordered_set<std::string> names;
  const std::int64_t size = work.form == WorkForm::single ? 1 : dice.between(1, 5);
  for (std::int64_t i = 0; i < size; ++i) {
    Node node;
    if (work.form == WorkForm::graph) node.name = new_name(dice, names);
    node.segment = any_segment(dice, gpu, work.form == WorkForm::single, takes_time);
    work.nodes.push_back(std::move(node));
  }
  if (work.form != WorkForm::graph) return work;
  make_parts(dice, work);
  const auto are_of_one = [&](std::size_t a, std::size_t b) {
    return !work.nodes[a].part_of.empty() && work.nodes[a].part_of == work.nodes[b].part_of;
  };
  for (std::size_t to = 1; to < work.nodes.size(); ++to) {
    for (std::size_t from = 0; from < to; ++from) {
      const bool is_chained = from + 1 == to && are_of_one(from, to);
      if (!is_chained && dice.percent(40)) work.edges.push_back({.from = from, .to = to});
    }
  }
  for (std::size_t to = 1; to < work.nodes.size(); ++to) {
    if (are_of_one(to - 1, to)) work.edges.push_back({.from = to - 1, .to = to});
  }
  return work;
}

void set_arrival(Dice& dice, Task& task) {
  task.arrival = dice.pick({Arrival::periodic, Arrival::sporadic, Arrival::once, Arrival::best_effort});
  if (repeats(task)) {
    task.period = positive_duration(dice);
    task.deadline = dice.percent(50) ? *task.period : positive_duration(dice);
  } else if (task.arrival == Arrival::once && dice.percent(50)) {
    task.deadline = positive_duration(dice);
  }
  if (dice.percent(40)) task.offset = any_duration(dice);
  if (task.arrival != Arrival::best_effort && dice.percent(40)) task.jitter = any_duration(dice);
}

std::optional<Duration> any_longest_block(Dice& dice, const Work& work) {
  std::optional<Duration> longest;
  for (const Node& node : work.nodes) {
    if (const auto* exclusive = std::get_if<ExclusiveSegment>(&node.segment)) {
      longest = std::max(longest.value_or(Duration{}), exclusive->time.worst);
    }
  }
  if (!longest || dice.percent(30)) return std::nullopt;
  return any_duration(dice, *longest);
}

/// A delay of at most `most`, now and then.
std::optional<Duration> any_delay(Dice& dice, Duration most) {
  if (dice.percent(50)) return std::nullopt;
  return any_duration(dice, most);
}

/// GPU work under `federated` takes what it takes on its virtual SMs, which are known only now.
void fit_scripts(System& system) {
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    for (ScriptedJob& job : system.tasks[task].jobs) {
      for (std::size_t i = 0; i < job.times.size(); ++i) {
        if (!std::holds_alternative<GpuSegment>(system.tasks[task].work.nodes[i].segment)) continue;
        try {
          const Interval range = execution_time(system, task, i);
          job.times[i] = std::clamp(job.times[i], range.best, range.worst);
        } catch (const OverflowError&) {
          continue;  // then any time is valid
        }
      }
    }
  }
}

std::vector<ScriptedJob> any_jobs(Dice& dice, const Task& task, const Overheads& overheads) {
  std::vector<ScriptedJob> jobs;
  if (dice.percent(60)) return jobs;
  const std::int64_t most = task.arrival == Arrival::once ? 1 : 4;
  Time earliest = time_at(task.offset);
  for (std::int64_t left = dice.between(1, most); left > 0; --left) {
    ScriptedJob job;
    if (task.arrival == Arrival::sporadic) {
      job.release = saturating_add(earliest, any_duration(dice, Duration{1'000'000'000}));
      earliest = saturating_add(*job.release, *task.period);
    }
    job.late = any_delay(dice, saturating_add(time_at(task.jitter), overheads.release).time_since_epoch());
    if (task.arrival == Arrival::best_effort && !jobs.empty()) job.late.reset();
    job.launch = any_delay(dice, overheads.launch);
    job.completion = any_delay(dice, overheads.completion);
    job.cpu = any_delay(dice, overheads.cpu);
    if (dice.percent(60)) {
      for (const Node& node : task.work.nodes) {
        const Interval range = drawn_time(node.segment);
        job.times.push_back(dice.duration(range.best.count(), range.worst.count()));
      }
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

/// A core, or the last part of the work.
void leave_open(Dice& dice, const Gpu& gpu, Task& task) {
  if (dice.percent(10)) {
    task.any_core = true;
    task.core = 0;
  }
  const bool may_have_variants =
      task.work.form != WorkForm::single && task.arrival != Arrival::best_effort && task.jobs.empty();
  if (!may_have_variants || dice.percent(70)) return;
  const std::size_t last = task.work.nodes.size() - 1;
  task.work.nodes[last].core.reset();  // a part with variants has none of its own
  WorkChoice choice{.node = last, .variants = {{task.work.nodes[last].segment}}};
  for (std::int64_t left = dice.between(1, 3); left > 0; --left) {
    std::vector<Segment>& variant = choice.variants.emplace_back();
    const std::int64_t size = task.work.form == WorkForm::graph ? 1 : dice.between(1, 3);
    for (std::int64_t i = 0; i < size; ++i) variant.push_back(any_segment(dice, gpu, false, false));
  }
  task.choices.push_back(std::move(choice));
}

/// What a segment takes on each of the cores that it may get.
std::vector<CoreTime> any_core_times(Dice& dice, std::int32_t cores, bool takes_time) {
  std::vector<CoreTime> times;
  for (std::int32_t first = 0; first < cores;) {
    const std::int32_t count = dice.small(1, cores - first);
    times.push_back({{first, count}, any_interval(dice, takes_time)});
    first += count;
  }
  return times;
}

/// Cores of single segments, and CPU work that takes another time on each core.
void set_places(Dice& dice, const System& system, Task& task) {
  const auto cores = static_cast<std::int32_t>(system.platform.cpus());
  if (task.work.form == WorkForm::single) return;
  for (Node& node : task.work.nodes) {
    auto* cpu = std::get_if<CpuSegment>(&node.segment);
    if (cpu == nullptr || dice.percent(60)) continue;
    if (task.wait != Waiting::busy && dice.percent(50)) node.core = dice.small(0, cores - 1);
    if (dice.percent(50)) continue;
    cpu->by_core = any_core_times(dice, cores, task.arrival == Arrival::best_effort);
    cpu->time = *time_on(*cpu, cores_of(system, task, node));
  }
}

/// Anything but a launch, where the task may have it.
void set_dispatch(Dice& dice, Task& task) {
  const auto of_gpu = std::count_if(task.work.nodes.begin(), task.work.nodes.end(), [](const Node& node) {
    return server_of(node.segment) == ServerKind::gpu;
  });
  const bool has_own_sms = std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                                       [](const Node& node) { return node.virtual_sms.has_value(); });
  const bool in_turn = task.work.form == WorkForm::chain && !has_own_sms;
  if (of_gpu == 0 || (of_gpu > 1 && !in_turn)) return;
  if (task.arrival == Arrival::best_effort || dice.percent(50)) return;
  task.dispatch = Dispatch::doorbell;
  const bool may_stay = task.work.nodes.size() == 1 && task.arrival == Arrival::periodic && !task.budget;
  if (!may_stay || dice.percent(50)) return;
  task.dispatch = Dispatch::resident;
  if (task.deadline > task.period) task.on_miss = OnMiss::proceed;
}

/// One call at a time.
bool may_have_launcher(const System& system, const Task& task) {
  const auto parts = std::count_if(task.work.nodes.begin(), task.work.nodes.end(), [](const Node& node) {
    return server_of(node.segment) == ServerKind::gpu;
  });
  if (parts != 1 || !task.enqueue || !task.period) return parts == 1;
  return task.jitter <= *task.period / 4 && *task.enqueue <= *task.period / 4 &&
         system.platform.overheads.release <= *task.period / 4;
}

Task any_task(Dice& dice, const System& system) {
  const Gpu& gpu = system.platform.gpu;
  Task task;
  set_arrival(dice, task);
  task.work = any_work(dice, gpu, task.arrival == Arrival::best_effort);
  if (dice.percent(50)) task.priority = any_count(dice, largest);
  const std::int64_t cores = system.platform.cpus();
  if (dice.percent(50)) task.core = static_cast<std::int32_t>(dice.between(0, cores - 1));
  const CpuPolicy cpu = cpu_policy(system.policy);
  if (cpu.preemptive && cpu.scope == CpuScope::partitioned && dice.percent(30)) task.wait = Waiting::busy;
  set_places(dice, system, task);
  task.sm.kind = dice.pick({SmAffinity::Kind::all, SmAffinity::Kind::any, SmAffinity::Kind::one});
  if (task.sm.kind == SmAffinity::Kind::one) {
    task.sm.core = dice.small(0, gpu.sms / system.policy.sm_group - 1);
  }
  task.longest_block = any_longest_block(dice, task.work);
  if (dice.percent(30)) task.stream = any_name(dice);
  task.stream_priority = -dice.small(0, gpu.priority_levels - 1);
  if (dice.percent(30)) task.budget = positive_duration(dice);
  task.on_overrun =
      dice.pick({OnOverrun::proceed, OnOverrun::skip_next, OnOverrun::abort, OnOverrun::demote});
  task.on_miss = dice.pick({OnMiss::proceed, OnMiss::skip_next, OnMiss::stop});
  if (dice.percent(30)) task.enqueue = any_duration(dice);
  set_dispatch(dice, task);
  if (task.dispatch == Dispatch::launch && may_have_launcher(system, task)) task.launcher = dice.percent(20);
  task.jobs = any_jobs(dice, task, dispatch_overheads(system, task));
  leave_open(dice, gpu, task);
  return task;
}

}  // namespace

System any_system(std::uint64_t seed) {
  Dice dice{seed};
  System system;
  system.name = any_name(dice);
  system.platform = any_platform(dice);
  system.policy = any_policy(dice, system.platform.gpu);
  if (system.policy.strategy == strategy_named("federated") && dice.percent(30)) {
    system.platform.gpu.parts_per_sm = std::gcd(system.platform.gpu.sms, dice.small(2, 32));
  }
  std::unordered_set<std::string> names;
  for (std::int64_t left = dice.between(1, 6); left > 0; --left) {
    Task task = any_task(dice, system);
    task.name = new_name(dice, names);
    system.tasks.push_back(std::move(task));
  }
  set_virtual_sms(dice, system);
  fit_scripts(system);
  if (dice.percent(40)) {
    add_chains(system, dice);
    for (EffectChain& chain : system.chains) chain.name = new_name(dice, names);
  }
  set_core_times(system);
  return system;
}

}  // namespace tactus::test
