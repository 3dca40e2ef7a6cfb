// The executive when things go wrong: completions that come late, twice or never, failures, overruns, a clock
// that jumps, a stop at any instant. No job is lost or run twice, no block leaves its window, a stop always
// ends the run, and the same seed gives the same run. Among the tasks are some that are rung, that the device
// releases, that have a launcher, or whose work is captured.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/by_node_systems.hpp"
#include "support/effort.hpp"
#include "support/event_log.hpp"
#include "support/faulty_device.hpp"
#include "support/federated_systems.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "support/recording.hpp"
#include "tactus/falsify/borderline_systems.hpp"
#include "tactus/model/dispatch.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/runtime/executive.hpp"
#include "tactus/sched/windows.hpp"

namespace tactus::test {
namespace {

/// A schedule in which things go wrong.
struct Trial {
  Scenario declared;
  System truth;  // what really runs
  Faults faults;
  std::vector<bool> captured;               // of each task
  std::optional<std::uint64_t> stop_after;  // steps
};

bool device_releases(const Trial& trial, TaskIndex task) {
  return trial.faults.releases_jobs && is_resident(trial.declared.system, trial.declared.system.tasks[task]);
}

/// Some tasks take longer than they say.
System with_overruns(System system, Dice& dice) {
  for (Task& task : system.tasks) {
    if (!dice.percent(30) || !task.jobs.empty()) continue;
    for (Node& node : task.work.nodes) {
      Interval& time = drawn_time(node.segment);
      // What can take no time is not issued at all.
      if (time.worst > Duration{}) time.worst += dice.duration(1, 20);
    }
  }
  return system;
}

void add_reactions(System& system, Dice& dice) {
  for (Task& task : system.tasks) {
    const bool is_resident = task.dispatch == Dispatch::resident;
    if (dice.percent(40) && !is_resident) {
      task.budget = dice.duration(1, 25);
      task.on_overrun =
          dice.pick({OnOverrun::proceed, OnOverrun::skip_next, OnOverrun::abort, OnOverrun::demote});
    }
    if (dice.percent(30)) task.on_miss = dice.pick({OnMiss::proceed, OnMiss::skip_next});
    if (is_resident && task.deadline > task.period) task.on_miss = OnMiss::proceed;
    if (dice.percent(1)) task.on_miss = OnMiss::stop;
  }
}

/// Longer than anything takes that is not lost.
Duration patience_with(const System& truth) {
  Duration longest{};
  for (const Task& task : truth.tasks) {
    for (const Node& node : task.work.nodes) longest = std::max(longest, drawn_time(node.segment).worst);
  }
  const Overheads& added = truth.platform.overheads;
  const Duration of_engine = added.engine.event + added.engine.submit;  // for each of many jobs that wait
  return nanoseconds(1000) + 60 * (longest + of_engine) + added.launch + added.completion + added.copy +
         added.cpu;
}

Scenario whole_jobs_scenario(std::uint64_t seed) {
  if (seed % 7 == 1) return with_resident_tasks(federated_scenario(seed), seed);
  if (seed % 3 == 0) return mixed_scenario(seed);
  return seed % 3 == 1 ? federated_scenario(seed) : strategy_scenario(seed);
}

/// Graphs whose nodes have releases and priority points of their own, and whose jobs overlap.
Scenario graphs_scenario(std::uint64_t seed) {
  falsify::Dice dice{seed, 0};
  Scenario scenario;
  scenario.system = falsify::random_system({.strategy = "graph",
                                            .order = seed % 2 == 0 ? Order::edf : Order::fair_lateness,
                                            .dispatch = false,
                                            .best_effort = false},
                                           dice);
  scenario.options.seed = seed;
  scenario.options.execution = seed % 3 == 0 ? Execution::worst : Execution::random;
  scenario.options.horizon = std::chrono::microseconds{100};
  scenario.options.max_pending = 64;
  return scenario;
}

/// Chains and graphs, with work that waits where they have SMs of their own.
Scenario nodes_scenario(std::uint64_t seed) {
  Scenario scenario = by_node_scenario(seed);
  if (scenario.system.policy.strategy->sms != SmSharing::owned || seed % 2 == 0) return scenario;
  Scenario waiting = with_resident_tasks(scenario, seed);
  return validate(waiting.system).empty() ? waiting : scenario;
}

Trial make_trial(std::uint64_t seed, Scenario declared) {
  Dice dice{seed ^ 0x5eedU};
  Trial trial;
  trial.declared = std::move(declared);
  std::optional<Duration>& horizon = trial.declared.options.horizon;
  const bool times_nodes = trial.declared.system.policy.strategy->times_nodes;
  if (!times_nodes) horizon = std::min(horizon.value_or(nanoseconds(1000)), nanoseconds(5000));
  if (dice.percent(40)) trial.declared.options.max_pending = static_cast<std::uint32_t>(dice.between(1, 12));
  add_reactions(trial.declared.system, dice);
  if (seed % 2 == 0) trial.declared = with_max_jobs(std::move(trial.declared), seed);
  for (Task& task : trial.declared.system.tasks) {
    if (times_nodes && task.on_overrun == OnOverrun::demote) task.on_overrun = OnOverrun::abort;
    if (times_nodes || !uses_gpu(task.work) || task.dispatch != Dispatch::launch || !dice.percent(15)) {
      continue;
    }
    task.launcher = true;
    task.enqueue = dice.duration(0, 20);
  }
  if (seed % 5 == 0)
    trial.declared.system.platform.overheads.engine = {dice.duration(0, 2), dice.duration(1, 4)};
  trial.truth = dice.percent(50) ? with_overruns(trial.declared.system, dice) : trial.declared.system;
  trial.faults.seed = dice.bits();
  if (dice.percent(60)) trial.faults.late = static_cast<std::uint64_t>(dice.between(1, 300));
  if (dice.percent(60)) trial.faults.twice = static_cast<std::uint64_t>(dice.between(1, 500));
  if (dice.percent(15)) {
    trial.faults.lost = static_cast<std::uint64_t>(dice.between(1, 30));
    // Time enough to notice, where that is not too long for a test.
    const Duration patience = patience_with(trial.truth);
    if (times_nodes || patience < nanoseconds(5000)) *horizon += 2 * patience;
  }
  if (dice.percent(15)) trial.faults.fails = static_cast<std::uint64_t>(dice.between(1, 30));
  if (dice.percent(40)) trial.faults.clock_jumps = static_cast<std::uint64_t>(dice.between(1, 200));
  if (dice.percent(20)) trial.stop_after = static_cast<std::uint64_t>(dice.between(0, 200));
  trial.faults.releases_jobs = dice.percent(50);
  const std::int64_t captured = dice.percent(30) ? 40 : 0;
  for (const Task& task : trial.declared.system.tasks) {
    trial.captured.push_back(uses_gpu(task.work) && dice.percent(captured));
  }
  return trial;
}

struct Result {
  runtime::Outcome outcome;
  std::vector<FaultyDevice::Record> records;
  int captures = 0;
  Recording recording;
  std::vector<EventLog::Entry> log;
  std::uint64_t injected = 0;
  bool lost = false;
  bool failed = false;
  bool ended = false;
  bool shares_place = false;
  Time lost_at = never;
  Time last_told{};
  bool watches_misses = false;
  std::vector<trace::JobName> misses;  // as told at once
};

/// Work that is captured: nothing calls it but the device, before the run.
device::Bindings capture(const Trial& trial, int& calls) {
  device::Bindings bindings;
  for (TaskIndex task = 0; task < trial.truth.tasks.size(); ++task) {
    std::vector<device::Binding>& of_task = bindings.emplace_back();
    for (const Node& node : trial.truth.tasks[task].work.nodes) {
      device::Binding& binding = of_task.emplace_back();
      if (!trial.captured[task] || server_of(node.segment) != ServerKind::gpu) continue;
      binding = {.kind = device::Binding::Kind::calls, .work = [&calls](Job&) { ++calls; }, .captured = true};
    }
  }
  return bindings;
}

Result run(const Trial& trial) {
  Result result;
  Recorder recorder{Recorder::Blocks::wanted};
  EventLog log;
  const std::array<trace::Observer*, 2> observers{&recorder, &log};
  const sim::SimulationOptions& simulation = trial.declared.options;
  FaultyDevice device{trial.faults, trial.truth, simulation.execution, simulation.seed};
  runtime::ExecutiveOptions options;
  options.horizon = simulation.horizon;
  options.seed = simulation.seed;
  options.execution = simulation.execution;
  options.max_pending = *simulation.max_pending;
  options.plays_overheads = true;
  options.quiet_before_release = nanoseconds(static_cast<std::int64_t>(simulation.seed % 4));
  options.watchdog = patience_with(trial.truth);
  result.watches_misses = simulation.seed % 2 == 0;
  if (result.watches_misses) {
    options.on_miss = [&result](const runtime::Incident& miss) { result.misses.push_back(miss.job); };
  }
  const device::Bindings bindings = capture(trial, result.captures);
  options.bindings = &bindings;
  runtime::Executive executive{trial.declared.system, device, options, observers};
  executive.start();
  constexpr std::uint64_t patience = 200'000;
  std::uint64_t steps = 0;
  bool goes_on = true;
  while (goes_on && steps < patience) {
    if (trial.stop_after && steps == *trial.stop_after) executive.stop();
    goes_on = executive.step();
    ++steps;
    if (trial.stop_after && steps > *trial.stop_after + 1) break;
  }
  result.ended = !goes_on;
  result.outcome = executive.finish();
  result.recording = recorder.recording;
  result.log = std::move(log.entries);
  result.records = device.records;
  result.injected = device.injected;
  result.lost = device.lost;
  result.failed = device.failed;
  result.shares_place = device.shares_place;
  result.lost_at = device.lost_at;
  result.last_told = device.last_told;
  return result;
}

using SegmentName = std::tuple<TaskIndex, std::uint64_t, std::uint32_t>;

/// What really happened to one segment.
struct Executed {
  std::vector<std::int64_t> blocks;
  Duration time{};  // on its lowest SM, its copy engine or its core
  Time end{};
};

std::map<SegmentName, Executed> executed_segments(const Recording& recording) {
  std::map<SegmentName, Executed> executed;
  std::map<std::tuple<SegmentName, std::int64_t, Time>, bool> counted;
  for (const trace::BlockRan& block : recording.blocks) {
    const SegmentName name{block.job.task, block.job.number, block.segment};
    Executed& segment = executed[name];
    segment.end = std::max(segment.end, block.end);
    // A slice of exclusive work is told once for each SM.
    if (!counted.emplace(std::tuple{name, block.block, block.start}, true).second) continue;
    segment.blocks.push_back(block.block);
    segment.time += block.end - block.start;
  }
  const auto add = [&](const trace::JobName& job, std::uint32_t index, Time start, Time end) {
    Executed& segment = executed[{job.task, job.number, index}];
    segment.blocks.push_back(0);
    segment.time += end - start;
    segment.end = std::max(segment.end, end);
  };
  for (const trace::CopyRan& copy : recording.copies) add(copy.job, copy.segment, copy.start, copy.end);
  for (const trace::CpuRan& cpu : recording.cpus) add(cpu.job, cpu.segment, cpu.start, cpu.end);
  return executed;
}

/// Every job that was released ends exactly once.
std::optional<std::string> lost_jobs(const Result& result) {
  std::map<trace::JobName, int> balance;
  for (const trace::JobReleased& released : result.recording.releases) ++balance[released.job];
  for (const trace::JobEnded& ended : result.recording.ends) --balance[ended.job];
  for (const auto& [job, left] : balance) {
    if (left != 0) {
      return "task " + std::to_string(job.task) + " job " + std::to_string(job.number) + ": " +
             std::to_string(left) + " more releases than ends";
    }
  }
  return std::nullopt;
}

/// A completed job did all of its work once and before its completion; no job did any of it twice.
std::optional<std::string> wrong_work(const Trial& trial, const Result& result) {
  const sched::Draws draws{trial.truth, trial.declared.options.seed, trial.declared.options.execution};
  std::map<SegmentName, Executed> executed = executed_segments(result.recording);
  for (const trace::JobEnded& ended : result.recording.ends) {
    const Task& task = trial.truth.tasks[ended.job.task];
    for (std::uint32_t i = 0; i < task.work.nodes.size(); ++i) {
      const std::string where = "task " + std::to_string(ended.job.task) + " job " +
                                std::to_string(ended.job.number) + " segment " + std::to_string(i) + ": ";
      const Executed& segment = executed[{ended.job.task, ended.job.number, i}];
      const bool completed = ended.completion != never;
      if (completed && segment.end > ended.completion) return where + "was still running at its completion";
      const auto* kernel = std::get_if<KernelSegment>(&task.work.nodes[i].segment);
      if (kernel != nullptr) {
        std::vector<std::int64_t> blocks = segment.blocks;
        std::sort(blocks.begin(), blocks.end());
        if (std::adjacent_find(blocks.begin(), blocks.end()) != blocks.end())
          return where + "a block ran twice";
        if (completed && static_cast<std::int64_t>(blocks.size()) != kernel->blocks()) {
          return where + "not all blocks ran";
        }
        continue;
      }
      const Duration length = draws.execution(ended.job.task, ended.job.number, i,
                                              execution_time(trial.truth, ended.job.task, i));
      const auto* copy = std::get_if<CopySegment>(&task.work.nodes[i].segment);
      const Platform& platform = trial.truth.platform;
      const std::int64_t pieces = copy == nullptr ? 0 : chunks_of(*copy, platform.gpu).count;
      const bool on_cpu = std::holds_alternative<CpuSegment>(task.work.nodes[i].segment);
      const Duration extra = on_cpu ? platform.overheads.cpu : platform.overheads.copy * pieces;
      if (segment.time > length + extra) return where + "ran longer than it takes";
      if (completed && segment.time < length) return where + "did not run to its end";
    }
  }
  return std::nullopt;
}

/// Jobs that the device releases end in their order. What it told of one is told, up to the end of the run.
std::optional<std::string> wrong_records(const Trial& trial, const Result& result) {
  std::map<trace::JobName, const FaultyDevice::Record*> records;
  std::map<TaskIndex, std::uint64_t> lost;
  for (const FaultyDevice::Record& record : result.records) {
    records[{record.job.task, record.job.number}] = &record;
    if (record.lost) ++lost[record.job.task];
  }
  std::map<TaskIndex, std::uint64_t> next;
  for (const trace::JobEnded& ended : result.recording.ends) {
    const auto& [task, number] = ended.job;
    if (!device_releases(trial, task)) continue;
    const std::string where = "task " + std::to_string(task) + " job " + std::to_string(number) + ": ";
    if (number != next[task]++) return where + "out of order";
    if (ended.release > result.outcome.reached) return where + "released after the end of the run";
    const auto found = records.find(ended.job);
    const FaultyDevice::Record* record = found == records.end() ? nullptr : found->second;
    const bool is_told =
        record != nullptr && !record->lost && !record->job.failed &&
        record->job.end <= std::min(result.outcome.reached, time_at(*trial.declared.options.horizon));
    if (is_told != (ended.completion != never)) return where + (is_told ? "not told" : "made up");
    if (is_told && ended.completion != record->job.end) return where + "ends at another instant";
    if (ended.fate == trace::Fate::no_room && lost[task]-- == 0) return where + "was not lost";
    // Where none is skipped, a job that was given up was lost or broken off.
    const bool skips = trial.declared.system.tasks[task].on_miss == OnMiss::skip_next;
    if (ended.fate == trace::Fate::skipped && !skips) return where + "was skipped for nothing";
  }
  return std::nullopt;
}

/// A miss that is known before the run is over is told at once, and once. Of a job whose record was lost, or
/// that the device broke off on its own, nobody knows it.
std::optional<std::string> untold_misses(const Trial& trial, const Result& result) {
  if (!result.watches_misses) return std::nullopt;
  std::map<trace::JobName, int> told;
  for (const trace::JobName& job : result.misses) ++told[job];
  for (const trace::JobEnded& ended : result.recording.ends) {
    const std::string where =
        "task " + std::to_string(ended.job.task) + " job " + std::to_string(ended.job.number) + ": ";
    const int times = told[ended.job];
    if (times > 1) return where + "its miss is told more than once";
    // One that is turned away to make room may be late already.
    if (times == 1 && !ended.missed && !trace::is_turned_away(ended.fate)) return where + "was not missed";
    const bool is_known = ended.completion != never ||
                          (ended.fate != trace::Fate::ran && !device_releases(trial, ended.job.task));
    if (times == 0 && ended.missed && is_known) return where + "its miss is not told";
  }
  return std::nullopt;
}

/// What a block or slice takes at most according to its task.
Duration declared_length(const Task& task, const trace::BlockRan& block) {
  const Segment& segment = task.work.nodes[block.segment].segment;
  const Duration whole = drawn_time(segment).worst;
  if (!std::holds_alternative<ExclusiveSegment>(segment)) return whole;
  const Duration slice = std::min(task.longest_block.value_or(whole), whole);
  const Duration left = whole - slice * block.block;
  return left > Duration{} ? std::min(slice, left) : slice;
}

/// No two jobs of a task have one place at the same time, and none that was turned away had begun.
std::optional<std::string> wrong_places(const Trial& trial, const Result& result) {
  if (result.shares_place) return "two jobs have one place";
  std::set<trace::JobName> turned_away;
  for (const trace::JobEnded& ended : result.recording.ends) {
    if (ended.fate != trace::Fate::full) continue;
    if (!trial.declared.system.tasks[ended.job.task].max_jobs) return "turned away without a limit";
    if (ended.start != never || ended.missed) return "a job that was turned away began, or missed something";
    turned_away.insert(ended.job);
  }
  if (turned_away.empty()) return std::nullopt;
  for (const auto& [name, segment] : executed_segments(result.recording)) {
    if (turned_away.contains({std::get<0>(name), std::get<1>(name)})) return "a job that was turned away ran";
  }
  return std::nullopt;
}

/// Under `sm-cores` nothing starts that could not end inside its window as declared.
std::optional<std::string> outside_of_windows(const Trial& trial, const Result& result) {
  const System& system = trial.declared.system;
  if (system.policy.strategy != strategy_named("sm-cores")) return std::nullopt;
  // Captured work cannot be cut: it runs on after its window, and others wait for it.
  if (std::count(trial.captured.begin(), trial.captured.end(), true) > 0) return std::nullopt;
  // A clock that jumps between a decision and its submission makes it late.
  if (has_engine_time(system) && trial.faults.clock_jumps > 0) return std::nullopt;
  const Reservations& reservations = *system.policy.reservations;
  const sched::Windows local{reservations.local, reservations.period};
  const sched::Windows all{reservations.all, reservations.period};
  for (const trace::BlockRan& block : result.recording.blocks) {
    const Task& task = system.tasks[block.job.task];
    if (task.longest_block == Duration{}) continue;  // is stopped, which takes its time
    if (block.end == block.start) continue;          // fits at the very end of a window, too
    const bool gang = task.sm.kind != SmAffinity::Kind::one;
    const std::optional<Time> end = (gang ? all : local).open_until(block.start);
    const Duration length = std::min(declared_length(task, block), block.end - block.start);
    if (!end || *end - block.start < length) {
      return "task " + std::to_string(block.job.task) + " started at " + std::to_string(in_ns(block.start)) +
             " outside of its window";
    }
  }
  return std::nullopt;
}

/// A completion was lost, and after that nothing was told for longer than the watchdog waits.
bool must_be_noticed(const Trial& trial, const Result& result) {
  if (result.lost_at == never) return false;
  const Time quiet_since = std::max(result.lost_at, result.last_told);
  return time_at(*trial.declared.options.horizon) - quiet_since > patience_with(trial.truth) + nanoseconds(1);
}

std::optional<std::string> wrong_ending(const Trial& trial, const Result& result) {
  const runtime::RunEnd ending = result.outcome.ending;
  if (!result.ended && !trial.stop_after) return "the run did not end";
  if (trial.stop_after && !result.ended) return "a stop did not end the run";
  if (ending == runtime::RunEnd::lost && !result.lost && trial.faults.clock_jumps == 0) {
    // Nothing may be lost without a fault; work that waits longer than the watchdog would look like it.
    return "the watchdog woke without reason: " + result.outcome.failure;
  }
  if (ending == runtime::RunEnd::horizon && must_be_noticed(trial, result)) {
    return "a completion was lost at " + std::to_string(in_ns(result.lost_at)) + " and nobody noticed";
  }
  if (ending == runtime::RunEnd::failed && !result.failed) return "it failed without a fault";
  if ((ending == runtime::RunEnd::failed || ending == runtime::RunEnd::lost) &&
      result.outcome.failure.empty()) {
    return "it does not say what failed";
  }
  const runtime::Outcome& outcome = result.outcome;
  if (outcome.released != outcome.completed + outcome.pending + outcome.dropped) return "jobs do not add up";
  // A best-effort job has its room beside the others.
  std::uint64_t room = *trial.declared.options.max_pending + trial.declared.system.tasks.size();
  for (const trace::JobEnded& ended : result.recording.ends) {
    if (device_releases(trial, ended.job.task) && ended.fate == trace::Fate::ran) ++room;  // not its jobs
  }
  if (outcome.unseen > outcome.pending || outcome.pending - outcome.unseen > room) {
    return "the scheduler has more jobs than there is room for";
  }
  return std::nullopt;
}

std::optional<std::string> called_again(const Trial& trial, const Result& result) {
  int segments = 0;
  for (TaskIndex task = 0; task < trial.truth.tasks.size(); ++task) {
    const std::vector<Node>& nodes = trial.truth.tasks[task].work.nodes;
    if (!trial.captured[task]) continue;
    segments += static_cast<int>(std::count_if(nodes.begin(), nodes.end(), [](const Node& node) {
      return server_of(node.segment) == ServerKind::gpu;
    }));
  }
  if (result.captures == segments) return std::nullopt;
  return "captured work was called " + std::to_string(result.captures) + " times";
}

/// Jobs of the kinds of tasks that were tried.
struct Kinds {
  std::uint64_t rung = 0;
  std::uint64_t resident = 0;   // released by the engine's core, as in the simulator
  std::uint64_t by_device = 0;  // released by the device
  std::uint64_t launched = 0;   // by a launcher
  std::uint64_t captured = 0;
  std::uint64_t timed = 0;        // nodes with releases of their own
  std::uint64_t turned_away = 0;  // because `max_jobs` were in progress

