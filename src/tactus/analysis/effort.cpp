#include "tactus/analysis/effort.hpp"

#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

struct Budget {
  std::uint64_t left = 0;
  bool is_limited = false;
};

thread_local Budget budget;

}  // namespace

TooManySteps::TooManySteps()
    : std::runtime_error{"the system is too large for it: more than " + with_thousands(allowed_steps) +
                         " steps"} {}

StepAllowance::StepAllowance(std::uint64_t steps)
    : left_before_{budget.left}, was_limited_{budget.is_limited} {
  budget = {steps, true};
}

StepAllowance::~StepAllowance() { budget = {left_before_, was_limited_}; }

void spend_steps(std::uint64_t terms) {
  if (terms < min_counted || !budget.is_limited) return;
  if (terms > budget.left) throw TooManySteps{};
  budget.left -= terms;
}

void foresee_steps(std::uint64_t steps) {
  if (budget.is_limited && steps > budget.left) throw TooManySteps{};
}

}  // namespace tactus::analysis
