#include "tactus/analysis/effort.hpp"

#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

struct Budget {
  std::uint64_t left = 0;
  std::uint64_t short_left = 0;
  bool is_limited = false;
};

thread_local Budget budget;

/// A step takes nanoseconds, a look at the clock tens of them.
constexpr std::uint64_t steps_between_looks = 100'000;

thread_local const Watch* watched = nullptr;
thread_local std::uint64_t steps_to_look = 0;

void look_now_and_then(std::uint64_t terms) {
  if (watched == nullptr) return;
  if (terms < steps_to_look) {
    steps_to_look -= terms + 1;
    return;
  }
  steps_to_look = steps_between_looks;
  if (watched->stopped()) throw WorkStopped{};
}

}  // namespace

TooManySteps::TooManySteps(std::uint64_t allowed)
    : std::runtime_error{"the system is too large for it: more than " + with_thousands(allowed) + " steps"} {}

StepAllowance::StepAllowance(std::uint64_t steps)
    : left_before_{budget.left}, short_left_before_{budget.short_left}, was_limited_{budget.is_limited} {
  budget = {steps, allowed_short_steps, true};
}

StepAllowance::~StepAllowance() { budget = {left_before_, short_left_before_, was_limited_}; }

StepsWatched::StepsWatched(const Watch& watch) : before_{watched} {
  watched = &watch;
  steps_to_look = 0;  // so that it does not depend on what was counted before
}

StepsWatched::~StepsWatched() { watched = before_; }

void spend_steps(std::uint64_t terms) {
  look_now_and_then(terms);
  if (!budget.is_limited) return;
  const bool is_long = terms >= min_long;
  std::uint64_t& left = is_long ? budget.left : budget.short_left;
  if (terms >= left) throw TooManySteps{is_long ? allowed_steps : allowed_short_steps};
  left -= terms + 1;
}

void foresee_steps(std::uint64_t steps) {
  if (budget.is_limited && steps > budget.left) throw TooManySteps{allowed_steps};
}

}  // namespace tactus::analysis
