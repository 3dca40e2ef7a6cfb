// What files may leave to `plan` under every strategy: cores and variants of work. And priorities of GPU
// work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tactus/io/system_file.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/validate.hpp"

namespace tactus {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string file(const std::string& tasks,
                 const std::string& policy = "{strategy: single-stream, order: fp}") {
  return "tactus: 1\nplatform: {cpus: 2, gpu: {sms: 2}}\npolicy: " + policy + "\ntasks:\n" + tasks;
}

ReadResult read(const std::string& text, Completeness completeness) {
  return read_system(text, "open.yaml", completeness);
}

std::string told(const ReadResult& result) {
  std::string text;
  for (const Problem& problem : result.problems) text += to_string(problem) + "\n";
  return text;
}

constexpr auto chain = R"(
  - name: a
    period: 10ms
    core: any
    longest_block: 1ms
    segments: [{cpu: 1ms}, {either: [[{copy: 1ms}, {exclusive: 3ms}], {cpu: 9ms}]}, {cpu: 2ms}, {either: [{cpu: 3ms}, {cpu: 4ms}, {cpu: 5ms}]}]
  - name: b
    period: 10ms
    graph: {nodes: {x: {cpu: 1ms}, y: {either: [{exclusive: 2ms}, {cpu: 3ms}]}}, edges: [[x, y]]}
)";

TEST(OpenChoices, AreReadAndWritten) {
  const ReadResult result = read(file(chain), Completeness::to_be_planned);
  ASSERT_TRUE(result.system) << told(result);
  const Task& task = result.system->tasks[0];
  EXPECT_TRUE(task.any_core);
  ASSERT_EQ(task.work.nodes.size(), 5U);  // the first variants
  ASSERT_EQ(task.choices.size(), 2U);
  EXPECT_EQ(task.choices[0].node, 1U);
  EXPECT_EQ(task.choices[1].node, 4U);
  EXPECT_EQ(task.choices[1].variants.size(), 3U);
  const ReadResult again = read(to_system_file(*result.system), Completeness::to_be_planned);
  ASSERT_TRUE(again.system) << told(again);
  EXPECT_EQ(*again.system, *result.system);
}

TEST(OpenChoices, KeysOfAPolicyThatAreNotSaid) {
  const auto open = [](const std::string& policy) {
    const ReadResult result =
        read(file("  - {name: a, period: 10ms, segments: [{cpu: 1ms}]}\n", policy), Completeness::complete);
    EXPECT_TRUE(result.system) << told(result);
    const ReadResult again = read(to_system_file(*result.system), Completeness::complete);
    EXPECT_TRUE(again.system) << told(again);
    EXPECT_EQ(*again.system, *result.system);
    return result.system->policy.open;
  };
  EXPECT_EQ(open("{strategy: graph}"), (OpenKeys{.order = true, .clusters = true, .parallel_jobs = true}));
  EXPECT_EQ(open("{strategy: graph, order: edf}"),
            (OpenKeys{.order = false, .clusters = true, .parallel_jobs = true}));
  EXPECT_EQ(open("{strategy: graph, order: edf, clusters: global, parallel_jobs: true}"), OpenKeys{});
  EXPECT_EQ(open("{strategy: single-stream}"), OpenKeys{});
}

TEST(OpenChoices, AreRefusedWhereTheSystemMustBeComplete) {
  const std::string problems = told(read(file(chain), Completeness::complete));
  EXPECT_THAT(problems, HasSubstr("task `a` has no core yet"));
  EXPECT_THAT(problems, HasSubstr("open.yaml:10:97: error: task `a` has work with several variants"));
  EXPECT_THAT(problems, HasSubstr("tactus plan FILE"));
  EXPECT_THAT(problems, HasSubstr("task `b` has work with several variants"));
  // Virtual SMs are not the only thing that may be missing.
  const std::string federated =
      told(read(file(chain, "{strategy: federated}"), Completeness::without_virtual_sms));
  EXPECT_THAT(federated, HasSubstr("task `a` has no core yet"));
}

TEST(OpenChoices, AChosenVariantIsTheWork) {
  const ReadResult result = read(file(R"(
  - {name: a, period: 10ms, segments: [{either: [[{copy: 1ms}, {exclusive: 3ms}], [{cpu: 9ms}]], variant: 1}, {cpu: 2ms}]}
)"),
                                 Completeness::complete);
  ASSERT_TRUE(result.system) << told(result);
  EXPECT_EQ(result.system->tasks[0].work.nodes.size(), 2U);
  EXPECT_THAT(result.system->tasks[0].choices, IsEmpty());
  EXPECT_THAT(
      told(read(
          file("  - {name: a, period: 10ms, segments: [{either: [{cpu: 1ms}, {cpu: 2ms}], variant: 2}]}"),
          Completeness::complete)),
      HasSubstr("variant 2 is not one of 2"));
}

