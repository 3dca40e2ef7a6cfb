// np-edf-as-published: non-preemptive EDF in one stream, as printed. UNSOUND.
//
// Claim as printed: with tasks in order of deadlines, for every i and every t up to the hyperperiod,
//   sum over j <= i of floor((C_i - D_j + T_i)/T_j) C_j  +  max{ C_l : l > i }  <=  t.
//
// Source: the PRUDA paper, Theorem 1, inequality (3), which cites Jeffay et al. (1991).
//
// Our reading: the left side has no t, so "every t" cannot be meant: nothing would hold for small t. The
// right side is read at t = D_i.
//
// Model: single-stream, order edf; periodic or sporadic tasks, D <= T; no overheads, jitter or best-effort
// tasks.
//
// Kind: claimed to be sufficient.
//
// Soundness: unsound. {(2, 3, 3), (3, 19, 20)} is accepted: 0 + 3 <= 3 and 12 + 0 <= 19. If task 2 starts
// just before task 1 is released, task 1 ends after 5; its deadline is 3. The sound form is np-edf.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result np_edf_as_published(const System& system);

Analysis np_edf_as_published_analysis();

}  // namespace tactus::analysis
