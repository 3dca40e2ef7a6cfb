// Schedulability: is every deadline proven to hold, and with which response-time bounds?
//
//   const tactus::analysis::CheckResult result = tactus::analysis::check(system);
//   const bool holds = result.verdict == tactus::analysis::Verdict::schedulable;
//
// `check` runs the analyses that count for the system's strategy, or those that it is given: an `Analysis` of
// your own is a value and needs no registration. `registry` has those of Tactus, `proven_bounds` the smallest
// bounds of a result, and `Rational` exact arithmetic. See docs/analyses.md.
#pragma once

#include "tactus/analysis/analysis.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/base/exact.hpp"
