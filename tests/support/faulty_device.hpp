// A simulated device on which everything goes wrong that can: what becomes known comes late, twice, or never,
// operations fail, work takes longer than declared, and the clock jumps ahead. It may release the jobs of
// resident tasks itself, and plays captured work, which is always done whole.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "support/dice.hpp"
#include "tactus/base/agenda.hpp"
#include "tactus/device/host/resident_pace.hpp"
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
  bool at_close = false;       // a failure that is not known before
  bool releases_jobs = false;  // no fault: resident jobs are released by the device
  Duration longest_delay = nanoseconds(30);
};

class FaultyDevice final : public device::Device {
 public:
  /// `truth` is what really runs; the executive knows another system. Both have the same tasks and segments.
  FaultyDevice(const Faults& faults, const System& truth, Execution execution, std::uint64_t seed)
      : faults_{faults}, dice_{faults.seed}, truth_{truth}, draws_{truth, seed, execution} {}

  [[nodiscard]] sched::Capabilities capabilities(const System& system) const override {
    sched::Capabilities capabilities = inner_.capabilities(system);
    capabilities.releases_jobs = faults_.releases_jobs;
    return capabilities;
  }
  void open(const device::Setup& setup) override;
  [[nodiscard]] Time now() noexcept override { return now_; }
  void wait(Time until) override;
  bool settle() override;
  void poll(sched::Events& events) override;
  void before_submissions() override { inner_.before_submissions(); }
  void submit(const device::Request& request) override;
  void request_stop(sched::SubmissionId submission) override;
  std::optional<device::ResidentJob> take_resident() noexcept override;
  void hold_core(const sched::HoldCore& hold) override { inner_.hold_core(hold); }
  Time job_over(sched::JobId job) noexcept override {
    std::erase_if(places_, [&](const TakenPlace& taken) { return taken.job == job; });
    return inner_.job_over(job);
  }
  void close() override;
  [[nodiscard]] std::string failure() const override { return failed ? "a fault was injected" : ""; }

  std::uint64_t injected = 0;
  bool lost = false;
  bool failed = false;
  bool shares_place = false;  // something was submitted of two jobs of a task that have one place
  Time lost_at = never;       // the first completion that is never told, not even by a second message
  Time last_told = origin;    // the last instant at which anything was told
  /// What became of a job that the device released.
  struct Record {
    device::ResidentJob job;
    bool lost = false;
  };
  std::vector<Record> records;  // as they ended

 private:
  /// Of a job of a task with a limit, from its first submission on.
  struct TakenPlace {
    TaskIndex task = 0;
    std::uint32_t place = 0;
    sched::JobId job;
  };
  void note_place(const device::Request& request);

  struct Told {
    Time at{};
    device::ResidentJob job;
  };

  bool strikes(std::uint64_t thousandths);
  Time some_time_after(Time now) {
    return saturating_add(now, dice_.duration(0, in_ns(faults_.longest_delay)));
  }
  void advance(Time until);
  void listen(Time now);
  void note_resident(sched::SubmissionId id, Time now);
  [[nodiscard]] bool is_resident(sched::JobId job) const { return job.slot >= first_resident_; }

  Faults faults_;
  Dice dice_;
  const System& truth_;
  sched::Draws draws_;
  device::SimDevice inner_;
  Time now_ = origin;
  Agenda<sched::Event> held_;
  sched::Events heard_;
  std::vector<sched::SubmissionId> parts_;  // what was submitted last for every segment, with its part
  const device::Bindings* bindings_ = nullptr;
  std::vector<sched::SubmissionId> captured_;  // on the device
  std::optional<device::host::ResidentPace> pace_;
  std::uint32_t first_resident_ = ~std::uint32_t{0};
  std::vector<device::Request> resident_;  // in progress
  std::vector<std::uint64_t> lost_;        // records of each task, since the last that was told
  std::deque<Told> told_;
  std::vector<TakenPlace> places_;
  bool closed_ = false;
};

}  // namespace tactus::test
