// Every key, given a list, a map, a scalar or nothing where something else belongs: one problem, at the
// value.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tactus/io/system_file.hpp"

namespace tactus {
namespace {

/// A file that uses every key once. What stands between `<` and `>` is the value of a key.
constexpr const char* every_key = R"(
tactus: <1>
name: <x>
platform:
  base: <h200>
  cpus: <6>
  overheads: {release: <0us>, launch: <0us>, completion: <0us>, copy: <0us>}
  gpu:
    sms: <132>
    threads_per_sm: <2048>
    blocks_per_sm: <32>
    registers_per_sm: <65536>
    warp: <32>
    shared_memory_per_sm: <64KiB>
    priority_levels: <2>
    copy_engines: <1>
    sm_choice: <most-free>
    virtual_sms_per_sm: <2>
    parts_per_sm: <1>
    copy_bandwidth: <12GB/s>
policy:
  strategy: <multi-stream>
  order: <edf>
  levels: <2>
  refill: <lazy>
  sm_group: <1>
  reservations: {period: <12ms>, local: {offset: <0ms>, budget: <8ms>}, all: {offset: <8ms>, budget: <4ms>}}
  virtual_sms: {a: <2>}
  cpu: {order: <fp>, scope: <partitioned>, preemptive: <true>}
  copies: {order: <fifo>}
  clusters: <global>
  early_release: <true>
  parallel_jobs: <true>
tasks:
  - name: <a>
    arrival: <periodic>
    period: <10ms>
    deadline: <8ms>
    offset: <0ms>
    jitter: <0ms>
    priority: <3>
    core: <0>
    wait: <busy>
    sm: <0>
    longest_block: <50us>
    stream: <s>
    stream_priority: <0>
    budget: <3ms>
    on_overrun: <continue>
    on_miss: <continue>
    max_jobs: <4>
    on_full: <drop-newest>
    exclusive: <3ms>
  - {name: b, rate: <30Hz>, kernel: {grid: <64>, block: <512>, block_time: <1ms>, shared_memory: <0B>, registers: <0>}}
  - {name: c, rate: 30Hz, kernel: {grid: 64, block: 512, block_time: 1ms, registers_per_thread: <4>}}
  - name: d
    period: 1s
    segments:
      - {cpu: <2ms>}
      - {copy: <1ms>}
      - {copy: {bytes: <4MiB>, direction: <to-device>}}
      - {gpu: {work: <8ms>, overhead: <0.2ms>, interleave: <1.5>}}
  - name: e
    period: 1s
    graph: {nodes: {a: {cpu: <2ms>}, b: {cpu: 1ms}}, edges: [[<a>, <b>]]}
  - name: f
    arrival: sporadic
    period: 1s
    exclusive: 3ms
    jobs: [{release: <0ms>, late: <0ms>, launch: <0ms>, completion: <0ms>, time: <3ms>}]
)";

struct Replaced {
  std::string key;
  std::string text;
  int line = 0;
  int column = 0;
};

/// The file with the value number `index` replaced, and where that stands; no text when there is no such
/// value.
Replaced with_value(std::size_t index, const std::string& replacement) {
  Replaced result;
  std::size_t seen = 0;
  bool skipping = false;
  for (const char c : std::string{every_key}) {
    if (c == '<') {
      if (seen++ != index) continue;
      const std::size_t key = result.text.find_last_of(" {[\n", result.text.size() - 3) + 1;
      result.key = result.text.substr(key, result.text.size() - key);
      result.line = static_cast<int>(std::count(result.text.begin(), result.text.end(), '\n')) + 1;
      result.column = static_cast<int>(result.text.size() - result.text.rfind('\n'));
      result.text += replacement;
      skipping = true;
    } else if (c == '>') {
      skipping = false;
    } else if (!skipping) {
      result.text += c;
    }
  }
  if (seen <= index) result.text.clear();
  return result;
}

/// Replaces each value in turn, but for those of the keys that may be so; returns how many were tried.
int expect_one_problem_each(const std::string& replacement, const std::set<std::string>& fine) {
  int tried = 0;
  for (std::size_t i = 0;; ++i) {
    const Replaced replaced = with_value(i, replacement);
    if (replaced.text.empty()) return tried;
    if (fine.contains(replaced.key)) continue;
    ++tried;
    const ReadResult result = read_system(replaced.text, "x");
    std::string all = replaced.key + replacement + "\n";
    for (const Problem& problem : result.problems) all += to_string(problem) + "\n";
    EXPECT_EQ(result.problems.size(), 1U) << all;
    if (result.problems.empty()) continue;
    EXPECT_EQ(result.problems[0].line, replaced.line) << all;
    // Nothing has no place of its own: it is reported at its key.
    if (replacement != "~") {
      EXPECT_EQ(result.problems[0].column, replaced.column) << all;
    }
    EXPECT_FALSE(result.problems[0].hint.empty()) << all;
  }
}

TEST(WrongShape, TheFileItselfIsValid) {
  const ReadResult result = read_system(with_value(0, "1").text, "x");
  EXPECT_TRUE(result.system.has_value()) << to_string(result.problems.at(0));
}

// The times of a scripted job may be a list.
TEST(WrongShape, Lists) { EXPECT_EQ(expect_one_problem_each("[[], [], [], []]", {"time: "}), 78); }

TEST(WrongShape, Maps) { EXPECT_EQ(expect_one_problem_each("{zebra: 1}", {"cpus: ", "copy: "}), 76); }

TEST(WrongShape, Words) { EXPECT_EQ(expect_one_problem_each("zebra", {"name: ", "stream: "}), 76); }

TEST(WrongShape, Nothing) { EXPECT_EQ(expect_one_problem_each("~", {}), 79); }

}  // namespace
}  // namespace tactus
