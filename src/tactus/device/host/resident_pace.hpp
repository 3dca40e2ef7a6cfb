// Releases the jobs of resident tasks by the clock of the front end: as a GPU does whose work waits on its
// SMs. A job begins when it is released and the one before it is over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tactus/device/device.hpp"

namespace tactus::device::host {

class ResidentPace {
 public:
  explicit ResidentPace(const Setup& setup) {
    for (const TaskIndex index : setup.resident) {
      const Task& task = setup.system.tasks[index];
      OfTask one{.deadline = task.on_miss == OnMiss::skip_next ? *task.deadline : Duration::max(),
                 .period = *task.period};
      one.request.task = index;
      // Rows behind those of the scheduler, which never sees these jobs.
      one.request.id.job.slot = first_slot(setup) + static_cast<std::uint32_t>(tasks_.size());
      one.request.sms = setup.sm_sets_of(index, 0).front();
      one.request.release = time_at(task.offset);
      tasks_.push_back(one);
    }
  }

  /// The rows of resident jobs come last.
  static std::uint32_t first_slot(const Setup& setup) {
    return setup.max_pending - static_cast<std::uint32_t>(setup.resident.size());
  }

  /// The next release of a task that has no job in progress.
  [[nodiscard]] Time next() const noexcept {
    Time next = never;
    for (const OfTask& one : tasks_) {
      if (!one.is_busy) next = std::min(next, one.request.release);
    }
    return next;
  }

  /// Calls `is_over(id)` for every job in progress, and `submit(request)` for every job that begins now.
  template <class IsOver, class Submit>
  void release(Time now, IsOver&& is_over, Submit&& submit) {
    for (OfTask& one : tasks_) {
      if (one.is_busy && is_over(one.request.id)) one.end(now);
      if (one.is_busy || one.request.release > now) continue;
      one.is_busy = true;
      submit(one.request);
    }
  }

 private:
  struct OfTask {
    Request request{};    // of the job in progress, or of the next one
    Duration deadline{};  // after a job that takes longer the next one is skipped
    Duration period{};
    bool is_busy = false;

    void end(Time now) noexcept {
      is_busy = false;
      const int jobs = now - request.release > deadline ? 2 : 1;
      ++request.id.job.generation;
      request.number += static_cast<std::uint64_t>(jobs);
      request.release = saturating_add(request.release, jobs * period);
    }
  };
  std::vector<OfTask> tasks_;
};

}  // namespace tactus::device::host
