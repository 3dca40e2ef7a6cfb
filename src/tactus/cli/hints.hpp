// Hints for users, shown after an answer other than yes.
#pragma once

#include <cstddef>
#include <string>

#include "tactus/cli/input.hpp"
#include "tactus/plan/hints.hpp"

namespace tactus::cli {

/// With more tasks, a single check may take as long as all hints together should.
inline constexpr std::size_t max_hinted_tasks = 500;

/// Ends the search for hints after about two seconds.
Watch hint_watch();

/// Lines to print after the answer. Each change is shown as the command that tries it, if there is one;
/// `file` and `changes` are those of the user's command line.
std::string hints_text(const plan::Hints& hints, const System& system, const std::string& file,
                       const OverrideOptions& changes);

}  // namespace tactus::cli
