// What each kind of problem means, when it occurs and how to fix it.
#pragma once

#include <span>
#include <string_view>

#include "tactus/base/problem_id.hpp"

namespace tactus::report {

struct ProblemHelp {
  ProblemId id;
  std::string_view title;    // a short phrase
  std::string_view meaning;  // sentences
  std::string_view
      example;  // a system file with this problem; or a command line, which begins with "tactus "
  std::string_view mending;  // sentences: what to do
};

/// One entry for every ProblemId, in its order.
std::span<const ProblemHelp> problem_helps();

const ProblemHelp& help_of(ProblemId id);

}  // namespace tactus::report
