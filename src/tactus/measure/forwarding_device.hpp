// A device that passes everything on to another one: the base of wrappers that measure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/device/device.hpp"

namespace tactus::measure {

class ForwardingDevice : public device::Device {
 public:
  explicit ForwardingDevice(device::Device& inner) : inner_{inner} {}

  [[nodiscard]] sched::Capabilities capabilities(const System& system) const override {
    return inner_.capabilities(system);
  }
  [[nodiscard]] bool waits_busily() const override { return inner_.waits_busily(); }
  void open(const device::Setup& setup) override { inner_.open(setup); }
  [[nodiscard]] Time now() noexcept override { return inner_.now(); }
  void wake() noexcept override { inner_.wake(); }
  void wait(Time until) override { inner_.wait(until); }
  bool settle() override { return inner_.settle(); }
  void poll(sched::Events& events) override { inner_.poll(events); }
  std::optional<device::ResidentJob> take_resident() noexcept override { return inner_.take_resident(); }
  void before_submissions() override { inner_.before_submissions(); }
  void submit(const device::Request& request) override { inner_.submit(request); }
  void request_stop(sched::SubmissionId submission) override { inner_.request_stop(submission); }
  void hold_core(const sched::HoldCore& hold) override { inner_.hold_core(hold); }
  Time job_over(sched::JobId job) noexcept override { return inner_.job_over(job); }
  void close() override { inner_.close(); }
  [[nodiscard]] std::vector<std::string> not_enforced() const override { return inner_.not_enforced(); }
  [[nodiscard]] device::Absences absences() const override { return inner_.absences(); }
  [[nodiscard]] std::string failure() const override { return inner_.failure(); }

 protected:
  device::Device& inner_;
};

}  // namespace tactus::measure
