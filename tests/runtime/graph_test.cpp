// Graphs of nodes through the scheduler core, the simulated machine and the host device, with a strategy of
// the tests' own: two nodes on CPUs side by side, then a copy, then a kernel; and random graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "support/dice.hpp"
#include "support/event_log.hpp"
#include "support/graph_strategy.hpp"
#include "support/host_run.hpp"
#include "support/recording.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/device/sim/sim_device.hpp"
#include "tactus/model/strategy.hpp"
#include "tactus/runtime/executive.hpp"
#include "tactus/runtime/runtime.hpp"
#include "tactus/sched/core.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t left = 0;
constexpr std::uint32_t right = 1;
constexpr std::uint32_t copy = 2;
constexpr std::uint32_t kernel = 3;

/// left and right on a core each, then copy, then kernel.
System diamond(Duration unit) {
  System system = small_host_system();
  system.policy.strategy = strategy_named("test-graph");
  Task& task = add_task(system, "graph",
                        {host_cpu(2 * unit), host_cpu(3 * unit), host_copy(unit), host_kernel(4, unit)});
  task.arrival = Arrival::periodic;
  task.period = 20 * unit;
  task.deadline = 20 * unit;
  task.work.form = WorkForm::graph;
  task.work.nodes[left].core = 0;
  task.work.nodes[right].core = 1;
  task.work.edges = {{left, copy}, {right, copy}, {copy, kernel}};
  return system;
}

/// Counts what it is told of ended submissions.
class CountingGraph final : public GraphStrategy {
 public:
  using GraphStrategy::GraphStrategy;
  void on_finished(sched::SubmissionId /*submission*/, const sched::JobRow& /*job*/,
                   bool job_done) noexcept override {
    ++(job_done ? jobs : nodes);
  }
  inline static int nodes = 0;
  inline static int jobs = 0;
};

constexpr sched::StrategyEntry counting_graph{
    .facts = {.name = "test-counting-graph", .orders = sched::edf_or_fp, .one_by_one = true},
    .refusals = test_graph.refusals,
    .make = sched::make_strategy<CountingGraph>};

class Graph : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    sched::add_strategy(test_graph);
    sched::add_strategy(counting_graph);
  }
};

std::vector<std::uint32_t> submitted(const sched::Commands& commands) {
  std::vector<std::uint32_t> segments;
  for (const sched::Command& command : commands) {
    if (const auto* submit = std::get_if<sched::Submit>(&command)) {
      segments.push_back(submit->id.segment);
    }
  }
  return segments;
}

bool is_done(const sched::Commands& commands) {
  return std::any_of(commands.begin(), commands.end(), [](const sched::Command& command) {
    return std::holds_alternative<sched::Done>(command);
  });
}

TEST_F(Graph, TheCoreWaitsForAllPredecessors) {
  const System system = diamond(1ms);
  sched::Core core{system, 4};
  Time now = origin;
  const auto step = [&](const sched::Event& event) {
    sched::Commands commands;
    now += 1ms;
    core.step(now, std::array{event}, commands);
    return commands;
  };
  const sched::JobId job{0, 0};
  EXPECT_THAT(submitted(step(sched::Released{0, 0, origin})), ElementsAre(left, right));
  EXPECT_THAT(submitted(step(sched::Finished{{job, right}})), IsEmpty());
  EXPECT_THAT(submitted(step(sched::Finished{{job, right}})), IsEmpty()) << "told twice";
  EXPECT_THAT(submitted(step(sched::Finished{{job, kernel}})), IsEmpty()) << "was never submitted";
  EXPECT_THAT(submitted(step(sched::Finished{{job, left}})), ElementsAre(copy));
  EXPECT_THAT(submitted(step(sched::Finished{{job, copy}})), ElementsAre(kernel));
  EXPECT_TRUE(is_done(step(sched::Finished{{job, kernel}})));
  EXPECT_EQ(core.jobs().size(), 0U);
}

template <class Kind>
std::size_t number_of(const sched::Commands& commands) {
  return static_cast<std::size_t>(
      std::count_if(commands.begin(), commands.end(),
                    [](const sched::Command& command) { return std::holds_alternative<Kind>(command); }));
}

