// tactus run on the host device. How long things take depends on the machine; what happens does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "support/child_process.hpp"
#include "support/command.hpp"
#include "support/perfetto_file.hpp"
#include "support/source_folder.hpp"

namespace tactus::test {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

/// Two tasks with so much room that no machine misses a deadline.
std::string roomy(const std::string& policy, const std::string& more = "") {
  return write_temporary("roomy.yaml",
                         "tactus: 1\n"
                         "name: roomy\n"
                         "platform: {gpu: {sms: 2, threads_per_sm: 64, blocks_per_sm: 2}}\n"
                         "policy: " +
                             policy +
                             "\n"
                             "tasks:\n"
                             "  - {name: quick, period: 100ms, deadline: 10s, kernel: {grid: 4, block: 32, "
                             "block_time: 1ms}}\n"
                             "  - {name: slow, period: 200ms, deadline: 10s, exclusive: 3ms" +
                             more + "}\n");
}

json run_json(const std::string& arguments) {
  const Answer result = tactus("run " + arguments + " --json");
  EXPECT_THAT(result.status, AnyOf(0, 1)) << result.err;
  return json::parse(result.out);
}

class RunOnHost : public testing::TestWithParam<const char*> {};

TEST_P(RunOnHost, EveryStrategyRunsEveryJob) {
  const json report = run_json(roomy(GetParam()) + " --device host --for 500ms");
  EXPECT_EQ(report["system"], "roomy");
  EXPECT_EQ(report["device"], "host");
  EXPECT_EQ(report["ending"], "horizon");
  EXPECT_EQ(report["misses"], 0);
  EXPECT_EQ(report["reached_ns"], 500'000'000);
  ASSERT_EQ(report["tasks"].size(), 2U);
  EXPECT_EQ(report["tasks"][0]["jobs"], 5);
  EXPECT_EQ(report["tasks"][1]["jobs"], 3);
  EXPECT_GE(report["completed"].get<int>(), 6);  // the last ones may be in flight at the end
  EXPECT_GE(report["tasks"][0]["response_ns"]["min"], 1'000'000);
  EXPECT_GE(report["tasks"][1]["response_ns"]["min"], 3'000'000);
}

INSTANTIATE_TEST_SUITE_P(
    Strategy, RunOnHost,
    testing::Values("{strategy: as-submitted}", "{strategy: single-stream}",
                    "{strategy: multi-stream, levels: 2}",
                    "{strategy: sm-cores, reservations: {period: 50ms, all: {budget: 50ms}}}",
                    "{strategy: federated, virtual_sms: {quick: 2, slow: 2}}"));

/// The robot of the documentation with another policy. `federated` gives every task SMs of its own, so the
/// GPU is twice as large.
std::string demo(const std::string& policy) {
  std::ifstream file{in_repository("examples/runtime/robot.yaml")};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  const auto replace = [&](const std::string& what, const std::string& by) {
    const std::size_t place = text.find(what);
    ASSERT_NE(place, std::string::npos) << what;
    text.replace(place, what.size(), by);
  };
  replace("policy: {strategy: multi-stream, order: fp, levels: 2}", "policy: " + policy);
  replace("sms: 2,", "sms: 4,");
  return write_temporary("demo.yaml", text);
}

class DemoOnHost : public testing::TestWithParam<const char*> {};

TEST_P(DemoOnHost, EveryStrategyRunsIt) {
  const json report = run_json(demo(GetParam()) + " --device host --for 500ms");
  EXPECT_EQ(report["ending"], "horizon");
  ASSERT_EQ(report["tasks"].size(), 3U);
  EXPECT_EQ(report["tasks"][0]["jobs"], 10);
  EXPECT_EQ(report["tasks"][1]["jobs"], 5);
  EXPECT_GE(report["completed"].get<int>(), 14);  // the last ones may be in flight at the end
  EXPECT_EQ(report["dropped"], 0);
}

INSTANTIATE_TEST_SUITE_P(
    Strategy, DemoOnHost,
    testing::Values("{strategy: as-submitted}", "{strategy: single-stream, order: fp}",
                    "{strategy: multi-stream, order: fp, levels: 2}",
                    "{strategy: sm-cores, order: fp, reservations: {period: 50ms, all: {budget: 50ms}}}",
                    "{strategy: federated, virtual_sms: {lidar: 2, detector: 4, mapper: 2}}"));

TEST(Run, ShowsObservedBesideProven) {
  const Answer result = tactus("run " + roomy("{strategy: single-stream}") + " --device host --for 300ms");
  EXPECT_THAT(result.out, HasSubstr("roomy on the host device, single-stream"));
  EXPECT_THAT(result.out, HasSubstr("bound"));
  EXPECT_THAT(result.out, HasSubstr("No deadline missed."));
}

TEST(Run, ABoundThatIsExceededIsANo) {
  // Nothing takes as little as the file says: the block takes its time, and the machine adds some.
  const auto run_with = [](const std::string& overheads) {
    const std::string file = write_temporary(
        "tight.yaml",
        "tactus: 1\nplatform: {gpu: {sms: 1}" + overheads + "}\n" +
            "tasks: [{name: tight, arrival: once, kernel: {grid: 1, block: 32, block_time: 1ms}}]\n");
    return tactus("run " + file + " --device host --for 1s");
  };
  const Answer too_small = run_with(", overheads: {launch: 1ns}");
  EXPECT_EQ(too_small.status, 1);
  EXPECT_THAT(too_small.out, HasSubstr("BOUND EXCEEDED: 'tight' took"));
  // Without any the bound is about another machine.
  const Answer none = run_with("");
  EXPECT_EQ(none.status, 0);
  EXPECT_THAT(none.out, HasSubstr("Beyond the ideal machine: 'tight' took"));
  EXPECT_THAT(none.out, HasSubstr("tactus measure overheads"));
}

TEST(Run, ACpuThatIsNotThereIsAWrongQuestion) {
  const Answer result = tactus("run examples/runtime/robot.yaml --device host --for 100ms --core 4095");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("--core: this program may not use CPU 4095"));
}

