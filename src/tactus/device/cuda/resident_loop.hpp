// The host's side of work that stays on its SMs and waits there for its next job (resident.hpp): rung by the
// host, or released by the device's own clock.
//
// Two forms. A kernel that takes its blocks from a loop stays itself, with `block_loop` as its argument.
// Other work is captured into a graph that runs it again and again.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "tactus/base/time.hpp"
#include "tactus/device/cuda/graph_capture.hpp"
#include "tactus/device/cuda/memory.hpp"
#include "tactus/device/cuda/preemptible_work.hpp"
#include "tactus/device/cuda/resident.hpp"

namespace tactus::cuda {

class ResidentLoop {
 public:
  struct Timing {
    Duration period{};  // 0: the host rings
    Duration offset{};
    std::optional<Duration> deadline;
    /// After a job that misses its deadline the next one is skipped.
    bool skips_after_miss = false;
  };
  /// Allocates. The work must have ended before it is destroyed.
  explicit ResidentLoop(const Timing& timing);

  /// The argument of a kernel that is to stay. One launch, all of whose blocks fit on the SMs at once.
  [[nodiscard]] BlockLoop block_loop(dim3 grid, const Placement& placement);
  /// The facts of the job in progress, for kernels that are captured. To be called before `capture` ends.
  [[nodiscard]] const JobFacts* facts();
  /// A copy of these in device memory, for kernels that are captured later.
  [[nodiscard]] const std::uint64_t* keep(std::span<const std::uint64_t> values);
  /// Captures what `enqueue` puts into the stream: the launch of a kernel with `block_loop`. InputError when
  /// there is more. Without a `block_loop` nothing can be launched yet.
  void capture(cudaStream_t stream, const std::function<void()>& enqueue);
  /// The same for any work, which is to be done for every job: one function for each GPU segment. `context`:
  /// the green context of the stream; null: it has none. InputError when it cannot be repeated on the device.
  void capture_repeated(cudaStream_t stream, void* context, std::span<const std::function<void()>> segments);
  /// Starts what was captured. From here on nothing may be allocated on the device until it has ended: that
  /// would wait for it.
  void launch(cudaStream_t stream);

  /// Whether all of it is on its SMs, so that it may begin.
  [[nodiscard]] bool is_ready() const noexcept;
  /// Gives the release of the first job, on the device's clock.
  void begin(std::uint64_t first) noexcept;
  /// One more job, or the next GPU segment of it.
  void ring(const JobFacts& facts, unsigned segment) noexcept;
  /// No job begins any more.
  void request_stop() noexcept;

  /// Asks for the time of the device, which answers while it waits for a release. `shift` corrects all later
  /// releases.
  void ask(std::int64_t shift) noexcept;
  /// The answer to the last question; nothing while there is none.
  [[nodiscard]] std::optional<std::uint64_t> answer() const noexcept;

  /// Whether the job that was rung last is over.
  [[nodiscard]] bool is_done() noexcept;

  /// A job that was released by the device's clock and is over: times since its release, on that clock.
  struct Ended {
    std::uint64_t number = 0;
    Duration start{};
    Duration end{};
  };
  /// The next one; nothing when there is none yet.
  std::optional<Ended> take() noexcept;
  /// Jobs whose ends were overwritten before they were taken.
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

 private:
  static constexpr std::size_t ring_size = 4096;
  static constexpr std::size_t max_blocks = std::size_t{32} * SmSet::capacity;  // on all SMs at once
  struct HostPart {
    ResidentControl control;
    ResidentAnswer answer;
    std::array<ResidentRecord, ring_size> ring;
    std::array<std::uint32_t, max_blocks> done;
  };
  void prepare(cudaStream_t stream);

  PinnedBuffer<HostPart> host_;
  DeviceBuffer<ResidentState> state_;
  PreemptibleWork work_;
  DeviceBuffer<std::uint64_t> kept_;
  bool has_block_loop_ = false;
  DeviceBuffer<JobFacts> facts_;
  bool wants_facts_ = false;
  ResidentPace pace_{};
  Graph graph_;
  GraphExec executable_;
  std::uint64_t count_ = 0;  // of rings, or of questions
  bool stops_ = false;
  std::size_t blocks_done_ = 0;  // the first so many have done the job that was rung last
  std::uint64_t taken_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace tactus::cuda