/// A job whose `left` and `right` are in flight is given up by `cause`; its nodes end by `first` and
/// `second`.
void expect_given_up(const sched::Event& cause, const sched::Event& first, const sched::Event& second) {
  System system = diamond(1ms);
  system.policy.strategy = strategy_named("test-counting-graph");
  system.tasks[0].budget = 1ms;
  system.tasks[0].on_overrun = OnOverrun::abort;
  CountingGraph::nodes = CountingGraph::jobs = 0;
  sched::Core core{system, 4};
  const auto step = [&](const sched::Event& event) {
    sched::Commands commands;
    core.step(origin, std::array{event}, commands);
    return commands;
  };
  EXPECT_THAT(submitted(step(sched::Released{0, 0, origin})), ElementsAre(left, right));
  step(cause);
  const sched::Commands middle = step(first);
  EXPECT_EQ(number_of<sched::DropJob>(middle), 0U) << "a node is still in flight";
  EXPECT_EQ(number_of<sched::Submit>(middle), 0U);
  EXPECT_EQ(CountingGraph::nodes, 1);
  const sched::Commands end = step(second);
  EXPECT_EQ(number_of<sched::DropJob>(end), 1U);
  EXPECT_EQ(number_of<sched::Submit>(end), 0U);
  EXPECT_EQ(CountingGraph::nodes, 1);
  EXPECT_EQ(CountingGraph::jobs, 1);
  EXPECT_EQ(core.jobs().size(), 0U);
}

TEST_F(Graph, AJobThatIsGivenUpEndsWithItsLastNodeInFlight) {
  const sched::JobId job{0, 0};
  const sched::BudgetUsedUp budget{job};
  expect_given_up(budget, sched::Finished{{job, left}}, sched::Finished{{job, right}});
  expect_given_up(budget, sched::Stopped{{job, right}}, sched::Finished{{job, left}});
  expect_given_up(budget, sched::Failed{{job, left}}, sched::Stopped{{job, right}});
  // The failure of a node gives up the job by itself; a copy is ready nowhere.
  expect_given_up(sched::TimerFired{}, sched::Failed{{job, left}}, sched::Finished{{job, right}});
}

TEST_F(Graph, ABudgetCountsNodesSideBySideOnAnyCpu) {
  System system = diamond(1ms);
  for (Node& node : system.tasks[0].work.nodes) node.core.reset();
  system.tasks[0].budget = 3ms;
  system.tasks[0].on_overrun = OnOverrun::abort;
  device::SimDevice device;
  runtime::ExecutiveOptions options;
  options.horizon = 20ms;
  options.plays_overheads = true;
  std::vector<Time> overruns;
  options.on_overrun = [&](const runtime::Incident& incident) { overruns.push_back(incident.now); };
  const runtime::Outcome outcome = runtime::Executive{system, device, options, {}}.run();
  EXPECT_THAT(overruns, ElementsAre(time_at(1500us))) << "two nodes for 1.5 ms each";
  EXPECT_EQ(outcome.completed, 0U);
  EXPECT_EQ(outcome.dropped, 1U);
}

TEST_F(Graph, ASubmissionNamesItsServer) {
  const System system = diamond(1ms);
  sched::Core core{system, 4};
  sched::Commands commands;
  const std::array<sched::Event, 1> released{sched::Released{0, 0, origin}};
  core.step(origin, released, commands);
  const auto& first = std::get<sched::Submit>(commands[0]);
  const auto& second = std::get<sched::Submit>(commands[1]);
  EXPECT_EQ(first.server, ServerKind::cpu);
  EXPECT_EQ(first.cores, (Cores{.first = 0, .count = 1}));
  EXPECT_EQ(second.cores, (Cores{.first = 1, .count = 1}));
  EXPECT_EQ(first.urgency.deadline, time_at(20ms));
  EXPECT_EQ(second.stream, sched::own_stream_of(right));
}

/// By job and segment: when it started and ended.
using Spans = std::map<std::pair<std::pair<TaskIndex, std::uint64_t>, std::uint32_t>, std::pair<Time, Time>>;

Spans spans_of(const Recording& recording) {
  Spans spans;
  for (const trace::OperationFinished& submission : recording.operations) {
    spans[{{submission.job.task, submission.job.number}, submission.segment}] = {submission.start,
                                                                                 submission.end};
  }
  return spans;
}

