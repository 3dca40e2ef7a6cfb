// ms-fp and ms-fp-immediate: fixed priorities with several streams of rising urgency.
//
// Claim: R_i + J_i bounds the response time of task i, where
//   R_i = least R with R = B_i + C'_i + sum over more urgent j of ceil((R + J_j)/T_j) C'_j,
// as long as it stays within D_i.
//   ms-fp:            C' = C + PCo, B_i = max{C_l + PCo_l : l less urgent, in Top}
//   ms-fp-immediate:  C' = C + x,   B_i = the greater of that and of the longest less urgent block
// PCo, Top and x as in ms-edf, with "less urgent" in the order of priorities.
//
// Source: PRUDA, section 5.2, with the corrections of Lemma 1.
//
// Model: multi-stream, order fp; periodic or sporadic tasks of one kernel or one exclusive segment, D <= T.
// ms-fp holds for both refill modes, ms-fp-immediate only for `immediate`.
//
// Kind: sufficient. With one level it is coarser than np-fp, which knows that a job that has started is not
// delayed any more.
//
// Soundness: sound. At R all work of task i and of more urgent tasks that was seen before is done, so the
// busy period ends there; R_i + J_i <= T_i, so it holds one job of task i.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result ms_fp(const System& system);
Result ms_fp_immediate(const System& system);

Analysis ms_fp_analysis();
Analysis ms_fp_immediate_analysis();

}  // namespace tactus::analysis
