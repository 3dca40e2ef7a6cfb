// Valid files: every key ends up in its field. And what holds for a file as a whole.
#include "tactus/io/system_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

#include "tactus/model/presets.hpp"
#include "tactus/model/validate.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

std::string numbered(const std::string& word, int number) {
  std::string text = word;
  text.append(std::to_string(number));
  return text;
}

std::string problems_of(const ReadResult& result) {
  std::string all;
  for (const Problem& problem : result.problems) all += to_string(problem) + "\n";
  return all;
}

/// The system of a valid text. A text that is not valid fails the test and gives an empty system.
System read(const std::string& text, Completeness completeness = Completeness::complete) {
  const ReadResult result = read_system(text, "folder/robot.v2.yaml", completeness);
  EXPECT_EQ(problems_of(result), "");
  EXPECT_EQ(result.system.has_value(), result.problems.empty());
  return result.system.value_or(System{});
}

Task read_task(const std::string& keys) {
  const System system = read(
      "tactus: 1\nplatform: {base: h200, gpu: {copy_bandwidth: 3GB/s}}\ntasks: [{name: a, " + keys + "}]");
  return system.tasks.empty() ? Task{} : system.tasks.front();
}

Policy read_policy(const std::string& keys) {
  return read("tactus: 1\nplatform: h200\npolicy: {" + keys +
              "}\ntasks: [{name: a, period: 1ms, segments: [{cpu: 1us}]}]")
      .policy;
}

Segment read_segment(const std::string& segment) {
  const Task task = read_task("period: 1s, segments: [" + segment + "]");
  return task.work.nodes.empty() ? Segment{} : task.work.nodes.front().segment;
}

KernelSegment read_kernel(const std::string& more) {
  const Segment segment = read_segment("{kernel: {grid: 1, block: 100, block_time: 1us, " + more + "}}");
  return std::get<KernelSegment>(segment);
}

constexpr const char* readme_example = R"(
tactus: 1
platform: jetson-tx2
policy: {strategy: single-stream, order: edf}
tasks:
  - name: detector
    period: 100ms
    deadline: 80ms
    kernel: {grid: 64, block: 512, block_time: 1.2ms}
)";

TEST(SystemFile, SmallExampleEqualsASystemBuiltInCode) {
  System expected;
  expected.name = "robot.v2";
  expected.platform = *find_preset("jetson-tx2");
  expected.policy.strategy = strategy_named("single-stream");
  Task detector;
  detector.name = "detector";
  detector.period = 100ms;
  detector.deadline = 80ms;
  detector.work.nodes.push_back(
      {{}, KernelSegment{.grid = {64, 1, 1}, .block = 512, .block_time = Interval::exactly(1200us)}});
  expected.tasks.push_back(detector);
  EXPECT_EQ(read(readme_example), expected);
}

constexpr const char* everything = R"(
tactus: 1
name: all keys
platform:
  cpus: {clusters: [2, 4]}
  overheads: {release: 1us, launch: 2us, completion: 3us, copy: 4us}
  gpu:
    sms: 8
    threads_per_sm: 1024
    blocks_per_sm: 16
    registers_per_sm: 32768
    warp: 16
    shared_memory_per_sm: 48KiB
    priority_levels: 3
    copy_engines: 2
    sm_choice: best-fit
    virtual_sms_per_sm: 4
    parts_per_sm: 1
    copy_bandwidth: 12GB/s
    copy_chunk: 256KiB
policy:
  strategy: sm-cores
  order: fp
  levels: 3
  refill: immediate
  sm_group: 2
  reservations: {period: 12ms, local: {offset: 1ms, budget: 7ms}, all: {offset: 8ms, budget: 4ms}}
  virtual_sms: {first: 4, "third, with a comma": 8}
  cpu: {order: fl, scope: clustered, preemptive: false}
  copies: {order: fifo}
  clusters: per-cluster
  early_release: false
  parallel_jobs: false
tasks:
  - name: first
    arrival: sporadic
    period: 10ms
    deadline: 8ms
    offset: 1ms
    jitter: 2us
    priority: 3
    core: 5
    sm: 3
    longest_block: 50us
    stream: a
    stream_priority: -2
    budget: 3ms
    on_overrun: demote
    on_miss: skip-next
    max_jobs: 4
    on_full: drop-oldest
    exclusive: [1ms, 3ms]
  - name: second
    rate: 50Hz
    sm: all
    segments:
      - cpu: [1ms, 2ms]
      - copy: 1ms
      - copy: {bytes: 12kB, direction: from-device}
      - gpu: {work: [8ms, 12ms], overhead: [0, 0.2ms], interleave: 1.69}
      - kernel: {grid: [8, 4, 2], block: [16, 2], block_time: [1us, 2us], shared_memory: 1KiB, registers: 512}
      - exclusive: 1ms
  - name: third, with a comma
    arrival: once
    graph:
      nodes:
        a: {cpu: 2ms}
        b: {exclusive: 1ms}
        c.d: {cpu: 3ms}
      edges: [[a, b], [b, c.d], [a, c.d]]
)";

