// Counts of the verdicts of analyses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/sweep/measures.hpp"

namespace tactus::sweep {

/// The verdicts of one analysis on the systems of a point. The first five add up to all of them.
struct Counts {
  std::int64_t schedulable = 0;
  std::int64_t unschedulable = 0;
  std::int64_t unproven = 0;
  std::int64_t gave_up = 0;
  std::int64_t not_applicable = 0;
  /// Of those it accepted: how many another, sound analysis of the experiment shows to be unschedulable. More
  /// than 0 means that the test is not sound.
  std::int64_t contradicted = 0;
  std::string why_not{};  // of the first system to which it does not apply
  Sums sums{};            // only what the experiment measures

  /// The number of systems counted.
  [[nodiscard]] std::int64_t total() const {
    return schedulable + unschedulable + unproven + gave_up + not_applicable;
  }
  /// All but the reason.
  void add(const Counts& more);
  friend bool operator==(const Counts&, const Counts&) = default;
};

/// All of its numbers, in the order in which JSON lists them.
inline constexpr std::array count_members{&Counts::schedulable,    &Counts::unschedulable,
                                          &Counts::unproven,       &Counts::gave_up,
                                          &Counts::not_applicable, &Counts::contradicted};

/// The systems that a curve shows: those it proves schedulable; of a necessary test, which proves none, those
/// it does not refute.
std::int64_t accepted(const Counts& counts, analysis::Kind kind);

/// One entry for each analysis, in the order of the experiment.
using PointCounts = std::vector<Counts>;

struct SweepResult {
  /// In the order of the experiment's points; absent for those that were not finished.
  std::vector<std::optional<PointCounts>> points;

  [[nodiscard]] bool complete() const;
  [[nodiscard]] std::size_t finished() const;
};

/// Counts of some systems of a point. Parts can be added in any order: the sum is the same.
struct PartCounts {
  PartCounts() = default;
  explicit PartCounts(std::size_t analyses);

  void add(const PartCounts& more);
  friend bool operator==(const PartCounts&, const PartCounts&) = default;

  static constexpr std::int64_t no_system = std::numeric_limits<std::int64_t>::max();

  PointCounts counts;
  /// By analysis: the number of the system that `why_not` is about; the largest number where there is none.
  std::vector<std::int64_t> first_why_not;
};

}  // namespace tactus::sweep
