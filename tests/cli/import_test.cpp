// `tactus import` as users meet it, and the verbs that take models directly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/command.hpp"
#include "support/source_folder.hpp"
#include "support/temporary_folder.hpp"
#include "tactus/base/file.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string camera = "examples/amalthea/camera.amxmi";
const std::string kernels = "examples/amalthea/kernels.amxmi";

TEST(ImportCommand, ReportsWhatTheModelHolds) {
  const Answer answer = tactus("import " + camera);
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.err, IsEmpty());
  EXPECT_THAT(
      answer.out,
      AllOf(HasSubstr("AMALTHEA 0.9.8, 4 tasks, 7 runnables, 4 labels, 4 stimuli, 3 processing units; "),
            HasSubstr("all resolved"), Not(HasSubstr("Warnings:")), HasSubstr("Assumed:"),
            HasSubstr("Notes:"),
            HasSubstr("cpu 2.1ms, copy 100us, gpu 10ms, copy 10us, cpu 3.01ms, waits busily")));
}

TEST(ImportCommand, WritesASystemThatCheckAccepts) {
  const std::string file = temporary_path("camera.yaml");
  const Answer answer = tactus("import " + camera + " -o " + file);
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.err, HasSubstr("system file: "));
  EXPECT_THAT(read_file(file), HasSubstr("# Made of examples/amalthea/camera.amxmi (AMALTHEA 0.9.8)"));
  EXPECT_EQ(tactus("check " + file).status, 0);
}

TEST(ImportCommand, StandardOutputTakesTheSystemAlone) {
  const Answer answer = tactus("import " + camera + " -o -");
  EXPECT_EQ(answer.status, 0);
  EXPECT_TRUE(read_system(answer.out, "out.yaml").system);
  EXPECT_THAT(answer.err, HasSubstr("processing units"));
  EXPECT_EQ(tactus("import " + camera + " -o - --json").status, 2);
}