  void count(const Trial& trial, const Result& result) {
    const System& system = trial.declared.system;
    for (const trace::JobEnded& ended : result.recording.ends) {
      const TaskIndex index = ended.job.task;
      if (ended.fate == trace::Fate::full) ++turned_away;
      if (ended.completion == never) continue;
      const Dispatch dispatch = dispatch_of(system, system.tasks[index]);
      if (dispatch == Dispatch::doorbell) ++rung;
      if (dispatch == Dispatch::resident) ++(trial.faults.releases_jobs ? by_device : resident);
      if (system.tasks[index].launcher) ++launched;
      if (trial.captured[index]) ++captured;
      if (system.policy.strategy->times_nodes) ++timed;
    }
  }
};

class Faulty : public testing::TestWithParam<std::uint64_t> {};

constexpr std::uint64_t trials = is_watched ? 200 : 5000;

void expect_kept_promises(std::uint64_t first, const std::function<Scenario(std::uint64_t)>& generate,
                          Kinds& kinds) {
  std::uint64_t injected = 0;
  std::map<runtime::RunEnd, int> endings;
  std::uint64_t noticed = 0;
  for (std::uint64_t seed = first; seed < first + trials; ++seed) {
    const Trial trial = make_trial(seed, generate(seed));
    const Result result = run(trial);
    injected += result.injected;
    kinds.count(trial, result);
    ++endings[result.outcome.ending];
    if (result.outcome.ending == runtime::RunEnd::lost && must_be_noticed(trial, result)) ++noticed;
    for (const std::optional<std::string>& wrong :
         {wrong_ending(trial, result), lost_jobs(result), wrong_work(trial, result),
          wrong_records(trial, result), called_again(trial, result), outside_of_windows(trial, result),
          wrong_places(trial, result), untold_misses(trial, result)}) {
      ASSERT_FALSE(wrong) << "seed " << seed << ": " << *wrong << "\n"
                          << describe(trial.declared) << "truth:\n"
                          << describe(trial.truth) << "events:\n"
                          << to_text(result.recording);
    }
    if (seed % 10 == 0) {
      ASSERT_EQ(run(trial).log, result.log) << "seed " << seed << " does not repeat";
    }
  }
  EXPECT_GT(injected, 2 * trials);
  if constexpr (is_watched) return;  // too few trials for rates
  testing::Test::RecordProperty(
      "jobs", fmt::format("{} rung, {} resident, {} released by the device, {} with a launcher, {} captured, "
                          "{} of timed nodes, {} turned away",
                          kinds.rung, kinds.resident, kinds.by_device, kinds.launched, kinds.captured,
                          kinds.timed, kinds.turned_away));
  EXPECT_EQ(endings.size(), 5U) << "every kind of ending comes up";
  EXPECT_GT(noticed, trials / 100) << "lost completions end the run";
}

void expect_all_kinds(const Kinds& kinds) {
  if constexpr (is_watched) return;
  for (const std::uint64_t jobs :
       {kinds.rung, kinds.resident, kinds.by_device, kinds.launched, kinds.captured}) {
    EXPECT_GT(jobs, 0U);
  }
}

TEST_P(Faulty, ExecutiveKeepsItsPromises) {
  Kinds kinds;
  expect_kept_promises(first_seed() + GetParam() * trials, whole_jobs_scenario, kinds);
  expect_all_kinds(kinds);
}

/// Chains and graphs of CPU work, copies and GPU work under every strategy.
TEST_P(Faulty, ExecutiveKeepsItsPromisesByNode) {
  Kinds kinds;
  expect_kept_promises(first_seed() + GetParam() * trials, nodes_scenario, kinds);
  expect_all_kinds(kinds);
}

TEST_P(Faulty, ExecutiveKeepsItsPromisesForGraphs) {
  Kinds kinds;
  expect_kept_promises(first_seed() + GetParam() * trials, graphs_scenario, kinds);
  EXPECT_GT(kinds.timed, trials);
  EXPECT_GT(kinds.turned_away, 0U);
}

INSTANTIATE_TEST_SUITE_P(Shard, Faulty, testing::Range<std::uint64_t>(0, 20));

}  // namespace
}  // namespace tactus::test
