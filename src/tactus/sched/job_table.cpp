#include "tactus/sched/job_table.hpp"

#include <utility>

namespace tactus::sched {

namespace {

constexpr std::uint32_t bits_of_word = 64;

}  // namespace

JobTable::JobTable(std::uint32_t capacity, std::uint32_t most_segments)
    : capacity_{capacity},
      words_{(most_segments + bits_of_word - 1) / bits_of_word},
      finished_{new std::uint64_t[std::size_t{capacity} * words_]} {
  jobs_.reserve(capacity);
}

std::optional<JobId> JobTable::open(TaskIndex task, std::uint64_t number, Time release, Time deadline,
                                    std::uint32_t segments) {
  std::uint32_t slot = 0;
  if (first_free_ != none) {
    slot = first_free_;
    first_free_ = jobs_[slot].unfinished;
  } else if (jobs_.size() < capacity_) {
    slot = static_cast<std::uint32_t>(jobs_.size());
    jobs_.emplace_back();
  } else {
    return std::nullopt;
  }
  Job& job = jobs_[slot];
  job.release = release;
  job.deadline = deadline;
  job.number = number;
  job.task = task;
  job.segments = segments;
  job.unfinished = segments;
  job.live = true;
  for (std::uint32_t word = 0; word < words_; ++word) finished_[std::size_t{slot} * words_ + word] = 0;
  ++size_;
  return JobId{slot, job.generation};
}

void JobTable::close(JobId id) {
  if (find(id) == nullptr) return;
  Job& job = jobs_[id.slot];
  job.live = false;
  ++job.generation;
  job.unfinished = std::exchange(first_free_, id.slot);
  --size_;
}

JobTable::Mark JobTable::mark_finished(Operation operation) {
  if (find(operation.job) == nullptr) return Mark::ignored;
  Job& job = jobs_[operation.job.slot];
  if (operation.segment >= job.segments) return Mark::ignored;
  std::uint64_t& word =
      finished_[std::size_t{operation.job.slot} * words_ + operation.segment / bits_of_word];
  const std::uint64_t bit = std::uint64_t{1} << (operation.segment % bits_of_word);
  if ((word & bit) != 0) return Mark::ignored;
  word |= bit;
  return --job.unfinished == 0 ? Mark::job_done : Mark::counted;
}

}  // namespace tactus::sched
