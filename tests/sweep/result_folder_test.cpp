// What a folder remembers, and what it refuses.
#include "tactus/sweep/result_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/temporary_name.hpp"
#include "tactus/sweep/json.hpp"
#include "tactus/sweep/read_experiment.hpp"

namespace {

/// The names of the files that were brought to the disk.
std::vector<std::filesystem::path>& synced_files() {
  static std::vector<std::filesystem::path> files;
  return files;
}

}  // namespace

// This stands before that of the C library.
extern "C" int fsync(int file) {
  std::error_code failed;
  synced_files().push_back(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), failed));
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace tactus::sweep {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

struct Text {
  std::string tasks = "2";
  std::string vary = "{parameter: utilisation, values: [0.5, 0.75, 1]}";
  std::string analyses = "[np-edf, np-fp]";
  std::string systems = "10";
  std::string seed = "7";
  std::string more{};
};

Experiment experiment_of(const Text& text) {
  const ReadExperimentResult read = read_experiment(
      "tactus-experiment: 1\ngenerator: {kind: gpu-jobs, periods: [1ms], tasks: " + text.tasks +
          "}\nvary: " + text.vary + "\nanalyses: " + text.analyses + "\nsystems: " + text.systems +
          "\nseed: " + text.seed + "\n" + text.more,
      "test.yaml");
  if (!read.experiment) throw InputError{read.problems};
  return *read.experiment;
}

PartCounts accepted(std::int64_t systems) {
  PartCounts part{2};
  part.counts[0].schedulable = systems;
  part.counts[1].not_applicable = systems;
  part.counts[1].why_not = "needs something";
  part.first_why_not[1] = 0;
  return part;
}

/// One point and a piece of the third.
Ledger some(const Experiment& experiment) {
  Ledger ledger{experiment};
  ledger.add({0, {0, 10}}, accepted(10));
  ledger.add({2, {3, 5}}, accepted(2));
  return ledger;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator{folder}) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

void write(const fs::path& path, const std::string& text) {
  AtomicFile file{path};
  file.write(text);
  file.commit();
}

std::string refusal(const fs::path& folder, const Experiment& experiment) {
  try {
    const ResultFolder opened{folder, experiment, "", IfThere::go_on};
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ResultFolder, RemembersWhatWasJudged) {
  const test::TemporaryFolder folder;
  const Experiment experiment = experiment_of({});
  {
    ResultFolder first{folder.path() / "deep/inside", experiment, "the text", IfThere::go_on};
    EXPECT_EQ(first.found().ledger, Ledger{experiment});
    first.save(some(experiment), {.begun = std::chrono::system_clock::from_time_t(1'800'000'000),
                                  .took = std::chrono::duration<double>{2.5},
                                  .runs = 3});
  }
  const ResultFolder second{folder.path() / "deep/inside", experiment, "the text", IfThere::go_on};
  EXPECT_EQ(second.found().ledger, some(experiment));
  EXPECT_EQ(std::chrono::system_clock::to_time_t(second.found().history.begun), 1'800'000'000);
  EXPECT_EQ(second.found().history.took.count(), 2.5);
  EXPECT_EQ(second.found().history.runs, 3);
  EXPECT_EQ(read_file(second.path() / "experiment.yaml"), "the text");
  EXPECT_EQ(read_file(second.path() / "results.csv"), to_csv(experiment, some(experiment).result()));
}

TEST(ResultFolder, IsOnTheDiskBeforeWorkGoesOn) {
  const test::TemporaryFolder folder;
  const Experiment experiment = experiment_of({});
  synced_files().clear();
  ResultFolder opened{folder.path(), experiment, "the text", IfThere::go_on};
  opened.save(some(experiment), {});
  for (const char* name : {"progress.json", "experiment.yaml", "results.csv", "manifest.json"}) {
    const bool is_there =
        std::any_of(synced_files().begin(), synced_files().end(),
                    [&](const fs::path& file) { return is_temporary_name(file.filename().string(), name); });
    EXPECT_TRUE(is_there) << name;
  }
  EXPECT_THAT(synced_files(), testing::Contains(fs::canonical(folder.path())));
}

TEST(ResultFolder, IsHeldByOneAtATime) {
  const test::TemporaryFolder folder;
  const Experiment experiment = experiment_of({});
  auto first = std::make_unique<ResultFolder>(folder.path(), experiment, "", IfThere::go_on);
  EXPECT_THAT(refusal(folder.path(), experiment), HasSubstr("another sweep is at work"));
  first.reset();
  EXPECT_EQ(refusal(folder.path(), experiment), "");
  EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("progress.json", "experiment.yaml"));
  write(folder.path() / "lock", "");  // left by a killed process
  EXPECT_EQ(refusal(folder.path(), experiment), "");
}

TEST(ResultFolder, RefusesAnotherExperimentAndSaysWhatDiffers) {
  const test::TemporaryFolder folder;
  const Experiment experiment = experiment_of({});
  { const ResultFolder first{folder.path(), experiment, "first", IfThere::go_on}; }
  const auto with = [&](const Text& text) { return refusal(folder.path(), experiment_of(text)); };
  EXPECT_THAT(with({.seed = "8"}), AllOf(HasSubstr("another experiment: seed is 7 there and 8 here"),
                                         HasSubstr("-o"), HasSubstr("--restart")));
  EXPECT_THAT(with({.systems = "11"}), HasSubstr("the number of systems is 10 there and 11 here"));
  EXPECT_THAT(with({.analyses = "[np-fp, np-edf]"}), HasSubstr("analyses is [\"np-edf\",\"np-fp\"] there"));
  EXPECT_THAT(with({.tasks = "3"}), HasSubstr("tasks is 2 there and 3 here"));
  EXPECT_THAT(with({.vary = "{parameter: utilisation, values: [0.5, 0.75, 2]}"}),
              HasSubstr("utilisation is "));
  EXPECT_THAT(with({.vary = "{parameter: utilisation, values: [0.5, 0.75]}"}), HasSubstr("utilisation is "));
  EXPECT_THAT(with({.systems = "11", .seed = "8"}), AllOf(HasSubstr("seed is"), HasSubstr("; ")));
  // Names do not matter.
  EXPECT_EQ(with({.more = "title: Another\nname: other\n"}), "");
  EXPECT_EQ(with({.vary = "{parameter: utilisation, from: 0.5, to: 1, step: 0.25}"}), "");
  // Nothing was touched.
  EXPECT_EQ(refusal(folder.path(), experiment), "");
}

TEST(ResultFolder, RefusesWhatAnotherBuildMade) {
  nlohmann::ordered_json here = identity(experiment_of({}));
  nlohmann::ordered_json there = here;
  EXPECT_THAT(differences(there, here), testing::IsEmpty());
  there["sources"] = "0123";
  EXPECT_THAT(differences(there, here), testing::ElementsAre(HasSubstr("another build of tactus")));
  there = here;
  there["tactus"] = "0.0.1";
  EXPECT_THAT(differences(there, here), testing::ElementsAre(HasSubstr("tactus is 0.0.1 there")));
  EXPECT_FALSE(here["sources"].get<std::string>().empty());
}

TEST(ResultFolder, RefusesResultsOfUnknownOrigin) {
  const test::TemporaryFolder folder;
  write(folder.path() / "results.csv", "somebody's");
  const Experiment experiment = experiment_of({});
  EXPECT_THAT(refusal(folder.path(), experiment), HasSubstr("no progress.json"));
  EXPECT_EQ(read_file(folder.path() / "results.csv"), "somebody's");
  // Also when it may begin anew: that is about what a sweep has made.
  EXPECT_THROW((ResultFolder{folder.path(), experiment, "", IfThere::restart}), InputError);
  EXPECT_EQ(read_file(folder.path() / "results.csv"), "somebody's");
  fs::remove(folder.path() / "results.csv");
  write(folder.path() / "progress.json", "{\"download\": 0.5}");
  EXPECT_THROW((ResultFolder{folder.path(), experiment, "", IfThere::restart}), InputError);
  EXPECT_EQ(read_file(folder.path() / "progress.json"), "{\"download\": 0.5}");
}

TEST(ResultFolder, RestartForgets) {
  const test::TemporaryFolder folder;
  const Experiment experiment = experiment_of({});
  {
    ResultFolder first{folder.path(), experiment, "", IfThere::go_on};
    first.save(some(experiment), {});
    write(folder.path() / "plot.svg", "old");
    write(folder.path() / "notes.txt", "of the user");
  }
  const ResultFolder second{folder.path(), experiment, "", IfThere::restart};
  EXPECT_EQ(second.found().ledger.judged(), 0);
  EXPECT_THAT(names_in(folder.path()),
              UnorderedElementsAre("progress.json", "experiment.yaml", "notes.txt", "lock"));
}

TEST(ResultFolder, SweepsUpWhatAKilledRunLeft) {
  const test::TemporaryFolder folder;
  const Experiment experiment = experiment_of({});
  for (const char* name :
       {"results.csv", "progress.json", "manifest.json", "plot", "experiment.yaml", "plot.gp"}) {
    write(folder.path() / temporary_name(name), "half");
  }
  fs::create_directory(folder.path() / temporary_name("plot"));
  const std::string notes = temporary_name("notes");
  for (const std::string& name : {std::string{"results.csv.tmp"}, std::string{"results.csv.tmp.12"}, notes}) {
    write(folder.path() / name, "mine");
  }
  const ResultFolder opened{folder.path(), experiment, "", IfThere::go_on};
  EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("progress.json", "experiment.yaml", "lock",
                                                            "results.csv.tmp", "results.csv.tmp.12", notes));
}

TEST(ResultFolder, ALockThatIsNotOursStays) {
  const test::TemporaryFolder folder;
  const Experiment experiment = experiment_of({});
  write(folder.path() / "lock", "the key is under the mat");
  { const ResultFolder first{folder.path(), experiment, "", IfThere::go_on}; }
  EXPECT_EQ(read_file(folder.path() / "lock"), "the key is under the mat");
  fs::remove(folder.path() / "lock");
  write(folder.path() / "precious", "");
  fs::create_symlink("precious", folder.path() / "lock");
  EXPECT_THROW((ResultFolder{folder.path(), experiment, "", IfThere::go_on}), FailureError);
  EXPECT_EQ(read_file(folder.path() / "precious"), "");
}

TEST(ResultFolder, TheExperimentMayLieWhereItsResultsGo) {
  const test::TemporaryFolder folder;
  const Experiment experiment = experiment_of({});
  write(folder.path() / "experiment.yaml", "another text");
  EXPECT_THAT(refusal(folder.path(), experiment), HasSubstr("holds experiment.yaml"));
  EXPECT_EQ(read_file(folder.path() / "experiment.yaml"), "another text");
  write(folder.path() / "experiment.yaml", "");
  EXPECT_EQ(refusal(folder.path(), experiment), "");
}

TEST(ResultFolder, EveryChangedByteIsDamage) {
  const Experiment experiment = experiment_of({});
  const std::string good = to_text(experiment, {some(experiment), {}});
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = bad[i] == '5' ? '6' : '5';
    EXPECT_THROW(read_progress(bad, experiment, "out"), InputError) << "byte " << i;
  }
  std::string more = good;  // a number that is as good as the right one
  more.replace(more.find("\"runs\":0"), 8, "\"runs\":1");
  try {
    read_progress(more, experiment, "out");
    FAIL() << "the change was not seen";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("out: progress.json is damaged"));
  }
}

