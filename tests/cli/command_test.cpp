// The command as users meet it: answers, exit statuses, JSON, and what is left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "support/perfetto_file.hpp"
#include "support/source_folder.hpp"

namespace tactus::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

json json_of(const Answer& answer) { return json::parse(answer.out); }

/// The examples of the published analysis, in milliseconds: completions in file order.
struct Example {
  const char* file;
  std::map<std::string, double> completions;
  const char* verdict;
  int status;
};

void PrintTo(const Example& example, std::ostream* out) { *out << example.file; }

class BlockExample : public testing::TestWithParam<Example> {};

TEST_P(BlockExample, SimulatesToThePublishedCompletions) {
  const Answer answer = tactus(std::string{"sim examples/blocks/"} + GetParam().file + ".yaml --jobs --json");
  std::map<std::string, double> seen;
  const json report = json_of(answer);
  for (const json& job : report["jobs"]) {
    if (job["job"] == 0) {
      seen[job["task"]] = (job["completion_ns"].get<double>() - job["release_ns"].get<double>()) / 1e6;
    }
  }
  EXPECT_EQ(seen, GetParam().completions);
  EXPECT_EQ(answer.status, GetParam().status);
}

TEST_P(BlockExample, ChecksToTheSameBounds) {
  const Answer answer = tactus(std::string{"check examples/blocks/"} + GetParam().file + ".yaml --json");
  const json report = json_of(answer);
  EXPECT_EQ(report["verdict"], GetParam().verdict);
  EXPECT_EQ(answer.status, report["verdict"] == "schedulable" ? 0 : 1);
  const json& analysis = report["analyses"][0];
  EXPECT_EQ(analysis["id"], "block-rta");
  for (const json& task : analysis["tasks"]) {
    if (task["bound_ns"].is_null()) continue;
    EXPECT_EQ(task["bound_ns"].get<double>() / 1e6, GetParam().completions.at(task["name"]));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Published, BlockExample,
    testing::Values(
        Example{"order-1234", {{"k1", 4}, {"k2", 10}, {"k3", 12}, {"k4", 11}}, "schedulable", 0},
        Example{"order-2341", {{"k2", 6}, {"k3", 12}, {"k4", 11}, {"k1", 10}}, "schedulable", 0},
        Example{"order-2413", {{"k2", 6}, {"k4", 11}, {"k1", 10}, {"k3", 12}}, "schedulable", 0},
        Example{"order-2134", {{"k2", 6}, {"k1", 8}, {"k3", 12}, {"k4", 11}}, "schedulable", 0},
        Example{"five-late", {{"k1", 2}, {"k2", 2}, {"k3", 10}, {"k4", 17}, {"k5", 12}}, "unschedulable", 1},
        Example{"five-in-time", {{"k1", 1.5}, {"k2", 3}, {"k3", 3}, {"k4", 7}, {"k5", 8}}, "schedulable", 0},
        Example{"five-periodic", {{"k1", 2}, {"k2", 2}, {"k3", 10}, {"k4", 17}, {"k5", 12}}, "unproven", 1},
        Example{"anomaly-before", {{"long", 3}, {"small", 2}, {"last", 2}}, "schedulable", 0},
        Example{"anomaly-after", {{"long", 2}, {"small", 2}, {"last", 3}}, "schedulable", 0}),
    [](const testing::TestParamInfo<Example>& parameter) {
      std::string name = parameter.param.file;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(Command, ShowsPlacementsInTextAndJson) {
  const Answer text = tactus("sim examples/blocks/order-1234.yaml --blocks");
  EXPECT_THAT(text.out, AllOf(HasSubstr("k2      0        0      6   0    4ms  10ms"),
                              HasSubstr("k3      0        0      0   1    4ms  10ms"),
                              HasSubstr("k3      0        0      1   0    6ms  12ms"),
                              HasSubstr("k4      0        0      0   1    6ms  11ms")));
  const json report = json_of(tactus("sim examples/blocks/order-1234.yaml --blocks --json"));
  ASSERT_EQ(report["blocks"].size(), 16U);
  const json block_6_of_k2 = {{"task", "k2"},        {"job", 0}, {"segment", 0},
                              {"block", 6},          {"sm", 0},  {"start_ns", 4'000'000},
                              {"end_ns", 10'000'000}};
  EXPECT_THAT(report["blocks"], testing::Contains(block_6_of_k2));
}

TEST(Command, SimJsonHasTheDocumentedShape) {
  const json report = json_of(tactus("sim examples/first.yaml --json --jobs"));
  EXPECT_EQ(report["system"], "first");
  EXPECT_EQ(report["horizon_ns"], 100'000'000);
  EXPECT_EQ(report["misses"], 0);
  ASSERT_EQ(report["tasks"].size(), 3U);
  const json& task = report["tasks"][1];
  EXPECT_EQ(task["name"], "detector");
  EXPECT_EQ(task["jobs"], 2);
  EXPECT_EQ(task["misses"], 0);
  EXPECT_EQ(task["response_ns"],
            (json{{"min", 22'000'000}, {"mean", 22'000'000}, {"p99", 22'000'000}, {"max", 22'000'000}}));
  EXPECT_EQ(task["bound_ns"], 22'000'000);
  ASSERT_EQ(report["jobs"].size(), 6U);
  EXPECT_EQ(report["jobs"][0], (json{{"task", "lidar"},
                                     {"job", 0},
                                     {"release_ns", 0},
                                     {"start_ns", 0},
                                     {"completion_ns", 4'000'000},
                                     {"deadline_ns", 12'000'000},
                                     {"missed", false},
                                     {"fate", "done"}}));
}

TEST(Command, CheckOfAFolderIsOneObjectALine) {
  const Answer answer = tactus("check examples/blocks --json");
  EXPECT_EQ(answer.status, 1);
  std::istringstream lines{answer.out};
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json report = json::parse(line);
    if (report.contains("summary")) break;
    EXPECT_TRUE(report.contains("system") && report.contains("verdict") && report.contains("analyses"));
  }
  EXPECT_EQ(count, static_cast<std::size_t>(std::distance(
                       std::filesystem::directory_iterator{in_repository("examples/blocks")}, {})));
}

TEST(Command, OneBadFileAmongSeveralIsReportedAndTheOthersAreAnswered) {
  const std::string bad = write_temporary("bad.yaml", "tactus: 1\n");
  const Answer answer = tactus("check " + bad + " examples/first.yaml");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("bad.yaml:1:1: error:"));
  EXPECT_THAT(answer.out, StartsWith("first: schedulable"));
}

TEST(Command, ANamedAnalysisThatDoesNotApplyIsANo) {
  const Answer answer = tactus("check examples/blocks/anomaly-before.yaml --analysis block-rta");
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, HasSubstr("block-rta does not apply: needs equal blocks"));
}

