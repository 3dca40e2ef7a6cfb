// What would help, for people: after an answer that is not yes.
#pragma once

#include <cstddef>
#include <string>

#include "tactus/cli/overrides.hpp"
#include "tactus/plan/hints.hpp"

namespace tactus::cli {

/// Beyond this one check alone may take as long as all hints together should.
inline constexpr std::size_t max_hinted_tasks = 500;

/// A watch that ends the search for hints after about two seconds.
Watch hint_watch();

/// Lines that begin after the answer. Each change stands there as the command that shows it, where there is
/// one; `file` and `changes` are those of the question.
std::string hints_text(const plan::Hints& hints, const System& system, const std::string& file,
                       const OverrideOptions& changes);

}  // namespace tactus::cli
