#include "tactus/sched/job_table.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "tactus/base/touch.hpp"

namespace tactus::sched {

JobTable::JobTable(std::uint32_t capacity, std::uint32_t most_segments)
    : capacity_{capacity},
      most_segments_{most_segments},
      words_{(most_segments + bits_of_word - 1) / bits_of_word},
      finished_{new std::uint64_t[std::size_t{capacity} * words_]},
      part_in_flight_{new std::uint32_t[std::size_t{capacity} * most_segments]},
      unjoined_{new std::uint32_t[std::size_t{capacity} * most_segments]} {
  jobs_.reserve(capacity);
}

std::optional<JobId> JobTable::open(TaskIndex task, std::uint64_t number, Time release, Time deadline,
                                    std::span<const std::uint32_t> predecessors) noexcept {
  const auto segments = static_cast<std::uint32_t>(predecessors.size());
  std::uint32_t slot = 0;
  if (first_free_ != none) {
    slot = first_free_;
    first_free_ = jobs_[slot].unfinished;
  } else if (rows_ < capacity_) {
    slot = rows_++;
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
  job.in_flight = 0;
  job.live = true;
  job.given_up = false;
  job.was_cut = false;
  // Most jobs have one segment: not worth a call.
  finished_[std::size_t{slot} * words_] = 0;
  if (words_ > 1) std::fill_n(&finished_[std::size_t{slot} * words_], words_, std::uint64_t{0});
  const std::size_t first = std::size_t{slot} * most_segments_;
  part_in_flight_[first] = 0;
  unjoined_[first] = predecessors.empty() ? 0 : predecessors.front();
  if (segments > 1) {
    std::fill_n(&part_in_flight_[first], segments, 0U);
    std::copy(predecessors.begin(), predecessors.end(), &unjoined_[first]);
  }
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
  if (is_finished(operation)) return Mark::ignored;
  finished_[word_place(operation)] |= bit_of(operation);
  return --job.unfinished == 0 ? Mark::job_done : Mark::counted;
}

std::uint32_t JobTable::note_submitted(Operation operation) noexcept {
  Job& job = jobs_[operation.job.slot];
  if (++job.parts == 0) job.parts = 1;  // 0 is no part
  ++job.in_flight;
  return part_in_flight_[place(operation)] = job.parts;
}

std::uint32_t JobTable::part_in_flight(Operation operation) const noexcept {
  const Job* job = find(operation.job);
  return job == nullptr || operation.segment >= job->segments ? 0 : part_in_flight_[place(operation)];
}

bool JobTable::note_landed(Operation operation) noexcept {
  const std::uint32_t part = part_in_flight(operation);
  if (part == 0 || (operation.part != 0 && operation.part != part)) return false;
  part_in_flight_[place(operation)] = 0;
  --jobs_[operation.job.slot].in_flight;
  return true;
}

Progress JobTable::progress(Operation operation) const noexcept {
  if (!jobs_[operation.job.slot].was_cut) return {};
  const Done& done = progress_[place(operation)];
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
  tactus::touch(part_in_flight_.get(), rows * most_segments_ * sizeof(part_in_flight_[0]));
  tactus::touch(unjoined_.get(), rows * most_segments_ * sizeof(unjoined_[0]));
  tactus::touch(progress_.get(), rows * most_segments_ * sizeof(progress_[0]));
}

void JobTable::note_progress(Operation operation, const Progress& progress) noexcept {
  Job& job = jobs_[operation.job.slot];
  if (!job.was_cut) {
    reserve_progress();
    std::fill_n(&progress_[place({operation.job, 0})], job.segments, Done{});
    job.was_cut = true;
  }
  progress_[place(operation)] = {progress.blocks, progress.bytes, progress.time.count()};
}

}  // namespace tactus::sched
