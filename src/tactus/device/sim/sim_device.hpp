// The simulated machine as a device: virtual time advances while the engine waits.
#pragma once

#include <atomic>
#include <optional>

#include "tactus/device/device.hpp"
#include "tactus/device/sim/sim_machine.hpp"

namespace tactus::device {

class SimDevice final : public Device {
 public:
  [[nodiscard]] sched::Capabilities capabilities(const System& system) const override;
  void open(const Setup& setup) override;
  [[nodiscard]] Time now() noexcept override { return now_.load(std::memory_order_relaxed); }
  void wait(Time until) override;
  bool settle() override;
  void poll(sched::Events& events) override;
  void before_submissions() override;
  void submit(const Request& request) override;
  void request_stop(sched::SubmissionId submission) override;
  void hold_core(const sched::HoldCore& hold) override { machine_->hold_core(hold, now()); }
  Time job_over(sched::JobId job) noexcept override { return machine_->job_over(job, now()); }
  void close() override;

 private:
  std::optional<SimMachine> machine_;
  std::atomic<Time> now_{origin};  // moved by the engine; other threads may read it
  bool lazy_ = false;
  bool heard_ = false;  // an event became known at this instant
  bool closed_ = false;
};

/// What the simulated machine can enforce.
sched::Capabilities simulated_capabilities(const System& system);

}  // namespace tactus::device
