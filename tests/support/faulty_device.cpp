#include "support/faulty_device.hpp"

#include <algorithm>
#include <variant>

namespace tactus::test {

namespace {

sched::SubmissionId& operation_of(sched::Event& event) {
  if (auto* finished = std::get_if<sched::Finished>(&event)) return finished->id;
  return std::get<sched::Stopped>(event).id;
}

}  // namespace

void FaultyDevice::open(const device::Setup& setup) {
  device::Setup real{.system = truth_,
                     .draws = draws_,
                     .sm_sets = setup.sm_sets,
                     .streams = setup.streams,
                     .lanes = setup.lanes,
                     .cpu_lanes = setup.cpu_lanes,
                     .max_pending = setup.max_pending,
                     .dedicated_sms = setup.dedicated_sms,
                     .refills_lazily = setup.refills_lazily,
                     .bindings = setup.bindings,
                     .trace = setup.trace};
  inner_.open(real);
}

bool FaultyDevice::strikes(std::uint64_t thousandths) {
  if (thousandths == 0 || static_cast<std::uint64_t>(dice_.between(1, 1000)) > thousandths) return false;
  ++injected;
  return true;
}

void FaultyDevice::submit(const device::Request& request) {
  std::erase_if(parts_, [&](const sched::SubmissionId& other) {
    return other.job == request.id.job && other.segment == request.id.segment;
  });
  parts_.push_back(request.id);
  inner_.submit(request);
}

void FaultyDevice::wait(Time until) {
  const Time target = std::min(until, std::max(held_.next(), now_));
  inner_.wait(target);
  listen(inner_.now());
  if (strikes(faults_.clock_jumps)) {
    const Time later = saturating_add(inner_.now(), dice_.duration(1, in_ns(faults_.longest_delay)));
    while (inner_.now() < later) {
      inner_.wait(later);
      listen(inner_.now());
    }
  }
  now_ = inner_.now();
}

bool FaultyDevice::settle() { return inner_.settle() || held_.next() <= now_ || !heard_.empty(); }

void FaultyDevice::listen(Time now) {
  sched::Events fresh;
  inner_.poll(fresh);
  for (sched::Event& event : fresh) {
    sched::SubmissionId& submission = operation_of(event);
    const auto known = std::find_if(parts_.begin(), parts_.end(), [&](const sched::SubmissionId& other) {
      return other.job == submission.job && other.segment == submission.segment;
    });
    submission.part = known->part;
    parts_.erase(known);
    if (strikes(faults_.fails)) {
      event = sched::Failed{operation_of(event)};
      failed = true;
    }
    const auto later = [&] { return saturating_add(now, dice_.duration(0, in_ns(faults_.longest_delay))); };
    const bool again = strikes(faults_.twice);
    if (again) held_.add(later(), event);
    if (strikes(faults_.lost)) {
      lost = true;
      if (!again && lost_at == never) lost_at = now;
      continue;
    }
    if (strikes(faults_.late)) {
      held_.add(later(), event);
    } else {
      heard_.push_back(event);
    }
  }
}

void FaultyDevice::poll(sched::Events& events) {
  events.insert(events.end(), heard_.begin(), heard_.end());
  heard_.clear();
  while (held_.next() <= now_) events.push_back(held_.take());
  if (!events.empty()) last_told = now_;
}

}  // namespace tactus::test
