// A wrapper around a device that records when work was submitted and when its end was known.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tactus/device/device.hpp"
#include "tactus/machine/real_time.hpp"
#include "tactus/sched/job_map.hpp"

namespace tactus::measure {

/// The times of one job; `never` for what did not happen.
struct JobTiming {
  Time release = never;
  Time submitted = never;
  Time known = never;
};

/// For systems with one task of one segment.
class TimingDevice final : public device::Device {
 public:
  /// Timings of jobs from number `jobs` on are not recorded.
  TimingDevice(device::Device& inner, std::uint64_t jobs) : inner_{inner}, timings_(jobs) {}

  [[nodiscard]] const std::vector<JobTiming>& timings() const { return timings_; }
  /// Moves the timings out.
  [[nodiscard]] std::vector<JobTiming> take_timings() { return std::move(timings_); }
  /// Whether the ends of all recorded jobs are known.
  [[nodiscard]] bool all_known() const { return known_ == timings_.size(); }
  /// The instant 0 of the device on the clock of the host.
  [[nodiscard]] machine::SteadyTime start() const { return start_; }

  [[nodiscard]] sched::Capabilities capabilities(const System& system) const override {
    return inner_.capabilities(system);
  }
  [[nodiscard]] bool waits_busily() const override { return inner_.waits_busily(); }
  void open(const device::Setup& setup) override {
    inner_.open(setup);
    numbers_ = sched::JobMap<std::uint64_t>{setup.max_pending};
    start_ = machine::steady_now() - inner_.now().time_since_epoch();
  }
  [[nodiscard]] Time now() noexcept override { return inner_.now(); }
  void wake() noexcept override { inner_.wake(); }
  void wait(Time until) override { inner_.wait(until); }
  bool settle() override { return inner_.settle(); }
  void poll(sched::Events& events) override;
  /// Jobs that the device releases count as submitted when they start.
  std::optional<device::ResidentJob> take_resident() noexcept override;
  void before_submissions() override { inner_.before_submissions(); }
  void submit(const device::Request& request) override;
  void request_stop(sched::SubmissionId submission) override { inner_.request_stop(submission); }
  void hold_core(const sched::HoldCore& hold) noexcept override { inner_.hold_core(hold); }
  Time job_over(sched::JobId job) noexcept override { return inner_.job_over(job); }
  void close() override { inner_.close(); }
  [[nodiscard]] std::vector<std::string> not_enforced() const override { return inner_.not_enforced(); }
  [[nodiscard]] device::Absences absences() const override { return inner_.absences(); }
  [[nodiscard]] std::string failure() const override { return inner_.failure(); }

 private:
  device::Device& inner_;
  std::vector<JobTiming> timings_;        // by job number
  sched::JobMap<std::uint64_t> numbers_;  // of the jobs in progress
  std::uint64_t known_ = 0;
  std::uint64_t resident_ = 0;  // jobs that the device released, so far
  machine::SteadyTime start_{};
};

}  // namespace tactus::measure
