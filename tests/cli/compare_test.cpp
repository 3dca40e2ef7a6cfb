// tactus compare, and one-off changes and hints, as users meet them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "support/command.hpp"

namespace tactus::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string one_stream = "examples/sharing/one-stream.yaml";

std::string overloaded() {
  return write_temporary("overloaded.yaml", R"(
tactus: 1
platform: {gpu: {sms: 1}}
policy: {strategy: single-stream}
tasks:
  - {name: heavy, period: 10ms, exclusive: 8ms}
  - {name: light, period: 10ms, exclusive: 3ms}
)");
}

TEST(CompareCommand, ATableWithEveryStrategy) {
  const Answer answer = tactus("compare " + one_stream);
  EXPECT_EQ(answer.status, 0) << answer.err;
  for (const char* word : {"as-submitted", "single-stream *", "multi-stream", "sm-cores", "federated",
                           "bound/D", "seen/D", "Why not:"}) {
    EXPECT_THAT(answer.out, HasSubstr(word));
  }
}

TEST(CompareCommand, NoneThatHoldsIsANo) {
  const Answer answer = tactus("compare " + overloaded());
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, HasSubstr("0 of 11 hold"));
}

TEST(CompareCommand, JsonIsOneLineWithARowAStrategy) {
  const Answer answer = tactus("compare " + one_stream + " --json --strategy multi-stream,federated");
  EXPECT_EQ(answer.out.find('\n'), answer.out.size() - 1);
  const json comparison = json::parse(answer.out);
  ASSERT_EQ(comparison["strategies"].size(), 3U);
  EXPECT_EQ(comparison["strategies"][0]["strategy"], "multi-stream");
  EXPECT_EQ(comparison["strategies"][0]["order"], "edf");
  EXPECT_EQ(comparison["strategies"][0]["verdict"], "schedulable");
  EXPECT_EQ(comparison["strategies"][0]["analysis"], "ms-edf");
  EXPECT_EQ(comparison["strategies"][0]["tasks"][0]["deadline_only"], true);
  EXPECT_EQ(comparison["strategies"][0]["simulated_misses"], 0);
}

TEST(CompareCommand, WhatItClaimsCheckConfirms) {
  const json comparison = json::parse(tactus("compare " + one_stream + " --json --no-sim").out);
  for (const json& way : comparison["strategies"]) {
    if (way["verdict"] != "schedulable" || way["any_core"] == true || way["plan"].contains("reservations"))
      continue;
    const std::string order = way["order"].is_null() ? "" : " --order " + way["order"].get<std::string>();
    const Answer check =
        tactus("plan " + one_stream + " --strategy " + way["strategy"].get<std::string>() + order);
    EXPECT_EQ(check.status, 0) << check.out;
  }
}

TEST(CompareCommand, UnknownStrategiesAreTold) {
  const Answer answer = tactus("compare " + one_stream + " --strategy multistream");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, AllOf(HasSubstr("'multistream'"), HasSubstr("did you mean 'multi-stream'?")));
}

TEST(OneOffChanges, ReachEveryVerb) {
  EXPECT_EQ(tactus("check " + one_stream).status, 1);
  EXPECT_EQ(tactus("check " + one_stream + " --strategy multi-stream").status, 0);
  EXPECT_EQ(tactus("check " + one_stream +
                   " --set tasks.controller.period=40ms --set tasks.controller.deadline=20ms")
                .status,
            0);
  EXPECT_THAT(tactus("sim " + one_stream + " --strategy multi-stream").out, HasSubstr("multi-stream"));
  EXPECT_EQ(tactus("plan " + one_stream +
                   " --order fp --set tasks.controller.period=40ms --set tasks.controller.deadline=20ms")
                .status,
            0);
  const Answer run =
      tactus("run " + one_stream + " --set policy.levels=99 --strategy multi-stream --device host --for 1ms");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--set policy.levels=99: error: "));
}

TEST(Hints, FollowANoAndAreCommandsThatHold) {
  const Answer answer = tactus("check " + one_stream);
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, HasSubstr("What would help, each tried:"));
  std::size_t commands = 0;
  for (std::size_t at = answer.out.find("\n  tactus "); at != std::string::npos;
       at = answer.out.find("\n  tactus ", at + 1)) {
    const std::size_t begin = at + std::string{"\n  tactus "}.size();
    const std::string command = answer.out.substr(begin, answer.out.find(": holds by", begin) - begin);
    EXPECT_EQ(tactus(command).status, 0) << command;
    ++commands;
  }
  EXPECT_GE(commands, 2U);
}

