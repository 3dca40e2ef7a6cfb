// What the engine's thread needs for an event and for a submission, when many come together.
//
// The executive makes one submission a step, the most urgent one, as it does wherever the engine's time
// counts. A step is timed from the end of its wait:
//
//   wait | poll, events, pass | submission |
//        +---- events n ------+            |     each event: the time up to the submission, divided by n
//        +----- if n = 0 -----+------------+     a submission: its own time and, without events, all of the
//        step
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/machine/real_time.hpp"
#include "tactus/measure/forwarding_device.hpp"
#include "tactus/trace/observer.hpp"

namespace tactus::measure {

struct EngineSamples {
  std::vector<Duration> event;
  std::vector<Duration> submit;
};

class EngineTimingDevice final : public ForwardingDevice, public trace::Observer {
 public:
  using ForwardingDevice::ForwardingDevice;
  using Observer::on;

  void wait(Time until) override;
  void poll(sched::Events& events) override;
  void submit(const device::Request& request) override;
  [[nodiscard]] trace::Interests interests() const override { return {.releases = true}; }
  void on(const trace::JobReleased& /*event*/) override { ++events_; }

  /// To be called after each step of the engine.
  void note_step(EngineSamples& samples) const;

 private:
  machine::SteadyTime waited_{};
  machine::SteadyTime submitted_{};
  bool has_submitted_ = false;
  std::int64_t events_ = 0;
};

}  // namespace tactus::measure