TEST(ImportCommand, JsonHasFindingsTimesAndTheSystem) {
  const Answer answer = tactus("import " + camera + " --json");
  EXPECT_EQ(answer.status, 0) << answer.err;
  const nlohmann::json report = nlohmann::json::parse(answer.out);
  EXPECT_EQ(report["version"], "0.9.8");
  EXPECT_EQ(report["classes"]["Task"], 4);
  EXPECT_THAT(report["unresolved"], IsEmpty());
  EXPECT_EQ(report["units"][2]["unit"], "GPU");
  EXPECT_EQ(report["units"][2]["worst_ppm"], 250'000);
  bool has_detect = false;
  for (const auto& row : report["times"]) {
    has_detect = has_detect || (row["runnable"] == "Detect" && row["definition"] == "Small_GPU" &&
                                row["worst_ns"] == 10'000'000);
  }
  EXPECT_TRUE(has_detect);
  EXPECT_TRUE(read_system(report["system"].get<std::string>(), "json.yaml").system);
  for (const auto& finding : report["findings"]) EXPECT_FALSE(finding["kind"].get<std::string>().empty());
}

TEST(ImportCommand, TimesMayBeOneCase) {
  EXPECT_THAT(tactus("import " + camera + " -o - --worst").out, HasSubstr("exclusive: 10ms"));
  EXPECT_THAT(tactus("import " + camera + " -o - --average").out, HasSubstr("exclusive: 9ms"));
  EXPECT_THAT(tactus("import " + camera + " -o - --best").out, HasSubstr("exclusive: 8ms"));
  EXPECT_EQ(tactus("import " + camera + " --best --worst").status, 2);
}

TEST(ImportCommand, TheKernelsOfTheThesisEndWhenItSays) {
  const std::string file = temporary_path("kernels.yaml");
  EXPECT_EQ(tactus("import " + kernels + " -o " + file).status, 0);
  const std::string text = tactus("sim " + file + " --jobs").out;
  for (const char* line :
       {"T1      0      0ns    0ns         4ms", "T2      0      0ns    0ns        10ms",
        "T3      0      0ns    4ms        12ms", "T4      0      0ns    6ms        11ms"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(ImportCommand, OtherVerbsTakeModels) {
  const Answer check = tactus("check " + camera);
  EXPECT_EQ(check.status, 0) << check.err;
  EXPECT_THAT(check.out, HasSubstr("camera: schedulable"));
  EXPECT_THAT(check.err, HasSubstr("imported with 4 assumptions"));
  EXPECT_EQ(tactus("sim " + camera).status, 0);
  EXPECT_EQ(tactus("check " + camera + " --set tasks.Camera.deadline=5ms").status, 1);
}

TEST(ImportCommand, CheckNamesWhatTheModelHasBesides) {
  std::string text = read_file(in_repository(camera));
  const std::string first_call = R"(<items xsi:type="am:RunnableCall")";
  text.insert(text.find(first_call), R"(<items xsi:type="am:SemaphoreAccess" access="request"/>)");
  const std::string file = write_temporary("semaphore.amxmi", text);
  const Answer answer = tactus("check " + file);
  EXPECT_THAT(
      answer.out,
      HasSubstr(
          "the model itself is not proven. It also has:\n  1 x SemaphoreAccess (waiting for a semaphore"));
  EXPECT_EQ(answer.status, 1);  // though what was imported holds
  EXPECT_THAT(answer.out, HasSubstr("semaphore: unproven"));
  const nlohmann::json line = nlohmann::json::parse(tactus("check --json " + file).out);
  EXPECT_EQ(line["left_out"].size(), 1U);
  EXPECT_EQ(line["verdict"], "unproven");
  for (const char* format : {"junit", "sarif", "github"}) {
    const Answer piped = tactus(std::string{"check --format "} + format + " " + file);
    EXPECT_EQ(piped.status, 1);
    EXPECT_THAT(piped.out, HasSubstr("the model is not proven")) << format;
  }
  EXPECT_THAT(tactus("check " + camera).out, Not(HasSubstr("also has")));
}

TEST(ImportCommand, WhatAModelLeavesOpenIsNotProven) {
  struct Change {
    std::string from;
    std::string to;
    std::string words;
  };
  const std::string control = R"(<runnables name="Control">)";
  const std::string affinity = R"(affinity="Core0?type=ProcessingUnit"><schedulingParameters priority="3"/>)";
  const std::vector<Change> changes{
      {control, R"(<runnables name="Control"/>)" + control, "may mean several elements"},
      {"Core0?type=ProcessingUnit Core1?type=ProcessingUnit\" executingPU",
       "Core1?type=ProcessingUnit\" executingPU",
       "has affinity to Core0, but its scheduler `Scheduler` is responsible for Core1"},
      {affinity, R"(affinity="Core0?type=ProcessingUnit"><schedulingParameters priority="2"/>)",
       "have the same priority"},
      {affinity, "><schedulingParameters priority=\"3\"/>", "`Motor` may run on Core0, Core1"},
      {R"(<items xsi:type="am:ClearEvent"><eventMask events="found?type=OsEvent"/></items>)", "",
       "which nothing clears"},
  };
  for (const Change& change : changes) {
    std::string text = read_file(in_repository(camera));
    ASSERT_NE(text.find(change.from), std::string::npos) << change.from;
    text.replace(text.find(change.from), change.from.size(), change.to);
    const Answer answer = tactus("check " + write_temporary("open.amxmi", text));
    EXPECT_EQ(answer.status, 1) << change.to;
    EXPECT_THAT(answer.out, AllOf(HasSubstr("open: unproven"), HasSubstr(change.words)));
  }
}

// In bursts a task comes seldom; the imported one comes as closely all the time.
TEST(ImportCommand, WhatCannotHoldAsImportedMayHoldInTheModel) {
  std::string text = read_file(in_repository(camera));
  const std::size_t begin = text.find(R"(<stimuli xsi:type="am:PeriodicStimulus" name="every_5ms")");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = text.find("</stimuli>", begin);
  text.replace(begin, end - begin,
               R"(<stimuli xsi:type="am:PeriodicBurstStimulus" name="every_5ms" occurrenceCount="3">)"
               R"(<recurrence value="100" unit="ms"/><burstLength value="2" unit="ms"/>)"
               R"(<occurrenceMinDistance value="400" unit="us"/>)");
  std::size_t at = 0;  // references name the class
  while ((at = text.find("every_5ms?type=PeriodicStimulus")) != std::string::npos)
    text.replace(at, 31, "every_5ms?type=PeriodicBurstStimulus");
  const Answer answer = tactus("check " + write_temporary("burst.amxmi", text));
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, HasSubstr("burst: unproven"));
  EXPECT_THAT(answer.out, HasSubstr("server-necessary (necessary): unschedulable"));
}

TEST(ImportCommand, PlanShortensTheChainsOfAModel) {
  const std::string chains =
      write_temporary("chains-of-model.yaml", "chains:\n  - {name: all, tasks: [Camera, Plan, Motor]}\n");
  const Answer answer = tactus("plan " + camera + " --chains " + chains);
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("together; no cores, variants and priorities give less"));
  // Without chains, or with another aim, there is nothing to shorten.
  EXPECT_THAT(tactus("plan " + camera).out, Not(HasSubstr("together")));
}

TEST(ImportCommand, AFolderIsOneModelForEveryVerb) {
  const std::string folder = temporary_path("one-model");
  make_folder(folder);
  write_file(folder + "/model.amxmi", read_file(in_repository(camera)));
  EXPECT_EQ(tactus("check " + folder).status, 0);
  EXPECT_EQ(tactus("sim " + folder).status, 0);
  EXPECT_EQ(tactus("plan " + folder).status, 0);
}

TEST(ImportCommand, ProblemsHaveTheirPlace) {
  std::string text = read_file(in_repository(camera));
  const std::string frequency = R"(<defaultValue value="1.0" unit="GHz"/>)";
  text.erase(text.find(frequency), frequency.size());
  const std::string file = write_temporary("no-frequency.amxmi", text);
  const Answer answer = tactus("import " + file);
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.out, HasSubstr("3 processing units"));
  EXPECT_THAT(answer.err, AllOf(HasSubstr("no-frequency.amxmi:"),
                                HasSubstr("the frequency of processing unit `Core0` is not known"),
                                HasSubstr("[incomplete-model]")));
  EXPECT_EQ(tactus("import " + write_temporary("broken.amxmi", "<am:Amalthea>")).status, 2);
  EXPECT_EQ(tactus("import no-such-file.amxmi").status, 2);
}

TEST(ImportCommand, ChainsComeFromAFileOfTheirOwn) {
  const std::string chains = write_temporary(
      "chains.yaml", "chains:\n  - {name: steer, tasks: [Camera, Plan, Motor], communication: let}\n");
  const std::string file = temporary_path("with-chains.yaml");
  EXPECT_EQ(tactus("import " + camera + " --chains " + chains + " -o " + file).status, 0);
  EXPECT_THAT(tactus("check " + file).out, HasSubstr("steer"));
  EXPECT_THAT(tactus("check " + camera + " --chains " + chains).out,
              HasSubstr("chain 'steer': 65ms from the release that samples to the output."));
  const std::string wrong =
      write_temporary("wrong.yaml", "chains:\n  - {name: steer, tasks: [Camera, Pilot]}\n");
  const Answer answer = tactus("import " + camera + " --chains " + wrong);
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("wrong.yaml:2:"));
}

