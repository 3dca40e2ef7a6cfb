// The host side of a kernel that can be stopped between blocks and continued later.
//
//   PreemptibleWork work{grid};
//   kernel<<<resident_blocks, threads, 0, stream>>>(work.begin_launch(), ...);
//   work.request_stop(urgent_stream);
//   ... until work.launch_ended(): then work.done() of work.blocks() blocks have run
//   kernel<<<resident_blocks, threads, 0, stream>>>(work.begin_launch(), ...);   // the others
//
// After the last block of a job the next launch starts the next job; nothing needs to be reset.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>

#include "tactus/device/cuda/block_loop.hpp"
#include "tactus/device/cuda/memory.hpp"

namespace tactus::cuda {

/// How the stop flag in device memory is set.
enum class StopBy {
  copy,         // a copy of four bytes
  write_value,  // a stream memory operation: a shorter call that needs no copy engine
};

/// Where the blocks of a launch may run.
struct Placement {
  SmSet sms = all_sms();
  /// V virtual SMs per SM: at most V blocks of the launch run on an SM, and each starts in its own V-th of
  /// the work. 0: as many as fit, and the work in order.
  unsigned virtual_sms = 0;
  BlocksOnSm most{};       // the most blocks on an SM, where that is not V
  bool is_pinned = false;  // blocks of a launch may also come to other SMs

  /// The most blocks on an SM.
  [[nodiscard]] BlocksOnSm on_sm() const {
    return most.between != 0 ? most : BlocksOnSm{virtual_sms, virtual_sms, virtual_sms};
  }
  /// On all of its SMs. 0: as many as fit.
  [[nodiscard]] unsigned blocks() const;
};

class PreemptibleWork {
 public:
  /// The only function that allocates. The destructor frees, which waits for all work on the device.
  explicit PreemptibleWork(dim3 grid, const Placement& placement = {}, StopBy stop_by = StopBy::write_value);

  /// The argument for the next launch. The previous one must have ended.
  [[nodiscard]] BlockLoop begin_launch();

  /// Asks the latest launch to take no more blocks. The stream should be an urgent one, and always the same.
  /// A request that arrives after the launch has ended has no effect.
  void request_stop(cudaStream_t urgent);

  /// Whether the latest launch has ended; a read of host memory only. Stays false if the kernel fails.
  [[nodiscard]] bool launch_ended() const;

  /// Blocks of the job that had run when the last launch ended. Valid only after launch_ended().
  [[nodiscard]] std::uint64_t done() const;
  [[nodiscard]] std::uint64_t blocks() const { return loop_.blocks; }
  [[nodiscard]] bool finished() const { return done() == blocks(); }

  /// Abandons the job: the remaining blocks do not run, and the next launch in the stream starts a new job.
  /// The previous launch must have ended.
  void abandon(cudaStream_t stream);

  /// Another size or place for the next job. Between jobs only.
  void set_grid(dim3 grid);
  void set_placement(const Placement& placement);

 private:
  /// In pinned host memory.
  struct HostPart {
    alignas(64) LoopReport report;
    alignas(64) unsigned stop_request;
    std::array<unsigned long long, LoopState::max_pieces> next;  // a copy of the counters in LoopState
  };

  DeviceBuffer<LoopState> state_;
  PinnedBuffer<HostPart> host_;
  BlockLoop loop_;
  StopBy stop_by_;
};

}  // namespace tactus::cuda
