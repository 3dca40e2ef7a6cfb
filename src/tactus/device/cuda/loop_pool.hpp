// A pool of loops for work that can be stopped and continued, allocated at the start.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/preemptible_work.hpp"
#include "tactus/device/cuda/stream_queues.hpp"

namespace tactus::cuda {

class LoopPool {
 public:
  struct Loop {
    PreemptibleWork work;
    bool is_used = false;  // it was stopped in a job that will not continue

    /// The first launch of a job. Ordered by the stream: the state is reset when the launch starts.
    void begin(dim3 grid, const Placement& placement, cudaStream_t stream) {
      if (is_used) work.abandon(stream);
      is_used = false;
      work.set_grid(grid);
      work.set_placement(placement);
    }
  };

  explicit LoopPool(std::size_t count) {
    loops_.reserve(count);
    free_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      loops_.push_back({PreemptibleWork{dim3{1}}});
      free_.push_back(static_cast<std::uint32_t>(i));
    }
    if (count == 0) return;
    // CUDA initialises its memory operations at first use.
    loops_.front().work.abandon(nullptr);
    check(cudaStreamSynchronize(nullptr), "cannot clear memory of the device");
  }

  [[nodiscard]] std::size_t size() const { return loops_.size(); }
  [[nodiscard]] bool is_used_up() const { return free_.empty(); }

  [[nodiscard]] PreemptibleWork& operator[](std::uint32_t index) { return loops_[index].work; }
  [[nodiscard]] const PreemptibleWork& operator[](std::uint32_t index) const { return loops_[index].work; }

  [[nodiscard]] Loop& loop(std::uint32_t index) { return loops_[index]; }

  /// A free loop, which the launch that uses it begins; `nothing` if all are in use.
  [[nodiscard]] std::uint32_t take() {
    if (free_.empty()) return nothing;
    const std::uint32_t index = free_.back();
    free_.pop_back();
    return index;
  }
  /// It was taken, but nothing has used it.
  void give_back_unused(std::uint32_t index) { free_.push_back(index); }
  /// Its last launch has ended or never started: the device does not use it any more.
  void give_back(std::uint32_t index, bool finished) {
    loops_[index].is_used = !finished;
    free_.push_back(index);
  }

 private:
  std::vector<Loop> loops_;
  std::vector<std::uint32_t> free_;
};

}  // namespace tactus::cuda