TEST(Run, AMissIsANoAndMayEndTheRun) {
  const std::string file =
      write_temporary("late.yaml",
                      "tactus: 1\nplatform: {gpu: {sms: 1}}\npolicy: {strategy: single-stream}\n"
                      "tasks: [{name: late, period: 50ms, deadline: 1ms, on_miss: stop, exclusive: 5ms}]\n");
  const Answer result = tactus("run " + file + " --device host --for 10s");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("1 deadline missed. The first: 'late' job 0"));
  EXPECT_THAT(result.out, HasSubstr("on_miss: stop"));
}

/// Its jobs need ten times their budget.
std::string hog(const std::string& reaction) {
  return write_temporary("hog.yaml",
                         "tactus: 1\nname: greedy\nplatform: {gpu: {sms: 1, blocks_per_sm: 1}}\n"
                         "policy: {strategy: single-stream}\n"
                         "tasks: [{name: hog, period: 200ms, deadline: 100ms, budget: 20ms, on_overrun: " +
                             reaction + ", kernel: {grid: 200, block: 1024, block_time: 1ms}}]\n");
}

TEST(Run, TellsTheFateOfEveryJob) {
  const Answer result = tactus("run " + hog("abort") + " --device host --for 590ms --jobs");
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("was aborted: it had used up its budget."));
  EXPECT_THAT(result.out, HasSubstr("Jobs of 'hog': 3 used up the budget, 3 aborted."));
  EXPECT_THAT(result.out, HasSubstr("fate"));
  const json report = run_json(hog("skip-next") + " --device host --for 1500ms --jobs");
  const json& task = report["tasks"][0];
  EXPECT_GE(task["overruns"], 2);
  EXPECT_GE(task["skipped"], 2);
  EXPECT_EQ(task["aborted"], 0);
  EXPECT_EQ(report["jobs"][0]["fate"], "late");
  EXPECT_EQ(report["jobs"][1]["fate"], "skipped");
}

TEST(Run, AJobThatIsNotDoneIsShownWithItsAge) {
  const std::string file =
      write_temporary("unfinished.yaml",
                      "tactus: 1\nplatform: {gpu: {sms: 1}}\npolicy: {strategy: single-stream}\n"
                      "tasks: [{name: slow, period: 10s, exclusive: 9s}]\n");
  const json report = run_json(file + " --device host --for 50ms");
  EXPECT_EQ(report["tasks"][0]["pending"], 1);
  EXPECT_EQ(report["tasks"][0]["longest_known_ns"], 50'000'000);
  EXPECT_TRUE(report["tasks"][0]["response_ns"]["max"].is_null());
}

TEST(Run, LeavesATraceAndAPicture) {
  const std::string trace = temporary_path("run_trace.json");
  const std::string picture = temporary_path("run.svg");
  const Answer result =
      tactus("run " + roomy("{strategy: multi-stream, levels: 2}") +
             " --device host --for 300ms --picture --trace " + trace + " --timeline " + picture);
  EXPECT_THAT(result.out, HasSubstr("SM 0"));
  EXPECT_GT(std::filesystem::file_size(trace), 500U);
  EXPECT_GT(std::filesystem::file_size(picture), 500U);
}

