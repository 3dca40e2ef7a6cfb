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
    const std::uint64_t* number = numbers_.find(finished->id.job);
    if (number == nullptr || *number >= timings_.size() || timings_[*number].known != never) continue;
    timings_[*number].known = now;
    ++known_;
  }
}

std::optional<device::ResidentJob> TimingDevice::take_resident() noexcept {
  const std::optional<device::ResidentJob> job = inner_.take_resident();
  if (!job || job->number >= timings_.size()) return job;
  known_ += job->number >= resident_ ? job->number - resident_ + 1 : 0;  // also those that were lost
  resident_ = job->number + 1;
  timings_[job->number] = {.submitted = job->start, .known = job->end};
  return job;
}

void TimingDevice::submit(const device::Request& request) {
  numbers_.open(request.id.job) = request.number;
  if (request.number < timings_.size()) {
    timings_[request.number] = {.release = request.release, .submitted = inner_.now()};
  }
  inner_.submit(request);
}

}  // namespace tactus::measure
