#include "tactus/runtime/results.hpp"

#include <algorithm>
#include <utility>

#include "tactus/base/threads.hpp"

namespace tactus::runtime {

namespace {

std::size_t all_places(const std::vector<Results::OfTask>& tasks) {
  std::size_t sum = 0;
  for (const Results::OfTask& task : tasks) sum += task.places;
  return sum;
}

}  // namespace

Results::Results(std::vector<OfTask> tasks)
    : tasks_{std::move(tasks)},
      oldest_(tasks_.size()),
      completed_{all_places(tasks_)},
      freed_{all_places(tasks_)},
      held_(tasks_.size()) {
  for (std::size_t i = 0; i < tasks_.size(); ++i) held_[i].reserve(tasks_[i].places);
  thread_ = start_thread([this] { work(); });
}

Results::~Results() {
  tells_.store(false);
  static_cast<void>(finish());
}

std::optional<Results::FreedPlace> Results::take_freed() noexcept {
  const FreedPlace* next = freed_.front();
  if (next == nullptr) return std::nullopt;
  const FreedPlace freed = *next;
  freed_.pop();
  return freed;
}

std::exception_ptr Results::finish() {
  if (thread_.joinable()) {
    is_ending_.store(true, std::memory_order_release);
    bell_.ring();
    thread_.join();
  }
  return failure_;
}

void Results::work() {
  name_this_thread("tactus-results");
  while (true) {
    const std::uint32_t heard = bell_.heard();
    const bool is_ending = is_ending_.load(std::memory_order_acquire);
    if (tell_what_may_be(is_ending)) continue;
    if (is_ending) return;
    bell_.wait(heard);
  }
}

/// The limits are read first: whatever is before them was added before they were set.
bool Results::tell_what_may_be(bool all) {
  std::vector<std::uint64_t> limits;
  limits.reserve(tasks_.size());
  for (const std::atomic<std::uint64_t>& oldest : oldest_)
    limits.push_back(oldest.load(std::memory_order_acquire));
  while (const CompletedJob* job = completed_.front()) {
    std::vector<CompletedJob>& held = held_[job->task];
    const auto place =
        std::upper_bound(held.begin(), held.end(), *job,
                         [](const CompletedJob& a, const CompletedJob& b) { return a.number > b.number; });
    held.insert(place, *job);
    completed_.pop();
  }
  bool has_told = false;
  for (std::size_t task = 0; task < tasks_.size(); ++task) {
    const bool in_order = tasks_[task].plan.order == ResultOrder::of_jobs && !all;
    while (!held_[task].empty() && (!in_order || held_[task].back().number < limits[task])) {
      const CompletedJob job = held_[task].back();
      held_[task].pop_back();
      tell(job);
      has_told = true;
    }
  }
  return has_told;
}

void Results::tell(const CompletedJob& done) noexcept {
  const OfTask& task = tasks_[done.task];
  const Job job{{.task = task.name,
                 .task_index = done.task,
                 .number = done.number,
                 .segment = task.segments,
                 .release = done.release,
                 .deadline = done.deadline,
                 .blocks = 0,
                 .buffers = task.buffers.get(),
                 .place = done.place}};
  if (tells_.load()) {
    try {
      task.plan.function(job);
    } catch (...) {
      failure_ = std::current_exception();
      tells_.store(false);
      if (on_failure_) on_failure_();
    }
  }
  freed_.push({done.task, done.place});
  if (on_freed_) on_freed_(done.task);
}

}  // namespace tactus::runtime
