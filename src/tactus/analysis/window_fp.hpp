// window-fp: fixed priorities inside windows.
//
// Claim: with R_i the least t for which
//   B_i + C_i + sum over more urgent j of ceil((t + J_j)/T_j) C_j <= sbf(t) with budget Q - G,
// R_i + J_i bounds the response time of task i as long as it stays within D_i. B_i is the longest block of a
// less urgent task, best-effort tasks included; G the longest block of any periodic or sporadic one. With
// work that can be stopped anywhere both are 0.
//
// Source: PRUDA, section 6.3, for fixed priorities.
//
// Model: sm-cores, order fp; periodic or sporadic tasks of one kernel or one exclusive segment, D <= T.
//
// Kind: sufficient.
//
// Soundness: sound. By R_i all work of task i and of more urgent tasks that was seen before is done, wherever
// in the windows the busy period starts; R_i + J_i <= T_i, so it holds one job of task i. Blocks as in
// window-blocks.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result window_fp(const System& system);

Analysis window_fp_analysis();

}  // namespace tactus::analysis
