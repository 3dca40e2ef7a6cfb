// Overheads of the machine, measured on the path of every run: the engine and the scheduler drive the device,
// and a wrapper around the device records when work was submitted and when its end was known.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/base/watch.hpp"
#include "tactus/device/device.hpp"
#include "tactus/machine/real_time.hpp"
#include "tactus/measure/margin_rule.hpp"
#include "tactus/model/platform.hpp"

namespace tactus::measure {

/// When a piece of work ran, on the clock of the host.
struct WorkSpan {
  machine::SteadyTime begin{};
  machine::SteadyTime end{};
};

/// GPU work that records when it ran.
class StampedWork {
 public:
  StampedWork() = default;
  StampedWork(const StampedWork&) = delete;
  StampedWork& operator=(const StampedWork&) = delete;
  virtual ~StampedWork() = default;

  /// The binding for jobs 0 to `jobs` - 1.
  virtual device::Binding bind(std::uint64_t jobs) = 0;
  /// Work of this length that is bound and not stamped; built-in where the device has no other.
  virtual device::Binding bind_plain(Duration /*work*/) { return {}; }
  /// When each of these jobs ran; to be called after the run.
  virtual std::vector<WorkSpan> spans() = 0;
  /// The largest error of a span; its begin and end have the same error.
  [[nodiscard]] virtual Duration uncertainty() const { return {}; }
};

/// A function that runs on the host device.
std::unique_ptr<StampedWork> make_host_work();

struct OverheadQuestion {
  /// Of the device. Measuring copies requires its copy bandwidth.
  Platform platform;
  /// For each overhead.
  int samples = 10'000;
  /// Time between two releases.
  Duration period = std::chrono::microseconds{503};
  /// Execution time of work whose time can be chosen.
  Duration work = std::chrono::microseconds{20};
  /// Of a copy.
  std::int64_t copy_bytes = 64 * 1024;
  /// The core that the engine's thread is pinned to; nothing: any.
  std::optional<int> core{};
  Watch watch;
};

struct MeasuredOverheads {
  /// From the nominal release of a job until the scheduler has submitted its work. Jobs that had to wait for
  /// the previous one are left out.
  std::vector<Duration> release;
  /// From the submission of GPU work until it starts.
  std::vector<Duration> launch;
  /// From its end until the engine knows.
  std::vector<Duration> completion;
  /// From the submission of the device's own work until its end is known, minus the requested time: launch
  /// and completion together.
  std::vector<Duration> round_trip;
  /// The same for a copy, minus bytes / bandwidth.
  std::vector<Duration> copy;
  /// The same for a CPU segment, minus its CPU time.
  std::vector<Duration> cpu;
  /// Of jobs that the device releases: from the release to the start of the work. Empty where it cannot.
  std::vector<Duration> resident_release;
  /// The same from the end of the work until the end was noted.
  std::vector<Duration> resident_completion;
  /// Of work that waits on its SMs and is rung: from the submission until its end is known, minus its time.
  std::vector<Duration> doorbell;
  /// What the engine's thread takes for one event, when many tasks are released together.
  std::vector<Duration> engine_event;
  /// The same for one submission, with the look for events after it.
  std::vector<Duration> engine_submit;
  /// The error of the split between launch and completion; their sum is exact.
  Duration uncertainty{};
  std::vector<std::string> not_enforced;
};

/// Overheads that a model may use. The completion overhead also covers the longest round trip.
Overheads apply(const MarginRule& rule, const MeasuredOverheads& measured);

/// A launch while other threads of the process enqueue without end.
struct LaunchesBeside {
  int threads = 0;
  SampleSummary calls;
};

/// What so many launchers add to a launch of another thread, as far as it was measured: beside so many, or
/// the next more.
Duration delay_by_launchers(const MarginRule& rule, std::span<const LaunchesBeside> launches, int launchers);

/// InputError for a question without samples or bandwidth, FailureError when the device fails. The calling
/// thread is in the real-time class during the measurement.
MeasuredOverheads measure_overheads(device::Device& device, StampedWork& work,
                                    const OverheadQuestion& question);

}  // namespace tactus::measure
