// `mpirun -n K tactus sweep`: the same bytes for any number of ranks, and a clear end when one dies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/child_process.hpp"
#include "support/command.hpp"
#include "tactus/base/file.hpp"

namespace tactus::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// What Open MPI wants to hear where people are root, cores are few and system calls are restricted: in
/// containers. A user's machine needs none of it.
std::vector<std::string> surroundings() {
  return {"OMPI_ALLOW_RUN_AS_ROOT=1",
          "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
          "OMPI_MCA_rmaps_base_oversubscribe=1",
          "OMPI_MCA_btl_vader_single_copy_mechanism=none",
          "OMPI_MCA_plm=isolated",
          "OMPI_MCA_btl=self,vader"};
}

class MpiSweep : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "MPI is not run under sanitizers: Open MPI leaks and races by itself";
#endif
    if (!fs::exists(TACTUS_MPIRUN)) GTEST_SKIP() << TACTUS_MPIRUN << " is not there (package openmpi-bin)";
  }

  static std::string experiment_file(const std::string& name, const std::string& systems) {
    return write_temporary(name + ".yaml",
                           "tactus-experiment: 1\n"
                           "generator: {kind: gpu-jobs, tasks: 8, periods: [8ms, 10ms, 12ms, 14ms]}\n"
                           "vary: {parameter: utilisation, values: [0.3, 0.6, 0.9]}\n"
                           "analyses: [np-edf, np-fp, block-rta]\n"
                           "policies: [{policy: {order: fp}, analyses: [np-fp]}]\n"
                           "measures: [acceptance, weighted, bound-deadline]\n"
                           "systems: " +
                               systems + "\n");
  }

  static std::vector<std::string> command(int ranks, const std::string& file, const fs::path& folder,
                                          const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"-n", std::to_string(ranks), tactus_program(), "sweep", file,
                                   "-o", folder.string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  /// Runs to the end; answers the status and fills in what was said.
  static int sweep(int ranks, const std::string& file, const fs::path& folder, std::string& said,
                   const std::vector<std::string>& more = {}) {
    const std::string output = temporary_path("mpi-output");
    const int status =
        ChildProcess{TACTUS_MPIRUN, command(ranks, file, folder, more), surroundings(), output}.wait();
    said = read_file(output);
    return status;
  }
};

/// The ids of the processes of a run, by the name of their folder: mpirun's children.
std::vector<pid_t> ranks_of(pid_t mpirun) {
  std::vector<pid_t> all;
  for (const fs::directory_entry& entry : fs::directory_iterator{"/proc"}) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    try {
      const std::string stat = read_file(entry.path() / "stat");
      const std::string behind_name = stat.substr(stat.rfind(')') + 4);
      const std::string line = read_file(entry.path() / "cmdline");
      if (std::stol(behind_name) == mpirun && line.find("sweep") != std::string::npos)
        all.push_back(std::stoi(name));
    } catch (const std::exception&) {
      continue;  // it ended meanwhile
    }
  }
  return all;
}

TEST_F(MpiSweep, GivesTheSameBytesForAnyNumberOfRanksAndThreads) {
  const std::string file = experiment_file("ranks", "300");
  const fs::path alone = temporary_path("ranks-alone");
  ASSERT_EQ((ChildProcess{{"sweep", file, "-o", alone.string()}}.wait()), 0);
  const std::string expected = read_file(alone / "results.csv");
  for (const int ranks : {1, 2, 4}) {
    for (const char* threads : {"1", "2"}) {
      const fs::path folder = temporary_path("ranks-" + std::to_string(ranks) + "-" + threads);
      std::string said;
      ASSERT_EQ(sweep(ranks, file, folder, said, {"--threads", threads}), 0) << said;
      EXPECT_EQ(read_file(folder / "results.csv"), expected);
      const json manifest = json::parse(read_file(folder / "manifest.json"));
      EXPECT_EQ(manifest["ranks"], ranks);
      EXPECT_THAT(manifest["command"].get<std::string>(),
                  HasSubstr(ranks == 1 ? "tactus sweep" : "mpirun -n " + std::to_string(ranks)));
      // One rank speaks.
      EXPECT_EQ(said.find("systems accepted"), said.rfind("systems accepted")) << said;
      EXPECT_THAT(said, HasSubstr("900 systems x 4 analyses"));
    }
  }
}

