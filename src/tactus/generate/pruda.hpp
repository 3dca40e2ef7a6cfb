// Generator `pruda`: the task sets of PRUDA, section 7.1, for the strategy `sm-cores` on two cores.
//
// Utilisations of the tasks of core 0, of core 1 and of both cores come from UUniFast. Each period is one of
// a list, C = T * u (at least 1 ns), D is uniform in [0.75 T, T]. The period of the reservations is one of a
// list too. The local window opens first and takes the share U(T_1) / (U(T_1) + U(T_B)) of it; the window for
// both cores takes the rest. The paper prints this share without the factor period: we read it as a share.
// The harmonic variant (Figure 8) draws task periods only from those that divide the period of the
// reservations or are multiples of it.
#pragma once

#include "tactus/generate/generator.hpp"

namespace tactus::generate {

Generator pruda();

}  // namespace tactus::generate
