// Does it hold? All analyses that apply, and one verdict.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/model/system.hpp"

namespace tactus::analysis {

struct CheckedAnalysis {
  Analysis analysis;
  Result result;
};

struct CheckResult {
  std::string system;
  /// Schedulable as soon as one sound analysis that applies proves it, else unschedulable if one shows it,
  /// else unproven. Unsound analyses and those for another run-time model have no say.
  Verdict verdict = Verdict::unproven;
  std::vector<CheckedAnalysis> analyses;
};

/// Runs one analysis. Where its numbers leave 64 bits, or it throws anything else, it gave up: others, and
/// who asked, go on.
Result run(const Analysis& analysis, const System& system);

/// Runs the given analyses.
CheckResult check(const System& system, std::span<const Analysis> analyses);

/// Runs every analysis of the registry that has a say.
CheckResult check(const System& system);

/// What is proven of a task's response time.
struct ProvenBound {
  std::optional<Duration> bound;  // the smallest that a sound analysis proves; nothing where none does
  /// Only tests that prove deadlines and no response times say so: the bound is the deadline.
  bool deadline_only = false;
};

std::vector<ProvenBound> proven_bounds(const System& system, const CheckResult& result);

/// The bounds of these alone.
std::vector<std::optional<Duration>> smallest_bounds(const System& system, const CheckResult& result);

/// The bounds of response times alone: nothing where only the deadline is proven.
std::vector<std::optional<Duration>> response_bounds(std::span<const ProvenBound> proven);

nlohmann::ordered_json to_json(const CheckResult& result);

}  // namespace tactus::analysis
