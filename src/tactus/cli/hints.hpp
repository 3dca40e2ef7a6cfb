// What would help, for people: after an answer that is not yes.
#pragma once

#include <string>
#include <vector>

#include "tactus/cli/overrides.hpp"
#include "tactus/plan/hints.hpp"

namespace tactus::cli {

/// A watch that ends the search for hints after about two seconds.
plan::Watch hint_watch();

/// Lines that begin after the answer. Each change stands there as the command that shows it, where there is
/// one; `file` and `changes` are those of the question.
std::string hints_text(const plan::Hints& hints, const System& system, const std::string& file,
                       const OverrideOptions& changes);

}  // namespace tactus::cli
