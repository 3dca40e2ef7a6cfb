// The rules of the model, for systems built in code. That files report them at the right place is tested with
// the reader.
#include "tactus/model/validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tactus/model/presets.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Task exclusive_task(const std::string& name) {
  Task task;
  task.name = name;
  task.period = 10ms;
  task.deadline = 10ms;
  task.work.nodes = {{{}, ExclusiveSegment{Interval::exactly(1ms)}}};
  return task;
}

Task kernel_task(const std::string& name) {
  Task task = exclusive_task(name);
  task.work.nodes = {
      {{}, KernelSegment{.grid = {4, 1, 1}, .block = 256, .block_time = Interval::exactly(1us)}}};
  return task;
}

Task chain_task(const std::string& name, std::vector<Segment> segments) {
  Task task = exclusive_task(name);
  task.work = {.form = WorkForm::chain, .nodes = {}, .edges = {}};
  for (const Segment& segment : segments) task.work.nodes.push_back({{}, segment});
  return task;
}

Task graph_task(const std::string& name, std::size_t nodes, std::vector<Edge> edges) {
  Task task = exclusive_task(name);
  task.work = {.form = WorkForm::graph, .nodes = {}, .edges = std::move(edges)};
  for (std::size_t i = 0; i < nodes; ++i) {
    std::string node = "n";
    node.append(std::to_string(i));
    task.work.nodes.push_back({node, CpuSegment{Interval::exactly(1us)}});
  }
  return task;
}

System system_of(std::vector<Task> tasks) {
  System system;
  system.platform = *find_preset("jetson-tx2");
  system.tasks = std::move(tasks);
  return system;
}

std::vector<std::string> paths(const std::vector<Violation>& violations) {
  std::vector<std::string> result;
  for (const Violation& violation : violations) {
    EXPECT_FALSE(violation.message.empty());
    EXPECT_FALSE(violation.hint.empty());
    result.push_back(violation.path);
  }
  return result;
}

/// Paths of what is wrong after the change.
std::vector<std::string> after(const std::function<void(System&)>& change) {
  System system = system_of({exclusive_task("a"), kernel_task("b")});
  change(system);
  return paths(validate(system));
}

std::vector<std::string> after_task(const std::function<void(Task&)>& change) {
  return after([&](System& system) { change(system.tasks[0]); });
}

std::vector<std::string> after_kernel(const std::function<void(KernelSegment&)>& change) {
  return after(
      [&](System& system) { change(std::get<KernelSegment>(system.tasks[1].work.nodes[0].segment)); });
}

TEST(Validate, ValidSystemsHaveNoFindings) {
  EXPECT_THAT(after([](System&) {}), IsEmpty());
  EXPECT_THAT(after([](System& s) { s.name = "robot"; }), IsEmpty());
  EXPECT_THAT(after_task([](Task& t) { t.arrival = Arrival::sporadic; }), IsEmpty());
  EXPECT_THAT(after_task([](Task& t) { t.deadline = 20ms; }), IsEmpty());
  EXPECT_THAT(validate(system_of({graph_task("g", 4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}})})), IsEmpty());
  for (const Preset& preset : presets()) {
    System system = system_of({exclusive_task("a")});
    system.platform = preset.platform;
    system.policy.levels = preset.platform.gpu.priority_levels;
    EXPECT_THAT(validate(system), IsEmpty()) << preset.name;
  }
}

TEST(Validate, FindingsComeInFileOrder) {
  System system = system_of({exclusive_task("a"), exclusive_task("a"), exclusive_task("c")});
  system.name = std::string(300, 'x');
  system.platform.gpu.sms = 0;
  system.policy.levels = 0;
  system.virtual_sms = {2};
  system.tasks[0].priority = -1;
  system.tasks[2].period = 0ns;
  EXPECT_THAT(paths(validate(system)),
              ElementsAre("name", "platform.gpu.sms", "policy.levels", "policy.virtual_sms",
                          "tasks[0].priority", "tasks[1].name", "tasks[2].period"));
}

TEST(Validate, EqualNamesNameEachOther) {
  const std::vector<Violation> violations = validate(
      system_of({exclusive_task("a"), exclusive_task("b"), exclusive_task("a"), exclusive_task("a")}));
  ASSERT_EQ(violations.size(), 2U);
  EXPECT_EQ(violations[0].path, "tasks[2].name");
  EXPECT_EQ(violations[0].related, "tasks[0].name");
  EXPECT_EQ(violations[1].path, "tasks[3].name");
}