TEST(Run, ATraceAndItsPicturesShowTheBounds) {
  const std::string system =
      write_temporary("proven.yaml",
                      "tactus: 1\nplatform: {gpu: {sms: 1}}\npolicy: {strategy: single-stream, order: fp}\n"
                      "tasks:\n"
                      "  - {name: quick, period: 100ms, exclusive: 1ms, priority: 2}\n"
                      "  - {name: slow, period: 200ms, exclusive: 3ms, priority: 1}\n");
  const std::string trace = temporary_path("run_bounds.json");
  const std::string picture = temporary_path("run_bounds.svg");
  const Answer result = tactus("run " + system + " --device host --for 250ms --json --trace " + trace +
                               " --timeline " + picture);
  const json report = json::parse(result.out);
  const PerfettoFile file = read_perfetto_file(trace);
  for (const json& task : report["tasks"]) {
    ASSERT_TRUE(task["bound_ns"].is_number());
    const PerfettoFile::Track* track = file.find(task["name"].get<std::string>() + " bounds");
    ASSERT_NE(track, nullptr);
    EXPECT_EQ(track->instants.size(), task["jobs"]);
    for (const PerfettoFile::Slice& mark : track->instants) {
      const json& args = mark.event["args"];
      EXPECT_EQ(args["bound_ns"], task["bound_ns"]);
      EXPECT_EQ(mark.start_ns, args["release_ns"].get<std::int64_t>() + task["bound_ns"].get<std::int64_t>());
      if (args["completion_ns"].is_null()) continue;  // in flight at the end
      EXPECT_EQ(args["kept"], args["completion_ns"].get<std::int64_t>() <= mark.start_ns);
    }
  }
  std::ifstream drawn{picture};
  const std::string svg{std::istreambuf_iterator<char>{drawn}, {}};
  // Whether it is kept depends on the machine.
  EXPECT_THAT(svg, HasSubstr("bound of "));
  EXPECT_THAT(svg, HasSubstr("bound</text>"));
}

TEST(Run, ListsJobsAndBlocks) {
  const json report =
      run_json(roomy("{strategy: single-stream}") + " --device host --for 250ms --jobs --blocks");
  EXPECT_EQ(report["jobs"].size(), 5U);
  EXPECT_GE(report["blocks"].size(), 8U);
  for (const json& block : report["blocks"]) EXPECT_LT(block["start_ns"], block["end_ns"]);
}

/// `timeout` signals its child and then the group that the child is in: two signals for one wish.
TEST(Run, AnInterruptedRunPrintsWhatItHas) {
  using Signals = std::vector<int>;
  int runs = 0;
  for (const Signals& signals : {Signals{SIGINT}, Signals{SIGINT, SIGINT}, Signals{SIGTERM, SIGTERM}}) {
    const std::string name = "interrupted-" + std::to_string(++runs);
    const std::string trace = temporary_path(name + ".json");
    const std::string output = temporary_path(name + ".out");
    ChildProcess child{tactus_program(),
                       {"run", roomy("{strategy: single-stream}"), "--device", "host", "--for", "600s",
                        "--json", "--trace", trace},
                       {},
                       output};
    ASSERT_TRUE(wait_for_temporary_file(trace));
    for (const int signal : signals) child.signal(signal);
    EXPECT_EQ(child.wait(), 130) << name;
    std::ifstream said{output};
    std::string line;
    std::getline(said, line);
    ASSERT_TRUE(json::accept(line)) << name << ": " << line;
    EXPECT_EQ(json::parse(line)["ending"], "stopped") << name;
    EXPECT_TRUE(std::filesystem::exists(trace)) << name;
  }
}

TEST(Run, SaysWhatIsWrongWithTheQuestion) {
  const std::string file = roomy("{strategy: single-stream}");
  const auto refused = [](const std::string& arguments, const std::string& words) {
    const Answer result = tactus("run " + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_THAT(result.err, HasSubstr(words)) << arguments;
  };
  refused(file, "--device");
  refused(file + " --device fpga", "fpga");
  refused(file + " --device host --for 10", "has no unit");
  refused(file + " --device host --for 0s", "longer than 0");
  refused(file + " --device host --kernel memory", "--device cuda");
  refused("missing.yaml --device host", "missing.yaml");
  refused(roomy("{strategy: multi-stream, levels: 2, refill: immediate}") + " --device host",
          "an ideal that the host device cannot keep");
  refused(roomy("{strategy: federated}") + " --device host", "virtual_sms");
}

}  // namespace
}  // namespace tactus::test