TEST(Hints, AreAListInJsonAndCanBeLeftOut) {
  const json with = json::parse(tactus("check " + one_stream + " --json").out);
  ASSERT_TRUE(with.contains("hints"));
  EXPECT_EQ(with["hints"][0]["kind"], "nearest");
  EXPECT_FALSE(json::parse(tactus("check " + one_stream + " --json --no-hints").out).contains("hints"));
  EXPECT_FALSE(json::parse(tactus("check examples/first.yaml --json").out).contains("hints"));
}

TEST(Hints, APlanThatFindsNothingNamesStrategiesThatHold) {
  const Answer answer = tactus("plan " + one_stream);
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, HasSubstr(one_stream + " --strategy multi-stream --order edf: holds by ms-edf"));
  EXPECT_THAT(tactus("plan " + overloaded()).out, HasSubstr("No other strategy is proven to make it hold."));
}

TEST(CompareCommand, JobsThatAreNeverDoneDoNotLookGood) {
  const std::string file = write_temporary("starving.yaml", R"(
tactus: 1
platform: {gpu: {sms: 1}}
policy: {strategy: multi-stream, order: fp}
tasks:
  - {name: greedy, period: 10ms, exclusive: 10ms, priority: 2}
  - {name: starved, period: 10ms, exclusive: 5ms, priority: 1}
)");
  const Answer answer = tactus("compare " + file + " --strategy single-stream,multi-stream --for 1s");
  EXPECT_EQ(answer.status, 1) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("Simulated with worst-case times from 0 to 1s.\n"));
  const json ways = json::parse(tactus("compare " + file + " --json --for 1s").out)["strategies"];
  for (const json& way : ways) {
    if (way["simulated_misses"].is_null() || way["simulated_misses"] == 0) continue;
    EXPECT_GT(way["worst_simulated"]["of_deadline_thousandths"], 1000) << way;
  }
  const auto by_priority = std::find_if(ways.begin(), ways.end(), [](const json& way) {
    return way["strategy"] == "single-stream" && way["order"] == "fp";
  });
  EXPECT_EQ((*by_priority)["tasks"][1]["simulated_max_ns"], 1'000'000'000) << "its first job never starts";
  EXPECT_EQ((*by_priority)["tasks"][1]["simulated_unfinished"], true);
  EXPECT_THAT(answer.out, HasSubstr(">100.000"));
}

TEST(CompareCommand, SimulatesAsLongAsSim) {
  const std::string file = write_temporary("rates.yaml", R"(
tactus: 1
platform: {gpu: {sms: 1}}
policy: {strategy: single-stream}
tasks:
  - {name: a, rate: 30Hz, exclusive: 1ms}
  - {name: b, rate: 60Hz, exclusive: 1ms}
)");
  const json simulated = json::parse(tactus("sim --json " + file).out);
  const json way =
      json::parse(tactus("compare --json --strategy single-stream " + file).out)["strategies"][0];
  EXPECT_EQ(way["simulated_to_ns"], simulated["horizon_ns"]);
}

TEST(CompareCommand, KeepsToTheWidthOfTheTerminal) {
  const std::string text = tactus_where("COLUMNS=72", "compare " + one_stream).out;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 72U) << line;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Hints, ReplaceWhatTheQuestionHadSet) {
  const std::string text =
      tactus("check " + one_stream + " --set tasks.controller.deadline=5ms --set policy.order=edf").out;
  std::istringstream lines{text};
  std::size_t commands = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  tactus ")) continue;
    ++commands;
    EXPECT_LE(occurrences(line, "tasks.controller.deadline="), 1U) << line;
    const std::string command = line.substr(9, line.find(": holds by") - 9);
    EXPECT_EQ(tactus(command).status, 0) << command;
  }
  EXPECT_GE(commands, 2U);
}

TEST(Hints, ForStandardInputNameAFile) {
  const std::string text = tactus("check - < " + one_stream).out;
  EXPECT_THAT(text, AllOf(HasSubstr("  tactus check FILE "), Not(HasSubstr("tactus check - ")),
                          Not(HasSubstr("tactus plan - "))));
}