TEST(OpenChoices, ExpandInPlace) {
  const System system = *read(file(chain), Completeness::to_be_planned).system;
  const System second = with_variants(system, std::vector<std::vector<std::size_t>>{{1, 2}, {1}});
  EXPECT_THAT(validate(second), IsEmpty());
  ASSERT_EQ(second.tasks[0].work.nodes.size(), 4U);
  EXPECT_EQ(drawn_time(second.tasks[0].work.nodes[1].segment).worst, Duration{9'000'000});
  EXPECT_EQ(drawn_time(second.tasks[0].work.nodes[3].segment).worst, Duration{5'000'000});
  EXPECT_FALSE(second.tasks[0].longest_block);  // nothing is left that has one
  EXPECT_EQ(second.tasks[1].work.nodes[1].name, "y");
  const System first = with_variants(system, std::vector<std::vector<std::size_t>>{{0, 0}, {0}});
  EXPECT_EQ(first.tasks[0].work, system.tasks[0].work);
  EXPECT_EQ(first.tasks[0].longest_block, Duration{1'000'000});
}

struct Bad {
  const char* task;
  const char* told;
};

class BadChoices : public testing::TestWithParam<Bad> {};

TEST_P(BadChoices, AreTold) {
  EXPECT_THAT(told(read(file(GetParam().task), Completeness::to_be_planned)), HasSubstr(GetParam().told));
}

INSTANTIATE_TEST_SUITE_P(
    Open, BadChoices,
    testing::Values(
        Bad{"  - {name: a, period: 1ms, segments: [{either: [{cpu: 1us}]}]}", "fewer than two variants"},
        Bad{"  - {name: a, period: 1ms, segments: [{either: []}]}", "fewer than two variants"},
        Bad{"  - {name: a, period: 1ms, segments: [{either: 3}]}", "either"},
        Bad{"  - {name: a, period: 1ms, segments: [{either: [[], {cpu: 1us}]}]}",
            "a variant has no segments"},
        Bad{"  - {name: a, period: 1ms, segments: [{either: [{cpu: 1us}, {cpu: 2}]}]}", "has no unit"},
        Bad{"  - {name: a, period: 1ms, segments: [{either: [{cpu: 1us}, {cpu: [3us, 2us]}]}]}",
            "the best case 3us is longer than the worst case 2us"},
        Bad{"  - {name: a, period: 1ms, segments: [{eithr: [{cpu: 1us}, {cpu: 2us}]}]}",
            "did you mean `either`"},
        Bad{"  - {name: a, period: 1ms, segments: [{either: [{cpu: 1us}, {cpu: 2us}], cpu: 1us}]}",
            "unknown key `cpu`"},
        Bad{"  - {name: a, period: 1ms, segments: [{either: [{either: [{cpu: 1us}, {cpu: 2us}]}, {cpu: "
            "2us}]}]}",
            "variants of its own"},
        Bad{"  - {name: a, arrival: best-effort, segments: [{either: [{cpu: 1us}, {cpu: 2us}]}]}",
            "is best-effort but has work with several variants"},
        Bad{"  - {name: a, period: 1ms, jobs: [{}], segments: [{either: [{cpu: 1us}, {cpu: 2us}]}]}",
            "has scripted `jobs`"},
        Bad{"  - {name: a, period: 1ms, graph: {nodes: {x: {either: [[{cpu: 1us}, {cpu: 1us}], {cpu: "
            "2us}]}}}}",
            "a variant of a node is one segment"},
        Bad{"  - {name: a, period: 1ms, core: some, segments: [{cpu: 1us}]}", "core"},
        Bad{"  - {name: a, period: 1ms, gpu_priority: -1, segments: [{cpu: 1us}, {exclusive: 1us}]}",
            "the gpu_priority of task `a` is -1"},
        Bad{"  - {name: a, period: 1ms, gpu_priority: 1, exclusive: 1us}", "jobs are served whole here"}));

TEST(GpuPriorities, OrderTheGpuAlone) {
  const ReadResult result = read(file(R"(
  - {name: a, period: 10ms, priority: 2, gpu_priority: 1, segments: [{cpu: 1ms}, {exclusive: 1ms}]}
  - {name: b, period: 10ms, priority: 1, gpu_priority: 2, segments: [{cpu: 1ms}, {exclusive: 1ms}]}
  - {name: c, period: 10ms, priority: 3, segments: [{cpu: 1ms}, {exclusive: 1ms}]}
)"),
                                 Completeness::complete);
  ASSERT_TRUE(result.system) << told(result);
  EXPECT_EQ(urgency_order(*result.system), (std::vector<TaskIndex>{2, 0, 1}));
  EXPECT_EQ(gpu_urgency_order(*result.system), (std::vector<TaskIndex>{2, 1, 0}));
  EXPECT_EQ(read(to_system_file(*result.system), Completeness::complete).system->tasks, result.system->tasks);
}

}  // namespace
}  // namespace tactus
