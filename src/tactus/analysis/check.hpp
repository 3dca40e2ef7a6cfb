// Runs all analyses that apply and derives one verdict.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/analysis/effect_chains.hpp"
#include "tactus/model/system.hpp"

namespace tactus::analysis {

struct CheckedAnalysis {
  Analysis analysis;
  Result result;
};

struct CheckResult {
  std::string system;
  /// Schedulable as soon as one sound analysis that applies proves it, else unschedulable if one shows it,
  /// else unproven. Unsound analyses and those for another run-time model do not count. Chains count with the
  /// tasks: a limit that is not proven makes it unproven, one that some schedule passes unschedulable.
  Verdict verdict = Verdict::unproven;
  std::vector<CheckedAnalysis> analyses;
  std::vector<EffectResult> chains{};  // by the smallest bounds of these analyses
};

/// Runs one analysis. Where its numbers leave 64 bits, its verdict is gave-up. Throws WorkStopped where its
/// steps are watched (effort.hpp).
Result run(const Analysis& analysis, const System& system);

/// Runs the given analyses.
CheckResult check(const System& system, std::span<const Analysis> analyses);

/// Runs every analysis of the registry that counts for the verdict.
CheckResult check(const System& system);

/// The proven bound of a task's response time.
struct ProvenBound {
  std::optional<Duration> bound;  // the smallest that a sound analysis proves; nothing where none does
  /// The bound is the deadline, from tests that prove deadlines and no response times.
  bool deadline_only = false;
};

std::vector<ProvenBound> proven_bounds(const System& system, const CheckResult& result);

/// The bounds from these results alone.
std::vector<std::optional<Duration>> smallest_bounds(const System& system, const CheckResult& result);

/// The bounds of response times alone: nothing where only the deadline is proven.
std::vector<std::optional<Duration>> response_bounds(std::span<const ProvenBound> proven);

}  // namespace tactus::analysis
