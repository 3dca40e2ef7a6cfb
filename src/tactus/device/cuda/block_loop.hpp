// What a kernel and the host share about blocks that are taken one by one: see kernel.cuh for the kernel's
// side and preemptible_work.hpp for the host's.
#pragma once

#include <vector_types.h>

#include <cstdint>

#include "tactus/device/cuda/sm_set.hpp"

namespace tactus::cuda {

// Arrays of C here: the device may not call the functions of std::array.
// NOLINTBEGIN(modernize-avoid-c-arrays)

/// The usual CUDA grid: every block of the launch is one block of the work.
struct PlainGrid {};

/// How far a job has come. It lives in the device's memory, all zero before the first launch. Words that are
/// used at the same time by all blocks lie on different cache lines.
struct LoopState {
  static constexpr unsigned max_pieces = 16;
  alignas(128) unsigned int stop;  // the launch that is asked to stop; launches count from 1
  // Of each piece: how often a block of it was asked for. Who asks for more than there are gets none.
  alignas(128) unsigned long long next[max_pieces];
  alignas(128) unsigned int left;  // blocks of this launch that will take no more
  alignas(
      128) unsigned int arrived[SmSet::capacity];  // blocks of this launch on each SM; with virtual SMs only
};
// NOLINTEND(modernize-avoid-c-arrays)

/// What the last block of a launch leaves in the host's memory.
struct LoopReport {
  unsigned long long done;  // blocks of the job that have ended, in this launch and before
  unsigned int launch;      // written last: the launch that has ended
};

/// An argument of a kernel that takes its blocks one by one: only on chosen SMs, until asked to stop, and
/// from where an earlier launch stopped. Two launches on one state must not run at the same time.
struct BlockLoop {
  LoopState* state = nullptr;
  LoopReport* report = nullptr;
  dim3 grid;                            // of the work; the launch may have any grid
  unsigned long long blocks = 1;        // of the work: the product of its grid
  unsigned int pieces = 1;              // parts of the work that are taken from separately
  unsigned long long piece_blocks = 1;  // of each but the last, which may have fewer
  unsigned int launch = 1;
  /// V virtual SMs per SM: at most V blocks of the launch work on an SM, and each begins in a V-th of its own
  /// of the work. 0: as many as fit, and the work in order.
  unsigned int virtual_sms = 0;
  /// No SM is left out. Then, in a launch that has a block for each of the work, each takes one alone: the
  /// device can put blocks of more urgent work between them, as in a plain grid.
  bool anywhere = false;
  SmSet sms;
};

}  // namespace tactus::cuda
