// What the machine adds to the work itself, measured on the path that every run takes: the engine and the
// scheduler drive the device, and a device around it notes when work was handed over and when its end was
// known.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

/// GPU work that knows when it ran.
class StampedWork {
 public:
  StampedWork() = default;
  StampedWork(const StampedWork&) = delete;
  StampedWork& operator=(const StampedWork&) = delete;
  StampedWork(StampedWork&&) = delete;
  StampedWork& operator=(StampedWork&&) = delete;
  virtual ~StampedWork() = default;

  /// What a job does. Jobs are numbered from 0 to `jobs` - 1.
  virtual device::Binding bind(std::uint64_t jobs) = 0;
  /// When each of these jobs ran; asked after the run.
  virtual std::vector<WorkSpan> spans() = 0;
  /// The begin and the end of a span may be wrong by so much, both in the same direction.
  [[nodiscard]] virtual Duration uncertainty() const { return {}; }
};

/// A function that runs on the host device.
std::unique_ptr<StampedWork> make_host_work();

struct OverheadQuestion {
  /// Of the device. Its copy bandwidth is needed for copies.
  Platform platform;
  /// Of each overhead.
  int samples = 10'000;
  /// From one piece of work to the next.
  Duration period = std::chrono::microseconds{503};
  /// How long the work itself takes where it takes the time that it is told.
  Duration work = std::chrono::microseconds{20};
  /// Of a copy.
  std::int64_t copy_bytes = 64 * 1024;
  /// The core the engine's thread stays on; nothing: any.
  std::optional<int> core{};
  Watch watch;
};

struct MeasuredOverheads {
  /// From the nominal release of a job until the scheduler has handed its work to the device. Jobs that had
  /// to wait for the one before are left out.
  std::vector<Duration> release;
  /// From handing over GPU work until it begins.
  std::vector<Duration> launch;
  /// From its end until the engine knows.
  std::vector<Duration> completion;
  /// From handing over the device's own work until its end is known, beyond the time that it was told to
  /// take: launch and completion together.
  std::vector<Duration> round_trip;
  /// The same of a copy, beyond bytes / bandwidth.
  std::vector<Duration> copy;
  /// The same of a CPU segment, beyond its CPU time.
  std::vector<Duration> cpu;
  /// The split between launch and completion may be wrong by so much; their sum is not.
  Duration uncertainty{};
  std::vector<std::string> not_enforced;
};

/// What a model may rely on. The completion is long enough for the longest round trip, too.
Overheads apply(const MarginRule& rule, const MeasuredOverheads& measured);

/// InputError for a question without samples or bandwidth, FailureError when the device fails. The calling
/// thread takes the real-time class meanwhile.
MeasuredOverheads measure_overheads(device::Device& device, StampedWork& work,
                                    const OverheadQuestion& question);

}  // namespace tactus::measure
