// A wrapper around a device that measures how long its functions take.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "harness.hpp"
#include "tactus/device/device.hpp"

namespace tactus::bench {

class TimedDevice final : public device::Device {
 public:
  /// Since `begin_step`.
  struct Step {
    std::int64_t waited_ns = 0;
    std::int64_t submitting_ns = 0;
    std::uint64_t submissions = 0;
    std::uint64_t heard = 0;  // events appended by poll
  };

  explicit TimedDevice(std::unique_ptr<device::Device> inner) : inner_{std::move(inner)} {}

  void begin_step() { step_ = {}; }
  [[nodiscard]] const Step& step() const { return step_; }

  [[nodiscard]] sched::Capabilities capabilities(const System& system) const override {
    return inner_->capabilities(system);
  }
  void open(const device::Setup& setup) override { inner_->open(setup); }
  [[nodiscard]] Time now() noexcept override { return inner_->now(); }
  void wake() noexcept override { inner_->wake(); }
  void wait(Time until) override {
    const std::int64_t begin = now_ns();
    inner_->wait(until);
    step_.waited_ns += now_ns() - begin;
  }
  bool settle() override { return inner_->settle(); }
  void poll(sched::Events& events) override {
    const std::size_t before = events.size();
    inner_->poll(events);
    step_.heard += events.size() - before;
  }
  std::optional<device::ResidentJob> take_resident() noexcept override { return inner_->take_resident(); }
  void before_submissions() override { inner_->before_submissions(); }
  void submit(const device::Request& request) override {
    const std::int64_t begin = now_ns();
    inner_->submit(request);
    step_.submitting_ns += now_ns() - begin;
    ++step_.submissions;
  }
  void request_stop(sched::SubmissionId submission) override { inner_->request_stop(submission); }
  Time job_over(sched::JobId job) noexcept override { return inner_->job_over(job); }
  void close() override { inner_->close(); }
  [[nodiscard]] std::vector<std::string> not_enforced() const override { return inner_->not_enforced(); }
  [[nodiscard]] device::Absences absences() const override { return inner_->absences(); }
  [[nodiscard]] std::string failure() const override { return inner_->failure(); }

 private:
  std::unique_ptr<device::Device> inner_;
  Step step_;
};

}  // namespace tactus::bench
