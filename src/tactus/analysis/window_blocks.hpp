// window-blocks: EDF inside windows, with blocks that may not cross the end of a window.
//
// Claim: with G the longest block of the server's tasks, if in every interval of length t
//   dbf(t) + max{PC_l : D_l > t} <= sbf(t) with budget Q - G,
// then every deadline is met. A set with G >= Q is rejected. Without blocks this is window-sbf.
//
// Source: ours; PRUDA assumes work that can be stopped anywhere.
//
// Model: sm-cores, order edf; periodic or sporadic tasks of one kernel or one exclusive segment, D <= T.
// Blocks of best-effort tasks are in the way once, but nothing is lost to them at the end of a window.
//
// Kind: sufficient.
//
// Soundness: sound. A block of the best job is started whenever it fits the rest of the window, so all of a
// window but its last G goes to jobs while some wait. One block of a job with a later deadline may run when
// the interval starts; it started before, so its D is greater than t. No such block starts later: if the
// best job's next one does not fit, the core idles.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result window_blocks(const System& system);

Analysis window_blocks_analysis();

}  // namespace tactus::analysis
