#include "tactus/analysis/chunks.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

namespace tactus::analysis {

namespace {

bool covers_its_period(const Supply& supply) { return supply.budget >= supply.period; }

/// Times as plain numbers: sums of two of them may need more than 64 bits.
using Wide = Int128;

/// The longest chunk of a job, counted from its release.
struct Longest {
  Wide wait = 0;
  Wide length = 0;  // 0: no chunk at all
};

/// The piecewise linear problem of one task in one reservation. A phase is the time from the last start of a
/// window to a release.
///
/// Proof that two chunks decide: let y be the phase. If 0 < y < Q, the release is inside a window and Q - y
/// of it is left. The next window starts after P - y. If that one fits whole, its length Q is the most there
/// can be, and it is the first of that length. If it does not fit whole, it is the last the job meets.
class Phases {
 public:
  Phases(const GpuTask& task, const Supply& supply)
      : deadline_{in_ns(task.deadline)},
        period_{in_ns(task.period)},
        offset_{in_ns(supply.offset)},
        budget_{in_ns(supply.budget)},
        cycle_{in_ns(supply.period)},
        step_{std::gcd(in_ns(task.period), in_ns(supply.period))},
        first_{(step_ - offset_ % step_) % step_} {}

  [[nodiscard]] Longest longest(Wide phase) const {
    if (phase == 0) return {0, std::min(budget_, deadline_)};
    const Wide now = std::max<Wide>(0, std::min(deadline_, budget_ - phase));
    const Wide wait = cycle_ - phase;
    const Wide next = std::max<Wide>(0, std::min(budget_, deadline_ - wait));
    return next > now ? Longest{wait, next} : Longest{0, now};
  }

  /// From the arrival of one longest chunk to that of the job `jobs` later; nothing unless both have one.
  [[nodiscard]] std::optional<Wide> distance(Wide phase, std::int64_t jobs = 1) const {
    const Longest from = longest(phase);
    const Longest to = longest((phase + period_ * jobs) % cycle_);
    if (from.length == 0 || to.length == 0) return std::nullopt;
    return period_ * jobs + to.wait - from.wait;
  }

  /// Between two neighbours of these phases, `longest` changes linearly: one of the four lengths compared in
  /// it reaches 0 or another of them.
  [[nodiscard]] std::array<Wide, 6> corners() const {
    return {0,
            budget_ - deadline_,
            budget_,
            cycle_ - deadline_,
            cycle_ + budget_ - deadline_,
            (cycle_ + budget_ - deadline_) / 2};
  }

  /// The corners, and those of the job `jobs` later.
  [[nodiscard]] std::vector<Wide> corners_with_job(std::int64_t jobs) const {
    const std::array<Wide, 6> own = corners();
    std::vector<Wide> both{own.begin(), own.end()};
    for (const Wide corner : own) {
      if (0 <= corner && corner <= cycle_)
        both.push_back((corner + cycle_ - period_ * jobs % cycle_) % cycle_);
    }
    return both;
  }

  /// The least distance of two jobs that are `jobs` apart and both have a chunk; nothing where none are.
  [[nodiscard]] std::optional<Wide> min_distance(std::int64_t jobs) const {
    std::optional<Wide> least;
    at_ends_of_stretches(corners_with_job(jobs), [&](Wide phase) {
      const std::optional<Wide> now = distance(phase, jobs);
      if (now && (!least || *now < *least)) least = now;
    });
    return least;
  }

  /// Phases of releases: every k T - O modulo P, that is every `step` from `first` on. Calls `visit` with the
  /// smallest and the largest of them in every stretch between two corners, and with those at corners.
  template <typename Visit>
  void at_ends_of_stretches(std::span<const Wide> corners, Visit visit) const {
    std::vector<Wide> starts{0, cycle_};
    for (const Wide corner : corners) {
      // A corner half-way between two whole numbers is given as the one below it.
      for (const Wide start : {corner, corner + 1}) {
        if (0 < start && start < cycle_) starts.push_back(start);
      }
    }
    std::sort(starts.begin(), starts.end());
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
      const Wide low = first_ + (std::max<Wide>(0, starts[i] - first_) + step_ - 1) / step_ * step_;
      if (low >= starts[i + 1]) continue;
      visit(low);
      visit(first_ + (starts[i + 1] - 1 - first_) / step_ * step_);
    }
  }

  [[nodiscard]] Duration in_reservation_period(Wide phase) const {
    return Duration{static_cast<std::int64_t>((phase + offset_) % cycle_)};
  }

 private:
  Wide deadline_;
  Wide period_;
  Wide offset_;
  Wide budget_;
  Wide cycle_;
  Wide step_;
  Wide first_;
};

}  // namespace

LeastChunk min_chunk(const GpuTask& task, const Supply& supply) {
  if (covers_its_period(supply)) return {task.deadline, task.period, std::nullopt};
  const Phases phases{task, supply};
  LeastChunk least{Duration::max(), Duration{}, std::nullopt};
  phases.at_ends_of_stretches(phases.corners(), [&](Wide phase) {
    const Duration length{static_cast<std::int64_t>(phases.longest(phase).length)};
    least.length = std::min(least.length, length);
    if (length == Duration{} && !least.lost) least.lost = phases.in_reservation_period(phase);
  });
  if (!least.lost) least.distance = Duration{static_cast<std::int64_t>(*phases.min_distance(1))};
  return least;
}

std::optional<SurvivingChunk> min_surviving_chunk(const GpuTask& task, const Supply& supply) {
  if (covers_its_period(supply)) return SurvivingChunk{task.deadline, task.period};
  const Phases phases{task, supply};
  std::optional<Duration> length;
  phases.at_ends_of_stretches(phases.corners(), [&](Wide phase) {
    const Duration now{static_cast<std::int64_t>(phases.longest(phase).length)};
    if (now > Duration{} && (!length || now < *length)) length = now;
  });
  if (!length) return SurvivingChunk{};
  // Chunks of jobs that are n apart arrive more than n T - D after each other. Pairs with a third in between
  // are looked at, too, but are never the nearest.
  std::optional<Wide> distance;
  for (std::int64_t jobs = 1; jobs <= max_skipped_jobs; ++jobs) {
    const Wide min_possible = static_cast<Wide>(in_ns(task.period)) * jobs - in_ns(task.deadline);
    if (distance && min_possible >= *distance) {
      return SurvivingChunk{*length, Duration{static_cast<std::int64_t>(*distance)}};
    }
    const std::optional<Wide> now = phases.min_distance(jobs);
    if (now && (!distance || *now < *distance)) distance = now;
  }
  return std::nullopt;
}

}  // namespace tactus::analysis
