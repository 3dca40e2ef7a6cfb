// window-harmonic-as-published: EDF inside windows with harmonic periods, as printed. UNSOUND.
//
// Claim as printed: if all tasks converted into
//   T' = min(T, P)                                                                              (13)
//   D' = max(0, T' - (P - Q))                                                                   (14)
//   C' = C / ceil(T/P)                                                                          (15)
// hold under EDF on a processor that is always there, the tasks hold inside the windows.
//
// Source: the PRUDA paper, Theorem 6 with Definition 3.
//
// Our reading: as printed; D' = 0 rejects. The section assumes harmonic periods, D = T and periodic tasks;
// only the first is part of the theorem, so it is applied to any D <= T, to any offset and to sporadic tasks.
//
// Model: sm-cores, order edf; periodic or sporadic tasks, D <= T, that can be preempted anywhere; every T
// divides P or is a multiple of it; no overheads, jitter or best-effort tasks.
//
// Kind: claimed to be sufficient.
//
// Soundness: unsound, because neither D nor O occurs in it. (1, 1, 3) in R(1, 4, 6) becomes (1, 1, 3) and is
// accepted; the job released at 0 must be done at 1, when the window opens. The sound form is
// window-harmonic.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result window_harmonic_as_published(const System& system);

Analysis window_harmonic_as_published_analysis();

}  // namespace tactus::analysis