TEST(ImportCommand, OptionsAreChecked) {
  for (const char* wrong :
       {"--period Camera", "--period Camera=0", "--period Camara=5ms", "--frequency fast", "--line-size 0",
        "--loops 0", "--kernel-alone", "--access quickly", "--deviations many"}) {
    EXPECT_EQ(tactus("import " + camera + " " + wrong).status, 2) << wrong;
  }
}

/// The lines of `check FOLDER --json`, each with its verdict, and the summary.
nlohmann::json checked(const std::filesystem::path& folder) {
  nlohmann::json found;
  std::istringstream lines{tactus("check " + folder.string() + " --json").out};
  for (std::string text; std::getline(lines, text);) {
    const nlohmann::json line = nlohmann::json::parse(text);
    if (line.contains("summary")) {
      found["summary"] = line["summary"];
    } else {
      found[std::filesystem::path{line["file"].get<std::string>()}.filename().string()] =
          line.value("verdict", "problems");
    }
  }
  return found;
}

TEST(FoldersWithModels, AreCheckedModelByModel) {
  const TemporaryFolder folder;
  std::filesystem::copy(in_repository("examples/first.yaml"), folder.path());
  for (const std::string& model : {camera, kernels})
    std::filesystem::copy(in_repository(model), folder.path());
  const nlohmann::json found = checked(folder.path());
  EXPECT_EQ(found["first.yaml"], "schedulable");
  for (const std::string& model : {camera, kernels}) {
    const nlohmann::json alone = nlohmann::json::parse(tactus("check --json " + model).out);
    EXPECT_EQ(found[std::filesystem::path{model}.filename().string()], alone["verdict"]);
  }
  EXPECT_EQ(found["summary"]["files"], 3);
  EXPECT_EQ(found["summary"]["skipped"], 0);
}

