#include "tactus/measure/engine_time.hpp"

namespace tactus::measure {

void EngineTimingDevice::wait(Time until) {
  inner_.wait(until);
  waited_ = machine::steady_now();
  has_submitted_ = false;
  events_ = 0;
}

void EngineTimingDevice::poll(sched::Events& events) {
  const std::size_t before = events.size();
  inner_.poll(events);
  events_ += static_cast<std::int64_t>(events.size() - before);
}

void EngineTimingDevice::submit(const device::Request& request) {
  if (!has_submitted_) submitted_ = machine::steady_now();
  has_submitted_ = true;
  inner_.submit(request);
}

void EngineTimingDevice::note_step(EngineSamples& samples) const {
  const machine::SteadyTime end = machine::steady_now();
  const Duration before = (has_submitted_ ? submitted_ : end) - waited_;
  if (events_ > 0) samples.event.push_back(before / events_);
  if (!has_submitted_) return;
  samples.submit.push_back(end - (events_ > 0 ? submitted_ : waited_));
}

}  // namespace tactus::measure
