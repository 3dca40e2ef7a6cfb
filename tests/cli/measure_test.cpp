// tactus measure: numbers depend on the machine; what is said about them does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/child_process.hpp"
#include "support/command.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::test {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

System system_with(const std::string& platform_entry) {
  const std::string text =
      "tactus: 1\n" + platform_entry + "tasks: [{name: task, period: 1s, exclusive: 1ms}]\n";
  const ReadResult read = read_system(text, "entry.yaml");
  EXPECT_TRUE(read.system) << text;
  return read.system.value_or(System{});
}

/// No job ran in time: that is the machine's answer, not a mistake.
bool is_too_busy(const Answer& answer) {
  return answer.status == 3 && answer.err.find("so busy") != std::string::npos;
}

TEST(Measure, HostOverheadsAreReadyForASystemFile) {
  const Answer answer = tactus("measure overheads --device host --samples 20 --json");
  if (is_too_busy(answer)) GTEST_SKIP() << answer.err;
  ASSERT_EQ(answer.status, 0) << answer.err;
  const json report = json::parse(answer.out);
  EXPECT_EQ(report["device"], "host");
  EXPECT_EQ(report["rule"], "max * 1.2, rounded up to 1us");
  for (const char* which : {"release", "launch", "completion", "round_trip", "copy", "cpu"}) {
    const json& summary = report[which];
    EXPECT_GE(summary["samples"], 1) << which;
    EXPECT_LE(summary["min_ns"], summary["median_ns"]);
    EXPECT_LE(summary["median_ns"], summary["p99_ns"]);
    EXPECT_LE(summary["p99_ns"], summary["p99_9_ns"]);
    EXPECT_LE(summary["p99_9_ns"], summary["max_ns"]);
  }
  const System system = system_with(report["entry"]);
  // Nothing but what is true of this machine.
  EXPECT_EQ(system.platform.preset, "");
  EXPECT_EQ(system.platform.clusters, std::vector{static_cast<std::int32_t>(available_cpus().size())});
  EXPECT_THAT(report["entry"].get<std::string>(), testing::Not(HasSubstr("base: h200")));
  const json& overheads = report["overheads"];
  EXPECT_EQ(system.platform.overheads.release.count(), overheads["release_ns"]);
  EXPECT_EQ(system.platform.overheads.completion.count(), overheads["completion_ns"]);
  for (const char* which : {"release", "launch", "completion", "copy"}) {
    EXPECT_GE(overheads[std::string{which} + "_ns"], report[which]["max_ns"]) << which;
  }
  EXPECT_GE(overheads["launch_ns"].get<std::int64_t>() + overheads["completion_ns"].get<std::int64_t>(),
            report["round_trip"]["max_ns"]);
}

TEST(Measure, TextIsATableThenAnEntryAndAFileHoldsIt) {
  const std::string file = temporary_path("platform.yaml");
  const Answer answer =
      tactus("measure overheads --device host --samples 10 --margin max --base jetson-tx2 -o " + file);
  if (is_too_busy(answer)) GTEST_SKIP() << answer.err;
  ASSERT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, StartsWith("overhead "));
  EXPECT_THAT(answer.out, HasSubstr("\nplatform:\n  base: jetson-tx2\n"));
  const std::string entry = read_file(file);
  EXPECT_THAT(entry, HasSubstr("rule: max, rounded up to 1us."));
  EXPECT_THAT(answer.out, testing::EndsWith(entry));
  EXPECT_EQ(system_with(entry).platform.preset, "jetson-tx2");
}

TEST(Measure, AnInterruptedOneSaysSoAndWritesNothing) {
  const std::string file = temporary_path("interrupted.yaml");
  const std::string said = temporary_path("interrupted.txt");
  ChildProcess child{
      tactus_program(),
      {"measure", "overheads", "--device", "host", "--samples", "10000000", "--json", "-o", file},
      {},
      said};
  ASSERT_TRUE(wait_for_temporary_file(file));
  child.signal(SIGINT);
  EXPECT_EQ(child.wait(), 130);
  EXPECT_THAT(read_file(said), HasSubstr("interrupted: nothing was written"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Measure, WrongQuestions) {
  for (const char* arguments :
       {"measure", "measure overheads", "measure overheads --device tpu",
        "measure overheads --device host --samples 0", "measure overheads --device host --samples many",
        "measure overheads --device host --margin min", "measure overheads --device host --launchers 1",
        "measure overheads --device host --base tx9", "measure kernel --kernel sort",
        "measure kernel --virtual 0", "measure kernel --threads 2048", "measure kernel --block-time 10",
        "measure kernel --work 0", "measure kernel --sms 0", "measure copy --sizes 12",
        "measure copy --sizes 0B"}) {
    const Answer answer = tactus(arguments);
    EXPECT_EQ(answer.status, 2) << arguments;
    EXPECT_THAT(answer.err, HasSubstr("error")) << arguments;
    EXPECT_THAT(answer.out, IsEmpty()) << arguments;
  }
}

TEST(Measure, AnOutputThatCannotBeWrittenIsSaidFirst) {
  const Answer answer =
      tactus("measure overheads --device host --samples 10000000 -o /no/such/folder/entry.yaml");
  EXPECT_EQ(answer.status, 3);
  EXPECT_THAT(answer.out, IsEmpty());
}

TEST(Measure, WithoutAGpuItSaysSo) {
  for (const char* arguments :
       {"measure kernel --kernel spin", "measure copy", "measure overheads --device cuda"}) {
    const Answer answer = tactus_where("CUDA_VISIBLE_DEVICES=", arguments);
    EXPECT_THAT(answer.status, AnyOf(2, 3)) << arguments;  // a build without CUDA, a machine without a GPU
    EXPECT_THAT(answer.err, HasSubstr("CUDA")) << arguments;
    EXPECT_THAT(answer.out, IsEmpty()) << arguments;
  }
}

TEST(Measure, TheHelpNamesEveryOverhead) {
  const Answer answer = tactus("measure overheads --help");
  for (const char* which : {"release", "launch", "completion", "copy", "cpu"}) {
    EXPECT_THAT(answer.out, HasSubstr(std::string{"\n  "} + which + " ")) << which;
  }
}

TEST(Measure, EveryHelpTeaches) {
  EXPECT_THAT(tactus("measure --help").out, HasSubstr("measure overheads"));
  for (const char* which : {"overheads", "kernel", "copy"}) {
    const Answer answer = tactus(std::string{"measure "} + which + " --help");
    EXPECT_EQ(answer.status, 0);
    EXPECT_THAT(answer.out, HasSubstr(std::string{"tactus measure "} + which)) << which;
    for (const char* words : {"--samples", "--margin", "--json", "Examples:", "Exit status:"}) {
      EXPECT_THAT(answer.out, HasSubstr(words)) << which;
    }
  }
}

}  // namespace
}  // namespace tactus::test
