// A simulated device on which everything goes wrong that can: what becomes known comes late, twice, or never,
// operations fail, work takes longer than declared, and the clock jumps ahead.
#pragma once

#include <cstdint>
#include <optional>

#include "support/dice.hpp"
#include "tactus/base/agenda.hpp"
#include "tactus/device/sim/sim_device.hpp"

namespace tactus::test {

/// How often each fault happens, in thousandths of its occasions.
struct Faults {
  std::uint64_t seed = 1;
  std::uint64_t late = 0;
  std::uint64_t lost = 0;
  std::uint64_t twice = 0;
  std::uint64_t fails = 0;
  std::uint64_t clock_jumps = 0;
  bool at_close = false;  // a failure that is not known before
  Duration longest_delay = nanoseconds(30);
};

class FaultyDevice final : public device::Device {
 public:
  /// `truth` is what really runs; the executive knows another system. Both have the same tasks and segments.
  FaultyDevice(const Faults& faults, const System& truth, Execution execution, std::uint64_t seed)
      : faults_{faults}, dice_{faults.seed}, truth_{truth}, draws_{truth, seed, execution} {}

  [[nodiscard]] sched::Capabilities capabilities(const System& system) const override {
    return inner_.capabilities(system);
  }
  void open(const device::Setup& setup) override;
  [[nodiscard]] Time now() noexcept override { return now_; }
  void wait(Time until) override;
  bool settle() override;
  void poll(sched::Events& events) override;
  void before_submissions() override { inner_.before_submissions(); }
  void submit(const device::Request& request) override;
  void request_stop(sched::SubmissionId submission) override { inner_.request_stop(submission); }
  void hold_core(const sched::HoldCore& hold) override { inner_.hold_core(hold); }
  Time job_over(sched::JobId job) noexcept override { return inner_.job_over(job); }
  void close() override {
    inner_.close();
    failed = failed || faults_.at_close;
  }
  [[nodiscard]] std::string failure() const override { return failed ? "a fault was injected" : ""; }

  std::uint64_t injected = 0;
  bool lost = false;
  bool failed = false;
  Time lost_at = never;     // the first completion that is never told, not even by a second message
  Time last_told = origin;  // the last instant at which anything was told

 private:
  bool strikes(std::uint64_t thousandths);
  void listen(Time now);

  Faults faults_;
  Dice dice_;
  const System& truth_;
  sched::Draws draws_;
  device::SimDevice inner_;
  Time now_ = origin;
  Agenda<sched::Event> held_;
  sched::Events heard_;
  std::vector<sched::SubmissionId> parts_;  // what was submitted last for every segment, with its part
};

}  // namespace tactus::test
