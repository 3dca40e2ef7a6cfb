#include "tactus/measure/timing_device.hpp"

#include <variant>

namespace tactus::measure {

void TimingDevice::poll(sched::Events& events) {
  const std::size_t first = events.size();
  inner_.poll(events);
  if (events.size() == first) return;
  const Time now = inner_.now();
  for (std::size_t i = first; i < events.size(); ++i) {
    const auto* finished = std::get_if<sched::Finished>(&events[i]);
    if (finished == nullptr) continue;
    const std::uint64_t number = numbers_[finished->id.job.slot];
    if (number >= timings_.size() || timings_[number].known != never) continue;
    timings_[number].known = now;
    ++known_;
  }
}

void TimingDevice::submit(const device::Request& request) {
  const std::uint32_t slot = request.id.job.slot;
  if (slot < numbers_.size()) numbers_[slot] = request.number;
  if (request.number < timings_.size()) {
    timings_[request.number] = {.release = request.release, .submitted = inner_.now()};
  }
  inner_.submit(request);
}

}  // namespace tactus::measure