/// How many pairs of nodes were looked at.
std::size_t expect_joins(const System& system, const Recording& recording) {
  const Spans spans = spans_of(recording);
  std::size_t pairs = 0;
  for (const auto& [who, span] : spans) {
    for (const Edge& edge : system.tasks[who.first.first].work.edges) {
      if (edge.to != who.second) continue;
      const auto before = spans.find({who.first, static_cast<std::uint32_t>(edge.from)});
      if (before == spans.end()) {
        ADD_FAILURE() << "node " << edge.from << " has not run, but node " << edge.to << " has";
        continue;
      }
      EXPECT_LE(before->second.second, span.first) << edge.from << " -> " << edge.to;
      ++pairs;
    }
  }
  return pairs;
}

Recording simulated(const System& system, Duration horizon) {
  Recorder recorder{Recorder::Blocks::wanted};
  const std::array<trace::Observer*, 1> observers{&recorder};
  sim::SimulationOptions options;
  options.horizon = horizon;
  sim::simulate(system, options, observers);
  return recorder.recording;
}

TEST_F(Graph, TheSimulatedMachineRunsNodesSideBySide) {
  const System system = diamond(1ms);
  const Recording recording = simulated(system, 20ms);
  const Spans spans = spans_of(recording);
  const auto span = [&](std::uint32_t segment) { return spans.at({{0, 0}, segment}); };
  EXPECT_EQ(span(left), (std::pair{time_at(0ms), time_at(2ms)}));
  EXPECT_EQ(span(right), (std::pair{time_at(0ms), time_at(3ms)}));
  EXPECT_EQ(span(copy), (std::pair{time_at(3ms), time_at(4ms)}));
  EXPECT_EQ(span(kernel), (std::pair{time_at(4ms), time_at(5ms)}));
  ASSERT_EQ(recording.ends.size(), 1U);
  EXPECT_EQ(recording.ends[0].completion, time_at(5ms));
  EXPECT_EQ(expect_joins(system, recording), 3U);
}

TEST_F(Graph, AnyCpuTakesTheMostUrgent) {
  System system = diamond(1ms);
  for (Node& node : system.tasks[0].work.nodes) node.core.reset();
  // A third CPU node of a job with a later deadline waits for one of the two cores.
  Task& late = add_task(system, "late", {host_cpu(1ms)});
  late.deadline = 50ms;
  const Recording recording = simulated(system, 20ms);
  const Spans spans = spans_of(recording);
  EXPECT_EQ(spans.at({{0, 0}, left}), (std::pair{time_at(0ms), time_at(2ms)}));
  EXPECT_EQ(spans.at({{0, 0}, right}), (std::pair{time_at(0ms), time_at(3ms)}));
  EXPECT_EQ(spans.at({{1, 0}, 0}), (std::pair{time_at(2ms), time_at(3ms)}));
  EXPECT_THAT(recording.cpus, testing::SizeIs(3));
}

TEST_F(Graph, AMoreUrgentNodeTakesTheCoreOfTheLeastUrgent) {
  System system = small_host_system();
  system.policy.strategy = strategy_named("test-graph");
  const std::array deadlines{90ms, 80ms, 10ms};
  for (std::size_t i = 0; i < deadlines.size(); ++i) {
    Task& task = add_task(system, "t" + std::to_string(i), {host_cpu(4ms)});
    task.deadline = deadlines[i];
    task.offset = i == 2 ? 1ms : 0ms;
  }
  const Spans spans = spans_of(simulated(system, 100ms));
  EXPECT_EQ(spans.at({{1, 0}, 0}), (std::pair{time_at(0ms), time_at(4ms)}));
  EXPECT_EQ(spans.at({{2, 0}, 0}), (std::pair{time_at(1ms), time_at(5ms)}));
  EXPECT_EQ(spans.at({{0, 0}, 0}), (std::pair{time_at(0ms), time_at(7ms)}))
      << "1 ms, then the core that is free first";
}

