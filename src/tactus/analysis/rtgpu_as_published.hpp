// rtgpu-as-published: fixed-priority chains over CPU, copies and GPU, as Algorithm 2 prints it. UNSOUND.
//
// Claim as printed: rtgpu-paper with 2v in place of v virtual SMs in the time of GPU work,
//   GR = [floor(GWlo/2v), ceil((GWhi alpha - GL)/2v) + GL].
//
// Source: RTGPU (Zou, Li, Gill, Zhang), Algorithm 2, as printed.
//
// Our reading: the v of the paper already counts virtual SMs, so the 2 counts them twice. Kernels given by
// their blocks keep their times: the paper does not know them.
//
// Model: federated; chains of periodic or sporadic tasks, D <= T; no overheads, jitter or best-effort tasks.
//
// Kind: claimed to be sufficient.
//
// Soundness: unsound. One task, CPU 1 and 1, copies 1 and 1, GW 4, alpha 1 on one virtual SM: it says 6, a
// job takes 8. The sound form is rtgpu-paper.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result rtgpu_as_published(const System& system);

Analysis rtgpu_as_published_analysis();

}  // namespace tactus::analysis