TEST(FoldersWithModels, PartsOfAModelAreOneModel) {
  const TemporaryFolder folder;
  const std::string text = read_file(in_repository(camera));
  const std::size_t begin = text.find("<hwModel");
  const std::size_t end = text.find("</hwModel>") + std::string{"</hwModel>"}.size();
  const std::string head = text.substr(0, text.find('>', text.find("<am:Amalthea")) + 1);
  std::filesystem::create_directory(folder.path() / "parts");
  write_file(folder.path() / "parts" / "hardware.amxmi",
             head + text.substr(begin, end - begin) + "</am:Amalthea>");
  write_file(folder.path() / "parts" / "rest.amxmi", text.substr(0, begin) + text.substr(end));
  std::filesystem::copy(in_repository("examples/first.yaml"), folder.path() / "parts");
  const nlohmann::json found = checked(folder.path());
  EXPECT_EQ(found["parts"], nlohmann::json::parse(tactus("check --json " + camera).out)["verdict"]);
  EXPECT_EQ(found["first.yaml"], "schedulable");
  EXPECT_EQ(found["summary"]["files"], 2);
}

TEST(FoldersWithModels, ImportSaysWhichWholeModelsItJoins) {
  const TemporaryFolder folder;
  for (const std::string& model : {camera, kernels})
    std::filesystem::copy(in_repository(model), folder.path());
  EXPECT_THAT(tactus("import " + folder.path().string()).out,
              AllOf(HasSubstr("are taken as one system"), HasSubstr("camera.amxmi (version 0.9.8)"),
                    HasSubstr("kernels.amxmi (version ")));
}

TEST(ImportCommand, OtherVerbsSayWhereAWarningIs) {
  std::string text = read_file(in_repository(camera));
  const std::string stimulus = "stimuli=\"every_40ms?type=PeriodicStimulus\" ";
  ASSERT_NE(text.find(stimulus), std::string::npos);
  text.erase(text.find(stimulus), stimulus.size());
  const std::string file = write_temporary("no-stimulus.amxmi", text);
  EXPECT_THAT(tactus("check " + file).err, testing::ContainsRegex("no-stimulus.amxmi:5:[0-9]+: warning: "));
}

TEST(ImportCommand, SaysWhatAFileThatIsNoModelIs) {
  EXPECT_THAT(tactus_fed("{\"tasks\": []}", "import -").err,
              AllOf(HasSubstr("stdin:1:1: error: this is JSON"), HasSubstr("name a model of Eclipse APP4MC"),
                    Not(HasSubstr("write the model anew"))));
  EXPECT_THAT(tactus("import examples/first.yaml").err,
              AllOf(HasSubstr("this is a system file"), HasSubstr("`tactus check` takes it")));
}

}  // namespace
}  // namespace tactus::test