TEST(Hints, DeadlinesBeyondPeriodsAreTriedAtThePeriods) {
  const std::string file = write_temporary("late.yaml", R"(
tactus: 1
platform: {gpu: {sms: 1}}
policy: {strategy: single-stream}
tasks:
  - {name: a, period: 10ms, deadline: 15ms, exclusive: 2ms}
  - {name: b, period: 20ms, deadline: 30ms, exclusive: 3ms}
)");
  const Answer answer = tactus("check " + file);
  EXPECT_EQ(answer.status, 1);
  const std::string sets = " --set tasks.a.deadline=10ms --set tasks.b.deadline=20ms";
  EXPECT_THAT(answer.out,
              HasSubstr(sets + ": holds by np-edf (beyond its period no analysis takes a deadline of "
                               "this system)"));
  EXPECT_EQ(tactus("check " + file + sets).status, 0);
  const json hints = json::parse(tactus("check --json " + file).out)["hints"];
  EXPECT_EQ(hints[0]["kind"], "deadlines-at-periods");
  EXPECT_EQ(hints[0]["tasks"][1]["deadline_ns"], 20'000'000);
}

TEST(Hints, WorkThatWaitsOnItsSms) {
  const auto with = [](const std::string& policy, const std::string& tasks) {
    return write_temporary("waits.yaml",
                           "tactus: 1\nplatform: {cpus: 1, gpu: {sms: 8}, overheads: {release: 40us, launch: "
                           "20us, completion: 30us, resident: {release: 1us, completion: 3us}, doorbell: "
                           "{launch: 5us, completion: 5us}}}\npolicy: {strategy: federated" +
                               policy + "}\ntasks:\n" + tasks);
  };
  const std::string given = ", virtual_sms: {a: 2, b: 2}";
  const std::string one =
      "  - {name: a, period: 1ms, deadline: 100us, exclusive: 50us}\n"
      "  - {name: b, period: 1ms, exclusive: 50us}\n";
  std::string file = with(given, one);
  EXPECT_THAT(tactus("check " + file).out,
              AllOf(HasSubstr(" --set tasks.a.dispatch=resident: holds by rtgpu"),
                    Not(HasSubstr("tasks.b.dispatch"))));
  EXPECT_EQ(tactus("check " + file + " --set tasks.a.dispatch=resident").status, 0);
  json hints = json::parse(tactus("check --json " + file).out)["hints"];
  const auto is_about_dispatch = [](const json& hint) { return hint["kind"] == "dispatch"; };
  const auto found = std::find_if(hints.begin(), hints.end(), is_about_dispatch);
  ASSERT_NE(found, hints.end());
  EXPECT_EQ(*found, json::parse(R"({"kind": "dispatch", "tasks": [{"task": "a", "dispatch": "resident"}],
                                    "planned": false, "analysis": "rtgpu"})"));
  EXPECT_THAT(tactus("plan " + with("", one)).out,
              HasSubstr(" --set tasks.a.dispatch=resident: holds by rtgpu"));

  // Neither task alone suffices; a sporadic one cannot be resident.
  file = with(given,
              "  - {name: a, period: 1ms, deadline: 100us, exclusive: 50us}\n"
              "  - {name: b, arrival: sporadic, period: 1ms, deadline: 120us, exclusive: 50us}\n");
  const std::string both = " --set tasks.a.dispatch=resident --set tasks.b.dispatch=doorbell";
  EXPECT_THAT(tactus("check " + file).out, HasSubstr(both + ": holds by rtgpu"));
  EXPECT_EQ(tactus("check " + file + both).status, 0);

  // Without measured times it would count as a launch, less the engine's time: too little is known.
  const Answer answer =
      tactus("check " + with(given, one) +
             " --set tasks.a.deadline=145us --set 'platform.overheads={release: 40us, launch: 20us, "
             "completion: 30us, engine: {event: 20us}}'");
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, Not(HasSubstr("dispatch=")));
}

std::string with_waiting_times(const std::string& tasks) {
  return write_temporary("waiting.yaml",
                         "tactus: 1\nplatform: {cpus: 1, gpu: {sms: 12, virtual_sms_per_sm: 1}, overheads: "
                         "{release: 40us, launch: 20us, completion: 30us, resident: {release: 1us, "
                         "completion: 3us}}}\npolicy: {strategy: federated}\ntasks:\n" +
                             tasks);
}

TEST(Hints, AllTasksMayHaveToWaitOnTheirSms) {
  std::string tasks;
  std::string sms;
  std::string sets;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "t" + std::to_string(i);
    tasks += "  - {name: " + name + ", period: 1ms, deadline: 100us, exclusive: 50us}\n";
    sms += (i == 0 ? "" : ", ") + name + ": 1";
    sets += " --set tasks." + name + ".dispatch=resident";
  }
  const std::string file = with_waiting_times(tasks);
  const std::string divided = " --set 'policy.virtual_sms={" + sms + "}'";
  EXPECT_THAT(tactus("check " + file + divided).out, HasSubstr(sets + ": holds by rtgpu"));
  EXPECT_EQ(tactus("check " + file + divided + sets).status, 0);
  EXPECT_THAT(tactus("plan " + file).out, HasSubstr(sets + ": holds by rtgpu"));
}