TEST(Validate, Platform) {
  EXPECT_THAT(after([](System& s) { s.platform.gpu.sms = 65537; }), ElementsAre("platform.gpu.sms"));
  EXPECT_THAT(after([](System& s) { s.platform.gpu.threads_per_sm = -1; }),
              ElementsAre("platform.gpu.threads_per_sm"));
  EXPECT_THAT(after([](System& s) { s.platform.gpu.blocks_per_sm = 0; }),
              ElementsAre("platform.gpu.blocks_per_sm"));
  EXPECT_THAT(after([](System& s) { s.platform.gpu.registers_per_sm = -1; }),
              ElementsAre("platform.gpu.registers_per_sm"));
  EXPECT_THAT(after([](System& s) { s.platform.gpu.shared_memory_per_sm = -1; }),
              ElementsAre("platform.gpu.shared_memory_per_sm"));
  EXPECT_THAT(after([](System& s) { s.platform.gpu.warp = 0; }), ElementsAre("platform.gpu.warp"));
  EXPECT_THAT(after([](System& s) { s.platform.gpu.priority_levels = 0; }),
              ElementsAre("platform.gpu.priority_levels"));
  EXPECT_THAT(after([](System& s) { s.platform.gpu.copy_engines = 65; }),
              ElementsAre("platform.gpu.copy_engines"));
  EXPECT_THAT(after([](System& s) { s.platform.gpu.virtual_sms_per_sm = 0; }),
              ElementsAre("platform.gpu.virtual_sms_per_sm"));
  EXPECT_THAT(after([](System& s) { s.platform.gpu.parts_per_sm = 0; }),
              ElementsAre("platform.gpu.parts_per_sm"));
  EXPECT_THAT(after([](System& s) { s.platform.gpu.parts_per_sm = 33; }),
              ElementsAre("platform.gpu.parts_per_sm"));
  EXPECT_THAT(after([](System& s) { s.platform.gpu.copy_bandwidth = 0; }),
              ElementsAre("platform.gpu.copy_bandwidth"));
  EXPECT_THAT(after([](System& s) { s.platform.clusters = {}; }), ElementsAre("platform.cpus.clusters"));
  EXPECT_THAT(after([](System& s) {
                s.platform.clusters = {1, 0, 2, -1};
              }),
              ElementsAre("platform.cpus.clusters[1]", "platform.cpus.clusters[3]"));
  EXPECT_THAT(after([](System& s) {
                s.platform.overheads = {-1ns, -1ns, -1ns, -1ns};
              }),
              ElementsAre("platform.overheads.release", "platform.overheads.launch",
                          "platform.overheads.completion", "platform.overheads.copy"));
}

TEST(Validate, Policy) {
  EXPECT_THAT(after([](System& s) { s.policy.levels = 3; }), ElementsAre("policy.levels"));
  EXPECT_THAT(after([](System& s) { s.policy.sm_group = 3; }), ElementsAre("policy.sm_group"));
  EXPECT_THAT(after([](System& s) { s.policy.order = Order::fair_lateness; }), ElementsAre("policy.order"));
  EXPECT_THAT(after([](System& s) { s.policy.strategy = strategy_named("federated"); }),
              ElementsAre("policy.order"));
  EXPECT_THAT(after([](System& s) {
                s.policy.strategy = strategy_named("graph");
                s.policy.order = Order::fair_lateness;
              }),
              IsEmpty());
}

TEST(Validate, Reservations) {
  const auto with = [](Duration period, std::optional<Window> local, std::optional<Window> all) {
    return after([&](System& s) { s.policy.reservations = {.period = period, .local = local, .all = all}; });
  };
  EXPECT_THAT(with(12ms, Window{0ms, 8ms}, Window{8ms, 4ms}), IsEmpty());
  EXPECT_THAT(with(12ms, Window{4ms, 8ms}, Window{0ms, 4ms}), IsEmpty());
  EXPECT_THAT(with(12ms, std::nullopt, Window{0ms, 12ms}), IsEmpty());
  EXPECT_THAT(with(12ms, std::nullopt, std::nullopt), IsEmpty());
  EXPECT_THAT(with(0ms, Window{0ms, 8ms}, std::nullopt), ElementsAre("policy.reservations.period"));
  EXPECT_THAT(with(12ms, Window{-1ms, 8ms}, std::nullopt), ElementsAre("policy.reservations.local.offset"));
  EXPECT_THAT(with(12ms, std::nullopt, Window{0ms, 0ms}), ElementsAre("policy.reservations.all.budget"));
  EXPECT_THAT(with(12ms, Window{0ms, 13ms}, std::nullopt), ElementsAre("policy.reservations.local.budget"));
  EXPECT_THAT(with(12ms, Window{5ms, 8ms}, std::nullopt), ElementsAre("policy.reservations.local"));
  EXPECT_THAT(with(12ms, Window{Duration::max(), 8ms}, std::nullopt),
              ElementsAre("policy.reservations.local"));
  EXPECT_THAT(with(12ms, Window{0ms, 8ms}, Window{7ms, 4ms}), ElementsAre("policy.reservations.all"));
  EXPECT_THAT(with(12ms, Window{2ms, 8ms}, Window{0ms, 12ms}), ElementsAre("policy.reservations.all"));
}

TEST(Validate, OnlyGpuWorkHasALauncher) {
  System system = system_of({kernel_task("a"), chain_task("b", {CpuSegment{Interval::exactly(1us)}})});
  system.tasks[0].launcher = true;
  EXPECT_TRUE(validate(system).empty());
  system.tasks[1].launcher = true;
  ASSERT_EQ(validate(system).size(), 1U);
  EXPECT_EQ(validate(system)[0].path, "tasks[1].launcher");
}

TEST(Validate, VirtualSms) {
  const auto with = [](std::vector<std::optional<std::int64_t>> values) {
    return after([&](System& s) { s.virtual_sms = values; });
  };
  EXPECT_THAT(with({2, 2}), IsEmpty());
  EXPECT_THAT(with({4, std::nullopt}), IsEmpty());
  EXPECT_THAT(with({2}), ElementsAre("policy.virtual_sms"));
  EXPECT_THAT(with({2, 4}), ElementsAre("policy.virtual_sms"));
  EXPECT_THAT(with({0, 3}), ElementsAre("policy.virtual_sms.a", "policy.virtual_sms.b"));
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max() - 1;
  EXPECT_THAT(with({huge, huge}), ElementsAre("policy.virtual_sms"));
}

