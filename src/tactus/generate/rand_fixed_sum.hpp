// RandFixedSum: vectors with a given sum, uniform over all whose entries keep given bounds. The problem and
// the use for task sets: Stafford 2006; Emberson, Stafford and Davis 2010.
//
// Our method. Take bounds 0 and 1, n entries and the sum s. The vectors form a body of n - 1 dimensions. Its
// faces are where an entry is 0 (the others form the same kind of body: n - 1 entries with the sum s) or 1
// (n - 1 entries with the sum s - 1). Seen from the centre, where every entry is s/n, the body falls into
// pyramids, one over each face. A face of entry 0 lies at a distance proportional to s/n, one of entry 1 at a
// distance proportional to 1 - s/n. So with V the volume (all up to a common factor)
//
//     V(n, s) = s V(n-1, s) + (n - s) V(n-1, s-1),
//
// and the two terms are the odds that a uniform point lies above a face of either kind; all entries are
// equally likely to be the one. Inside the pyramid the point is centre + r (p - centre): p is uniform in the
// face, which is the same problem with one entry less, and r is distributed as the largest of n - 1 uniform
// numbers. The products of the r down the recursion are then n - 1 uniform numbers in falling order: we draw
// and sort those. Nothing needs a root.
//
// All is integers. The volumes have no cancelling terms, so after n rounds the odds are off by less than
// 4n * 2^-62 of their value. Entries are off by less than one step of Utilisation: first by rounding, then
// because a step is added or taken where that makes the sum exact. Bounds and sum hold exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tactus/generate/utilisations.hpp"

namespace tactus::generate {

/// The odds of all sums take time and memory in proportion to the square of the number of tasks.
inline constexpr std::size_t rand_fixed_sum_max_tasks = 1'000;

/// Needs 1 <= tasks and tasks * least <= total <= tasks * most.
std::vector<Utilisation> rand_fixed_sum(std::size_t tasks, Utilisation total, UtilisationBounds bounds,
                                        std::uint64_t seed, std::uint64_t group);

}  // namespace tactus::generate
