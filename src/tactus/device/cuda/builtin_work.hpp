// Work without a binding: built-in kernels with the times of the model.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tactus/device/cuda/builtin_kernels.hpp"
#include "tactus/device/cuda/lane_streams.hpp"
#include "tactus/device/cuda/loop_pool.hpp"
#include "tactus/device/cuda/resident_loop.hpp"
#include "tactus/device/cuda/segment_work.hpp"

namespace tactus::cuda {

class BuiltinWork {
 public:
  struct Settings {
    int device = 0;
    BuiltinKernel kernel = BuiltinKernel::spin;
    Duration yield_interval{};
  };
  /// Loads the kernels and calibrates them. Sets the shared memory of kernels so that an SM holds as many of
  /// their blocks as the model says.
  BuiltinWork(const System& system, SegmentWorks& works, const LaneStreams& streams,
              const Settings& settings);

  /// Launches a part of a kernel.
  void launch_kernel(const SegmentWork& work, const Part& part, cudaStream_t stream) const;

  /// Launches exclusive work: each of `sms` SMs is full for the time of the part. It is cut into blocks as
  /// the model says.
  void launch_exclusive(const SegmentWork& work, const Part& part, int sms, cudaStream_t stream) const;

  /// How blocks of the work are assigned to blocks of the launch.
  enum class Blocks : std::uint8_t {
    many_each,  // the launch fills the SMs, and each of its blocks takes work repeatedly
    one_each,   // one for each, so that the device can run more urgent blocks in between
  };
  /// Launches a kernel or exclusive work that can be stopped between blocks. Returns the loop it uses, or
  /// `nothing` if none is free.
  std::uint32_t launch_stoppable(const SegmentWork& work, const Part& part, const SmPlace& place,
                                 Blocks blocks, cudaStream_t stream);
  /// Captures a kernel or exclusive work that stays on its SMs, for jobs of the longest execution time.
  /// InputError when one launch cannot do the work of all segments.
  void capture_resident(std::span<const SegmentWork* const> segments, const SmPlace& place,
                        ResidentLoop& loop, cudaStream_t stream) const;
  /// Launches a segment of the longest execution time.
  void launch_plain(const SegmentWork& work, const SmPlace& place, cudaStream_t stream) const;
  /// Launches the rest of such work after it ended early.
  void launch_again(std::uint32_t loop, const SegmentWork& work, const Part& part, const SmPlace& place,
                    cudaStream_t stream);
  /// Whether a loop is free for `launch_stoppable`.
  [[nodiscard]] bool has_loop() const { return !loops_.is_used_up(); }
  void request_stop(std::uint32_t loop, cudaStream_t urgent) { loops_[loop].request_stop(urgent); }
  [[nodiscard]] bool has_ended(std::uint32_t loop) const { return loops_[loop].launch_ended(); }
  [[nodiscard]] bool has_finished(std::uint32_t loop) const { return loops_[loop].finished(); }
  /// It has ended, and its loop is free again. Returns how much of the part was done.
  Part end_stoppable(std::uint32_t loop, const SegmentWork& work, const Part& part);

  [[nodiscard]] const std::vector<std::string>& not_enforced() const { return not_enforced_; }

 private:
  /// The work per time of a block of some shape.
  struct Rate {
    unsigned threads = 0;
    std::size_t shared_memory = 0;
    std::uint64_t amount = 0;
    Duration time{};
  };
  /// The overhead of a block when blocks follow each other.
  struct BlockCost {
    Duration in_grid{};
    Duration in_loop{};
    Duration in_stoppable_grid{};  // one block of the launch for each
  };

  /// Prepares the kernels in a stream and its partition.
  void warm_up(cudaStream_t stream);
  /// Calibrates a segment before the run.
  void prepare(SegmentWork& work, const std::string& where, int sms, cudaStream_t stream);
  void set_shared_memory(SegmentWork& work, const std::string& where);
  void learn_rate(unsigned threads, std::size_t shared_memory, int sms, cudaStream_t stream);
  /// Nothing: all of it may be one block.
  [[nodiscard]] Duration longest_block(const SegmentWork& work) const;
  [[nodiscard]] BlockCost measure_block_cost(int sms, cudaStream_t stream);
  /// A launch in a loop, and the number of blocks of the work.
  struct LoopLaunch {
    BuiltinLaunch launch;
    std::int64_t blocks = 0;
    unsigned on_sm = 1;  // blocks of the launch that an SM holds
  };
  [[nodiscard]] LoopLaunch loop_launch(const SegmentWork& work, const Part& part, const SmPlace& place,
                                       Blocks blocks) const;
  [[nodiscard]] std::uint64_t amount_for(Duration time, unsigned threads, std::size_t shared_memory) const;
  [[nodiscard]] BuiltinLaunch kernel_launch(const SegmentWork& work, Duration time,
                                            std::int64_t blocks) const;
  [[nodiscard]] BuiltinLaunch full_launch(Duration time, std::int64_t blocks) const;

  Settings settings_;
  BuiltinData data_;
  unsigned full_block_threads_;  // exclusive work fills an SM with blocks of this size, or a part with one
  unsigned full_blocks_per_sm_;
  std::vector<Rate> rates_;
  LoopPool loops_;
  BlockCost cost_;
  std::vector<std::string> not_enforced_;
};

}  // namespace tactus::cuda
