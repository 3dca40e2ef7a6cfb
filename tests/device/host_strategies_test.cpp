// Every strategy on the host device, as the executive drives it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "support/host_run.hpp"
#include "tactus/runtime/executive.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;

/// Records, and ends the run when every task has completed some jobs. Best-effort tasks may have to wait for
/// ever on a machine that is busy with other things.
class Watcher final : public Recorder {
 public:
  explicit Watcher(const System& system) : Recorder{Blocks::wanted}, missing(system.tasks.size(), enough) {
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (system.tasks[i].arrival == Arrival::best_effort) missing[i] = 0;
    }
  }

  void on(const trace::JobEnded& event) override {
    Recorder::on(event);
    if (event.completion != never) --missing[event.job.task];
    if (*std::max_element(missing.begin(), missing.end()) <= 0) stop.store(true);
  }
  using Recorder::on;

  static constexpr int enough = 4;
  std::vector<int> missing;  // jobs, by task
  std::atomic<bool> stop{false};
};

Task periodic(const std::string& name, Duration period, std::vector<Segment> segments) {
  System scratch;
  Task task = add_task(scratch, name, std::move(segments));
  task.arrival = Arrival::periodic;
  task.period = period;
  task.deadline = period;
  return task;
}

Task best_effort(const std::string& name, std::vector<Segment> segments) {
  System scratch;
  Task task = add_task(scratch, name, std::move(segments));
  task.arrival = Arrival::best_effort;
  return task;
}

System kernels_and_copies(StrategyRef strategy) {
  System system = small_host_system();
  system.policy.strategy = strategy;
  system.tasks = {periodic("small", 4ms, {host_copy(50us), host_kernel(3, 100us), host_copy(20us)}),
                  periodic("wide", 6ms, {host_kernel(9, 80us, 64)}),
                  periodic("exclusive", 5ms, {host_exclusive(400us)}),
                  best_effort("filler", {host_kernel(20, 60us), host_exclusive(200us)})};
  system.tasks[2].longest_block = 100us;
  return system;
}

System as_submitted() {
  System system = kernels_and_copies(strategy_named("as-submitted"));
  system.tasks[0].stream = "shared";
  system.tasks[1].stream = "shared";
  system.tasks[2].stream_priority = -1;
  return system;
}

System windows() {
  System system = small_host_system();
  system.policy.strategy = strategy_named("sm-cores");
  system.policy.reservations =
      Reservations{.period = 4ms, .local = Window{0ms, 2ms}, .all = Window{2ms, 2ms}};
  system.tasks = {periodic("zero", 8ms, {host_exclusive(300us)}),
                  periodic("one", 8ms, {host_kernel(7, 50us)}), periodic("gang", 8ms, {host_kernel(9, 50us)}),
                  periodic("ideal", 8ms, {host_exclusive(3ms)})};
  system.tasks[0].sm = {SmAffinity::Kind::one, 0};
  system.tasks[0].longest_block = 100us;
  system.tasks[1].sm = {SmAffinity::Kind::one, 1};
  system.tasks[3].longest_block = Duration{};
  return system;
}

System chains() {
  System system = small_host_system();
  system.policy.strategy = strategy_named("federated");
  system.policy.order = Order::fp;
  system.platform.gpu.virtual_sms_per_sm = 2;
  system.virtual_sms = {2, 2, std::nullopt};
  const Segment gpu = GpuSegment{.work = {200us, 400us}, .overhead = {}};
  system.tasks = {
      periodic("first", 8ms, {host_cpu(100us), host_copy(50us), gpu, host_copy(50us), host_cpu(50us)}),
      periodic("second", 9ms, {host_copy(30us), host_copy(30us), host_kernel(5, 50us), host_cpu(80us)}),
      periodic("third", 10ms, {host_cpu(500us)})};
  system.tasks[1].core = 1;
  return system;
}

struct Example {
  std::string name;
  System (*make)();
};

const std::vector<Example> examples{
    {"AsSubmitted", as_submitted},
    {"SingleStream", [] { return kernels_and_copies(strategy_named("single-stream")); }},
    {"MultiStream", [] { return kernels_and_copies(strategy_named("multi-stream")); }},
    {"SmCores", windows},
    {"Federated", chains},
};

class HostStrategies : public testing::TestWithParam<Example> {};

using Key = std::tuple<TaskIndex, std::uint64_t, std::uint32_t>;

/// Stretches of one server do not overlap in more than `most` places.
template <class Event>
void expect_at_most(const std::vector<Event>& events, std::int32_t Event::*place, int most) {
  std::map<std::int32_t, std::vector<std::pair<Time, int>>> edges;
  for (const Event& event : events) {
    edges[event.*place].emplace_back(event.start, 1);
    edges[event.*place].emplace_back(event.end, -1);
  }
  for (auto& [where, list] : edges) {
    std::sort(list.begin(), list.end());  // ends come first
    int inside = 0;
    for (const auto& [when, change] : list) {
      inside += change;
      ASSERT_LE(inside, most) << "at place " << where;
    }
  }
}

