// Small systems whose engine needs time, as text: worked out by hand in the tests, and simulated.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tactus/io/system_file.hpp"

namespace tactus::test {

/// `engine` as in `overheads.engine`; eight SMs, one core.
inline System system_with_engine(const std::string& engine, const std::string& policy,
                                 const std::string& tasks) {
  const std::string text = fmt::format(
      "tactus: 1\nplatform: {{cpus: 1, gpu: {{sms: 8, virtual_sms_per_sm: 1}}, overheads: {{engine: {}}}}}\n"
      "policy: {{{}}}\ntasks:\n{}",
      engine, policy, tasks);
  const ReadResult result = read_system(text, "test.yaml");
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.message << "\n" << text;
  return result.system.value();
}

inline System three_in_one_stream() {
  return system_with_engine("{event: 1ns, submit: 2ns}", "strategy: single-stream, order: fp",
                            "  - {name: a, period: 20ns, exclusive: 3ns}\n"
                            "  - {name: b, period: 30ns, exclusive: 5ns}\n"
                            "  - {name: c, period: 40ns, exclusive: 4ns}\n");
}

inline System three_on_two_levels() {
  return system_with_engine("{event: 1ns, submit: 2ns}", "strategy: multi-stream, order: fp, levels: 2",
                            "  - {name: a, period: 60ns, longest_block: 1ns, exclusive: 3ns}\n"
                            "  - {name: b, period: 80ns, longest_block: 2ns, exclusive: 6ns}\n"
                            "  - {name: c, period: 120ns, longest_block: 2ns, exclusive: 8ns}\n");
}

/// The less urgent one takes so many nanoseconds to submit.
inline System two_with_own_sms(int enqueue) {
  return system_with_engine(
      "{event: 1ns}", "strategy: federated, virtual_sms: {a: 1, b: 1}",
      fmt::format("  - {{name: a, period: 1000ns, enqueue: 4ns, segments: [{{exclusive: 5ns}}]}}\n"
                  "  - {{name: b, period: 5000ns, enqueue: {}ns, segments: [{{exclusive: 50ns}}]}}\n",
                  enqueue));
}

inline System four_with_own_sms() {
  std::string tasks;
  for (const char* name : {"a", "b", "c", "d"}) {
    tasks += fmt::format("  - {{name: {}, period: 200ns, segments: [{{exclusive: 30ns}}]}}\n", name);
  }
  return system_with_engine("{event: 1ns, submit: 4ns}",
                            "strategy: federated, virtual_sms: {a: 1, b: 1, c: 1, d: 1}", tasks);
}

inline System two_chains(const std::string& engine) {
  const char* const segments = "[{cpu: 2ns}, {copy: 4ns}, {exclusive: 10ns}, {copy: 4ns}, {cpu: 2ns}]";
  return system_with_engine(engine, "strategy: federated, virtual_sms: {a: 1, b: 1}",
                            fmt::format("  - {{name: a, period: 200ns, segments: {0}}}\n"
                                        "  - {{name: b, period: 400ns, segments: {0}}}\n",
                                        segments));
}

}  // namespace tactus::test