TEST(Command, AnUnknownAnalysisIsAWrongQuestion) {
  const Answer answer = tactus("check examples/first.yaml --analysis block-rat");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("did you mean 'block-rta'?"));
  EXPECT_THAT(answer.out, IsEmpty());
}

TEST(Command, AMissIsNamedWithItsJobAndLateness) {
  const Answer answer = tactus("sim examples/blocks/five-late.yaml");
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out,
              HasSubstr("1 deadline missed. The first: 'k4' job 0, released at 0ns, deadline 15ms, "
                        "completed at 17ms, 2ms late."));
}

TEST(Command, OverloadEndsAtTheHorizonAndCountsWhatIsPending) {
  const Answer answer = tactus("sim examples/blocks/slots-overload.yaml --for 1000s --json");
  EXPECT_EQ(answer.status, 1);
  const json report = json_of(answer);
  EXPECT_EQ(report["horizon_ns"], 1'000'000'000'000);
  EXPECT_EQ(report["ending"], "horizon");
  EXPECT_EQ(report["released"], 100'000);
  EXPECT_EQ(report["completed"], 50'000);
  EXPECT_EQ(report["pending"], 50'000);
}

TEST(Command, WithoutAnAffordableHyperperiodAStatedLengthIsSimulated) {
  const std::string file = write_temporary("primes.yaml", R"(
tactus: 1
platform: jetson-tx2
tasks:
  - {name: a, period: 999983ns, kernel: {grid: 1, block: 32, block_time: 1us}}
  - {name: b, period: 1000003ns, kernel: {grid: 1, block: 32, block_time: 1us}}
  - {name: c, period: 1000033ns, kernel: {grid: 1, block: 32, block_time: 1us}}
)");
  const Answer answer = tactus("sim " + file);
  EXPECT_EQ(answer.status, 0);
  EXPECT_THAT(answer.out, HasSubstr("`--for` asks for more"));
  EXPECT_EQ(tactus("sim " + file + " --for 10ms").status, 0);
}

TEST(Command, WhatAStrategyCannotServeIsRefusedWithItsName) {
  const std::string file = write_temporary("graph.yaml", R"(
tactus: 1
platform: jetson-tx2
policy: {strategy: graph}
tasks:
  - {name: a, period: 10ms, exclusive: 1ms}
)");
  const Answer answer = tactus("sim " + file);
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("graph needs GPU work given as kernels: task 'a' has `exclusive`"));
  EXPECT_EQ(tactus("check " + file).status, 1);
}

TEST(Command, ATraceIsWrittenWholeOrNotAtAll) {
  const std::string trace = temporary_path("trace.json");
  EXPECT_EQ(tactus("sim examples/first.yaml --trace " + trace).status, 0);
  EXPECT_TRUE(std::filesystem::exists(trace));
  const std::string nowhere = temporary_path("no-such-folder/trace.json");
  const Answer answer = tactus("sim examples/first.yaml --trace " + nowhere);
  EXPECT_EQ(answer.status, 3);
  EXPECT_THAT(answer.err, HasSubstr("trace.json"));
  const std::string refused = temporary_path("refused.json");
  EXPECT_EQ(tactus("sim examples/first.yaml --for 10 --trace " + refused).status, 2);
  EXPECT_FALSE(std::filesystem::exists(refused));
}

TEST(Command, ATraceAndItsPicturesShowTheBounds) {
  const std::string trace = temporary_path("bounds.json");
  const std::string picture = temporary_path("bounds.svg");
  const Answer answer =
      tactus("sim examples/first.yaml --picture --trace " + trace + " --timeline " + picture);
  EXPECT_EQ(answer.status, 0);
  EXPECT_THAT(answer.out, HasSubstr("| bound"));
  const PerfettoFile file = read_perfetto_file(trace);
  const auto marks_of = [&](const std::string& task) {
    std::vector<std::pair<std::string, std::int64_t>> marks;
    if (const PerfettoFile::Track* track = file.find(task + " bounds")) {
      for (const PerfettoFile::Slice& mark : track->instants) {
        EXPECT_EQ(mark.event["args"]["kept"], true);
        marks.emplace_back(mark.name, mark.start_ns);
      }
    }
    return marks;
  };
  // What `check` proves, behind the releases at 0 and 50 ms.
  EXPECT_THAT(marks_of("lidar"), ElementsAre(Pair("bound #0", 4'000'000), Pair("bound #1", 54'000'000)));
  EXPECT_THAT(marks_of("detector"), ElementsAre(Pair("bound #0", 22'000'000), Pair("bound #1", 72'000'000)));
  std::ifstream drawn{picture};
  const std::string svg{std::istreambuf_iterator<char>{drawn}, {}};
  EXPECT_THAT(svg, HasSubstr("<title>bound of 22ms: detector #1: released at 50ms"));
  EXPECT_THAT(svg, HasSubstr(">bound</text>"));
}

TEST(Command, ATraceHasNoBoundsWhereNoResponseIsProven) {
  const std::string trace = temporary_path("unproven.json");
  EXPECT_EQ(tactus("sim examples/sharing/windows.yaml --for 60ms --trace " + trace).status, 1);
  const PerfettoFile file = read_perfetto_file(trace);
  EXPECT_EQ(file.find("lidar bounds"), nullptr);
  EXPECT_EQ(file.find("radar bounds"), nullptr) << "its deadline is proven, no response time";
}

TEST(Command, TheSameSeedGivesTheSameAnswer) {
  const std::string file = write_temporary("random.yaml", R"(
tactus: 1
platform: jetson-tx2
tasks:
  - {name: a, arrival: sporadic, period: 1ms, kernel: {grid: 9, block: 512, block_time: [10us, 300us]}}
)");
  const std::string command = "sim " + file + " --for 1s --execution random --json --jobs --seed ";
  const Answer first = tactus(command + "5");
  EXPECT_EQ(first.out, tactus(command + "5").out);
  EXPECT_NE(first.out, tactus(command + "6").out);
}

struct BadCall {
  const char* arguments;
  const char* says;
};

void PrintTo(const BadCall& call, std::ostream* out) { *out << call.arguments; }

class BadCalls : public testing::TestWithParam<BadCall> {};

TEST_P(BadCalls, ExitWithStatusTwoAndAMessage) {
  const Answer answer = tactus(GetParam().arguments);
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.out, IsEmpty());
  EXPECT_THAT(answer.err, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadCalls,
    testing::Values(BadCall{"", "Usage"}, BadCall{"chek examples/first.yaml", "did you mean `tactus check`?"},
                    BadCall{"check", "FILE"}, BadCall{"sim", "FILE"},
                    BadCall{"sim examples/first.yaml --nonsense", "nonsense"},
                    BadCall{"sim no-such-file.yaml", "no-such-file.yaml:1:1: error: no such file"},
                    BadCall{"sim examples", "folder"}, BadCall{"check src", "no system files"},
                    BadCall{"sim examples/first.yaml --for 10", "write 10ms"},
                    BadCall{"sim examples/first.yaml --for -1s", "--for"},
                    BadCall{"sim examples/first.yaml --for 0s", "longer than 0"},
                    BadCall{"sim examples/first.yaml --for 99999999999s", "--for"},
                    BadCall{"sim examples/first.yaml --seed -1", "seed"},
                    BadCall{"sim examples/first.yaml --execution fast", "worst"}));

TEST(Command, HelpTeachesAndItsExamplesWork) {
  for (const char* arguments :
       {"--help", "check --help", "sim --help", "analyses --help", "platforms --help"}) {
    const Answer answer = tactus(arguments);
    EXPECT_EQ(answer.status, 0) << arguments;
    EXPECT_THAT(answer.out, HasSubstr("Example")) << arguments;
  }
  EXPECT_EQ(tactus("analyses").status, 0);
  EXPECT_EQ(tactus("platforms").status, 0);
  EXPECT_EQ(tactus("--version").status, 0);
}

TEST(Command, ListsAreMachineReadable) {
  const json analyses = json_of(tactus("analyses --json"));
  ASSERT_FALSE(analyses.empty());
  EXPECT_EQ(analyses[0]["id"], "block-rta");
  const json platforms = json_of(tactus("platforms --json"));
  ASSERT_GE(platforms.size(), 40U);
  EXPECT_EQ(platforms[0]["name"], "jetson-tx2");
  EXPECT_EQ(platforms[0]["gpu"]["sms"], 2);
  for (const json& platform : platforms) EXPECT_FALSE(platform["source"].get<std::string>().empty());
}

TEST(Command, StandardOutputThatCannotBeWrittenIsAFailure) {
  // The outer redirection wins: /dev/full refuses every byte.
  const Answer answer = tactus("sim examples/first.yaml --json > /dev/full; exit $?; true");
  EXPECT_EQ(answer.status, 3);
}

TEST(Command, WhatIsNotSupportedHasItsPlace) {
  const std::string head = "tactus: 1\nplatform: jetson-tx2\npolicy: {strategy: graph}\ntasks:\n";
  const std::string exclusive =
      write_temporary("exclusive.yaml", head + "  - {name: a, period: 10ms, exclusive: 1ms}\n");
  for (const std::string verb : {"sim ", "run --device host --for 10ms "}) {
    EXPECT_THAT(
        tactus(verb + exclusive).err,
        HasSubstr(
            "exclusive.yaml:5:12: error: the strategy graph needs GPU work given as kernels: task 'a'"));
  }
  const std::string copies = write_temporary(
      "copies.yaml",
      "tactus: 1\nplatform: jetson-tx2\npolicy: {strategy: graph, copies: {order: fp}}\ntasks:\n"
      "  - {name: a, period: 10ms, priority: 1, kernel: {grid: 1, block: 32, block_time: 1ms}}\n");
  EXPECT_THAT(tactus("sim " + copies).err,
              HasSubstr("copies.yaml:3:9: error: the strategy graph needs copies as they come"));
}

}  // namespace
}  // namespace tactus::test
