// Whether the end-to-end requirements of a system are proven.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"

namespace tactus::analysis {

struct EffectResult {
  std::string name;
  Communication communication = Communication::latest_value;
  std::optional<Duration> reaction_limit;
  std::optional<Duration> reaction_bound;  // nothing where none is proven
  /// Under LET, of a periodic first task: the reaction without the wait for a sample, from the release that
  /// samples to the output.
  std::optional<Duration> latency_bound;
  std::optional<Duration> age_limit;
  std::optional<Duration> age_bound;
  /// Schedulable: every limit is proven (also where there is none). Unschedulable: some schedule passes a
  /// limit, or misses a deadline. Never gave-up.
  Verdict verdict = Verdict::unproven;
  std::string
      reason;  // why it is not schedulable, and why there is no bound; empty where there is nothing to say

  [[nodiscard]] bool ok() const { return verdict == Verdict::schedulable; }
};

/// The chains of a system in file order. `responses`: by task, a proven bound of its response time.
std::vector<EffectResult> judge_chains(const System& system,
                                       std::span<const std::optional<Duration>> responses);

/// Schedulable where all are, unschedulable where one is, else unproven: what a system comes to whose tasks
/// are proven.
Verdict verdict_of(std::span<const EffectResult> chains);

}  // namespace tactus::analysis
