// The answer of `tactus check` for people.
#pragma once

#include <string>

#include "tactus/analysis/check.hpp"
#include "tactus/model/system.hpp"

namespace tactus::cli {

struct CheckTextOptions {
  bool verbose = false;
  bool chosen = false;  // the analyses were named: each is told, whatever it is about
  bool all = false;     // every task of a long table, in file order
};

/// Verdict, bounds, and a line for every analysis of the system's strategy that applies. Where none does, why
/// not. Analyses of other strategies only when `verbose`.
std::string check_text(const System& system, const analysis::CheckResult& result,
                       const CheckTextOptions& options);

}  // namespace tactus::cli
