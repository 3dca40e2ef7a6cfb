// The simulated machine as a device: virtual time, which moves while the engine waits.
#pragma once

#include <optional>

#include "tactus/device/device.hpp"
#include "tactus/device/sim/sim_machine.hpp"

namespace tactus::device {

class SimDevice final : public Device {
 public:
  [[nodiscard]] sched::Capabilities capabilities(const System& system) const override;
  void open(const Setup& setup) override;
  [[nodiscard]] Time now() override { return now_; }
  void wait(Time until) override;
  bool settle() override;
  void poll(sched::Events& events) override;
  void before_submissions() override;
  void submit(const Request& request) override;
  void request_stop(sched::Operation operation) override;
  Time job_over(sched::JobId job) override { return machine_->job_over(job); }
  void close() override;

 private:
  std::optional<SimMachine> machine_;
  Time now_ = origin;
  bool lazy_ = false;
  bool heard_ = false;  // something became known at this instant
  bool closed_ = false;
};

/// What a simulated machine can enforce.
sched::Capabilities simulated_capabilities(const System& system);

}  // namespace tactus::device
