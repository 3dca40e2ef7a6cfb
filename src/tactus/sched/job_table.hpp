// The jobs in progress. Fixed size, owned by the scheduler core; engines keep only ids.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/task.hpp"

namespace tactus::sched {

/// A row of the job table and which use of it is meant: the id of a job that is gone matches nothing.
struct JobId {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  friend bool operator==(const JobId&, const JobId&) = default;
};

/// One segment of one job.
struct Operation {
  JobId job;
  std::uint32_t segment = 0;
  friend bool operator==(const Operation&, const Operation&) = default;
};

struct Job {
  Time release{};         // nominal
  Time deadline = never;  // absolute
  std::uint64_t number = 0;
  TaskIndex task = 0;
  std::uint32_t generation = 0;
  std::uint32_t segments = 0;
  std::uint32_t unfinished = 0;  // segments; in a free row, the next free row
  bool live = false;
};

/// All memory is reserved at construction and touched only as far as it is used.
class JobTable {
 public:
  JobTable(std::uint32_t capacity, std::uint32_t most_segments);

  /// Nothing when the table is full.
  std::optional<JobId> open(TaskIndex task, std::uint64_t number, Time release, Time deadline,
                            std::uint32_t segments);
  void close(JobId id);

  /// The job of an id; null when it is gone or never was.
  [[nodiscard]] const Job* find(JobId id) const {
    return id.slot < jobs_.size() && jobs_[id.slot].live && jobs_[id.slot].generation == id.generation
               ? &jobs_[id.slot]
               : nullptr;
  }

  enum class Mark : std::uint8_t { counted, job_done, ignored };
  /// Notes that a segment has finished. A duplicate, or one of a job that is gone, is ignored.
  Mark mark_finished(Operation operation);

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t slot = 0; slot < jobs_.size(); ++slot) {
      if (jobs_[slot].live) visit(JobId{slot, jobs_[slot].generation}, jobs_[slot]);
    }
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint32_t capacity_;
  std::uint32_t words_;  // of the bit set of finished segments of one job
  std::uint32_t size_ = 0;
  std::vector<Job> jobs_;
  std::uint32_t first_free_ = none;
  std::unique_ptr<std::uint64_t[]> finished_;  // NOLINT(*-avoid-c-arrays): uninitialised on purpose
};

}  // namespace tactus::sched
