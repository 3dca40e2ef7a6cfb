// The host's side of a kernel that can be stopped between blocks and continued later.
//
//   PreemptibleWork work{grid};
//   kernel<<<resident_blocks, threads, 0, stream>>>(work.begin_launch(), ...);
//   work.request_stop(urgent_stream);
//   ... until work.launch_ended(): then work.done() of work.blocks() blocks have run
//   kernel<<<resident_blocks, threads, 0, stream>>>(work.begin_launch(), ...);   // the others
//
// After the last block of a job the next launch begins the next job; nothing needs to be reset in between.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>

#include "tactus/device/cuda/block_loop.hpp"
#include "tactus/device/cuda/memory.hpp"

namespace tactus::cuda {

/// How the stop flag in the device's memory is set.
enum class StopBy {
  copy,         // a copy of four bytes
  write_value,  // a memory operation of the stream: the shorter call, and it needs no copy engine
};

/// Where the blocks of a launch may work.
struct Placement {
  SmSet sms = all_sms();
  unsigned virtual_sms = 0;  // see BlockLoop
};

class PreemptibleWork {
 public:
  /// Allocates; nothing else does. To end it frees, and that waits for all work on the device.
  explicit PreemptibleWork(dim3 grid, const Placement& placement = {}, StopBy stop_by = StopBy::write_value);

  /// The argument for the next launch. The one before must have ended.
  [[nodiscard]] BlockLoop begin_launch();

  /// Asks the launch begun last to take no more blocks. The stream should be an urgent one, and always the
  /// same. A request that comes late, after the launch has ended by itself, is without effect.
  void request_stop(cudaStream_t urgent);

  /// Whether the launch begun last has ended: a look at the host's own memory. It stays false if the kernel
  /// fails.
  [[nodiscard]] bool launch_ended() const;

  /// Blocks of the job that had run when the last launch ended. Ask only after launch_ended().
  [[nodiscard]] std::uint64_t done() const;
  [[nodiscard]] std::uint64_t blocks() const { return loop_.blocks; }
  [[nodiscard]] bool finished() const { return done() == blocks(); }

  /// Blocks of the job that were begun by now, read with a copy in the stream; waits for it. While a launch
  /// runs that are those done and at most one more for every block of the launch.
  [[nodiscard]] std::uint64_t begun_by_now(cudaStream_t stream) const;

  /// Gives up the job: what was not done stays undone, and the next launch in the stream begins a new one.
  /// The launch before must have ended.
  void abandon(cudaStream_t stream);

  /// Another size or place for the next job. Between jobs only.
  void set_grid(dim3 grid);
  void set_placement(const Placement& placement);

 private:
  /// What the host keeps in locked memory.
  struct HostPart {
    alignas(64) LoopReport report;
    alignas(64) unsigned stop_request;
    std::array<unsigned long long, LoopState::max_pieces> next;  // a copy of the state's
  };

  DeviceBuffer<LoopState> state_;
  PinnedBuffer<HostPart> host_;
  BlockLoop loop_;
  StopBy stop_by_;
};

}  // namespace tactus::cuda