TEST_F(MpiSweep, AllRanksWork) {
  const fs::path folder = temporary_path("team-out");
  std::string said;
  ASSERT_EQ(sweep(3, experiment_file("team", "3000"), folder, said, {"--threads", "2"}), 0) << said;
  EXPECT_EQ(json::parse(read_file(folder / "manifest.json"))["threads"], 6);
}

TEST_F(MpiSweep, BadInputIsToldOnce) {
  const std::string file = write_temporary("bad-mpi.yaml", "tactus-experiment: 1\nsystems: 0\n");
  std::string said;
  EXPECT_EQ(sweep(3, file, temporary_path("bad-mpi-out"), said), 2);
  EXPECT_THAT(said, HasSubstr("systems is 0"));
  EXPECT_EQ(said.find("systems is 0"), said.rfind("systems is 0")) << said;
}

TEST_F(MpiSweep, ARankThatDiesEndsTheRunAndTheNextOneGoesOn) {
  const std::string file = experiment_file("dying", "100000000");
  const fs::path folder = temporary_path("dying-out");
  const std::string output = temporary_path("dying-output");
  ChildProcess mpirun{TACTUS_MPIRUN, command(3, file, folder, {"--threads", "1"}), surroundings(), output};
  // Until every rank works and something is saved.
  for (int tenths = 0; !fs::exists(folder / "manifest.json") ||
                       json::parse(read_file(folder / "manifest.json"))["threads"] != 3;
       ++tenths) {
    ASSERT_LT(tenths, 600) << read_file(output);
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  const std::vector<pid_t> ranks = ranks_of(mpirun.id());
  ASSERT_EQ(ranks.size(), 3U);
  // They are started in order, so the first leads.
  ::kill(*std::max_element(ranks.begin(), ranks.end()), SIGKILL);
  EXPECT_NE(mpirun.wait(), 0);
  EXPECT_THAT(read_file(output), AllOf(HasSubstr("error: rank 2 died"), HasSubstr("start again to go on")));
  fs::remove(folder / "results.csv");  // the next run makes it anew
  const Answer again = tactus_interrupted("sweep '" + file + "' -o '" + folder.string() + "'",
                                          (folder / "results.csv").string());
  EXPECT_EQ(again.status, 130) << again.err;
  EXPECT_THAT(again.err, HasSubstr("0 of 3 points are there already, and "));
}

TEST_F(MpiSweep, RunsWhoseRanksAreKilledEndAsIfNothingHadHappened) {
  const std::string file = experiment_file("hit", "60000");
  const fs::path alone = temporary_path("hit-alone");
  const fs::path folder = temporary_path("hit-out");
  ASSERT_EQ((ChildProcess{{"sweep", file, "-o", alone.string()}}.wait()), 0);
  for (const int victim : {1, 0}) {
    ChildProcess mpirun{TACTUS_MPIRUN, command(2, file, folder), surroundings(),
                        temporary_path("hit-output")};
    ASSERT_TRUE(wait_for_file((folder / "results.csv").string()));
    std::vector<pid_t> ranks = ranks_of(mpirun.id());
    std::sort(ranks.begin(), ranks.end());
    if (ranks.size() == 2) ::kill(ranks[static_cast<std::size_t>(victim)], SIGKILL);
    mpirun.wait();
  }
  std::string said;
  ASSERT_EQ(sweep(2, file, folder, said), 0) << said;
  EXPECT_EQ(read_file(folder / "results.csv"), read_file(alone / "results.csv"));
}

TEST_F(MpiSweep, AnInterruptedRunSavesAndSaysSo) {
  const std::string file = experiment_file("stopped", "100000000");
  const fs::path folder = temporary_path("stopped-out");
  const std::string output = temporary_path("stopped-output");
  ChildProcess mpirun{TACTUS_MPIRUN, command(2, file, folder), surroundings(), output};
  ASSERT_TRUE(wait_for_file((folder / "results.csv").string()));
  mpirun.signal(SIGINT);
  EXPECT_NE(mpirun.wait(), 0);
  EXPECT_THAT(read_file(output),
              AllOf(HasSubstr("interrupted: 0 of 3 points are finished"), Not(HasSubstr("died"))));
}

}  // namespace
}  // namespace tactus::test
