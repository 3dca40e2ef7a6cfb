// block-rta: response times of kernels with equal blocks.
//
// Claim: kernels whose blocks take the same resources, one stream each, one stream priority, are served first
// come first served by g_max slots. Whenever a slot is free, the earliest kernel with blocks left takes it.
// Playing that gives the completion of every kernel; with worst-case block times it is an upper bound.
//
// Source: the response-time analysis for the Jetson TX2 (AMALTHEA models), Algorithm 2, corrected. As printed
// the chosen row is never deleted, which gives 4, 10, 10, 9 where 4, 10, 12, 11 is right; its closed form is
// wrong when the free slots equal the grid and when g_max divides what remains.
//
// Model: as-submitted; every task is one kernel, with equal demand per block; all arrivals are `once`, or all
// are periodic with one common period and offset 0; no jitter, no release overhead, and no launch overhead
// unless there is but one job, because late launches can change the order of the calls.
//
// Kind: exact for `once`. For periodic tasks one synchronous job of each is proof if all are done within the
// period.
//
// Soundness: sound. Shorter blocks never hurt equal blocks (list scheduling on equal slots).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

/// One kernel of the bare problem.
struct EqualBlockKernel {
  Time release{};
  Duration block_time{};
  std::int64_t blocks = 0;
};

/// Completion of every kernel on `slots` slots; kernels of equal release are served in the order given. The
/// cost depends on the number of kernels, not on the numbers of blocks or waves. OverflowError past 64 bits.
std::vector<Time> equal_block_completions(std::span<const EqualBlockKernel> kernels, std::int64_t slots);

Result block_rta(const System& system);

Analysis block_rta_analysis();

}  // namespace tactus::analysis
