// Experiments with the generator `rtgpu`: what they read, and what is told where they are impossible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/marked_text.hpp"
#include "tactus/sweep/read_experiment.hpp"

namespace tactus::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string experiment(const std::string& generator, const std::string& vary) {
  return "tactus-experiment: 1\ngenerator:\n  kind: rtgpu\n" + generator + "vary: " + vary +
         "\nanalyses: [block-rta]\nsystems: 3\n";
}

const std::string utilisations = "{parameter: utilisation, values: [0.5, 2]}";

TEST(RtgpuExperiment, RatiosAndListsAreReadInEveryForm) {
  const ReadExperimentResult block =
      read_experiment(experiment("  length_ratio: 1:8\n  interleave: [1.5, 2]\n", utilisations), "a.yaml");
  ASSERT_TRUE(block.experiment) << to_string(block.problems.front());
  EXPECT_EQ(block.experiment->points.at(1).parameters.ratio("length_ratio"), (generate::Ratio{1, 8}));
  EXPECT_THAT(block.experiment->points.at(1).parameters.decimals("interleave"),
              ElementsAre(Rational{3, 2}, Rational{2}));
  const ReadExperimentResult flow = read_experiment(
      experiment("  utilisation: 1\n", "{parameter: length_ratio, values: [2:1, 1:2, \"1:8\"]}"), "a.yaml");
  ASSERT_TRUE(flow.experiment) << to_string(flow.problems.front());
  std::vector<std::string> values;
  for (const Point& point : flow.experiment->points) values.push_back(generate::to_text(point.value));
  EXPECT_THAT(values, ElementsAre("2:1", "1:2", "1:8"));
}

/// A text with `@` before each place where a problem must be reported, and what must be said there.
struct BadRtgpu {
  std::string text;
  std::vector<std::pair<std::string, std::string>> said;
};

TEST(RtgpuExperiment, ImpossibleParametersAreToldWithPlaceAndHint) {
  const std::vector<BadRtgpu> all{
      {experiment("  length_ratio: @8\n  interleave: [2, @0.5]\n  subtasks: @0\n", utilisations),
       {{"length_ratio `8` is not a ratio", "for instance 1:8"},
        {"interleave is 0.5", "allowed: 1 to 1000"},
        {"subtasks is 0", "allowed: 1 to 1000"}}},
      {experiment("  cpu: @[20ms, 1ms]\n", "{parameter: utilisation, values: [1]}"),
       {{"cpu is not [least, most]", "the shorter first"}}},
      {experiment("  utilisation_method: @uunifast\n", utilisations),
       {{"utilisation_method `uunifast` is not known", "uunifast-discard"}}},
      {experiment("  utilisation_method: rand-fixed-sum\n",
                  "{parameter: utilisation, values: [@0.1, 1, @5.1]}"),
       {{"5 tasks of at least 0.05 each cannot have the utilisation 0.1", "a smaller utilisation_least"},
        {"5 tasks of at most 1 each cannot have the utilisation 5.1", "more tasks"}}},
      {experiment("  gpu_overhead: @3ms\n", "{parameter: utilisation, values: [1]}"),
       {{"gpu_overhead 3ms is more than the shortest GPU segment, 1ms * interleave 1.24",
         "make it smaller or the work longer"}}},
      {experiment("  utilisation_least: @0\n", "{parameter: utilisation, values: [1]}"),
       {{"a task could get the utilisation 0 and an endless deadline", "for instance 0.01"}}},
      {experiment("  utilisation: 1\n", "{parameter: length_ratio, values: [2:1, @0:1, @1-8]}"),
       {{"length_ratio is 0:1", "allowed: 1 to 1000000 on both sides"},
        {"length_ratio `1-8` is not a ratio", "for instance 1:8"}}},
  };
  for (const BadRtgpu& bad : all) {
    const test::Marked marked = test::take_marks(bad.text);
    const ReadExperimentResult result = read_experiment(marked.text, "bad.yaml");
    EXPECT_FALSE(result.experiment);
    std::string told;
    for (const Problem& problem : result.problems) told += to_string(problem) + "\n";
    ASSERT_EQ(result.problems.size(), bad.said.size()) << told << marked.text;
    for (std::size_t i = 0; i < bad.said.size(); ++i) {
      const Problem& problem = result.problems[i];
      EXPECT_EQ(std::pair(problem.line, problem.column), marked.places.at(i)) << told;
      EXPECT_THAT(problem.message, HasSubstr(bad.said[i].first));
      EXPECT_THAT(problem.hint, HasSubstr(bad.said[i].second));
    }
  }
}

}  // namespace
}  // namespace tactus::sweep
