// The data that host and kernel share for the loop over blocks: kernel.cuh has the kernel's side,
// preemptible_work.hpp the host's.
#pragma once

#include <vector_types.h>

#include "tactus/device/cuda/resident.hpp"
#include "tactus/device/cuda/sm_set.hpp"

namespace tactus::cuda {

// C arrays, because device code cannot call the functions of std::array.
// NOLINTBEGIN(modernize-avoid-c-arrays)

/// An ordinary CUDA grid: every block of the launch is one block of the work.
struct PlainGrid {};

/// The progress of a job, in device memory, all zero before the first launch. Words that all blocks use
/// concurrently are on different cache lines.
struct LoopState {
  static constexpr unsigned max_pieces = 16;
  alignas(128) unsigned int stop;  // number of the launch that must stop; launches count from 1
  // For each piece: how many blocks of it were requested. Requests beyond its size get none.
  alignas(128) unsigned long long next[max_pieces];
  alignas(128) unsigned int left;  // blocks of this launch that take no more work
  unsigned int stayed;             // blocks of this launch that stay; where not all of them do
  alignas(128) unsigned int arrived[SmSet::capacity];  // blocks of this launch on each SM; with a limit only
};
// NOLINTEND(modernize-avoid-c-arrays)

/// Written to host memory by the last block of a launch.
struct LoopReport {
  unsigned long long done;  // blocks of the job that have run, in this launch and before
  unsigned int launch;      // written last: the number of the launch that has ended
};

/// The most blocks of a launch on an SM: on the first of a set, on the last, and on each between. All 0: as
/// many as fit.
struct BlocksOnSm {
  unsigned int first = 0;
  unsigned int between = 0;
  unsigned int last = 0;

  friend bool operator==(const BlocksOnSm&, const BlocksOnSm&) = default;
};

/// The argument of a kernel that takes its blocks from a loop: only on chosen SMs, until asked to stop, and
/// from where an earlier launch stopped. Two launches with the same state must not overlap.
struct BlockLoop {
  LoopState* state = nullptr;
  LoopReport* report = nullptr;
  dim3 grid;                      // of the work; the grid of the launch may differ
  unsigned long long blocks = 1;  // of the work: the product of its grid
  unsigned int pieces = 1;  // parts of the work with separate counters; blocks on an SM start in them in turn
  unsigned long long piece_blocks = 1;  // per piece; the last may have fewer
  unsigned int launch = 1;
  BlocksOnSm most;            // further blocks on an SM exit
  unsigned int first_sm = 0;  // the lowest and the highest id in `sms`
  unsigned int last_sm = 0;
  /// All SMs may be used. Then, in a launch with as many blocks as the work, each takes exactly one, and the
  /// device can run blocks of more urgent work in between, as with a plain grid. Of a resident launch each
  /// does its own, whatever `most` says.
  bool anywhere = false;
  SmSet sms;
  /// Resident: the launch stays on its SMs for one job after the other; else one job, or a part of it. All of
  /// its blocks that stay must fit on the SMs at once.
  ResidentPace pace{};
  /// How many blocks of a resident launch stay, on the chosen SMs; the others exit for good. 0: all of them.
  unsigned int staying = 0;
  [[nodiscard]] TACTUS_HOST_DEVICE bool is_resident() const { return pace.state != nullptr; }
  /// Resident, and the host says when a job begins.
  [[nodiscard]] TACTUS_HOST_DEVICE bool is_rung() const { return is_resident() && pace.period == 0; }
};

}  // namespace tactus::cuda
