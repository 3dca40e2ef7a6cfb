// The tests for federated SMs, slow and obvious: the formulas as they are written, for chains CPU - copy -
// GPU
// - copy - CPU. Any other chain is brought into this form by segments of no length. They share the model with
// the analyses and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"

namespace tactus::test {

enum class FederatedTest : std::uint8_t {
  rtgpu,
  rtgpu_paper,
  rtgpu_as_published,
  self_suspension,
  stgm,
  mpcp,
};

/// By task, in the order of the file. Best-effort tasks have no bound and are in order.
struct PlainVerdict {
  std::vector<std::optional<Duration>> bounds;
  std::vector<bool> ok;
  bool holds = true;  // all are in order
};

/// For a valid system that gives its tasks their virtual SMs and has no graphs and no `once` tasks.
PlainVerdict judge_plainly(FederatedTest test, const System& system);

/// Virtual SMs of every task (in the order of the file) that the test accepts, in whole SMs, by trying all:
/// the first one in lexicographic order, most urgent task first. What the system gives counts for best-effort
/// tasks alone. Nothing when no allocation is accepted.
std::optional<std::vector<std::int64_t>> first_allocation(FederatedTest test, const System& system);

}  // namespace tactus::test
