// The answer of `tactus check` as text for users.
#pragma once

#include <string>

#include "tactus/analysis/check.hpp"
#include "tactus/model/system.hpp"

namespace tactus::cli {

struct CheckTextOptions {
  bool verbose = false;
  bool chosen = false;  // the analyses were named: each is shown, even if it is about another strategy
  bool all = false;     // show every task of a long table, in file order
};

/// Verdict, bounds, and a line for every analysis of the system's strategy that applies; if none applies, the
/// reasons. Analyses of other strategies only if `verbose`.
std::string check_text(const System& system, const analysis::CheckResult& result,
                       const CheckTextOptions& options);

}  // namespace tactus::cli
