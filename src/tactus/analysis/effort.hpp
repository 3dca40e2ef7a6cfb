// A limit on the steps of one analysis, so that even a system of 100,000 tasks gets an answer quickly,
// possibly gave-up: many tests look at every pair of tasks repeatedly.
//
// Steps are counted, not seconds: the same system gets the same answer on every machine. Long sums (of
// `min_long` terms or more) and short ones have limits of their own: those of systems that people write by
// hand are short, and only very many of them, as in chains of hundreds of segments, are cut off.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "tactus/base/watch.hpp"

namespace tactus::analysis {

class TooManySteps : public std::runtime_error {
 public:
  explicit TooManySteps(std::uint64_t allowed);
};

inline constexpr std::uint64_t allowed_steps = 40'000'000;
inline constexpr std::uint64_t allowed_short_steps = 300'000'000;
inline constexpr std::uint64_t min_long = 1'000;

/// Limits the steps of this thread while it lives. Without it there is no limit, for direct calls of a
/// test.
class StepAllowance {
 public:
  explicit StepAllowance(std::uint64_t steps = allowed_steps);
  ~StepAllowance();
  StepAllowance(const StepAllowance&) = delete;
  StepAllowance& operator=(const StepAllowance&) = delete;

 private:
  std::uint64_t left_before_;
  std::uint64_t short_left_before_;
  bool was_limited_;
};

/// Thrown where work ends before it has anything, because its watch stopped.
struct WorkStopped {};

/// While it lives, the steps of this thread end soon after the watch stops: they throw WorkStopped.
class StepsWatched {
 public:
  explicit StepsWatched(const Watch& watch);
  ~StepsWatched();
  StepsWatched(const StepsWatched&) = delete;
  StepsWatched& operator=(const StepsWatched&) = delete;

 private:
  const Watch* before_;
};

/// Counts a sum of so many terms. Throws TooManySteps beyond the limit.
void spend_steps(std::uint64_t terms);

/// At least so many steps will follow: throws TooManySteps now if they exceed the limit.
void foresee_steps(std::uint64_t steps);

/// The number of pairs of so many items.
inline void foresee_pairs(std::uint64_t things) {
  foresee_steps(things == 0 ? 0 : things * (things - 1) / 2);
}

}  // namespace tactus::analysis
