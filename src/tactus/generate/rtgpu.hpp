// Generator `rtgpu`: the task sets of RTGPU, sections 6.1 (Table 1) and 6.3, for the strategy `federated`.
//
// Every task is a chain of M CPU segments with M - 1 GPU segments between them. A copy stands before each GPU
// segment; in the two-copy form another stands behind it. Lengths are uniform over the whole nanoseconds of
// their ranges; those of copies and GPU segments are then multiplied by b/a for the ratio a:b and rounded
// down. Best cases are a share of the worst cases, rounded down. Each GPU segment draws its interleave ratio
// (Table 2 of the paper). D = T = the sum of all worst cases / U, rounded up, with the whole GPU work counted
// as on one SM. The paper normalises in this way, but prints the overhead in place of the work.
//
// U of a task may exceed 1, and a deadline may be shorter than any schedule of its chain: such systems are
// valid, but not schedulable. No task has virtual SMs: the analyses search for them.
#pragma once

#include "tactus/generate/generator.hpp"

namespace tactus::generate {

Generator rtgpu();

}  // namespace tactus::generate
