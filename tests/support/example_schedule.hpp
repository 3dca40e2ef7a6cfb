// A schedule worked out by hand rules, for tests of what observes schedules.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tactus/model/system.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::test {

struct Schedule {
  System system;
  trace::Recording recording;
};

/// One kernel of `blocks` equal blocks, released at 0.
struct KernelExample {
  std::string name;
  Duration block_time{};
  std::int64_t blocks = 0;
  Duration deadline{};
};

/// Kernels one after the other in FIFO order on 2 SMs of 4 slots each; a block goes to the SM with the most
/// free slots. Nothing of the library schedules here.
Schedule schedule_by_hand(std::span<const KernelExample> kernels);

/// The example of the block analysis: completions 4, 10, 12 and 11 ms; the third misses its deadline of
/// 11 ms.
Schedule four_kernels();

/// Sends the events the way an engine does: in the order of time, blocks and copies at their start,
/// operations and ends at their end; jobs that were cut off last.
void replay(const trace::Recording& recording, trace::Observer& observer);

}  // namespace tactus::test
