// ms-edf-as-published: EDF over several streams, as printed. UNSOUND.
//
// Claim as printed: with n tasks in order of deadlines and PL levels, for every i and every t up to the
// hyperperiod,
//   sum over j <= i of floor((C_j - D_j + T_j)/T_j) (C + PCo(j))  +  B_i  <=  t
//   B_i    = max{ C_l : i + 1 <= l <= n - PL - 1 }                                              (4)
//   PCo(j) = max{ PC_l : i + 1 <= l <= n }                                                      (5)
//
// Source: the PRUDA paper, Lemma 1.
//
// Our reading: the left side has no t; C_j stands where t must be meant, so the floor is the number of jobs
// of j that must be done within t (0 below D_j), and C is C_j. The blocking range of (4) and the index i in
// (5) are kept as printed. So for every i the tasks up to i, each with PCo of i added, are held against t.
//
// Model: multi-stream with either refill, order edf; periodic or sporadic tasks of one kernel or one
// exclusive segment, D <= T; no overheads, jitter or best-effort tasks.
//
// Kind: claimed to be sufficient.
//
// Soundness: unsound. PL = 2, (C, D, T, PC) = {(1, 4, 20, 1), (6, 14, 20, 1), (4, 20, 20, 1)} is accepted:
// with three tasks the range of (4) is empty. Releases at 0 (third), 1 (second) and 2 (first): the first
// waits until 7, its deadline is 6. {(1, 3, 30, 1), (5, 20, 30, 1), (2, 30, 30, 2)} breaks it, too, and
// {(1, 4, 5, 1), (6, 10, 12, 3)} if preempting costs PC of real time. The sound form is ms-edf.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result ms_edf_as_published(const System& system);

Analysis ms_edf_as_published_analysis();

}  // namespace tactus::analysis
