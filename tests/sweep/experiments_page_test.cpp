// docs/experiments.md and the files in experiments/ are kept true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

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

const fs::path source = TACTUS_SOURCE_DIR;

std::string page() { return read_file(source / "docs" / "experiments.md"); }

/// The YAML blocks of the page, each with the parts it leaves out filled in.
std::vector<std::string> examples() {
  const std::string text = page();
  const std::string fence = "```yaml\n";
  std::vector<std::string> result;
  for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
    at += fence.size();
    std::string example = text.substr(at, text.find("```", at) - at);
    const auto add = [&](const std::string& key, const std::string& line) {
      if (("\n" + example).find("\n" + key + ":") == std::string::npos) example += line + "\n";
    };
    add("tactus-experiment", "tactus-experiment: 1");
    const bool varies_tasks = example.find("parameter: tasks") != std::string::npos;
    const bool varies_utilisation = example.find("parameter: utilisation") != std::string::npos;
    add("vary", "vary: {parameter: utilisation, values: [0.5]}");
    const bool has_vary_only = example.find("generator") == std::string::npos;
    if (has_vary_only) {
      add("generator", std::string{"generator: {kind: gpu-jobs, periods: [1ms]"} +
                           (varies_tasks ? "" : ", tasks: 3") +
                           (varies_utilisation ? "" : ", utilisation: 0.5") + "}");
    }
    add("analyses", "analyses: [np-edf]");
    add("systems", "systems: 1");
    result.push_back(example);
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
    EXPECT_THAT(text, HasSubstr("### " + std::string{generator.id} + "\n"));
    for (const generate::Parameter& parameter : generator.parameters) {
      EXPECT_THAT(text, HasSubstr("`" + std::string{parameter.key} + "`"));
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
      for (std::int64_t number = 0; number < 20; ++number) {
        const System system = make_system(experiment, point, number);
        EXPECT_THAT(validate(system), IsEmpty()) << to_system_file(system);
        EXPECT_THAT(find_missing_parameters(system), IsEmpty());
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
    experiment.systems = 10;
    const SweepResult result = run(experiment, {.threads = 2});
    for (const std::optional<PointCounts>& point : result.points) {
      for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
        if (experiment.analyses[i].sound)
          EXPECT_EQ(point->at(i).contradicted, 0) << experiment.analyses[i].id;
        EXPECT_EQ(point->at(i).gave_up, 0) << experiment.analyses[i].id;
      }
    }
  }
}

}  // namespace
}  // namespace tactus::sweep