TEST_F(Graph, TheHostDeviceRunsNodesSideBySide) {
  // left and right return only when both have begun; the kernel looks whether all before it is over.
  std::atomic<int> inside{0};
  std::atomic<int> over{0};
  std::atomic<int> blocks{0};
  std::atomic<int> too_early{0};
  const auto side = [&](Job&) {
    ++inside;
    while (inside.load() < 2) std::this_thread::sleep_for(20us);
    ++over;
  };
  const auto block = [&](Job&) {
    if (over.load() != 2) ++too_early;
    ++blocks;
  };
  System system = diamond(1ms);
  system.tasks[0].arrival = Arrival::once;  // so that the run ends with the job, however slow the machine is
  system.tasks[0].period.reset();
  device::Bindings bindings{
      {bound_function(side), bound_function(side), device::Binding{}, bound_blocks(block)}};
  Recorder recorder{Recorder::Blocks::wanted};
  const std::array<trace::Observer*, 1> observers{&recorder};
  const std::unique_ptr<device::Device> device = device::make_host_device(plain_host());
  runtime::ExecutiveOptions options;
  options.bindings = &bindings;
  const runtime::Outcome outcome = runtime::Executive{system, *device, options, observers}.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.completed, 1U);
  EXPECT_EQ(too_early.load(), 0);
  EXPECT_EQ(blocks.load(), 4);
  EXPECT_EQ(expect_joins(system, recorder.recording), 3U);
}

Segment any_segment(Dice& dice) {
  const Duration time{dice.between(1, 9) * 1000};
  switch (dice.between(0, 3)) {
    case 0:
      return host_copy(time);
    case 1:
      return host_kernel(dice.between(1, 9), time);
    case 2:
      return host_exclusive(time);
    default:
      return host_cpu(time);
  }
}

/// A few tasks, each a random graph; some with cores of their own, some on any CPU.
System any_graphs(Dice& dice) {
  System system = small_host_system();
  system.policy.strategy = strategy_named("test-graph");
  system.policy.order = dice.percent(50) ? Order::edf : Order::fp;
  if (dice.percent(50)) {
    system.platform.overheads = {
        .release = 700ns, .launch = 900ns, .completion = 1300ns, .copy = 300ns, .cpu = 500ns};
  }
  const bool partitioned = dice.percent(50);
  const std::int64_t tasks = dice.between(1, 3);
  for (std::int64_t i = 0; i < tasks; ++i) {
    const auto nodes = static_cast<std::size_t>(dice.between(1, 7));
    std::vector<Segment> segments;
    for (std::size_t node = 0; node < nodes; ++node) segments.push_back(any_segment(dice));
    Task& task = add_task(system, "t" + std::to_string(i), std::move(segments));
    task.arrival = Arrival::periodic;
    task.period = Duration{dice.between(20, 90) * 1000};
    task.deadline = *task.period;
    task.work.form = WorkForm::graph;
    if (partitioned) {
      for (Node& node : task.work.nodes) node.core = static_cast<std::int32_t>(dice.between(0, 1));
    }
    for (std::size_t to = 1; to < nodes; ++to) {
      for (std::size_t from = 0; from < to; ++from) {
        if (dice.percent(40)) task.work.edges.push_back({from, to});
      }
    }
  }
  return system;
}

TEST_F(Graph, RandomGraphsKeepTheirOrderAndRunAsTheyAreSimulated) {
  std::size_t pairs = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice{seed};
    const System system = any_graphs(dice);
    pairs += expect_joins(system, simulated(system, 500us));
    EventLog from_simulator{true};
    EventLog from_executive{true};
    const std::array<trace::Observer*, 1> simulator_observers{&from_simulator};
    const std::array<trace::Observer*, 1> executive_observers{&from_executive};
    sim::SimulationOptions options;
    options.horizon = 500us;
    options.execution = dice.percent(50) ? Execution::worst : Execution::random;
    options.seed = seed;
    sim::simulate(system, options, simulator_observers);
    device::SimDevice device;
    runtime::ExecutiveOptions run_options;
    run_options.horizon = options.horizon;
    run_options.execution = options.execution;
    run_options.seed = seed;
    run_options.plays_overheads = true;
    runtime::Executive{system, device, run_options, executive_observers}.run();
    ASSERT_EQ(first_difference(from_simulator, from_executive).value_or("none"), "none") << "seed " << seed;
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(pairs, 2000U);
}

}  // namespace
}  // namespace tactus::test