TEST(Validate, PartsOfSmsAreForGpuWorkOfTasksThatOwnThem) {
  System system = system_of({chain_task("a", {CpuSegment{Interval::exactly(1us)}, GpuSegment{}})});
  system.policy.strategy = strategy_named("federated");
  system.policy.order = Order::fp;
  system.platform.gpu.parts_per_sm = 4;
  system.platform.gpu.sms = 8;
  EXPECT_THAT(paths(validate(system)), IsEmpty());
  system.tasks[0].work.nodes[0].segment = ExclusiveSegment{};
  EXPECT_THAT(paths(validate(system)), ElementsAre("tasks[0].segments[0].exclusive"));
  system.tasks[0].work.nodes[0].segment = KernelSegment{};
  EXPECT_THAT(paths(validate(system)), ElementsAre("tasks[0].segments[0].kernel"));
  EXPECT_EQ(validate(system).at(0).id, ProblemId::conflicting_keys);
  system.platform.gpu.parts_per_sm = 1;
  EXPECT_THAT(paths(validate(system)), IsEmpty());
  system.tasks[0].work.nodes[0].segment = GpuSegment{};
  system.platform.gpu.parts_per_sm = 2;
  for (const char* strategy : {"as-submitted", "multi-stream", "sm-cores"}) {
    system.policy.strategy = strategy_named(strategy);
    EXPECT_THAT(paths(validate(system)), ElementsAre("platform.gpu.parts_per_sm")) << strategy;
    EXPECT_EQ(validate(system).at(0).id, ProblemId::conflicting_keys);
  }
}

TEST(Validate, PartsMakeUpWholeSms) {
  System system = system_of({chain_task("a", {CpuSegment{Interval::exactly(1us)}, GpuSegment{}})});
  system.policy.strategy = strategy_named("federated");
  system.policy.order = Order::fp;
  system.platform.gpu.parts_per_sm = 4;
  const auto hints = [&](std::int32_t sms) {
    system.platform.gpu.sms = sms;
    std::vector<std::string> result;
    for (const Violation& violation : validate(system)) {
      EXPECT_EQ(violation.path, "platform.gpu.parts_per_sm");
      EXPECT_EQ(violation.id, ProblemId::conflicting_keys);
      result.push_back(violation.hint);
    }
    return result;
  };
  EXPECT_THAT(hints(12), IsEmpty());
  EXPECT_THAT(hints(11), ElementsAre("`sms` counts the parts: write 8 or 12"));
  EXPECT_THAT(hints(3), ElementsAre("`sms` counts the parts: write 4"));
  system.platform.gpu.parts_per_sm = 3;
  EXPECT_THAT(hints(65536), ElementsAre("`sms` counts the parts: write 65535"));
}

TEST(Validate, CoresAndSmsOfNodes) {
  const auto with = [](std::optional<std::int32_t> core, std::optional<std::int64_t> virtual_sms) {
    System system = system_of({chain_task("a", {CpuSegment{Interval::exactly(1us)}})});
    system.tasks[0].work.nodes[0].core = core;
    system.tasks[0].work.nodes[0].virtual_sms = virtual_sms;
    return paths(validate(system));
  };
  EXPECT_THAT(with(5, 4), IsEmpty());
  EXPECT_THAT(with(6, {}), ElementsAre("tasks[0].segments[0].core"));
  EXPECT_THAT(with(-1, {}), ElementsAre("tasks[0].segments[0].core"));
  EXPECT_THAT(with({}, 0), ElementsAre("tasks[0].segments[0].virtual_sms"));
  EXPECT_THAT(with({}, 3), ElementsAre("tasks[0].segments[0].virtual_sms"));
  EXPECT_THAT(with({}, 6), ElementsAre("policy.virtual_sms")) << "more than the GPU has";
}

TEST(Validate, NamesInPathsAreQuotedWhereNeeded) {
  System system = system_of({exclusive_task("lidar.front \"x\\y\"")});
  system.virtual_sms = {3};
  EXPECT_THAT(paths(validate(system)), ElementsAre(R"(policy.virtual_sms["lidar.front \"x\\y\""])"));
}

TEST(Validate, Names) {
  EXPECT_THAT(after_task([](Task& t) { t.name.clear(); }), ElementsAre("tasks[0].name"));
  for (const std::string bad : {"a\n", "a\x7f", "\xc2\x85", "\xff"}) {
    EXPECT_THAT(after_task([&](Task& t) { t.name = bad; }), ElementsAre("tasks[0].name"));
  }
  EXPECT_THAT(after_task([](Task& t) { t.stream = ""; }), ElementsAre("tasks[0].stream"));
  // 200 characters, 400 bytes.
  std::string umlauts;
  for (int i = 0; i < 200; ++i) umlauts += "ü";
  EXPECT_THAT(after_task([&](Task& t) { t.name = umlauts; }), IsEmpty());
  EXPECT_THAT(after_task([&](Task& t) { t.name = umlauts + "x"; }), ElementsAre("tasks[0].name"));
}

