// Ready jobs, the most urgent first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tactus/base/touch.hpp"
#include "tactus/sched/job_table.hpp"
#include "tactus/sched/urgency.hpp"

namespace tactus::sched {

/// A job, or one node of it, and its progress.
struct ReadyJob {
  Urgency urgency;
  JobId id;
  TaskIndex task = 0;
  std::uint32_t position = 0;  // of the next segment, in the order of submission; of a node: its segment
  std::int64_t slices = 0;     // slices done of the current segment
};

class ReadyQueue {
 public:
  void reserve(std::size_t jobs) { reserve_touched(heap_, jobs); }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const ReadyJob& best() const { return heap_.front(); }

  void push(const ReadyJob& job) {
    const bool was_empty = heap_.empty();
    heap_.push_back(job);
    if (!was_empty) std::push_heap(heap_.begin(), heap_.end(), less_urgent);
  }

  ReadyJob pop() {
    if (&heap_.front() != &heap_.back()) std::pop_heap(heap_.begin(), heap_.end(), less_urgent);
    const ReadyJob best = heap_.back();
    heap_.pop_back();
    return best;
  }

  /// Removes a job, or all nodes of it; returns how many entries that were.
  std::size_t remove(JobId id) {
    const std::size_t removed = std::erase_if(heap_, [id](const ReadyJob& job) { return job.id == id; });
    if (removed > 0) std::make_heap(heap_.begin(), heap_.end(), less_urgent);
    return removed;
  }

  /// Lowers a job to the urgency of best-effort work; no effect when it is not in the queue.
  void demote(JobId id) {
    for (ReadyJob& job : heap_) {
      if (job.id == id) job.urgency.best_effort = true;
    }
    std::make_heap(heap_.begin(), heap_.end(), less_urgent);
  }

 private:
  static bool less_urgent(const ReadyJob& a, const ReadyJob& b) { return b.urgency < a.urgency; }

  std::vector<ReadyJob> heap_;
};

}  // namespace tactus::sched