/// A kill between two files: the table is older than the progress.
TEST(ResultFolder, TheProgressAloneDecides) {
  const test::TemporaryFolder folder;
  const Experiment experiment = experiment_of({});
  {
    ResultFolder first{folder.path(), experiment, "", IfThere::go_on};
    first.save(some(experiment), {});
  }
  write(folder.path() / "results.csv", "old");
  fs::remove(folder.path() / "manifest.json");
  ResultFolder second{folder.path(), experiment, "", IfThere::go_on};
  EXPECT_EQ(second.found().ledger, some(experiment));
  second.save(second.found().ledger, {});
  EXPECT_EQ(read_file(folder.path() / "results.csv"), to_csv(experiment, some(experiment).result()));
  EXPECT_TRUE(fs::exists(folder.path() / "manifest.json"));
}

TEST(ResultFolder, DamageIsTold) {
  const Experiment experiment = experiment_of({});
  const SweepProgress progress{some(experiment), {}};
  const std::string good = to_text(experiment, progress);
  EXPECT_EQ(read_progress(good, experiment, "out").ledger, progress.ledger);
  const auto damaged = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t place = text.find(from);
    if (place == std::string::npos) return "no " + from;
    text.replace(place, from.size(), to);
    try {
      read_progress(text, experiment, "out");
    } catch (const InputError& error) {
      return std::string{error.what()};
    }
    return std::string{"accepted"};
  };
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"[10,0,0,0,0,0]", "[9,0,0,0,0,0]"},
                                                        {"[10,0,0,0,0,0]", "[11,-1,0,0,0,0]"},
                                                        {"[10,0,0,0,0,0]", "[10,0,0,0,0]"},
                                                        {"[10,0,0,0,0,0]", "[10,0,0,0,0,11]"},
                                                        {"[[0,10]]", "[[0,11]]"},
                                                        {"[[0,10]]", "[[0,6],[5,9]]"},
                                                        {"[[0,10]]", "7"},
                                                        {"\"points\"", "\"pints\""},
                                                        {"\"runs\"", "\"rums\""},
                                                        {"\"first\":0", "\"first\":\"0\""},
                                                        {"},null,{", "},3,{"},
                                                        {"}\n", ""},
                                                        {"tactus-progress", "tactus"}}) {
    EXPECT_THAT(damaged(from, to), AllOf(HasSubstr("progress.json is damaged"), HasSubstr("--restart")))
        << to;
  }
  // What another version writes may have no sum.
  std::string other = good.substr(0, good.find(",\"checksum\"")) + "}\n";
  other.replace(other.find("\"tactus-progress\":1"), 19, "\"tactus-progress\":2");
  try {
    read_progress(other, experiment, "out");
    FAIL() << "another version was read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("another version"));
  }
}

