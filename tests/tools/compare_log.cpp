// Compares logs of the CUDA Scheduling Examiner with the simulator, block by block:
//
//   tactus_compare_log CONFIGURATION.json [PLATFORM]
//
// The configuration names the logs, which lie beside it; the platform is jetson-tx2 unless another is named.
// Exit status: 0 they agree within the log's start offset, 1 they do not, 2 bad input.
#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "support/scheduling_log.hpp"
#include "tactus/base/text.hpp"

namespace {

std::string span_text(const tactus::test::LoggedBlock& block) {
  return fmt::format("{:>12} {:>12}", tactus::to_text(block.start.time_since_epoch()),
                     tactus::to_text(block.end.time_since_epoch()));
}

int compare(const std::string& configuration, const std::string& platform) {
  const tactus::test::LogComparison comparison =
      compare_with_simulation(tactus::test::read_logs(configuration), platform);
  fmt::print("{:<16} {:>3}  {:>25}  {:>25}  {:>12}\n", "kernel", "SM", "logged from, to",
             "simulated from, to", "apart");
  for (const tactus::test::BlockPair& pair : comparison.blocks) {
    fmt::print("{:<16} {:>3}  {}  {}  {:>12}\n", pair.kernel, pair.logged.sm, span_text(pair.logged),
               span_text(pair.simulated), tactus::to_text(pair.difference()));
  }
  for (const std::string& kernel : comparison.elsewhere) {
    fmt::print("{}: its blocks ran on other SMs than in the simulation\n", kernel);
  }
  fmt::print("\nlargest difference {}, start offset of the log {}: {}\n",
             tactus::to_text(comparison.largest_difference()), tactus::to_text(comparison.start_offset),
             comparison.agrees() ? "they agree" : "they do not agree");
  return comparison.agrees() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2 || count > 3) {
    fmt::print(stderr, "usage: {} CONFIGURATION.json [PLATFORM]\n", words[0]);
    return 2;
  }
  try {
    return compare(words[1], count == 3 ? words[2] : "jetson-tx2");
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
