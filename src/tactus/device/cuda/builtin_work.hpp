// Work that is not bound: built-in kernels, sized to the times of the model.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tactus/device/cuda/builtin_kernels.hpp"
#include "tactus/device/cuda/lane_streams.hpp"
#include "tactus/device/cuda/loop_pool.hpp"
#include "tactus/device/cuda/segment_work.hpp"
#include "tactus/device/cuda/sm_place.hpp"

namespace tactus::cuda {

class BuiltinWork {
 public:
  struct Settings {
    int device = 0;
    BuiltinKernel kernel = BuiltinKernel::spin;
    Duration yield_interval{};
  };
  /// Loads the kernels and measures what is needed. Sets the shared memory of kernels so that an SM holds as
  /// many of their blocks as the model says.
  BuiltinWork(const System& system, SegmentWorks& works, const LaneStreams& streams,
              const Settings& settings);

  /// A part of a kernel.
  void launch_kernel(const SegmentWork& work, const Part& part, cudaStream_t stream) const;

  /// Exclusive work: every one of `sms` SMs is full for the time of the part. It is cut into blocks as the
  /// model says.
  void launch_exclusive(const SegmentWork& work, const Part& part, int sms, cudaStream_t stream) const;

  /// How blocks of the work come to their places.
  enum class Blocks : std::uint8_t {
    many_each,  // as many blocks are launched as there are places, and each takes one after the other
    one_each,   // all are launched, so that the device can put more urgent ones between them
  };
  /// A kernel, or exclusive work, in a way that can be stopped between blocks. Answers the loop that was
  /// lent, or `nothing`.
  std::uint32_t launch_stoppable(const SegmentWork& work, const Part& part, const SmPlace& place,
                                 Blocks blocks, cudaStream_t stream);
  /// The rest of what was launched like that, and ended before its time.
  void launch_again(std::uint32_t loop, const SegmentWork& work, const Part& part, const SmPlace& place,
                    cudaStream_t stream);
  /// Whether `launch_stoppable` can lend a loop.
  [[nodiscard]] bool has_loop() const { return !loops_.is_used_up(); }
  void request_stop(std::uint32_t loop, cudaStream_t urgent) { loops_[loop].request_stop(urgent); }
  [[nodiscard]] bool has_ended(std::uint32_t loop) const { return loops_[loop].launch_ended(); }
  [[nodiscard]] bool has_finished(std::uint32_t loop) const { return loops_[loop].finished(); }
  /// It has ended; the loop is free again. Answers the part that was done of the one that was launched.
  Part end_stoppable(std::uint32_t loop, const SegmentWork& work, const Part& part);

  [[nodiscard]] const std::vector<std::string>& not_enforced() const { return not_enforced_; }

 private:
  /// How much work a block of some shape does in a time.
  struct Rate {
    unsigned threads = 0;
    std::size_t shared_memory = 0;
    std::uint64_t amount = 0;
    Duration time{};
  };
  /// What a block adds to its own time when blocks follow each other.
  struct BlockCost {
    Duration in_grid{};
    Duration in_loop{};
    Duration in_stoppable_grid{};  // one block of the launch for each
  };

  /// Makes the kernels ready in a stream, and in its partition.
  void warm_up(cudaStream_t stream);
  /// What must be known about a segment before the run.
  void prepare(SegmentWork& work, const std::string& where, int sms, cudaStream_t stream);
  void set_shared_memory(SegmentWork& work, const std::string& where);
  void learn_rate(unsigned threads, std::size_t shared_memory, int sms, cudaStream_t stream);
  /// Nothing: all of it may be one block.
  [[nodiscard]] Duration longest_block(const SegmentWork& work) const;
  [[nodiscard]] BlockCost measure_block_cost(int sms, cudaStream_t stream);
  /// A launch in a loop, and the blocks of all its work.
  struct LoopLaunch {
    BuiltinLaunch launch;
    std::int64_t blocks = 0;
  };
  [[nodiscard]] LoopLaunch loop_launch(const SegmentWork& work, const Part& part, const SmPlace& place,
                                       Blocks blocks) const;
  [[nodiscard]] std::uint64_t amount_for(Duration time, unsigned threads, std::size_t shared_memory) const;
  [[nodiscard]] BuiltinLaunch kernel_launch(const SegmentWork& work, Duration time,
                                            std::int64_t blocks) const;
  [[nodiscard]] BuiltinLaunch full_launch(Duration time, std::int64_t blocks) const;

  Settings settings_;
  BuiltinData data_;
  unsigned full_blocks_per_sm_;  // of exclusive work
  std::vector<Rate> rates_;
  LoopPool loops_;
  BlockCost cost_;
  std::vector<std::string> not_enforced_;
};

}  // namespace tactus::cuda
