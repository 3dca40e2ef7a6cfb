// window-necessary: no core may have a utilisation above 1.
//
// Claim: if for some core p the tasks of p and the gang tasks together need more than all of the time,
// U(T_p) + U(T_all) > 1, then no windows make the system hold.
//
// Source: PRUDA, Lemma 2, sharpened: the printed condition adds up over cores, which lets more pass.
//
// Model: sm-cores, any order; periodic or sporadic tasks of one kernel or one exclusive segment. Overheads
// are left out. There may be no reservations yet.
//
// Kind: necessary.
//
// Soundness: sound: a gang job keeps every core busy.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result window_necessary(const System& system);

Analysis window_necessary_analysis();

}  // namespace tactus::analysis
