// An effect chain: tasks through which data flows, and how long that may take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/task.hpp"

namespace tactus {

/// How data passes from one task of a chain to the next.
enum class Communication : std::uint8_t {
  latest_value,  // `register`: a job reads the latest value when it starts and publishes when it is done
  queue,         // every value once, in order: a job takes the oldest when it starts
  let,           // logical execution time: read at the nominal release, published at the deadline
  let_period,    // `let-period`: the same, published a period after the release
};

/// Whether data passes at instants that follow from releases alone, whenever jobs run.
constexpr bool is_let(Communication communication) {
  return communication == Communication::let || communication == Communication::let_period;
}

/// Under LET: how long after its nominal release a job of the task, periodic or sporadic, publishes.
inline Duration let_interval(Communication communication, const Task& task) {
  return communication == Communication::let_period ? *task.period : *task.deadline;
}

struct EffectChain {
  std::string name;
  std::vector<TaskIndex> tasks;  // each of them at most once
  Communication communication = Communication::latest_value;
  std::optional<Duration> reaction;  // limits
  std::optional<Duration> age;

  friend bool operator==(const EffectChain&, const EffectChain&) = default;
};

}  // namespace tactus
