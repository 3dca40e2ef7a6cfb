// window-sbf: EDF inside windows, with work that can be stopped anywhere.
//
// Claim: each core alone in the local windows, the gang alone in the windows for all SMs; if in every
// interval of length t
//   dbf(t) = sum of n_j(t) C_j <= sbf(t) = k Q + max(0, t - k P - (P - Q)),  k = floor(t/P),
// then every deadline is met. n_j(t) = floor((t - (D_j - J_j))/T_j) + 1.
//
// Source: PRUDA, Theorem 3 with eq. (8), corrected. As printed a sign is wrong: it accepts (1,1,3) in windows
// of 2 every 5, which start at 1.
//
// Model: sm-cores, order edf; periodic or sporadic tasks of one exclusive segment with longest_block 0, D <=
// T. A window that covers its period is no window.
//
// Kind: exact for sporadic tasks without overheads: all are released when a window has just ended. Sufficient
// otherwise.
//
// Soundness: sound. With s and d as for np-edf, all time of the windows in [s, d) goes to jobs seen from s on
// with deadlines up to d, and the windows have at least sbf(d - s) in it. Where launches take time, a
// best-effort task that is stopped is in the way for one launch and completion; that is charged as blocking.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result window_sbf(const System& system);

Analysis window_sbf_analysis();

}  // namespace tactus::analysis
