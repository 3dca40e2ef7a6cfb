// Systems of 100,000 tasks get their answer in little memory.
#include <gtest/gtest.h>

#include <string>

#include "support/command.hpp"
#include "support/effort.hpp"

namespace tactus::test {
namespace {

std::string many_tasks(const std::string& policy, bool chains) {
  std::string text =
      "tactus: 1\nname: many\nplatform: {base: h200, cpus: 1000}\npolicy: " + policy + "\ntasks:\n";
  for (int i = 0; i < 100'000; ++i) {
    text += "  - {name: t" + std::to_string(i) + ", period: 1s, ";
    text += chains ? "core: " + std::to_string(i % 1000) + ", segments: [{cpu: 1us}, {copy: 1us}]}\n"
                   : "kernel: {grid: 1, block: 32, block_time: 1us}}\n";
  }
  return text;
}

/// Within 1 GB. How long it takes is for bench/size_bench.cpp to tell; what looks at every pair of tasks
/// never comes to an end.
void expect_an_answer(const std::string& verb, const std::string& policy, bool chains = false) {
  const std::string file = write_temporary("many.yaml", many_tasks(policy, chains));
  const Answer answer = in_shell("ulimit -v 1048576; $TACTUS " + verb + " '" + file + "'");
  EXPECT_LE(answer.status, 1) << verb << " " << policy << ": " << answer.err;
}

TEST(LargeSystems, AreCheckedAndSimulatedWithinAGigabyte) {
  if (is_watched) GTEST_SKIP() << "a sanitizer needs its own time and memory";
  expect_an_answer("check", "{strategy: single-stream, order: fp}");
  expect_an_answer("check", "{strategy: multi-stream, order: edf}");
  expect_an_answer("check", "{strategy: federated}", true);
  expect_an_answer("sim", "{strategy: multi-stream, order: fp}");
  expect_an_answer("sim", "{strategy: federated}", true);
}

}  // namespace
}  // namespace tactus::test
