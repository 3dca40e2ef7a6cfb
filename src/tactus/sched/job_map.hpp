// A value for each job in progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tactus/sched/job_table.hpp"

namespace tactus::sched {

/// Values by row of the job table, and by place in the row where a job has several (such as one for each
/// segment). A job never sees the values of an earlier job of the same row. Only `make_room` allocates.
template <class Value>
class JobMap {
 public:
  explicit JobMap(std::size_t jobs = 0, std::size_t places = 1)
      : jobs_{jobs}, places_{places}, cells_(jobs * places) {}

  /// Makes room for this row; needed before `open`.
  void make_room(std::uint32_t slot) {
    if (slot < jobs_) return;
    jobs_ = std::size_t{slot} + 1;
    cells_.resize(jobs_ * places_);
  }
  /// The value of the job; a new one if it has none yet.
  Value& open(JobId job, std::size_t place = 0) noexcept {
    Cell& cell = cells_[index(job, place)];
    if (cell.generation != job.generation) cell = {job.generation, Value{}};
    return cell.value;
  }
  /// The value of the job; null if it has none.
  [[nodiscard]] Value* find(JobId job, std::size_t place = 0) noexcept {
    return has(job, place) ? &cells_[index(job, place)].value : nullptr;
  }
  [[nodiscard]] const Value* find(JobId job, std::size_t place = 0) const noexcept {
    return has(job, place) ? &cells_[index(job, place)].value : nullptr;
  }

  /// The value of the last job in a row; there must have been one.
  [[nodiscard]] Value& last(std::uint32_t slot, std::size_t place = 0) {
    return cells_[std::size_t{slot} * places_ + place].value;
  }
  [[nodiscard]] const Value& last(std::uint32_t slot, std::size_t place = 0) const {
    return cells_[std::size_t{slot} * places_ + place].value;
  }
  /// The job that this value belongs to.
  [[nodiscard]] JobId last_job(std::uint32_t slot, std::size_t place = 0) const {
    return {slot, cells_[std::size_t{slot} * places_ + place].generation};
  }

  [[nodiscard]] std::size_t jobs() const { return jobs_; }
  [[nodiscard]] std::size_t places() const { return places_; }

 private:
  struct Cell {
    std::uint32_t generation = ~std::uint32_t{0};  // matches no job
    Value value{};
  };
  [[nodiscard]] std::size_t index(JobId job, std::size_t place) const {
    return std::size_t{job.slot} * places_ + place;
  }
  [[nodiscard]] bool has(JobId job, std::size_t place) const {
    return place < places_ && job.slot < jobs_ && cells_[index(job, place)].generation == job.generation;
  }

  std::size_t jobs_;
  std::size_t places_;
  std::vector<Cell> cells_;
};

}  // namespace tactus::sched
