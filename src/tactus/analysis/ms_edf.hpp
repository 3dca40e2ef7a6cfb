// ms-edf and ms-edf-immediate: EDF with several streams of rising urgency.
//
// A better job is submitted one level above the running one and takes over at a block boundary. With PL
// levels at most PL - 1 preemptions nest; a job in the last level keeps the GPU to its end.
//   PCo_j = longest block of a less urgent task (0 with one level)
//   Top   = tasks with at least PL - 1 less urgent ones: only they can be in the last level
//
// Claim of ms-edf: sum (C_j + PCo_j)/T_j <= 1, and for every t
//   sum of n_j(t) (C_j + PCo_j) + max{C_l + PCo_l : l in Top, D_l > t} <= t.
// Every job may find one block of a less urgent job running when it reaches the device, because the device
// may start one before the scheduler has refilled a stream.
//
// Claim of ms-edf-immediate, for streams that are refilled before the device goes on:
//   sum of n_j(t) C'_j + max( max{C_l + PCo_l : l in Top, D_l > t}, max{PC_l : D_l > t} ) <= t.
// Then low blocks are in the way only once, at the start. C'_j = C_j + x_j, where x_j is what remains of the
// ideal: PCo_j where launches or completions take time; else the longest block of a less urgent kernel, since
// its blocks need not end together and can start in places that a more urgent kernel leaves free; else 0.
//
// Source: PRUDA, Lemma 1, corrected. As printed t is missing, the range of the blocking is off by two and the
// cost of a preemption belongs to the wrong task. It accepts {(1,4,20), (6,14,20), (4,20,20)} with blocks of
// 1 and two levels; released third, second, first at 0, 1, 2, the first waits until 7, its deadline is 6.
//
// Model: multi-stream, order edf; periodic or sporadic tasks of one kernel or one exclusive segment, D <= T.
// ms-edf holds for both refill modes, ms-edf-immediate only for `immediate`.
//
// Kind: ms-edf is sufficient. ms-edf-immediate is exact for sporadic tasks with different deadlines, no late
// releases, all x_j = 0 and up to two levels. (With three levels the longest block below and the levels
// below need not come together.)
//
// Soundness: sound. Let s and d be as for np-edf. When a job with deadline up to d is seen at s, either the
// last level is free: then it goes above all others and waits for blocks that run; or a job l of Top holds
// it: l was seen before s, so D_l > d - s, and it is done after at most C_l + PCo_l. From then on jobs with
// deadlines up to d are always on top. A job q below j was submitted before j was seen, at most J_j after the
// release of j, and has the later deadline: D_q > D_j - J_j.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result ms_edf(const System& system);
Result ms_edf_immediate(const System& system);

Analysis ms_edf_analysis();
Analysis ms_edf_immediate_analysis();

}  // namespace tactus::analysis
