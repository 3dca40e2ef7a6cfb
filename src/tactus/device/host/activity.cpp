#include "tactus/device/host/activity.hpp"

#include <algorithm>
#include <utility>

#include "tactus/sched/draws.hpp"

namespace tactus::device::host {

namespace {

/// Extra rows for jobs that the core has given up but whose work is still on the device.
constexpr std::size_t spare = 64;

/// CPU time that is not bound; for a core that is held.
const SegmentPlan held{};

bool holds_cores(const System& system) {
  return std::any_of(system.tasks.begin(), system.tasks.end(),
                     [](const Task& task) { return task.wait == Waiting::busy; });
}

}  // namespace

std::size_t ActivityTable::capacity_for(const Setup& setup) {
  const std::size_t holds = holds_cores(setup.system) ? setup.max_pending : 0;
  return max_submissions(setup, "the host device") + holds + spare;
}

ActivityTable::ActivityTable(const Setup& setup, const SegmentPlans& plans, Reports& reports,
                             std::shared_ptr<FunctionContext> context)
    : setup_{setup},
      plans_{plans},
      reports_{reports},
      context_{std::move(context)},
      rows_{setup.max_pending, max_segments(setup.system)},
      activities_(capacity_for(setup)) {
  for (std::size_t i = activities_.size(); i > 0; --i) {
    activities_[i - 1].stop = &context_->stops[i - 1];
    activities_[i - 1].next_free = first_free_;
    first_free_ = static_cast<std::uint32_t>(i - 1);
  }
}

std::uint32_t ActivityTable::open(const Request& request, Time now) {
  const std::uint32_t index = first_free_;
  if (index == no_activity) {
    failure_.keep(setup_.system, request, "the device has too much work");
    reports_.tell_end({.kind = Report::Kind::failed,
                       .id = request.id,
                       .job = {request.task, request.number},
                       .called = now,
                       .start = never,
                       .end = now});
    return no_activity;
  }
  rows_.open(request.id.job, request.id.segment).activity = index;
  const SegmentPlan& plan = plans_[request.task][request.id.segment];
  return take_free(request, plan,
                   setup_.draws.execution(request.task, request.number, request.id.segment, plan.time), now);
}

std::uint32_t ActivityTable::open_hold(const Request& request, Time now) {
  return first_free_ == no_activity ? no_activity : take_free(request, held, Duration::max(), now);
}

std::uint32_t ActivityTable::take_free(const Request& request, const SegmentPlan& plan, Duration whole,
                                       Time now) {
  const std::uint32_t index = first_free_;
  Activity& activity = activities_[index];
  first_free_ = activity.next_free;
  activity.request = request;
  activity.plan = &plan;
  activity.called = now;
  activity.start = never;
  activity.whole = whole;
  activity.time_done = {};
  activity.blocks_done = 0;
  activity.in_rules = no_index;
  activity.live = true;
  activity.stopping = false;
  activity.failed = false;
  activity.stop->store(false, std::memory_order_relaxed);
  return index;
}

std::uint32_t ActivityTable::find(sched::SubmissionId submission) const {
  const Row* row = rows_.find(submission.job, submission.segment);
  if (row == nullptr || row->activity == no_activity) return no_activity;
  const sched::SubmissionId& found = activities_[row->activity].request.id;
  return submission.part == 0 || submission.part == found.part ? row->activity : no_activity;
}

void ActivityTable::end(std::uint32_t index, WorkEnd ending, Time now) {
  Activity& activity = activities_[index];
  const sched::SubmissionId& submission = activity.request.id;
  Row* row = rows_.find(submission.job, submission.segment);
  if (row != nullptr && row->activity == index) row->activity = no_activity;
  Report report = report_on(activity, Report::Kind::finished);
  if (ending == WorkEnd::stopped) report.kind = Report::Kind::stopped;
  if (ending == WorkEnd::failed) report.kind = Report::Kind::failed;
  const sched::StreamId stream = activity.request.stream;
  report.place = sched::is_own(stream) ? -1 : static_cast<std::int32_t>(stream);
  report.start = activity.start;
  report.end = now;
  report.progress = activity.progress();
  free(index);
  reports_.tell_end(report);
}

void ActivityTable::free(std::uint32_t index) {
  activities_[index].live = false;
  activities_[index].next_free = first_free_;
  first_free_ = index;
}

Job::Facts ActivityTable::facts(const Activity& activity) const {
  const Binding* binding =
      find_binding(&context_->bindings, activity.request.task, activity.request.id.segment);
  return {.task = context_->tasks[activity.request.task],
          .task_index = activity.request.task,
          .number = activity.request.number,
          .segment = activity.request.id.segment,
          .release = activity.request.release,
          .deadline = activity.request.deadline,
          .first_block = 0,
          .blocks = activity.plan->grid,
          .stop = activity.stop,
          .buffers = binding == nullptr ? nullptr : binding->buffers.get(),
          .place = activity.request.place};
}

CopyWork ActivityTable::copy_work(const Activity& activity) const {
  const sched::Stretch& stretch = activity.request.stretch;
  const sched::SubmissionId& submission = activity.request.id;
  const Row* row = rows_.find(submission.job, submission.segment);
  return {.of_job = activity.plan->copy,
          .known = row != nullptr ? row->copy : std::nullopt,
          .bytes = activity.plan->bytes,
          .first = stretch.done.bytes,
          .most = stretch.until.bytes - stretch.done.bytes};
}

void ActivityTable::keep_copy(const Activity& activity, const MemoryCopy& copy) {
  const sched::SubmissionId& submission = activity.request.id;
  if (Row* row = rows_.find(submission.job, submission.segment)) row->copy = copy;
}

Report ActivityTable::report_on(const Activity& activity, Report::Kind kind) const {
  return {.kind = kind,
          .id = activity.request.id,
          .job = {activity.request.task, activity.request.number},
          .called = activity.called};
}

void ActivityTable::tell(Report::Kind kind, const Activity& activity, std::int32_t place, Time start,
                         Time end, std::int64_t block) {
  if (!wants(kind)) return;
  Report report = report_on(activity, kind);
  report.place = place;
  report.block = block;
  report.start = start;
  report.end = end;
  reports_.tell_event(report);
}

}  // namespace tactus::device::host