TEST(ResultFolder, KeepsWhatWasMeasured) {
  const test::TemporaryFolder folder;
  const Experiment experiment = experiment_of({.more = "measures: [acceptance, weighted]\n"});
  Ledger ledger{experiment};
  PartCounts part = accepted(10);
  part.counts[0].sums = {.weight = UInt128{1} << 70U, .accepted_weight = UInt128{1} << 69U};
  for (std::size_t point = 0; point < 3; ++point) ledger.add({point, {0, 10}}, part);
  {
    ResultFolder kept{folder.path(), experiment, "text", IfThere::go_on};
    kept.save(ledger, {});
  }
  EXPECT_EQ(ResultFolder(folder.path(), experiment, "text", IfThere::go_on).found().ledger, ledger);
  // The second applies to no system.
  EXPECT_EQ(read_file(folder.path() / "weighted.csv"), "analysis,weighted\nnp-edf,0.500000\nnp-fp,\n");
}

TEST(Identity, TellsWhatIsMeasuredAndUnderWhichPolicies) {
  const auto told = [](const std::string& there, const std::string& here) {
    const std::vector<std::string> all =
        differences(identity(experiment_of({.more = there})), identity(experiment_of({.more = here})));
    std::string text;
    for (const std::string& one : all) text += one + "; ";
    return text;
  };
  const std::string observed = "measures: [bound-observed]\n";
  const std::string policies = "policies: [{policy: {order: fp}, analyses: [np-fp]}]\n";
  EXPECT_EQ(told(policies, policies), "");
  EXPECT_THAT(told("", "measures: [weighted]\n"), HasSubstr("measures is not given there"));
  EXPECT_THAT(told("measures: [weighted]\n", ""),
              AllOf(HasSubstr("measures is "), HasSubstr("not given here")));
  EXPECT_THAT(told(observed, observed + "simulate: {for: 2s}\n"),
              HasSubstr("simulate is 10 jobs there and 2s here"));
  EXPECT_THAT(told("", policies), HasSubstr("policies is not given there"));
  // A name is for people, what it changes decides the numbers.
  EXPECT_EQ(told(policies, "policies: [{name: rate-monotonic, policy: {order: fp}, analyses: [np-fp]}]\n"),
            "");
  EXPECT_THAT(told(policies, "policies: [{policy: {order: edf}, analyses: [np-fp]}]\n"),
              AllOf(HasSubstr("order fp"), HasSubstr("order edf")));
}

}  // namespace
}  // namespace tactus::sweep
