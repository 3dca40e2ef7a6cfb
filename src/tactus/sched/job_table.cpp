#include "tactus/sched/job_table.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "tactus/base/touch.hpp"

namespace tactus::sched {

namespace {

constexpr std::uint32_t bits_of_word = 64;

}  // namespace

JobTable::JobTable(std::uint32_t capacity, std::uint32_t most_segments)
    : capacity_{capacity},
      most_segments_{most_segments},
      words_{(most_segments + bits_of_word - 1) / bits_of_word},
      finished_{new std::uint64_t[std::size_t{capacity} * words_]},
      part_under_way_{new std::uint32_t[std::size_t{capacity} * most_segments]} {
  jobs_.reserve(capacity);
}

std::optional<JobId> JobTable::open(TaskIndex task, std::uint64_t number, Time release, Time deadline,
                                    std::uint32_t segments) noexcept {
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
  job.parts = 0;
  job.under_way = 0;
  job.live = true;
  job.given_up = false;
  job.was_cut = false;
  for (std::uint32_t word = 0; word < words_; ++word) finished_[std::size_t{slot} * words_ + word] = 0;
  std::fill_n(&part_under_way_[std::size_t{slot} * most_segments_], segments, 0U);
  ++size_;
  return JobId{slot, job.generation};
}

void JobTable::close(JobId id) noexcept {
  if (find(id) == nullptr) return;
  Job& job = jobs_[id.slot];
  job.live = false;
  ++job.generation;
  job.unfinished = std::exchange(first_free_, id.slot);
  --size_;
}

JobTable::Mark JobTable::mark_finished(Operation operation) noexcept {
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

std::uint32_t JobTable::note_submitted(Operation operation) noexcept {
  Job& job = jobs_[operation.job.slot];
  if (++job.parts == 0) job.parts = 1;  // 0 is no part
  ++job.under_way;
  return part_under_way_[part_place(operation)] = job.parts;
}

std::uint32_t JobTable::part_under_way(Operation operation) const noexcept {
  const Job* job = find(operation.job);
  return job == nullptr || operation.segment >= job->segments ? 0 : part_under_way_[part_place(operation)];
}

bool JobTable::note_heard(Operation operation) noexcept {
  const std::uint32_t part = part_under_way(operation);
  if (part == 0 || (operation.part != 0 && operation.part != part)) return false;
  part_under_way_[part_place(operation)] = 0;
  --jobs_[operation.job.slot].under_way;
  return true;
}

Progress JobTable::progress(Operation operation) const noexcept {
  if (!jobs_[operation.job.slot].was_cut) return {};
  const Done& done = progress_[part_place(operation)];
  return {done.blocks, done.bytes, Duration{done.time}};
}

void JobTable::reserve_progress() {
  if (progress_ != nullptr) return;
  // NOLINTNEXTLINE(*-avoid-c-arrays): uninitialised on purpose
  progress_ = std::make_unique_for_overwrite<Done[]>(std::size_t{capacity_} * most_segments_);
}

void JobTable::touch() {
  reserve_progress();
  const std::size_t rows = capacity_;
  tactus::touch(jobs_);
  tactus::touch(finished_.get(), rows * words_ * sizeof(finished_[0]));
  tactus::touch(part_under_way_.get(), rows * most_segments_ * sizeof(part_under_way_[0]));
  tactus::touch(progress_.get(), rows * most_segments_ * sizeof(progress_[0]));
}

void JobTable::note_progress(Operation operation, const Progress& progress) noexcept {
  Job& job = jobs_[operation.job.slot];
  if (!job.was_cut) {
    reserve_progress();
    std::fill_n(&progress_[part_place({operation.job, 0})], job.segments, Done{});
    job.was_cut = true;
  }
  progress_[part_place(operation)] = {progress.blocks, progress.bytes, progress.time.count()};
}

}  // namespace tactus::sched
