// The tasks of a run whose work stays on its SMs: jobs that the device's own clock releases (resident), and
// jobs that the host starts through a word in memory (doorbell).
//
// A thread compares the clocks now and then, while the device waits for a release, and corrects the releases:
// the device's clock drifts against the host's.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tactus/device/cuda/builtin_work.hpp"
#include "tactus/device/cuda/clock_map.hpp"
#include "tactus/device/cuda/lane_streams.hpp"
#include "tactus/device/cuda/resident_loop.hpp"
#include "tactus/device/cuda/segment_work.hpp"
#include "tactus/device/device.hpp"

namespace tactus::cuda {

class ResidentTasks {
 public:
  /// Starts the work of these tasks, which then waits on its SMs. InputError with the task when its work
  /// cannot stay there. References must outlive it.
  ResidentTasks(const device::Setup& setup, const SegmentWorks& works, const LaneStreams& streams,
                const BuiltinWork& builtin);
  ResidentTasks(const ResidentTasks&) = delete;
  ResidentTasks& operator=(const ResidentTasks&) = delete;
  ~ResidentTasks();

  [[nodiscard]] bool any() const noexcept { return !tasks_.empty(); }
  /// Waits until all of it is on its SMs; FailureError if it does not get there. Nothing may be allocated on
  /// the device from here to the end.
  void wait_until_ready() const;
  /// The first instant of the run, on the host's clock.
  void begin(HostInstant origin);

  /// Whether jobs of the task are started by `ring`.
  [[nodiscard]] bool rings(TaskIndex task) const noexcept;
  void ring(const device::Request& request, Time now) noexcept;
  /// Whether a job that was rung is over.
  [[nodiscard]] bool has_news() noexcept;
  /// The next such job; nothing when there is none.
  struct Rung {
    device::Request request;
    Time called{};
  };
  std::optional<Rung> take_rung() noexcept;
  [[nodiscard]] bool is_idle() const noexcept { return rung_ == 0; }
  /// A job that was rung, whether it is over or not: the device is broken.
  std::optional<Rung> give_up_rung() noexcept;
  /// The first of those in progress, and its stream; null: there is none.
  [[nodiscard]] const Rung* first_rung() const noexcept;
  [[nodiscard]] cudaStream_t some_stream() const noexcept;

  /// Of jobs that the device releases.
  std::optional<device::ResidentJob> take_resident() noexcept;
  /// The SMs of such a task.
  [[nodiscard]] sched::SmSetId sms_of(TaskIndex task) const noexcept;
  /// The job that comes next of the first task whose jobs the device releases, if there is one.
  [[nodiscard]] std::optional<device::ResidentJob> next_released() const noexcept;
  /// How many tasks have jobs that the device releases.
  [[nodiscard]] std::size_t released() const noexcept;

  /// No job begins any more.
  void stop() noexcept;
  /// Whether all of it has left its SMs. Asks CUDA.
  [[nodiscard]] bool has_ended() const noexcept;

  /// What could not be enforced.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  struct OfTask {
    TaskIndex task = 0;
    std::vector<std::uint32_t> segments;  // on the GPU, in order
    sched::SmSetId sms = 0;
    bool is_rung = false;
    Duration offset{};
    Duration period{};
    Stream stream;
    std::unique_ptr<ResidentLoop> loop;
    std::optional<Rung> in_progress;  // of those that are rung
    std::uint64_t lost = 0;           // told so far
    std::uint64_t next = 0;           // job, of those that the device releases
  };

  static void capture(OfTask& task, const device::Setup& setup, const std::vector<SegmentWork>& works,
                      const LaneStreams& streams, const BuiltinWork& builtin);
  /// Stops what was launched and waits for its end: it uses memory that must not be freed.
  void end() noexcept;
  void watch_clock(const std::stop_token& stop);
  void correct_releases();
  [[nodiscard]] std::optional<ClockPair> compare();

  std::vector<OfTask> tasks_;
  std::size_t rung_ = 0;                   // jobs in progress
  std::size_t next_ = 0;                   // whose turn it is to be asked
  ClockPair first_{};                      // before the start
  std::int64_t shift_ = 0;                 // of the device's clock against the host's, as far as it is known
  std::atomic<std::int64_t> compared_{0};  // how often the clocks were compared
  std::mutex pausing_;
  std::condition_variable_any no_pause_;
  std::jthread clock_watch_;  // last member: it uses the others
};

}  // namespace tactus::cuda
