// A sweep that is killed again and again, at any instant, ends as if nothing had happened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>

#include "support/child_process.hpp"
#include "support/command.hpp"
#include "tactus/base/file.hpp"

namespace tactus::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::steady_clock;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr const char* systems = "2000";  // everything is slower there
#else
constexpr const char* systems = "20000";
#endif

std::string experiment_file() {
  return write_temporary(
      "killed.yaml",
      "tactus-experiment: 1\n"
      "generator: {kind: gpu-jobs, tasks: 12, periods: [8ms, 10ms, 12ms, 14ms, 18ms, 22ms]}\n"
      "vary: {parameter: utilisation, from: 0.3, to: 0.9, step: 0.15}\n"
      "analyses: [np-edf, np-fp, ms-edf, block-rta]\n"
      "systems: " +
          std::string{systems} + "\n");
}

/// Systems that the folder knows to be judged; 0 where it knows nothing.
std::int64_t judged(const fs::path& folder) {
  if (!fs::exists(folder / "progress.json")) return 0;
  // The file must be whole, whenever the kill came.
  const json progress = json::parse(read_file(folder / "progress.json"));
  std::int64_t sum = 0;
  for (const json& point : progress["points"]) {
    if (point.is_null()) continue;
    for (const json& range : point["judged"])
      sum += range[1].get<std::int64_t>() - range[0].get<std::int64_t>();
  }
  return sum;
}

/// Kills one sweep after the other until twenty were hit, and starts each again where it was.
TEST(KilledSweep, EndsAsIfNothingHadHappened) {
  const std::string file = experiment_file();
  const fs::path undisturbed = temporary_path("undisturbed");
  const steady_clock::time_point begun = steady_clock::now();
  ASSERT_EQ((ChildProcess{{"sweep", file, "-o", undisturbed.string(), "--threads", "1"}}.wait()), 0);
  const std::chrono::duration<double> whole = steady_clock::now() - begun;
  const std::string expected = read_file(undisturbed / "results.csv");

  std::mt19937 random{4711};
  // A few kills a sweep, from its first instant to the plot at its end.
  std::uniform_real_distribution<double> part{0, 0.6};
  int kills = 0;
  int ended = 0;
  fs::path folder = temporary_path("killed-0");
  std::int64_t known = 0;
  for (int attempt = 0; kills < 20; ++attempt) {
    ASSERT_LT(attempt, 400) << "the sweep is too short to be hit";
    ChildProcess child{{"sweep", file, "-o", folder.string(), "--threads", attempt % 2 == 0 ? "1" : "2"}};
    std::this_thread::sleep_for(whole * part(random));
    child.signal(SIGKILL);
    const int status = child.wait();
    const std::int64_t now_known = judged(folder);
    EXPECT_GE(now_known, known) << "what was judged must not be lost";
    known = now_known;
    if (status == 128 + SIGKILL) {
      ++kills;
      continue;
    }
    ASSERT_EQ(status, 0);
    EXPECT_EQ(read_file(folder / "results.csv"), expected);
    folder = temporary_path("killed-" + std::to_string(++ended));
    known = 0;
  }
  ASSERT_EQ((ChildProcess{{"sweep", file, "-o", folder.string()}}.wait()), 0);
  EXPECT_EQ(read_file(folder / "results.csv"), expected);
  const json manifest = json::parse(read_file(folder / "manifest.json"));
  EXPECT_EQ(manifest["complete"], true);
}

}  // namespace
}  // namespace tactus::test