TEST(Validate, Arrivals) {
  EXPECT_THAT(after_task([](Task& t) { t.period.reset(); }), ElementsAre("tasks[0].period"));
  EXPECT_THAT(after_task([](Task& t) { t.deadline.reset(); }), ElementsAre("tasks[0].deadline"));
  EXPECT_THAT(after_task([](Task& t) { t.period = 0ns; }), ElementsAre("tasks[0].period"));
  EXPECT_THAT(after_task([](Task& t) { t.period = t.deadline = 0ns; }), ElementsAre("tasks[0].period"));
  EXPECT_THAT(after_task([](Task& t) { t.deadline = 0ns; }), ElementsAre("tasks[0].deadline"));
  EXPECT_THAT(after_task([](Task& t) { t.deadline = -1ns; }), ElementsAre("tasks[0].deadline"));
  EXPECT_THAT(after_task([](Task& t) { t.offset = -1ns; }), ElementsAre("tasks[0].offset"));
  EXPECT_THAT(after_task([](Task& t) { t.jitter = -1ns; }), ElementsAre("tasks[0].jitter"));
  EXPECT_THAT(after_task([](Task& t) { t.arrival = Arrival::once; }), ElementsAre("tasks[0].period"));
  EXPECT_THAT(after_task([](Task& t) { t.arrival = Arrival::best_effort; }),
              ElementsAre("tasks[0].period", "tasks[0].deadline"));
  const auto best_effort = [](Task& t) {
    t.arrival = Arrival::best_effort;
    t.period.reset();
    t.deadline.reset();
  };
  EXPECT_THAT(after_task(best_effort), IsEmpty());
  EXPECT_THAT(after_task([&](Task& t) {
                best_effort(t);
                t.jitter = 1ns;
              }),
              ElementsAre("tasks[0].jitter"));
  EXPECT_THAT(after_task([&](Task& t) {
                best_effort(t);
                t.work.nodes = {{{}, ExclusiveSegment{{0ns, 1ms}}}};
              }),
              ElementsAre("tasks[0].arrival"));
}

TEST(Validate, Placement) {
  EXPECT_THAT(after_task([](Task& t) { t.priority = -1; }), ElementsAre("tasks[0].priority"));
  EXPECT_THAT(after_task([](Task& t) { t.core = 6; }), ElementsAre("tasks[0].core"));
  EXPECT_THAT(after_task([](Task& t) { t.core = -1; }), ElementsAre("tasks[0].core"));
  EXPECT_THAT(after_task([](Task& t) { t.sm = {SmAffinity::Kind::one, 1}; }), IsEmpty());
  EXPECT_THAT(after_task([](Task& t) { t.sm = {SmAffinity::Kind::one, 2}; }), ElementsAre("tasks[0].sm"));
  EXPECT_THAT(after_task([](Task& t) { t.sm = {SmAffinity::Kind::one, -1}; }), ElementsAre("tasks[0].sm"));
  EXPECT_THAT(after([](System& s) {
                s.policy.sm_group = 2;
                s.tasks[0].sm = {SmAffinity::Kind::one, 1};
              }),
              ElementsAre("tasks[0].sm"));
  EXPECT_THAT(after_task([](Task& t) { t.stream_priority = -1; }), IsEmpty());
  EXPECT_THAT(after_task([](Task& t) { t.stream_priority = 1; }), ElementsAre("tasks[0].stream_priority"));
  EXPECT_THAT(after_task([](Task& t) { t.stream_priority = -2; }), ElementsAre("tasks[0].stream_priority"));
  EXPECT_THAT(after_task([](Task& t) { t.budget = 0ns; }), ElementsAre("tasks[0].budget"));
}

TEST(Validate, LongestBlock) {
  EXPECT_THAT(after_task([](Task& t) { t.longest_block = 1ms; }), IsEmpty());
  EXPECT_THAT(after_task([](Task& t) { t.longest_block = 0ms; }), IsEmpty());
  EXPECT_THAT(after_task([](Task& t) { t.longest_block = 1001us; }), ElementsAre("tasks[0].longest_block"));
  EXPECT_THAT(after_task([](Task& t) { t.longest_block = -1ns; }), ElementsAre("tasks[0].longest_block"));
  EXPECT_THAT(after([](System& s) { s.tasks[1].longest_block = 1ns; }),
              ElementsAre("tasks[1].longest_block"));
}

