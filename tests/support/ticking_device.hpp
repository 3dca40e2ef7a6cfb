// A device whose clock goes on whenever it is read, so that events come while the engine works.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tactus/device/device.hpp"

namespace tactus::test {

/// Its clock goes on by 1 ns whenever it is read. Every submission runs for so long as it takes, at once.
class TickingDevice final : public device::Device {
 public:
  struct Submitted {
    device::Request request;
    Time at{};
    Time end{};
  };

  [[nodiscard]] sched::Capabilities capabilities(const System& /*system*/) const override {
    return {.engine = "a ticking device", .priority_levels = 2, .sm_set_granularity = 1};
  }
  [[nodiscard]] bool waits_busily() const override { return true; }
  void open(const device::Setup& setup) override { system_ = &setup.system; }
  [[nodiscard]] Time now() noexcept override { return clock += Duration{1}; }
  void wait(Time until) override {
    while (!has_news() && now() < until) {
      if (clock < ring) continue;
      ring = never;  // somebody woke it, and there is no event
      return;
    }
  }
  void poll(sched::Events& events) override {
    const std::size_t before = events.size();
    std::erase_if(running_, [&](const Submitted& one) {
      if (one.end > clock) return false;
      events.emplace_back(sched::Finished{one.request.id});
      return true;
    });
    heard_ = events.size() > before;
  }
  void submit(const device::Request& request) override {
    const Segment& segment = system_->tasks[request.task].work.nodes[request.id.segment].segment;
    const Duration time = std::get<ExclusiveSegment>(segment).time.worst;
    running_.push_back({request, clock, clock + time});
    submitted.push_back(running_.back());
    if (heard_) ++submitted_right_after_events;
  }
  void request_stop(sched::SubmissionId /*submission*/) override {}
  Time job_over(sched::JobId /*job*/) noexcept override { return never; }
  void close() override {}

  Time clock = origin;
  Time ring = never;
  std::vector<Submitted> submitted;
  int submitted_right_after_events = 0;  // the poll before told of events

 private:
  [[nodiscard]] bool has_news() const {
    return std::any_of(running_.begin(), running_.end(),
                       [&](const Submitted& one) { return one.end <= clock; });
  }

  const System* system_ = nullptr;
  std::vector<Submitted> running_;
  bool heard_ = false;
};

}  // namespace tactus::test
