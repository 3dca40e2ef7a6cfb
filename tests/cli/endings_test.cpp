// How the command ends where the machine, or somebody, wants it to: without threads, by a signal, at a pipe.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/child_process.hpp"
#include "support/command.hpp"
#include "support/temporary_folder.hpp"

namespace tactus::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Every thread would have a stack larger than any memory, so none can be started.
constexpr const char* without_threads = "ulimit -s 274877906944 && ";

bool can_take_threads_away() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_max == RLIM_INFINITY;
}

TEST(WithoutThreads, FalsifyGoesOnWithFewer) {
  if (!can_take_threads_away()) GTEST_SKIP() << "the size of stacks is limited here";
  const std::string campaign = "$TACTUS falsify --analysis np-edf --systems 20 --seed 4 --threads 4";
  const Answer falsify = in_shell(without_threads + campaign);
  EXPECT_EQ(falsify.status, 0) << falsify.err;
  EXPECT_THAT(falsify.err, HasSubstr("note: only 1 thread could be started: "));
  EXPECT_EQ(falsify.out, in_shell(campaign).out);
}

TEST(WithoutThreads, WhatNeedsThemSaysSo) {
  if (!can_take_threads_away()) GTEST_SKIP() << "the size of stacks is limited here";
  const TemporaryFolder folder;
  const std::string trace = (folder.path() / "t.json").string();
  for (const std::string& command :
       {"run examples/first.yaml --device host --for 10ms --trace " + trace,
        std::string{"measure overheads --device host --samples 10"}, std::string{"doctor --quick"}}) {
    const Answer answer = in_shell(std::string{without_threads} + "$TACTUS " + command);
    EXPECT_EQ(answer.status, 3) << command << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("error: no more threads can be started: ")) << command;
  }
  EXPECT_TRUE(fs::is_empty(folder.path())) << "a trace of nothing";
}

TEST(AbsurdCounts, AreRefused) {
  for (const char* option : {"--systems -1", "--systems 0", "--schedules -1", "--schedules 99999999999999",
                             "--threads -1", "--threads 100000", "--seed -1"}) {
    const Answer answer = tactus(std::string{"falsify --analysis np-edf "} + option);
    EXPECT_EQ(answer.status, 2) << option;
    EXPECT_THAT(answer.err, HasSubstr(std::string{option}.substr(0, 6))) << answer.err;
  }
}

class EndingTest : public testing::Test {
 protected:
  [[nodiscard]] std::string in_folder(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  [[nodiscard]] std::string pipe(const std::string& name) const {
    const std::string path = in_folder(name);
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    return path;
  }
  /// Files that nobody has finished.
  [[nodiscard]] int temporary_files() const {
    int count = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator{folder_.path()}) {
      count += entry.path().extension() == ".tmp" ? 1 : 0;
    }
    return count;
  }

  TemporaryFolder folder_;
};

TEST_F(EndingTest, FalsifyStopsWhateverTheCounts) {
  ChildProcess child{{"falsify", "--analysis", "np-edf", "--schedules", "1000000000", "--threads", "2"}};
  ASSERT_TRUE(wait_for_threads(child));
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait(), 130);
}

TEST_F(EndingTest, GenerateKeepsWholeFiles) {
  for (const int number : {SIGINT, SIGHUP}) {
    const std::string folder = in_folder("systems-" + std::to_string(number));
    ChildProcess child{{"generate", "gpu-jobs", "--set", "tasks=3", "--set", "utilisation=0.5", "--set",
                        "periods=[10ms]", "--count", "10000000", "-o", folder}};
    ASSERT_TRUE(wait_for_file(folder + "/system-0000000.yaml"));
    child.signal(number);
    EXPECT_EQ(child.wait(), 130);
    EXPECT_EQ(temporary_files(), 0);
  }
}

TEST_F(EndingTest, NohupIsRespected) {
  const Answer answer = in_shell(
      "trap '' HUP TERM; $TACTUS run examples/first.yaml --device host --for 500ms & "
      "sleep 0.2; kill -HUP $!; kill -TERM $!; wait $!");
  EXPECT_THAT(answer.status, testing::AnyOf(0, 1)) << answer.err;  // deadlines may be missed here
  EXPECT_THAT(answer.out, Not(HasSubstr("Interrupted")));
}

TEST_F(EndingTest, APipeWithoutReaderOrWriterDoesNotHoldUpASignal) {
  const std::string file = "examples/first.yaml";
  const std::string fifo = pipe("pipe");
  for (const std::string& command :
       {"sim " + file + " --trace " + fifo, "sim " + file + " --timeline " + fifo, "sim " + fifo,
        "check " + fifo, "plan examples/sharing/to-plan.yaml -o " + fifo,
        "run " + file + " --device host --trace " + fifo,
        "generate gpu-jobs --set tasks=3 --set utilisation=0.5 --set 'periods=[10ms]' -o " + fifo,
        "sim " + fifo + " --timeline " + in_folder("t.svg")}) {
    const Answer answer = in_shell("$TACTUS " + command + " & sleep 0.3; kill -TERM $!; wait $!");
    EXPECT_THAT(answer.status, testing::AnyOf(130, 128 + SIGTERM)) << command << answer.err;
    EXPECT_EQ(temporary_files(), 0) << command;
  }
}

TEST_F(EndingTest, APipeWithAReaderGetsAll) {
  const std::string fifo = pipe("pipe");
  const Answer answer =
      in_shell("cat " + fifo + " >" + in_folder("got") + " & $TACTUS sim examples/first.yaml --trace " +
               fifo + "; s=$?; wait; exit $s");
  EXPECT_EQ(answer.status, 0) << answer.err;
  std::ifstream stream{in_folder("got")};
  EXPECT_TRUE(nlohmann::json::accept(stream));
}

TEST_F(EndingTest, AFileThatIsTooLargeIsAFailure) {
  const Answer answer =
      in_shell("ulimit -f 1; $TACTUS sim examples/first.yaml --for 10s --trace " + in_folder("t.json"));
  EXPECT_EQ(answer.status, 3);
  EXPECT_THAT(answer.err, AllOf(HasSubstr("t.json: writing failed: "), Not(HasSubstr("trace: "))));
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

}  // namespace
}  // namespace tactus::test