TEST(Validate, ScriptedJobs) {
  const auto with = [](Arrival arrival, std::vector<ScriptedJob> jobs) {
    System system = system_of({exclusive_task("a")});
    system.platform.overheads = {.release = 1us, .launch = 2us, .completion = 3us, .copy = {}};
    Task& task = system.tasks[0];
    task.arrival = arrival;
    if (!repeats(task)) {
      task.period.reset();
      task.deadline.reset();
    }
    task.offset = 1ms;
    if (arrival != Arrival::best_effort) task.jitter = 1us;
    task.work.nodes = {{{}, ExclusiveSegment{{1ms, 2ms}}}};
    task.jobs = std::move(jobs);
    return paths(validate(system));
  };
  const auto periodic = [&](const ScriptedJob& job) { return with(Arrival::periodic, {job}); };
  ScriptedJob all{.release = time_at(1ms), .late = 2us, .launch = 2us, .completion = 3us, .times = {1ms}};
  EXPECT_THAT(periodic(all), IsEmpty());
  EXPECT_THAT(periodic({}), IsEmpty());
  const auto but = [&](auto change) {
    ScriptedJob job = all;
    change(job);
    return periodic(job);
  };
  EXPECT_THAT(but([](ScriptedJob& job) { job.late = 2001ns; }), ElementsAre("tasks[0].jobs[0].late"));
  EXPECT_THAT(but([](ScriptedJob& job) { job.late = -1ns; }), ElementsAre("tasks[0].jobs[0].late"));
  EXPECT_THAT(but([](ScriptedJob& job) { job.launch = 2001ns; }), ElementsAre("tasks[0].jobs[0].launch"));
  EXPECT_THAT(but([](ScriptedJob& job) { job.completion = 3001ns; }),
              ElementsAre("tasks[0].jobs[0].completion"));
  EXPECT_THAT(but([](ScriptedJob& job) { job.times = {999us}; }), ElementsAre("tasks[0].jobs[0].time"));
  EXPECT_THAT(but([](ScriptedJob& job) { job.times = {2001us}; }), ElementsAre("tasks[0].jobs[0].time"));
  EXPECT_THAT(but([](ScriptedJob& job) { job.times = {1ms, 1ms}; }), ElementsAre("tasks[0].jobs[0].time"));
  EXPECT_THAT(but([](ScriptedJob& job) { job.release = time_at(2ms); }),
              ElementsAre("tasks[0].jobs[0].release"));

  const auto released = [](Time release) {
    ScriptedJob job;
    job.release = release;
    return job;
  };
  EXPECT_THAT(with(Arrival::periodic, {{}, released(time_at(11ms))}), IsEmpty());
  EXPECT_THAT(with(Arrival::periodic, {{}, released(time_at(10ms))}),
              ElementsAre("tasks[0].jobs[1].release"));
  EXPECT_THAT(with(Arrival::sporadic, {released(time_at(1ms)), released(time_at(11ms))}), IsEmpty());
  EXPECT_THAT(with(Arrival::sporadic, {released(time_at(999us))}), ElementsAre("tasks[0].jobs[0].release"));
  EXPECT_THAT(with(Arrival::sporadic, {released(time_at(5ms)), released(time_at(14ms))}),
              ElementsAre("tasks[0].jobs[1].release"));
  EXPECT_THAT(with(Arrival::sporadic, {{}}), ElementsAre("tasks[0].jobs[0]"));
  EXPECT_THAT(with(Arrival::once, {released(time_at(1ms))}), IsEmpty());
  EXPECT_THAT(with(Arrival::once, {released(time_at(2ms))}), ElementsAre("tasks[0].jobs[0].release"));
  EXPECT_THAT(with(Arrival::once, {{}, {}}), ElementsAre("tasks[0].jobs[1]"));
  EXPECT_THAT(with(Arrival::best_effort, {{}, {}}), IsEmpty());
  EXPECT_THAT(with(Arrival::best_effort, {released(time_at(1ms))}), ElementsAre("tasks[0].jobs[0].release"));
}

TEST(Validate, ScriptedTimesOfASegmentThatIsWrongItselfAreNotTold) {
  EXPECT_THAT(after_task([](Task& t) {
                t.work.nodes = {{{}, ExclusiveSegment{{2ms, 1ms}}}};
                t.jobs = {{.release = {}, .late = {}, .launch = {}, .completion = {}, .times = {3ms}}};
              }),
              ElementsAre("tasks[0].exclusive"));
}

TEST(Validate, Work) {
  EXPECT_THAT(after_task([](Task& t) { t.work = {}; }), ElementsAre("tasks[0]"));
  EXPECT_THAT(after_task([](Task& t) { t.work = {.form = WorkForm::chain, .nodes = {}, .edges = {}}; }),
              ElementsAre("tasks[0].segments"));
  EXPECT_THAT(after_task([](Task& t) { t.work = {.form = WorkForm::graph, .nodes = {}, .edges = {}}; }),
              ElementsAre("tasks[0].graph.nodes"));
  EXPECT_THAT(after_task([](Task& t) {
                t.work.nodes = {{{}, CpuSegment{Interval::exactly(1ms)}}};
              }),
              ElementsAre("tasks[0]"));
  EXPECT_THAT(after_task([](Task& t) { t.work.nodes.push_back(t.work.nodes[0]); }), ElementsAre("tasks[0]"));
  EXPECT_THAT(after_task([](Task& t) { t.work.edges = {{0, 0}}; }), ElementsAre("tasks[0]"));
  EXPECT_THAT(validate(system_of({})).at(0).path, "tasks");
}

TEST(Validate, Times) {
  const auto with = [](Segment segment) {
    return paths(validate(system_of({chain_task("a", {CpuSegment{Interval::exactly(1ms)}, segment})})));
  };
  EXPECT_THAT(with(CpuSegment{{2ms, 1ms}}), ElementsAre("tasks[0].segments[1].cpu"));
  EXPECT_THAT(with(CpuSegment{{-2ms, 1ms}}), ElementsAre("tasks[0].segments[1].cpu"));
  EXPECT_THAT(with(CopySegment{.time = {2ms, 1ms}, .bytes = {}}), ElementsAre("tasks[0].segments[1].copy"));
  EXPECT_THAT(with(ExclusiveSegment{{2ms, 1ms}}), ElementsAre("tasks[0].segments[1].exclusive"));
  EXPECT_THAT(with(GpuSegment{.work = {2ms, 1ms}, .overhead = {}, .interleave = 1}),
              ElementsAre("tasks[0].segments[1].gpu.work"));
  EXPECT_THAT(with(GpuSegment{.work = Interval::exactly(1ms), .overhead = {2us, 1us}, .interleave = 1}),
              ElementsAre("tasks[0].segments[1].gpu.overhead"));
  EXPECT_THAT(
      with(GpuSegment{.work = Interval::exactly(1ms), .overhead = {}, .interleave = Rational{99, 100}}),
      ElementsAre("tasks[0].segments[1].gpu.interleave"));
  const Interval longest = Interval::exactly(Duration::max());
  const Rational large{std::numeric_limits<std::int64_t>::max(), 3};
  EXPECT_THAT(with(GpuSegment{.work = longest, .overhead = longest, .interleave = large}), IsEmpty());
  EXPECT_THAT(with(GpuSegment{.work = Interval::exactly(2ms), .overhead = {3ms, 3ms}, .interleave = {3, 2}}),
              IsEmpty());
  EXPECT_THAT(
      with(GpuSegment{.work = Interval::exactly(2ms), .overhead = {3ms, 3ms + 1ns}, .interleave = {3, 2}}),
      ElementsAre("tasks[0].segments[1].gpu.overhead"));
}