TEST(Hints, WorkThatWaitsOnItsSmsNeedsNoLauncher) {
  const std::string file = with_waiting_times(
      "  - {name: a, period: 1ms, deadline: 100us, exclusive: 50us, enqueue: 20us, launcher: true}\n");
  const std::string divided = " --set 'policy.virtual_sms={a: 2}'";
  const std::string sets = " --set tasks.a.dispatch=resident --set tasks.a.launcher=false";
  EXPECT_THAT(tactus("check " + file + divided).out, HasSubstr(sets + ": holds by rtgpu"));
  EXPECT_EQ(tactus("check " + file + divided + sets).status, 0);
  const json hints = json::parse(tactus("plan --json " + file).out)["hints"];
  const json expected = json::parse(R"([{"task": "a", "dispatch": "resident", "launcher": false}])");
  EXPECT_TRUE(std::any_of(hints.begin(), hints.end(), [&](const json& hint) {
    return hint["kind"] == "dispatch" && hint["tasks"] == expected;
  }));
}

TEST(Hints, TheClosingSentenceNamesWhatWasTried) {
  const std::string file =
      with_waiting_times("  - {name: a, period: 53us, deadline: 52us, exclusive: 50us}\n");
  EXPECT_THAT(tactus("check " + file + " --set 'policy.virtual_sms={a: 2}'").out,
              HasSubstr("No longer deadline of one task, no greater speed, no other `dispatch` and no other "
                        "strategy is proven to make it hold"));
  EXPECT_THAT(tactus("plan " + file).out,
              HasSubstr("No other `dispatch` and no other strategy is proven to make it hold"));
}

TEST(Hints, NoSpeedBeyondTenTimes) {
  const auto with = [](const std::string& time) {
    return tactus("check " + write_temporary("slow.yaml",
                                             "tactus: 1\nplatform: {gpu: {sms: 1}}\n"
                                             "policy: {strategy: single-stream}\ntasks:\n"
                                             "  - {name: a, period: 10ms, exclusive: " +
                                                 time + "}\n"))
        .out;
  };
  EXPECT_THAT(with("90ms"), HasSubstr("everything 9"));
  EXPECT_THAT(with("110ms"), Not(HasSubstr("everything")));
}

TEST(CheckText, ListsOnlyWhatIsAboutTheStrategy) {
  const std::string text = tactus("check " + one_stream + " --no-hints").out;
  EXPECT_THAT(
      text, AllOf(HasSubstr("np-edf (sufficient)"), Not(HasSubstr("block-rta")), Not(HasSubstr("(exact)"))));
  EXPECT_THAT(tactus("check " + one_stream + " --no-hints --verbose").out,
              HasSubstr("block-rta does not apply"));
}

TEST(CheckText, DeadlineTestsSayHoldsInsteadOfNoSlack) {
  const std::string text = tactus("check examples/sharing/several-streams.yaml").out;
  EXPECT_THAT(text, AllOf(HasSubstr("holds"), Not(HasSubstr("  0ns"))));
  EXPECT_THAT(tactus("plan examples/sharing/to-plan.yaml").out, Not(HasSubstr("  0ns")));
}

// Proven by ms-edf, a deadline test.
const std::string deadlines_alone = "examples/sharing/several-streams.yaml";

TEST(DeadlineProofs, AreNoNumbersInTheTextOfSimAndRun) {
  for (const char* verb : {"sim ", "run --device host --for 100ms "}) {
    const std::string text = tactus(verb + deadlines_alone + " --picture").out;
    EXPECT_THAT(text, AllOf(HasSubstr(" holds\n"), Not(HasSubstr("| bound")))) << verb;
    const json tasks = json::parse(tactus(verb + deadlines_alone + " --json").out)["tasks"];
    EXPECT_EQ(tasks[0]["deadline_only"], true) << verb;
    EXPECT_TRUE(tasks[0]["bound_ns"].is_number()) << verb;
  }
  const json proven = json::parse(tactus("sim examples/first.yaml --json").out)["tasks"];
  EXPECT_EQ(proven[0]["deadline_only"], false);
}

TEST(DeadlineProofs, AreNotMarkedInPicturesAndTraces) {
  const std::string picture = tactus("sim " + deadlines_alone + " --timeline -").out;
  EXPECT_THAT(picture, Not(HasSubstr("bound")));
  EXPECT_THAT(tactus("sim examples/first.yaml --timeline -").out, HasSubstr("bound"));
}

}  // namespace
}  // namespace tactus::test