/// Every block of every completed job ran once, and exclusive work that is not bound took its time.
void expect_whole_jobs(const System& system, const Watcher& watcher, bool bound, bool in_time) {
  std::map<Key, std::multiset<std::int64_t>> blocks;
  std::map<Key, Duration> time_on_sms;
  for (const trace::BlockRan& block : watcher.recording.blocks) {
    const Key key{block.job.task, block.job.number, block.segment};
    const Segment& segment = system.tasks[block.job.task].work.nodes[block.segment].segment;
    if (std::holds_alternative<KernelSegment>(segment)) {
      blocks[key].insert(block.block);
    } else {
      time_on_sms[key] += block.end - block.start;
    }
  }
  for (const trace::JobEnded& job : watcher.recording.ends) {
    if (job.completion == never) continue;
    const std::vector<Node>& nodes = system.tasks[job.job.task].work.nodes;
    for (std::uint32_t segment = 0; segment < nodes.size(); ++segment) {
      const Key key{job.job.task, job.job.number, segment};
      if (const auto* exclusive = std::get_if<ExclusiveSegment>(&nodes[segment].segment);
          exclusive && !bound) {
        const SmAffinity::Kind kind = system.tasks[job.job.task].sm.kind;
        const std::int32_t sms = kind == SmAffinity::Kind::one ? 1 : system.platform.gpu.sms;
        ASSERT_GE(time_on_sms[key], exclusive->time.worst * sms);
        if (in_time) {
          ASSERT_EQ(time_on_sms[key], exclusive->time.worst * sms);
        }
      }
      const auto* kernel = std::get_if<KernelSegment>(&nodes[segment].segment);
      if (kernel == nullptr) continue;
      const std::multiset<std::int64_t>& seen = blocks[key];
      ASSERT_EQ(static_cast<std::int64_t>(seen.size()), kernel->blocks());
      std::int64_t next = 0;
      for (const std::int64_t block : seen) ASSERT_EQ(block, next++);
    }
  }
}

void expect_rules_kept(const System& system, const Watcher& watcher, const runtime::Outcome& outcome,
                       bool bound) {
  expect_at_most(watcher.recording.blocks, &trace::BlockRan::sm, system.platform.gpu.blocks_per_sm);
  expect_at_most(watcher.recording.copies, &trace::CopyRan::engine, 1);
  expect_at_most(watcher.recording.cpus, &trace::CpuRan::core, 1);
  for (const trace::BlockRan& block : watcher.recording.blocks) {
    const SmAffinity& affinity = system.tasks[block.job.task].sm;
    if (system.policy.strategy == strategy_named("sm-cores") && affinity.kind == SmAffinity::Kind::one) {
      ASSERT_EQ(block.sm, affinity.core);
    }
    if (system.policy.strategy == strategy_named("federated")) {
      ASSERT_EQ(block.sm, static_cast<std::int32_t>(block.job.task));
    }
  }
  // On a machine that is busy with other things the device may be late, and says so.
  const bool in_time =
      std::none_of(outcome.not_enforced.begin(), outcome.not_enforced.end(),
                   [](const std::string& text) { return text.find("was late") != text.npos; });
  expect_whole_jobs(system, watcher, bound, in_time);
}

runtime::Outcome run(const System& system, const device::Bindings* bindings, Watcher& watcher) {
  const std::unique_ptr<device::Device> device = device::make_host_device(plain_host());
  runtime::ExecutiveOptions options;
  options.horizon = 60s;
  options.bindings = bindings;
  options.stop = &watcher.stop;
  const std::array<trace::Observer*, 1> observers{&watcher};
  return runtime::Executive{system, *device, options, observers}.run();
}

TEST_P(HostStrategies, RunWhatIsNotBound) {
  const System system = GetParam().make();
  Watcher watcher{system};
  const runtime::Outcome outcome = run(system, nullptr, watcher);
  EXPECT_EQ(outcome.ending, runtime::RunEnd::stopped) << outcome.failure;
  EXPECT_EQ(outcome.released, outcome.completed + outcome.pending + outcome.dropped);
  EXPECT_EQ(outcome.dropped, 0U);
  expect_rules_kept(system, watcher, outcome, false);
}

TEST_P(HostStrategies, RunWhatIsBound) {
  const System system = GetParam().make();
  device::Bindings bindings;
  std::atomic<std::int64_t> calls{0};
  std::atomic<int> wrong{0};
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    auto& of_task = bindings.emplace_back();
    for (const Node& node : system.tasks[task].work.nodes) {
      const bool is_kernel = std::holds_alternative<KernelSegment>(node.segment);
      const auto work = [&calls, &wrong, task](Job& job) {
        ++calls;
        if (job.task_index() != task) ++wrong;
      };
      of_task.push_back(is_kernel ? bound_blocks(work) : bound_function(work));
    }
  }
  Watcher watcher{system};
  const runtime::Outcome outcome = run(system, &bindings, watcher);
  EXPECT_EQ(outcome.ending, runtime::RunEnd::stopped) << outcome.failure;
  EXPECT_EQ(outcome.dropped, 0U);
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_GE(calls.load(), 3 * Watcher::enough);
  expect_rules_kept(system, watcher, outcome, true);
}

const auto by_name = [](const testing::TestParamInfo<Example>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(All, HostStrategies, testing::ValuesIn(examples), by_name);

}  // namespace
}  // namespace tactus::test
