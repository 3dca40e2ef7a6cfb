// window-linear: EDF inside windows, with the line below their supply.
//
// Claim: as window-sbf, with max(0, (Q/P)(t - (P - Q))) in place of sbf(t).
//
// Source: PRUDA, Theorem 3 with eq. (10).
//
// Model: as window-sbf.
//
// Kind: sufficient; it accepts no more than window-sbf.
//
// Soundness: sound. The line touches sbf where a gap ends and is nowhere above it.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result window_linear(const System& system);

Analysis window_linear_analysis();

}  // namespace tactus::analysis
