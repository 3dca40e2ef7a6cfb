#include "support/faulty_device.hpp"

#include <algorithm>
#include <utility>
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
                     .resident = setup.resident,
                     .max_pending = setup.max_pending + static_cast<std::uint32_t>(setup.resident.size()),
                     .dedicated_sms = setup.dedicated_sms,
                     .refills_lazily = setup.refills_lazily,
                     .sm_sets_of = setup.sm_sets_of,
                     .bindings = setup.bindings,
                     .trace = setup.trace};
  inner_.open(real);
  pace_.emplace(real);
  if (!real.resident.empty()) first_resident_ = device::host::ResidentPace::first_slot(real);
  lost_.resize(truth_.tasks.size());
  bindings_ = setup.bindings;
  if (bindings_ == nullptr) return;
  Job nobody{{}};
  for (const std::vector<device::Binding>& of_task : *bindings_) {
    for (const device::Binding& binding : of_task) {
      if (binding.captured) binding.work(nobody);
    }
  }
}

bool FaultyDevice::strikes(std::uint64_t thousandths) {
  if (thousandths == 0 || static_cast<std::uint64_t>(dice_.between(1, 1000)) > thousandths) return false;
  ++injected;
  return true;
}

void FaultyDevice::note_place(const device::Request& request) {
  const std::optional<std::int64_t>& limit = truth_.tasks[request.task].max_jobs;
  if (!limit) return;
  if (request.place >= *limit) shares_place = true;
  for (const TakenPlace& taken : places_) {
    if (taken.job == request.id.job) {
      if (taken.place != request.place) shares_place = true;
      return;
    }
    if (taken.task == request.task && taken.place == request.place) shares_place = true;
  }
  places_.push_back({request.task, request.place, request.id.job});
}

void FaultyDevice::submit(const device::Request& request) {
  note_place(request);
  std::erase_if(parts_, [&](const sched::SubmissionId& other) {
    return other.job == request.id.job && other.segment == request.id.segment;
  });
  parts_.push_back(request.id);
  const device::Binding* binding = device::find_binding(bindings_, request.task, request.id.segment);
  if (binding == nullptr || !binding->captured) return inner_.submit(request);
  captured_.push_back(request.id);
  device::Request whole = request;
  whole.extent = sched::Extent::whole;
  whole.stretch = {};
  inner_.submit(whole);
}

/// Captured work runs to its end.
void FaultyDevice::request_stop(sched::SubmissionId submission) {
  if (std::find(captured_.begin(), captured_.end(), submission) == captured_.end()) {
    inner_.request_stop(submission);
  }
}

/// To the next instant at which anything happens, also a release of the device.
void FaultyDevice::advance(Time until) {
  pace_->release(
      inner_.now(),
      [&](const sched::SubmissionId& id) {
        return std::none_of(resident_.begin(), resident_.end(),
                            [&](const device::Request& other) { return other.id == id; });
      },
      [&](const device::Request& request) {
        resident_.push_back(request);
        inner_.submit(request);
      });
  inner_.wait(std::min(until, std::max(pace_->next(), inner_.now())));
  listen(inner_.now());
}

void FaultyDevice::wait(Time until) {
  const Time target = std::min(until, std::max(held_.next(), now_));
  advance(target);
  if (strikes(faults_.clock_jumps)) {
    const Time later = saturating_add(inner_.now(), dice_.duration(1, in_ns(faults_.longest_delay)));
    while (inner_.now() < later) advance(later);
  }
  now_ = inner_.now();
}

bool FaultyDevice::settle() { return inner_.settle() || held_.next() <= now_ || !heard_.empty(); }

void FaultyDevice::listen(Time now) {
  sched::Events fresh;
  inner_.poll(fresh);
  for (sched::Event& event : fresh) {
    sched::SubmissionId& submission = operation_of(event);
    if (is_resident(submission.job)) {
      note_resident(submission, now);
      continue;
    }
    const auto known = std::find_if(parts_.begin(), parts_.end(), [&](const sched::SubmissionId& other) {
      return other.job == submission.job && other.segment == submission.segment;
    });
    submission.part = known->part;
    std::erase(captured_, *known);
    parts_.erase(known);
    if (strikes(faults_.fails)) {
      event = sched::Failed{operation_of(event)};
      failed = true;
    }
    const bool again = strikes(faults_.twice);
    if (again) held_.add(some_time_after(now), event);
    if (strikes(faults_.lost)) {
      lost = true;
      if (!again && lost_at == never) lost_at = now;
      continue;
    }
    if (strikes(faults_.late)) {
      held_.add(some_time_after(now), event);
    } else {
      heard_.push_back(event);
    }
  }
}

/// Records of jobs keep their order; some are overwritten before anybody reads them.
void FaultyDevice::note_resident(sched::SubmissionId id, Time now) {
  const auto request = std::find_if(resident_.begin(), resident_.end(),
                                    [&](const device::Request& other) { return other.id == id; });
  device::ResidentJob job{
      .task = request->task, .number = request->number, .start = inner_.job_over(id.job), .end = now};
  resident_.erase(request);
  job.failed = strikes(faults_.fails);
  failed = failed || job.failed;
  const bool is_lost = strikes(faults_.lost);
  lost = lost || is_lost;
  records.push_back({job, is_lost});
  if (is_lost) {
    ++lost_[job.task];
    return;
  }
  job.lost_before = std::exchange(lost_[job.task], 0);
  const Time at = strikes(faults_.late) ? some_time_after(now) : now;
  told_.push_back({at, job});
  if (strikes(faults_.twice)) told_.push_back({at, job});
}

std::optional<device::ResidentJob> FaultyDevice::take_resident() noexcept {
  if (told_.empty() || (!closed_ && told_.front().at > now_)) return std::nullopt;
  const device::ResidentJob job = told_.front().job;
  told_.pop_front();
  return job;
}

/// Jobs that the device releases go on until it hears of the end.
void FaultyDevice::close() {
  const Time later = resident_.empty() ? inner_.now() : some_time_after(inner_.now());
  while (inner_.now() < later) advance(later);
  inner_.close();
  closed_ = true;
  failed = failed || faults_.at_close;
}

void FaultyDevice::poll(sched::Events& events) {
  events.insert(events.end(), heard_.begin(), heard_.end());
  heard_.clear();
  while (held_.next() <= now_) events.push_back(held_.take());
  if (!events.empty()) last_told = now_;
}

}  // namespace tactus::test
