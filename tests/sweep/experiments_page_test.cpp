// docs/experiments.md and the files in experiments/ are kept true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/effort.hpp"
#include "support/source_folder.hpp"
#include "tactus/base/file.hpp"
#include "tactus/generate/generator.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/sweep/read_experiment.hpp"
#include "tactus/sweep/run.hpp"

namespace tactus::sweep {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

const fs::path source = test::in_repository();

std::string page() { return read_file(source / "docs" / "experiments.md"); }

std::string between(std::string before, std::string_view word, std::string_view behind) {
  return std::move(before.append(word).append(behind));
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The example with the parts it leaves out.
std::string filled_in(std::string example) {
  std::string generator = "generator: {kind: gpu-jobs, periods: [1ms]";
  if (!contains(example, "parameter: tasks")) generator += ", tasks: 3";
  if (!contains(example, "parameter: utilisation") && contains(example, "vary:"))
    generator += ", utilisation: 0.5";
  const std::vector<std::string> rest{"tactus-experiment: 1", "vary: {parameter: utilisation, values: [0.5]}",
                                      generator + "}", "analyses: [np-edf]", "systems: 1"};
  for (const std::string& line : rest) {
    const std::string key = line.substr(0, line.find(':') + 1);
    if (!example.starts_with(key) && !contains(example, between("\n", key, "")))
      example.append(line).append("\n");
  }
  return example;
}

/// The YAML blocks of the page.
std::vector<std::string> examples() {
  const std::string text = page();
  const std::string fence = "```yaml\n";
  std::vector<std::string> result;
  for (std::size_t begin = text.find(fence); begin != std::string::npos; begin = text.find(fence, begin)) {
    begin += fence.size();
    result.push_back(filled_in(text.substr(begin, text.find("```", begin) - begin)));
  }
  return result;
}

TEST(ExperimentsPage, ExamplesAreExperiments) {
  const std::vector<std::string> all = examples();
  EXPECT_GE(all.size(), 6U);
  for (const std::string& example : all) {
    const ReadExperimentResult read = read_experiment(example, "example.yaml");
    EXPECT_TRUE(read.experiment) << to_string(read.problems.front()) << "\n" << example;
  }
}

TEST(ExperimentsPage, NamesEveryGeneratorAndParameter) {
  const std::string text = page();
  for (const generate::Generator& generator : generate::generators()) {
    EXPECT_THAT(text, HasSubstr(between("### ", generator.id, "\n")));
    for (const generate::Parameter& parameter : generator.parameters) {
      EXPECT_THAT(text, HasSubstr(between("`", parameter.key, "`")));
    }
  }
}

TEST(Experiments, AreReadAndTheirSystemsAreValid) {
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator{source / "experiments"}) {
    if (entry.path().extension() != ".yaml") continue;
    ++files;
    const Experiment experiment = load_experiment(entry.path());
    EXPECT_EQ(experiment.name, entry.path().stem().string());
    for (const Point& point : experiment.points) {
      for (std::int64_t number = 0; number < test::tries(20); ++number) {
        const System system = make_system(experiment, point, number);
        EXPECT_THAT(validate(system), IsEmpty()) << to_system_file(system);
        // The division of the SMs is what those analyses search for.
        const bool searched = system.policy.strategy == strategy_named("federated");
        EXPECT_TRUE(searched || find_missing_parameters(system).empty());
      }
    }
  }
  EXPECT_GE(files, 3U);
}

// A short run of every figure: sound tests are never contradicted by the exact one, and it never gives up.
TEST(Experiments, SoundAnalysesAreNotContradicted) {
  for (const fs::directory_entry& entry : fs::directory_iterator{source / "experiments"}) {
    if (entry.path().extension() != ".yaml") continue;
    Experiment experiment = load_experiment(entry.path());
    experiment.systems = experiment.points.size() > 15 ? (test::is_watched ? 1 : 2) : test::tries(10);
    const SweepResult result = run(experiment, {.threads = 2});
    for (const std::optional<PointCounts>& point : result.points) {
      for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
        if (experiment.analyses[i].sound) {
          EXPECT_EQ(point->at(i).contradicted, 0) << experiment.analyses[i].id;
        }
        EXPECT_EQ(point->at(i).gave_up, 0) << experiment.analyses[i].id;
      }
    }
  }
}

}  // namespace
}  // namespace tactus::sweep
