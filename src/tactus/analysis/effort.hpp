// A limit on the steps of one analysis, so that a system of 100,000 tasks gets an answer at once, be it that
// there is none: many tests look at every pair of tasks, again and again.
//
// Steps are counted, not seconds: the same system gets the same answer on every machine. Only long sums count
// (of `least_counted` terms or more), so systems that people write by hand are never cut short; searches over
// these have limits of their own.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace tactus::analysis {

class TooManySteps : public std::runtime_error {
 public:
  TooManySteps();
};

inline constexpr std::uint64_t allowed_steps = 40'000'000;
inline constexpr std::uint64_t least_counted = 1'000;

/// While it lives, what this thread does is limited. Without one nothing is: who calls a test directly knows
/// how often.
class StepAllowance {
 public:
  explicit StepAllowance(std::uint64_t steps = allowed_steps);
  ~StepAllowance();
  StepAllowance(const StepAllowance&) = delete;
  StepAllowance& operator=(const StepAllowance&) = delete;
  StepAllowance(StepAllowance&&) = delete;
  StepAllowance& operator=(StepAllowance&&) = delete;

 private:
  std::uint64_t left_before_;
  bool was_limited_;
};

/// A sum of so many terms is made. Throws TooManySteps when that is beyond the allowance.
void spend_steps(std::uint64_t terms);

/// At least so many steps are still to come: throws TooManySteps now rather than later.
void foresee_steps(std::uint64_t steps);

/// The pairs of so many things.
inline void foresee_pairs(std::uint64_t things) {
  foresee_steps(things == 0 ? 0 : things * (things - 1) / 2);
}

}  // namespace tactus::analysis