TEST(Validate, CopiesInBytes) {
  const auto with = [](std::optional<std::int64_t> bandwidth, std::int64_t bytes, Duration time) {
    System system =
        system_of({chain_task("a", {CopySegment{.time = Interval::exactly(time), .bytes = bytes}})});
    system.platform.gpu.copy_bandwidth = bandwidth;
    return paths(validate(system));
  };
  EXPECT_THAT(with(1'000'000'000, 5, 5ns), IsEmpty());
  EXPECT_THAT(with(1'000'000'000, 5, 4ns), ElementsAre("tasks[0].segments[0].copy.bytes"));
  EXPECT_THAT(with(std::nullopt, 5, 5ns), ElementsAre("tasks[0].segments[0].copy.bytes"));
  EXPECT_THAT(with(1'000'000'000, -5, 5ns), ElementsAre("tasks[0].segments[0].copy.bytes"));
  EXPECT_THAT(with(1, std::numeric_limits<std::int64_t>::max(), 5ns),
              ElementsAre("tasks[0].segments[0].copy.bytes"));
}

TEST(Validate, ABlockThatIsTooLargeHasItsIdWhateverTheLimit) {
  for (const std::int64_t threads : {1025, 1'000'000}) {
    System system = system_of({kernel_task("b")});
    std::get<KernelSegment>(system.tasks[0].work.nodes[0].segment).block = threads;
    const std::vector<Violation> violations = validate(system);
    ASSERT_EQ(violations.size(), 1U);
    EXPECT_EQ(violations[0].id, ProblemId::block_too_large);
  }
}

TEST(Validate, Kernels) {
  EXPECT_THAT(after_kernel([](KernelSegment& k) {
                k.grid = {0, 1, -1};
              }),
              ElementsAre("tasks[1].kernel.grid[0]", "tasks[1].kernel.grid[2]"));
  // As CUDA launches them. The largest grid still counts its blocks in 64 bits.
  EXPECT_THAT(after_kernel([](KernelSegment& k) { k.grid = {2'147'483'647, 65'535, 65'535}; }), IsEmpty());
  EXPECT_THAT(after_kernel([](KernelSegment& k) {
                k.grid = {2'147'483'648, 65'536, 65'536};
              }),
              ElementsAre("tasks[1].kernel.grid[0]", "tasks[1].kernel.grid[1]", "tasks[1].kernel.grid[2]"));
  EXPECT_THAT(after_kernel([](KernelSegment& k) {
                k.block_time = {2us, 1us};
              }),
              ElementsAre("tasks[1].kernel.block_time"));
  EXPECT_THAT(after_kernel([](KernelSegment& k) { k.block = 0; }), ElementsAre("tasks[1].kernel.block"));
  EXPECT_THAT(after_kernel([](KernelSegment& k) { k.block = 1024; }), IsEmpty());
  EXPECT_THAT(after_kernel([](KernelSegment& k) { k.block = 1025; }), ElementsAre("tasks[1].kernel.block"));
  EXPECT_THAT(after_kernel([](KernelSegment& k) { k.block = std::numeric_limits<std::int64_t>::max(); }),
              ElementsAre("tasks[1].kernel.block"));
  EXPECT_THAT(after_kernel([](KernelSegment& k) { k.shared_memory = 65537; }),
              ElementsAre("tasks[1].kernel.shared_memory"));
  EXPECT_THAT(after_kernel([](KernelSegment& k) { k.shared_memory = -1; }),
              ElementsAre("tasks[1].kernel.shared_memory"));
  EXPECT_THAT(after_kernel([](KernelSegment& k) { k.registers = 65537; }),
              ElementsAre("tasks[1].kernel.registers"));
  EXPECT_THAT(after_kernel([](KernelSegment& k) { k.registers = -1; }),
              ElementsAre("tasks[1].kernel.registers"));
}

TEST(Validate, AKernelPassesExactlyWhenABlockFits) {
  // The rule and the derived quantity must agree, or the simulator would wait for ever.
  System system = system_of({kernel_task("a")});
  Gpu& gpu = system.platform.gpu;
  KernelSegment& kernel = std::get<KernelSegment>(system.tasks[0].work.nodes[0].segment);
  for (const std::int32_t warp : {1, 7, 32}) {
    for (const std::int32_t threads : {32, 63, 64, 100}) {
      for (std::int64_t block = 1; block <= 110; ++block) {
        gpu.warp = warp;
        gpu.threads_per_sm = threads;
        kernel.block = block;
        const bool fits = blocks_per_sm(block_demand(kernel, gpu), gpu) > 0;
        EXPECT_EQ(validate(system).empty(), fits) << warp << " " << threads << " " << block;
      }
    }
  }
}

TEST(Validate, Graphs) {
  const auto with = [](std::size_t nodes, std::vector<Edge> edges) {
    return validate(system_of({graph_task("g", nodes, std::move(edges))}));
  };
  EXPECT_THAT(paths(with(2, {{0, 2}})), ElementsAre("tasks[0].graph.edges[0]"));
  EXPECT_THAT(paths(with(2, {{0, 1}, {1, 1}})), ElementsAre("tasks[0].graph.edges[1]"));
  const std::vector<Violation> twice = with(2, {{0, 1}, {0, 1}});
  EXPECT_THAT(paths(twice), ElementsAre("tasks[0].graph.edges[1]"));
  EXPECT_EQ(twice.at(0).related, "tasks[0].graph.edges[0]");
  const std::vector<Violation> cycle = with(4, {{3, 0}, {0, 1}, {1, 2}, {2, 1}, {2, 0}});
  ASSERT_EQ(cycle.size(), 2U);
  EXPECT_EQ(cycle[0].message, "the edges form a cycle: n1 -> n2 -> n1");
  EXPECT_EQ(cycle[1].message, "the edges form a cycle: n0 -> n1 -> n2 -> n0");
  System same_names = system_of({graph_task("g", 2, {})});
  same_names.tasks[0].work.nodes[1].name = "n0";
  EXPECT_THAT(paths(validate(same_names)), ElementsAre("tasks[0].graph.nodes.n0"));
  same_names.tasks[0].work.nodes[1].name = "";
  EXPECT_THAT(paths(validate(same_names)), ElementsAre("tasks[0].graph.nodes[\"\"]"));
}

TEST(Validate, LongCyclesAreToldShort) {
  std::vector<Edge> ring;
  for (std::size_t i = 0; i < 1000; ++i) ring.push_back({i, (i + 1) % 1000});
  const std::vector<Violation> violations = validate(system_of({graph_task("g", 1000, ring)}));
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].message,
            "the edges form a cycle: n0 -> n1 -> n2 -> n3 -> n4 -> n5 -> n6 -> n7 -> ... (992 more) -> n0");
}

TEST(Validate, BusyWaitingNeedsACoreThatCanBeTakenBack) {
  const auto with = [](const CpuChoice& cpu) {
    return after([&](System& system) {
      system.policy.cpu = cpu;
      system.tasks[1].wait = Waiting::busy;
    });
  };
  EXPECT_THAT(with({}), IsEmpty());
  EXPECT_THAT(with({.preemptive = false}), ElementsAre("tasks[1].wait"));
  EXPECT_THAT(with({.scope = CpuScope::global}), ElementsAre("tasks[1].wait"));
  EXPECT_THAT(after_task([](Task& task) {
                task.wait = Waiting::busy;
                task.work.nodes[0].core = 1;
              }),
              ElementsAre("tasks[0].wait"));
}

std::vector<std::string> dispatch_problems(Task task, Dispatch dispatch) {
  task.dispatch = dispatch;
  std::vector<std::string> messages;
  for (const Violation& violation : validate(system_of({std::move(task)}))) {
    if (violation.path == "tasks[0].dispatch") messages.push_back(violation.message);
  }
  return messages;
}

TEST(DispatchRules, ResidentJobsAreOneGpuSegment) {
  const Segment cpu = CpuSegment{Interval::exactly(1us)};
  const Segment gpu = GpuSegment{.work = Interval::exactly(1ms), .overhead = {}};
  const auto problems = [](Task task) { return dispatch_problems(std::move(task), Dispatch::resident); };
  EXPECT_THAT(problems(chain_task("a", {gpu})), IsEmpty());
  EXPECT_THAT(problems(chain_task("a", {cpu})), ElementsAre(HasSubstr("no GPU segment")));
  EXPECT_THAT(problems(chain_task("a", {gpu, gpu})), ElementsAre(HasSubstr("2 GPU segments")));
  EXPECT_THAT(problems(chain_task("a", {cpu, gpu})), ElementsAre(HasSubstr("CPU work or copies")));
  Task sporadic = chain_task("a", {gpu});
  sporadic.arrival = Arrival::sporadic;
  EXPECT_THAT(problems(sporadic), ElementsAre(HasSubstr("periodic tasks only")));
  Task with_budget = chain_task("a", {gpu});
  with_budget.budget = 1ms;
  EXPECT_THAT(problems(with_budget), ElementsAre(HasSubstr("budget")));
  Task skipping = chain_task("a", {gpu});
  skipping.on_miss = OnMiss::skip_next;
  EXPECT_THAT(problems(skipping), IsEmpty());
  skipping.deadline = 11ms;
  EXPECT_THAT(problems(skipping), ElementsAre(HasSubstr("skipped")));
}

TEST(DispatchRules, RungSegmentsRunInTurnOnTheSmsOfTheTask) {
  const Segment cpu = CpuSegment{Interval::exactly(1us)};
  const Segment gpu = GpuSegment{.work = Interval::exactly(1ms), .overhead = {}};
  const auto problems = [](Task task) { return dispatch_problems(std::move(task), Dispatch::doorbell); };
  Task chain = chain_task("a", {cpu, gpu, cpu, gpu});
  EXPECT_THAT(problems(chain), IsEmpty());
  chain.work.nodes[1].virtual_sms = 2;
  EXPECT_THAT(problems(chain), ElementsAre(HasSubstr("SMs of their own")));
  EXPECT_THAT(problems(chain_task("a", {cpu})), ElementsAre(HasSubstr("no GPU segment")));
  Task graph = graph_task("a", 2, {});
  for (Node& node : graph.work.nodes) node.segment = gpu;
  EXPECT_THAT(problems(graph), ElementsAre(HasSubstr("side by side")));
  graph.work.nodes.pop_back();
  EXPECT_THAT(problems(graph), IsEmpty());
  Task best_effort = chain_task("a", {gpu});
  best_effort.arrival = Arrival::best_effort;
  EXPECT_THAT(problems(best_effort), ElementsAre(HasSubstr("best-effort")));
  Task with_launcher = chain_task("a", {gpu});
  with_launcher.launcher = true;
  EXPECT_THAT(problems(with_launcher), ElementsAre(HasSubstr("launcher")));
}

TEST(CpuPolicy, TakesThePolicysOrderWhereItSaysNone) {
  Policy policy;
  policy.strategy = strategy_named("single-stream");
  policy.order = Order::edf;
  policy.cpu = CpuChoice{.preemptive = false};
  EXPECT_EQ(cpu_policy(policy), (CpuPolicy{.order = Order::edf, .preemptive = false}));
  policy.order = Order::fp;  // as `--order` and other strategies change it
  EXPECT_EQ(cpu_policy(policy).order, Order::fp);
  policy.strategy = strategy_named("as-submitted");
  policy.order = Order::edf;
  EXPECT_EQ(cpu_policy(policy).order, Order::fp) << "it has no order";
  policy.cpu->order = Order::edf;
  EXPECT_EQ(cpu_policy(policy).order, Order::edf);
}

TEST(ByNode, IsWhatHasCpuWorkOrAnOrderOfCopies) {
  System system = system_of({chain_task("a", {CopySegment{}, KernelSegment{}}), exclusive_task("b")});
  system.policy.strategy = strategy_named("single-stream");
  EXPECT_FALSE(is_by_node(system));
  system.policy.cpu = CpuChoice{};
  EXPECT_FALSE(is_by_node(system)) << "there is no CPU work";
  system.policy.copies = CopyOrder::fp;
  EXPECT_TRUE(is_by_node(system));
  system.policy.copies.reset();
  system.tasks[1] = chain_task("b", {CpuSegment{}});
  EXPECT_TRUE(is_by_node(system));
  system.tasks[1] = exclusive_task("b");
  system.policy.strategy = strategy_named("federated");
  EXPECT_TRUE(is_by_node(system)) << "always";
}

TEST(ServerPolicies, FollowTheStrategyWhereNothingIsSaid) {
  Policy policy;
  policy.strategy = strategy_named("single-stream");
  EXPECT_EQ(cpu_policy(policy), (CpuPolicy{.order = Order::edf}));
  EXPECT_EQ(copy_order(policy), CopyOrder::edf);
  policy.order = Order::fp;
  EXPECT_EQ(cpu_policy(policy), CpuPolicy{});
  EXPECT_EQ(copy_order(policy), CopyOrder::fp);
  policy.strategy = strategy_named("as-submitted");
  EXPECT_EQ(cpu_policy(policy), CpuPolicy{});
  EXPECT_EQ(copy_order(policy), CopyOrder::fifo);
}

TEST(MissingParameters, BelongToTheirStrategies) {
  System system = system_of({exclusive_task("a"), chain_task("c", {CpuSegment{Interval::exactly(1ms)}})});
  system.tasks[0].sm = {SmAffinity::Kind::any, 0};
  EXPECT_THAT(find_missing_parameters(system), IsEmpty());
  system.policy.strategy = strategy_named("sm-cores");
  EXPECT_THAT(paths(find_missing_parameters(system)), ElementsAre("policy.reservations", "tasks[0].sm"));
  system.policy.reservations = Reservations{.period = 1ms, .local = {}, .all = {}};
  EXPECT_THAT(paths(find_missing_parameters(system)), ElementsAre("tasks[0].sm"));
  system.policy.strategy = strategy_named("federated");
  EXPECT_THAT(paths(find_missing_parameters(system)), ElementsAre("policy.virtual_sms"));
  EXPECT_THAT(find_missing_parameters(system).at(0).hint,
              HasSubstr("`tactus plan FILE` with the same options finds them"));
  system.virtual_sms = {std::nullopt, 2};
  EXPECT_THAT(paths(find_missing_parameters(system)), ElementsAre("policy.virtual_sms.a"));
  system.virtual_sms = {2, std::nullopt};
  EXPECT_THAT(find_missing_parameters(system), IsEmpty());
}

TEST(MissingParameters, EveryKindOfGpuWorkNeedsVirtualSms) {
  const auto needs = [](Segment segment) {
    System system = system_of({chain_task("a", {segment})});
    system.policy.strategy = strategy_named("federated");
    return !find_missing_parameters(system).empty();
  };
  EXPECT_TRUE(needs(KernelSegment{}));
  EXPECT_TRUE(needs(GpuSegment{}));
  EXPECT_TRUE(needs(ExclusiveSegment{}));
  EXPECT_FALSE(needs(CpuSegment{}));
  EXPECT_FALSE(needs(CopySegment{}));
}

}  // namespace
}  // namespace tactus
