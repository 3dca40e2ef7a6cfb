// A wrapper around a device that records when work was submitted and when its end was known.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tactus/device/device.hpp"
#include "tactus/machine/real_time.hpp"
#include "tactus/measure/forwarding_device.hpp"
#include "tactus/sched/job_map.hpp"

namespace tactus::measure {

/// The times of one job; `never` for what did not happen.
struct JobTiming {
  Time release = never;
  Time submitted = never;
  Time known = never;
};

/// For systems with one task of one segment.
class TimingDevice final : public ForwardingDevice {
 public:
  /// Timings of jobs from number `jobs` on are not recorded.
  TimingDevice(device::Device& inner, std::uint64_t jobs) : ForwardingDevice{inner}, timings_(jobs) {}

  [[nodiscard]] const std::vector<JobTiming>& timings() const { return timings_; }
  /// Moves the timings out.
  [[nodiscard]] std::vector<JobTiming> take_timings() { return std::move(timings_); }
  /// Whether the ends of all recorded jobs are known.
  [[nodiscard]] bool all_known() const { return known_ == timings_.size(); }
  /// The instant 0 of the device on the clock of the host.
  [[nodiscard]] machine::SteadyTime start() const { return start_; }

  void open(const device::Setup& setup) override {
    inner_.open(setup);
    numbers_ = sched::JobMap<std::uint64_t>{setup.max_pending};
    start_ = machine::steady_now() - inner_.now().time_since_epoch();
  }
  void poll(sched::Events& events) override;
  /// Jobs that the device releases count as submitted when they start.
  std::optional<device::ResidentJob> take_resident() noexcept override;
  void submit(const device::Request& request) override;

 private:
  std::vector<JobTiming> timings_;        // by job number
  sched::JobMap<std::uint64_t> numbers_;  // of the jobs in progress
  std::uint64_t known_ = 0;
  std::uint64_t resident_ = 0;  // jobs that the device released, so far
  machine::SteadyTime start_{};
};

}  // namespace tactus::measure