System everything_in_code() {
  System system;
  system.name = "all keys";
  Platform& platform = system.platform;
  platform.clusters = {2, 4};
  platform.overheads = {.release = 1us, .launch = 2us, .completion = 3us, .copy = 4us};
  platform.gpu = {.sms = 8,
                  .threads_per_sm = 1024,
                  .blocks_per_sm = 16,
                  .shared_memory_per_sm = 48 * 1024,
                  .registers_per_sm = 32768,
                  .warp = 16,
                  .priority_levels = 3,
                  .copy_engines = 2,
                  .virtual_sms_per_sm = 4,
                  .sm_choice = SmChoice::best_fit,
                  .copy_bandwidth = 12'000'000'000,
                  .copy_chunk = 256 * 1024};
  Policy& policy = system.policy;
  policy.strategy = strategy_named("sm-cores");
  policy.order = Order::fp;
  policy.levels = 3;
  policy.refill = Refill::immediate;
  policy.sm_group = 2;
  policy.reservations = {.period = 12ms,
                         .local = Window{.offset = 1ms, .budget = 7ms},
                         .all = Window{.offset = 8ms, .budget = 4ms}};
  policy.cpu = {.order = Order::fair_lateness, .scope = CpuScope::clustered, .preemptive = false};
  policy.copies = CopyOrder::fifo;
  policy.clusters = ClusterMode::per_cluster;
  policy.early_release = false;
  policy.parallel_jobs = false;
  system.virtual_sms = {4, std::nullopt, 8};

  Task first;
  first.name = "first";
  first.arrival = Arrival::sporadic;
  first.period = 10ms;
  first.deadline = 8ms;
  first.offset = 1ms;
  first.jitter = 2us;
  first.priority = 3;
  first.core = 5;
  first.sm = {.kind = SmAffinity::Kind::one, .core = 3};
  first.longest_block = 50us;
  first.stream = "a";
  first.stream_priority = -2;
  first.budget = 3ms;
  first.on_overrun = OnOverrun::demote;
  first.on_miss = OnMiss::skip_next;
  first.max_jobs = 4;
  first.on_full = OnFull::drop_oldest;
  first.work = {.form = WorkForm::single, .nodes = {{{}, ExclusiveSegment{{1ms, 3ms}}}}, .edges = {}};

  Task second;
  second.name = "second";
  second.period = 20ms;
  second.deadline = 20ms;
  second.work.form = WorkForm::chain;
  second.work.nodes = {
      {{}, CpuSegment{{1ms, 2ms}}},
      {{}, CopySegment{.time = Interval::exactly(1ms), .bytes = {}}},
      {{},
       CopySegment{.time = Interval::exactly(1us), .bytes = 12'000, .direction = CopyDirection::from_device}},
      {{}, GpuSegment{.work = {8ms, 12ms}, .overhead = {0ms, 200us}, .interleave = Rational{169, 100}}},
      {{},
       KernelSegment{.grid = {8, 4, 2},
                     .block = 32,
                     .block_time = {1us, 2us},
                     .shared_memory = 1024,
                     .registers = 512}},
      {{}, ExclusiveSegment{Interval::exactly(1ms)}}};

  Task third;
  third.name = "third, with a comma";
  third.arrival = Arrival::once;
  third.work.form = WorkForm::graph;
  third.work.nodes = {{"a", CpuSegment{Interval::exactly(2ms)}},
                      {"b", ExclusiveSegment{Interval::exactly(1ms)}},
                      {"c.d", CpuSegment{Interval::exactly(3ms)}}};
  third.work.edges = {{0, 1}, {1, 2}, {0, 2}};
  system.tasks = {first, second, third};
  return system;
}

TEST(SystemFile, EveryKeyEndsUpInItsField) {
  const System expected = everything_in_code();
  EXPECT_THAT(validate(expected), testing::IsEmpty());
  const System system = read(everything);
  EXPECT_EQ(system.platform, expected.platform);
  EXPECT_EQ(system.policy, expected.policy);
  ASSERT_EQ(system.tasks.size(), expected.tasks.size());
  for (std::size_t i = 0; i < system.tasks.size(); ++i) EXPECT_EQ(system.tasks[i], expected.tasks[i]) << i;
  EXPECT_EQ(system, expected);
}

TEST(SystemFile, OrderOfTheTopLevelKeysDoesNotMatter) {
  const System system = read(R"(
tasks:
  - {kernel: {block_time: 1us, registers_per_thread: 3, block: 65, grid: 2}, period: 1ms, name: a}
  - {segments: [{copy: {bytes: 1kB}}], period: 1ms, name: b}
policy: {virtual_sms: {b: 8}}
platform: {gpu: {copy_bandwidth: 1GB/s, warp: 64, virtual_sms_per_sm: 8}, base: jetson-tx2}
tactus: 1
)");
  ASSERT_EQ(system.tasks.size(), 2U);
  // Registers are counted for whole warps of the platform, wherever it stands.
  EXPECT_EQ(std::get<KernelSegment>(system.tasks[0].work.nodes[0].segment).registers, 3 * 128);
  EXPECT_EQ(std::get<CopySegment>(system.tasks[1].work.nodes[0].segment).time, Interval::exactly(1us));
  EXPECT_EQ(system.virtual_sms, (std::vector<std::optional<std::int64_t>>{std::nullopt, 8}));
}

TEST(SystemFile, NameComesFromTheFileWhenNoneIsGiven) {
  const std::string text = "tactus: 1\nplatform: h200\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n";
  EXPECT_EQ(read_system(text, "folder/robot.yaml").system.value().name, "robot");
  EXPECT_EQ(read_system(text, "").system.value().name, "system");
  EXPECT_EQ(read_system("name: x y\n" + text, "robot.yaml").system.value().name, "x y");
  // A file may have a name that no system may have.
  EXPECT_TRUE(read_system(text, std::string(255, 'x') + ".yaml").system.has_value());
  EXPECT_TRUE(read_system(text, "a\x07\xff.yaml").system.has_value());
}

TEST(SystemFile, NamesMayLookLikeAnythingAndBeQuoted) {
  const System system = read(R"(
tactus: 1
name: "8"
platform: "h200"
tasks:
  - {name: 10, period: 1ms, exclusive: 1us}
  - {name: true, period: 1ms, exclusive: 1us, stream: 'it''s'}
  - {name: "Kamera \u00fc", period: "1ms", exclusive: 1us}
)");
  EXPECT_EQ(system.name, "8");
  ASSERT_EQ(system.tasks.size(), 3U);
  EXPECT_EQ(system.tasks[0].name, "10");
  EXPECT_EQ(system.tasks[1].name, "true");
  EXPECT_EQ(system.tasks[1].stream, "it's");
  EXPECT_EQ(system.tasks[2].name, "Kamera ü");
}

TEST(SystemFile, AnchorsAndAliasesWork) {
  const System system = read(R"(
tactus: 1
platform: h200
tasks:
  - {name: a, period: &t 1ms, kernel: &k {grid: 1, block: 32, block_time: 1us}}
  - {name: b, period: *t, kernel: *k}
)");
  ASSERT_EQ(system.tasks.size(), 2U);
  EXPECT_EQ(system.tasks[0].work, system.tasks[1].work);
  EXPECT_EQ(system.tasks[1].period, 1ms);
}

TEST(SystemFile, ByteOrderMarkAndWindowsLineEndsAreFine) {
  EXPECT_EQ(
      read(
          "\xef\xbb\xbftactus: 1\r\nplatform: h200\r\ntasks:\r\n- {name: a, period: 1ms, exclusive: 1us}\r\n")
          .tasks.size(),
      1U);
}

TEST(SystemFile, PlatformPresetAndItsChanges) {
  const System plain = read("tactus: 1\nplatform: titan-v\ntasks: [{name: a, period: 1ms, exclusive: 1us}]");
  EXPECT_EQ(plain.platform, *find_preset("titan-v"));
  const System changed = read(
      "tactus: 1\nplatform: {base: titan-v, cpus: 6, gpu: {sms: 40}}\n"
      "tasks: [{name: a, period: 1ms, exclusive: 1us}]");
  Platform expected = *find_preset("titan-v");
  expected.clusters = {6};
  expected.gpu.sms = 40;
  EXPECT_EQ(changed.platform, expected);
  EXPECT_EQ(changed.platform.preset, "titan-v");
}

TEST(SystemFile, PlatformWithoutBaseStartsFromTheDefaults) {
  const System system =
      read("tactus: 1\nplatform: {gpu: {sms: 3}}\ntasks: [{name: a, period: 1ms, exclusive: 1us}]");
  Platform expected;
  expected.gpu.sms = 3;
  EXPECT_EQ(system.platform, expected);
}

/// Zero would make bounds too small.
TEST(SystemFile, TimesOfWaitingWorkThatAreLeftOutAreThoseOfLaunchedWork) {
  const auto overheads = [](const std::string& waiting) {
    // The order of the keys does not matter.
    return read("tactus: 1\nplatform: {gpu: {sms: 8}, overheads: {" + waiting +
                ", completion: 30us, launch: 20us, release: 40us}}\n"
                "policy: {strategy: federated}\ntasks: [{name: a, period: 1ms, segments: [{cpu: 1us}]}]\n")
        .platform.overheads;
  };
  EXPECT_EQ(overheads("resident: {release: 1us}").resident, (ResidentTime{1us, 30us}));
  EXPECT_EQ(overheads("resident: {completion: 3us}").resident, (ResidentTime{60us, 3us}));
  EXPECT_EQ(overheads("resident: {release: 0us, completion: 0us}").resident, (ResidentTime{0us, 0us}));
  EXPECT_EQ(overheads("doorbell: {launch: 5us}").doorbell, (DoorbellTime{5us, 30us}));
  EXPECT_EQ(overheads("doorbell: {completion: 4us}").doorbell, (DoorbellTime{20us, 4us}));
  EXPECT_EQ(overheads("copy: 1us").resident, std::nullopt);
  EXPECT_EQ(overheads("copy: 1us").doorbell, std::nullopt);
}

TEST(SystemFile, PolicyDefaults) {
  const System none = read("tactus: 1\nplatform: h200\ntasks: [{name: a, period: 1ms, exclusive: 1us}]");
  Policy expected;
  expected.levels = 6;  // what the card has
  EXPECT_EQ(none.policy, expected);
  EXPECT_TRUE(none.virtual_sms.empty());
  EXPECT_EQ(read_policy(""), expected);
  EXPECT_EQ(read_policy("levels: 1").levels, 1);
}

TEST(SystemFile, OrderDefaultsToWhatTheStrategyTakes) {
  EXPECT_EQ(read_policy("strategy: federated").order, Order::fp);
  EXPECT_EQ(read_policy("strategy: federated, order: fp").order, Order::fp);
  EXPECT_EQ(read_policy("strategy: graph").order, Order::edf);
  EXPECT_EQ(read_policy("strategy: graph, order: fl").order, Order::fair_lateness);
  EXPECT_EQ(read_policy("strategy: multi-stream").order, Order::edf);
}

TEST(SystemFile, StrategyNames) {
  EXPECT_EQ(read_policy("strategy: as-submitted").strategy, strategy_named("as-submitted"));
  EXPECT_EQ(read_policy("strategy: single-stream").strategy, strategy_named("single-stream"));
  EXPECT_EQ(read_policy("strategy: multi-stream").strategy, strategy_named("multi-stream"));
  EXPECT_EQ(read_policy("strategy: sm-cores, reservations: {period: 1ms}").strategy,
            strategy_named("sm-cores"));
  EXPECT_EQ(read_policy("strategy: federated").strategy, strategy_named("federated"));
  EXPECT_EQ(read_policy("strategy: graph").strategy, strategy_named("graph"));
}

TEST(SystemFile, WindowsAreOptionalAndBeginAtZeroByDefault) {
  const Policy none = read_policy("reservations: {period: 5ms}");
  EXPECT_EQ(none.reservations, (Reservations{.period = 5ms, .local = std::nullopt, .all = std::nullopt}));
  const Policy all = read_policy("reservations: {period: 5ms, all: {budget: 5ms}}");
  EXPECT_EQ(all.reservations->all, (Window{.offset = 0ms, .budget = 5ms}));
  // Windows may touch.
  read_policy("reservations: {period: 5ms, all: {budget: 2ms}, local: {offset: 2ms, budget: 3ms}}");
}

TEST(SystemFile, ChoicesOfSms) {
  const auto choice = [](const std::string& word) {
    return read("tactus: 1\nplatform: {base: h200, gpu: {sm_choice: " + word +
                "}}\ntasks: [{name: a, period: 1ms, exclusive: 1us}]")
        .platform.gpu.sm_choice;
  };
  EXPECT_EQ(choice("most-free"), SmChoice::most_free);
  EXPECT_EQ(choice("first-fit"), SmChoice::first_fit);
  EXPECT_EQ(choice("best-fit"), SmChoice::best_fit);
  EXPECT_EQ(choice("round-robin"), SmChoice::round_robin);
}

TEST(SystemFile, ArrivalsAndTheirDeadlines) {
  EXPECT_EQ(read_task("period: 5ms, exclusive: 1us").arrival, Arrival::periodic);
  EXPECT_EQ(read_task("period: 5ms, exclusive: 1us").deadline, 5ms);
  EXPECT_EQ(read_task("arrival: sporadic, rate: 100Hz, exclusive: 1us").deadline, 10ms);
  EXPECT_EQ(read_task("period: 5ms, deadline: 9ms, exclusive: 1us").deadline, 9ms);
  const Task once = read_task("arrival: once, exclusive: 1us");
  EXPECT_EQ(once.arrival, Arrival::once);
  EXPECT_EQ(once.deadline, std::nullopt);
  EXPECT_EQ(once.period, std::nullopt);
  EXPECT_EQ(read_task("arrival: once, deadline: 2ms, jitter: 1us, exclusive: 1us").deadline, 2ms);
  const Task best_effort = read_task("arrival: best-effort, offset: 1ms, exclusive: 1us");
  EXPECT_EQ(best_effort.arrival, Arrival::best_effort);
  EXPECT_EQ(best_effort.deadline, std::nullopt);
  EXPECT_EQ(best_effort.offset, 1ms);
}

TEST(SystemFile, RateBecomesThePeriodRoundedDown) {
  EXPECT_EQ(read_task("rate: 30Hz, exclusive: 1us").period, 33'333'333ns);
  EXPECT_EQ(read_task("rate: 0.5Hz, exclusive: 1us").period, 2s);
  EXPECT_EQ(read_task("rate: 2.5kHz, exclusive: 1us").period, 400us);
  EXPECT_EQ(read_task("rate: 1000MHz, exclusive: 1ns").period, 1ns);
}

TEST(SystemFile, TaskDefaults) {
  const Task task = read_task("period: 5ms, exclusive: 1us");
  Task expected;
  expected.name = "a";
  expected.period = 5ms;
  expected.deadline = 5ms;
  expected.work.nodes = {{{}, ExclusiveSegment{Interval::exactly(1us)}}};
  EXPECT_EQ(task, expected);
}

TEST(SystemFile, WhatToDoAboutOverrunsAndMisses) {
  const auto overrun = [](const std::string& word) {
    return read_task("period: 5ms, exclusive: 1us, on_overrun: " + word).on_overrun;
  };
  EXPECT_EQ(overrun("continue"), OnOverrun::proceed);
  EXPECT_EQ(overrun("skip-next"), OnOverrun::skip_next);
  EXPECT_EQ(overrun("abort"), OnOverrun::abort);
  EXPECT_EQ(overrun("demote"), OnOverrun::demote);
  const auto miss = [](const std::string& word) {
    return read_task("period: 5ms, exclusive: 1us, on_miss: " + word).on_miss;
  };
  EXPECT_EQ(miss("continue"), OnMiss::proceed);
  EXPECT_EQ(miss("skip-next"), OnMiss::skip_next);
  EXPECT_EQ(miss("stop"), OnMiss::stop);
}

TEST(SystemFile, WhatToDoWhenATaskIsFull) {
  const auto full = [](const std::string& word) {
    return read_task("arrival: sporadic, period: 5ms, exclusive: 1us, max_jobs: 2, on_full: " + word).on_full;
  };
  EXPECT_EQ(full("drop-newest"), OnFull::drop_newest);
  EXPECT_EQ(full("drop-oldest"), OnFull::drop_oldest);
  EXPECT_EQ(full("block"), OnFull::block);
  EXPECT_EQ(read_task("period: 5ms, exclusive: 1us").max_jobs, std::nullopt);
  EXPECT_EQ(read_task("period: 5ms, exclusive: 1us, max_jobs: 65536").max_jobs, 65536);
}

TEST(SystemFile, SmOfATask) {
  const auto sm = [](const std::string& word) {
    return read_task("period: 5ms, exclusive: 1us, sm: " + word).sm;
  };
  EXPECT_EQ(sm("all"), (SmAffinity{.kind = SmAffinity::Kind::all, .core = 0}));
  EXPECT_EQ(sm("any"), (SmAffinity{.kind = SmAffinity::Kind::any, .core = 0}));
  EXPECT_EQ(sm("131"), (SmAffinity{.kind = SmAffinity::Kind::one, .core = 131}));
}

TEST(SystemFile, LargestPriority) {
  EXPECT_EQ(read_task("period: 5ms, exclusive: 1us, priority: 9223372036854775807").priority,
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(read_task("period: 5ms, exclusive: 1us, priority: 0").priority, 0);
}

TEST(SystemFile, LongestBlock) {
  EXPECT_EQ(read_task("period: 5ms, exclusive: 1us, longest_block: 0").longest_block, 0ns);
  EXPECT_EQ(read_task("period: 5ms, exclusive: [1us, 3us], longest_block: 3us").longest_block, 3us);
  EXPECT_EQ(
      read_task("period: 5ms, segments: [{cpu: 1us}, {exclusive: 2us}], longest_block: 2us").longest_block,
      2us);
}

TEST(SystemFile, ScriptedJobs) {
  EXPECT_TRUE(read_task("period: 5ms, exclusive: 1us").jobs.empty());
  EXPECT_TRUE(read_task("period: 5ms, exclusive: 1us, jobs: []").jobs.empty());
  // A job of which nothing is said keeps its place.
  EXPECT_EQ(read_task("period: 5ms, exclusive: [1us, 3us], jobs: [{}, {time: 2us}]").jobs,
            (std::vector<ScriptedJob>{
                {}, {.release = {}, .late = {}, .launch = {}, .completion = {}, .times = {2us}}}));
  // The releases of a periodic task may be given where they are what they are.
  EXPECT_EQ(
      read_task("period: 5ms, offset: 1ms, exclusive: 1us, jobs: [{}, {release: 6ms}]").jobs.at(1).release,
      time_at(6ms));
  EXPECT_EQ(
      read_task("arrival: once, offset: 1ms, exclusive: 1us, jobs: [{release: 1ms}]").jobs.at(0).release,
      time_at(1ms));
  EXPECT_EQ(
      read_task("arrival: best-effort, exclusive: [1us, 2us], jobs: [{time: 1us}, {time: 2us}]").jobs.size(),
      2U);
  EXPECT_EQ(
      read_task("period: 5ms, segments: [{copy: [1us, 3us]}, {exclusive: 1us}], jobs: [{time: [2us, 1us]}]")
          .jobs.at(0)
          .times,
      (std::vector<Duration>{2us, 1us}));
  const System system = read(R"(tactus: 1
platform: {base: h200, overheads: {release: 1us, launch: 2us, completion: 3us}}
tasks:
  - name: a
    arrival: sporadic
    period: 5ms
    offset: 1ms
    jitter: 1us
    exclusive: [1us, 3us]
    jobs:
      - {release: 1ms, late: 2us, launch: 2us, completion: 3us, time: 1us}
      - release: 6ms
        late: 0
)");
  ASSERT_EQ(system.tasks.size(), 1U);
  EXPECT_EQ(system.tasks[0].jobs,
            (std::vector<ScriptedJob>{
                {.release = time_at(1ms), .late = 2us, .launch = 2us, .completion = 3us, .times = {1us}},
                {.release = time_at(6ms), .late = 0us, .launch = {}, .completion = {}, .times = {}}}));
}

TEST(SystemFile, GridsAndBlocks) {
  const auto kernel = [](const std::string& sizes) {
    return std::get<KernelSegment>(read_segment("{kernel: {" + sizes + ", block_time: 0}}"));
  };
  EXPECT_EQ(kernel("grid: 64, block: 8").grid, (std::array<std::int64_t, 3>{64, 1, 1}));
  EXPECT_EQ(kernel("grid: [64], block: 8").grid, (std::array<std::int64_t, 3>{64, 1, 1}));
  EXPECT_EQ(kernel("grid: [2, 3, 4], block: 8").blocks(), 24);
  EXPECT_EQ(kernel("grid: [2147483647, 65535, 65535], block: 8").blocks(), 9'223'090'559'730'712'575);
  EXPECT_EQ(kernel("grid: 1, block: 1024").block, 1024);
  EXPECT_EQ(kernel("grid: 1, block: [8, 4, 2]").block, 64);
  EXPECT_EQ(kernel("grid: 1, block: [4, 4, 64]").block, 1024);
}

TEST(SystemFile, RegistersOfABlock) {
  EXPECT_EQ(read_kernel("registers: 100").registers, 100);
  EXPECT_EQ(read_kernel("registers_per_thread: 3").registers, 3 * 128);  // 100 threads are 4 warps
  EXPECT_EQ(read_kernel("registers: 65536, shared_memory: 227KiB").shared_memory, 232448);
}

TEST(SystemFile, CopiesInBytesTakeTheirTimeRoundedUp) {
  const auto copy = [](const std::string& text) {
    return std::get<CopySegment>(read_segment("{copy: " + text + "}"));
  };
  EXPECT_EQ(copy("{bytes: 3GB}").time, Interval::exactly(1s));
  EXPECT_EQ(copy("{bytes: 4B}").time, Interval::exactly(2ns));
  EXPECT_EQ(copy("{bytes: 0}").time, Interval::exactly(0ns));
  EXPECT_EQ(copy("{bytes: 3B, direction: to-device}").direction, CopyDirection::to_device);
  EXPECT_EQ(copy("{bytes: 3B}").direction, CopyDirection::unspecified);
  EXPECT_EQ(copy("[1ms, 2ms]"), (CopySegment{.time = {1ms, 2ms}, .bytes = {}}));
}

TEST(SystemFile, GpuWorkDefaults) {
  EXPECT_EQ(std::get<GpuSegment>(read_segment("{gpu: {work: 5ms}}")),
            (GpuSegment{.work = Interval::exactly(5ms), .overhead = {}, .interleave = Rational{1}}));
  // The overhead may be as long as the work with its interleaving.
  read_segment("{gpu: {work: 2ms, overhead: 3ms, interleave: 1.5}}");
}

TEST(SystemFile, GraphWithoutEdges) {
  const Task task = read_task("period: 1s, graph: {nodes: {a: {cpu: 1ms}, b: {cpu: 1ms}}}");
  EXPECT_EQ(task.work.form, WorkForm::graph);
  EXPECT_EQ(task.work.nodes.size(), 2U);
  EXPECT_TRUE(task.work.edges.empty());
}

TEST(SystemFile, WhatPlanFindsMayBeMissingWhenPlanReads) {
  const std::string federated =
      "tactus: 1\nplatform: h200\npolicy: {strategy: federated}\ntasks: [{name: a, period: 1ms, exclusive: "
      "1us}]";
  EXPECT_FALSE(read_system(federated, "a").system.has_value());
  EXPECT_EQ(read(federated, Completeness::to_be_planned).tasks.size(), 1U);
  const std::string cores =
      "tactus: 1\nplatform: h200\npolicy: {strategy: sm-cores}\n"
      "tasks: [{name: a, period: 1ms, exclusive: 1us, sm: any}]";
  EXPECT_EQ(read_system(cores, "a").problems.size(), 2U);
  EXPECT_EQ(read(cores, Completeness::to_be_planned).tasks.size(), 1U);
}

TEST(SystemFile, CpuTasksNeedNoVirtualSms) {
  const System system = read(
      "tactus: 1\nplatform: h200\npolicy: {strategy: federated, virtual_sms: {g: 2}}\n"
      "tasks: [{name: c, period: 1ms, segments: [{cpu: 1us}, {copy: 1us}]}, {name: g, period: 1ms, "
      "exclusive: 1us}]");
  EXPECT_EQ(system.virtual_sms, (std::vector<std::optional<std::int64_t>>{std::nullopt, 2}));
}

TEST(SystemFile, BytesThatAreNotUtf8AreToldWithTheirPlace) {
  const auto first = [](const std::string& text) { return read_system(text, "x").problems.at(0); };
  const Problem latin = first("tactus: 1\nname: \xc3\xa9t\xe9\n");
  EXPECT_EQ(std::pair(latin.line, latin.column), std::pair(2, 9));
  EXPECT_THAT(latin.message, HasSubstr("byte 0xe9 is not UTF-8"));
  EXPECT_THAT(latin.hint, HasSubstr("UTF-8"));
  const Problem utf16 = first(std::string("\xff\xfet\0a\0", 6));
  EXPECT_EQ(std::pair(utf16.line, utf16.column), std::pair(1, 1));
  EXPECT_THAT(utf16.hint, HasSubstr("UTF-16"));
  EXPECT_THAT(first("a: \xed\xa0\x80\n").message, HasSubstr("0xed"));  // half of a surrogate pair
  EXPECT_THAT(first("a: \xc0\x80\n").message, HasSubstr("0xc0"));      // a zero written in two bytes
  EXPECT_THAT(first("a: \xe2\x82").message, HasSubstr("0xe2"));        // cut off
}

TEST(SystemFile, AtMostAHundredProblemsAreTold) {
  std::string text = "tactus: 1\nplatform: h200\ntasks:\n";
  for (int i = 0; i < 150; ++i) text += numbered("- {name: t", i) + ", period: 5, exclusive: 1us}\n";
  const ReadResult result = read_system(text, "x");
  ASSERT_EQ(result.problems.size(), 101U);
  EXPECT_EQ(result.problems[0].line, 4);
  EXPECT_EQ(result.problems[99].line, 103);
  EXPECT_EQ(result.problems[100].line, 104);
  EXPECT_EQ(result.problems[100].message, "50 more problems from here on");
}

TEST(SystemFile, AbsurdNestingIsRefused) {
  const auto refused = [](const std::string& text) {
    const ReadResult result = read_system(text, "x");
    return result.problems.size() == 1 && result.problems[0].message.find("levels deep") != std::string::npos;
  };
  const auto repeated = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  EXPECT_TRUE(refused(repeated("[", 100'000)));
  EXPECT_TRUE(refused(repeated("{a: ", 100'000)));
  EXPECT_TRUE(refused(repeated("- ", 100'000)));
  EXPECT_TRUE(refused(repeated("? ", 100'000)));
  EXPECT_TRUE(refused("a: " + repeated("[", 64) + repeated("]", 64)));
  // Through aliases, each a little deeper than the one before.
  std::string aliases = "a0: &a0 [1]\n";
  for (int i = 1; i < 70; ++i) {
    aliases += numbered("a", i) + numbered(": &a", i) + numbered(" [*a", i - 1) + "]\n";
  }
  EXPECT_TRUE(refused(aliases));
  // 62 levels under the top-level map are still read, and told to be unknown.
  EXPECT_FALSE(refused("a: " + repeated("[", 62) + repeated("]", 62)));
}

TEST(SystemFile, AliasBombsAreRefused) {
  std::string wide = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = numbered("*a", i - 1);
    wide += numbered("a", i) + numbered(": &a", i) + " [";
    for (int j = 0; j < 10; ++j) wide += before + (j < 9 ? ", " : "");
    wide += "]\n";
  }
  const ReadResult result = read_system(wide, "x");
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_THAT(result.problems[0].message, HasSubstr("values up to here, aliases replaced"));
  EXPECT_THAT(result.problems[0].hint, HasSubstr("aliases"));
  // Two steps are enough when they are wide.
  std::string flat = "a: &a [";
  for (int i = 0; i < 1000; ++i) flat += "x, ";
  flat += "]\nb: [";
  for (int i = 0; i < 1000; ++i) flat += "*a, ";
  EXPECT_THAT(read_system(flat + "]\n", "x").problems.at(0).message, HasSubstr("values up to here"));
  // The bomb may be made of text instead of many values.
  std::string heavy = "a: &a \"" + std::string(1'000'000, 'x') + "\"\nb: [";
  for (int i = 0; i < 1000; ++i) heavy += "*a, ";
  EXPECT_THAT(read_system(heavy + "]\n", "x").problems.at(0).message,
              HasSubstr("values up to here, aliases replaced"));
}

TEST(SystemFile, HugeTextsAreRefused) {
  const ReadResult result = read_system(std::string((std::size_t{64} << 20U) + 1, '#'), "x");
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_THAT(result.problems[0].message, HasSubstr("67108865 bytes"));
}

// Large files. Their cost must not grow with the square of their size, or this takes minutes.
constexpr int many = 10'000;

std::string many_tasks(const std::function<std::string(int)>& name) {
  std::string text = "tasks:\n";
  for (int i = 0; i < many; ++i) text += "- {name: " + name(i) + ", period: 5ms, exclusive: 1us}\n";
  return text;
}

std::string task_name(int i) { return numbered("task", i); }

TEST(LargeFile, TenThousandTasksWithTheirVirtualSms) {
  std::string text =
      "tactus: 1\nplatform: {base: h200, gpu: {sms: 10000}}\npolicy:\n  strategy: federated\n  "
      "virtual_sms:\n";
  for (int i = many; i-- > 0;) text += "    " + task_name(i) + ": 2\n";
  const System system = read(text + many_tasks(task_name));
  ASSERT_EQ(system.tasks.size(), many);
  EXPECT_EQ(system.tasks.back().name, "task9999");
  EXPECT_EQ(std::count(system.virtual_sms.begin(), system.virtual_sms.end(), 2), many);
}

TEST(LargeFile, TenThousandUnknownTasksInVirtualSms) {
  std::string text = "tactus: 1\nplatform: h200\npolicy:\n  virtual_sms:\n";
  for (int i = 0; i < many; ++i) text += numbered("    tsak", i) + ": 2\n";
  const ReadResult result = read_system(text + many_tasks(task_name), "x");
  ASSERT_EQ(result.problems.size(), 101U);
  EXPECT_EQ(result.problems[0].hint, "did you mean `task0`?");
  EXPECT_EQ(result.problems[100].message, "9900 more problems from here on");
}

TEST(LargeFile, TenThousandEqualNames) {
  const ReadResult result =
      read_system("tactus: 1\nplatform: h200\n" + many_tasks([](int) { return std::string{"a"}; }), "x");
  ASSERT_EQ(result.problems.size(), 101U);
  EXPECT_EQ(result.problems[0].line, 5);
  EXPECT_EQ(result.problems[100].message, "9899 more problems from here on");
}

TEST(LargeFile, TenThousandNodesInACircle) {
  std::string text = "tactus: 1\nplatform: h200\ntasks:\n- name: a\n  period: 1s\n  graph:\n    nodes:\n";
  for (int i = 0; i < many; ++i) text += numbered("      n", i) + ": {cpu: 1ns}\n";
  text += "    edges:\n";
  for (int i = 0; i + 1 < many; ++i) text += numbered("    - [n", i) + numbered(", n", i + 1) + "]\n";
  EXPECT_EQ(read(text).tasks.at(0).work.edges.size(), many - 1);
  const ReadResult circle = read_system(text + "    - [n9999, n0]\n", "x");
  ASSERT_EQ(circle.problems.size(), 1U);
  EXPECT_EQ(circle.problems[0].line, 7 + many + 1 + many);
  EXPECT_THAT(circle.problems[0].message, HasSubstr("n7 -> ... (9992 more) -> n0"));
}

/// A folder of its own that disappears with the test.
class LoadTest : public testing::Test {
 protected:
  LoadTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tactus-load-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~LoadTest() override { std::filesystem::remove_all(folder_); }
  LoadTest(const LoadTest&) = delete;
  LoadTest& operator=(const LoadTest&) = delete;

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_ / name;
    std::ofstream{path} << text;
    return path;
  }
  static std::vector<Problem> problems(const std::filesystem::path& path) {
    try {
      load(path);
    } catch (const InputError& error) {
      return error.problems();
    }
    return {};
  }

  std::filesystem::path folder_;
};

TEST_F(LoadTest, ReadsAFile) {
  const std::filesystem::path path = write("robot.yaml", readme_example);
  EXPECT_EQ(load(path).name, "robot");
  EXPECT_EQ(load(path).tasks.size(), 1U);
}

TEST_F(LoadTest, TellsTheFileOfAProblem) {
  const std::filesystem::path path = write("robot.yaml", "tactus: 1\nplatform: h200\ntasks: 5\n");
  const std::vector<Problem> found = problems(path);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(to_string(found[0]), HasSubstr("robot.yaml:3:8: error: tasks is `5`"));
}

TEST_F(LoadTest, MissingFile) {
  const std::vector<Problem> found = problems(folder_ / "none.yaml");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].file, HasSubstr("none.yaml"));
  EXPECT_EQ(found[0].message, "no such file");
}

TEST_F(LoadTest, Folder) {
  const std::vector<Problem> found = problems(folder_);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].message, HasSubstr("folder"));
}

TEST_F(LoadTest, EmptyFile) {
  const std::vector<Problem> found = problems(write("empty.yaml", ""));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(std::pair(found[0].line, found[0].column), std::pair(1, 1));
  EXPECT_EQ(found[0].message, "the file is empty");
}

TEST_F(LoadTest, FileWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::filesystem::path path = write("secret.yaml", readme_example);
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const std::vector<Problem> found = problems(path);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].message, HasSubstr("cannot be read"));
  EXPECT_THAT(found[0].hint, HasSubstr("permissions"));
}

}  // namespace
}  // namespace tactus
