#include "tactus/sched/job_table.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "tactus/base/touch.hpp"

namespace tactus::sched {

JobTable::JobTable(std::uint32_t capacity, std::uint32_t max_segments)
    : capacity_{capacity},
      max_segments_{max_segments},
      words_{(max_segments + bits_of_word - 1) / bits_of_word},
      finished_{new std::uint64_t[std::size_t{capacity} * words_]},
      part_in_flight_{new std::uint32_t[std::size_t{capacity} * max_segments]},
      unjoined_{new std::uint32_t[std::size_t{capacity} * max_segments]} {
  jobs_.reserve(capacity);
}

const JobRow* JobTable::open(TaskIndex task, std::uint64_t number, Time release, Time deadline,
                             std::span<const std::uint32_t> predecessors) noexcept {
  const auto segments = static_cast<std::uint32_t>(predecessors.size());
  std::uint32_t slot = 0;
  if (first_free_ != none) {
    slot = first_free_;
    first_free_ = jobs_[slot].unfinished;
  } else if (rows_ < capacity_) {
    slot = rows_++;
    jobs_.emplace_back().id.slot = slot;
  } else {
    return nullptr;
  }
  JobRow& job = jobs_[slot];
  job.release = release;
  job.deadline = deadline;
  job.number = number;
  job.task = task;
  job.segments = segments;
  job.unfinished = segments;
  job.parts = 0;
  job.in_flight = 0;
  job.place = 0;
  job.live = true;
  job.given_up = false;
  job.was_cut = false;
  // Most jobs have one segment: assign the word instead of calling a fill.
  finished_[std::size_t{slot} * words_] = 0;
  if (words_ > 1) std::fill_n(&finished_[std::size_t{slot} * words_], words_, std::uint64_t{0});
  const std::size_t first = std::size_t{slot} * max_segments_;
  part_in_flight_[first] = 0;
  unjoined_[first] = predecessors.empty() ? 0 : predecessors.front();
  if (segments > 1) {
    std::fill_n(&part_in_flight_[first], segments, 0U);
    std::copy(predecessors.begin(), predecessors.end(), &unjoined_[first]);
  }
  ++size_;
  return &job;
}

void JobTable::close(JobId id) noexcept {
  if (find(id) == nullptr) return;
  JobRow& job = jobs_[id.slot];
  job.live = false;
  ++job.id.generation;
  job.unfinished = std::exchange(first_free_, id.slot);
  --size_;
}

JobTable::Mark JobTable::mark_finished(SubmissionId submission) noexcept {
  if (find(submission.job) == nullptr) return Mark::ignored;
  JobRow& job = jobs_[submission.job.slot];
  if (submission.segment >= job.segments) return Mark::ignored;
  if (is_finished(submission)) return Mark::ignored;
  finished_[word_place(submission)] |= bit_of(submission);
  return --job.unfinished == 0 ? Mark::job_done : Mark::counted;
}

std::uint32_t JobTable::note_submitted(SubmissionId submission) noexcept {
  JobRow& job = jobs_[submission.job.slot];
  if (++job.parts == 0) job.parts = 1;  // 0 means no submission
  ++job.in_flight;
  return part_in_flight_[place(submission)] = job.parts;
}

std::uint32_t JobTable::part_in_flight(SubmissionId submission) const noexcept {
  const JobRow* job = find(submission.job);
  return job == nullptr || submission.segment >= job->segments ? 0 : part_in_flight_[place(submission)];
}

bool JobTable::note_landed(SubmissionId submission) noexcept {
  const std::uint32_t part = part_in_flight(submission);
  if (part == 0 || (submission.part != 0 && submission.part != part)) return false;
  part_in_flight_[place(submission)] = 0;
  --jobs_[submission.job.slot].in_flight;
  return true;
}

SegmentProgress JobTable::progress(SubmissionId submission) const noexcept {
  if (!jobs_[submission.job.slot].was_cut) return {};
  const Done& done = progress_[place(submission)];
  return {done.blocks, done.bytes, Duration{done.time}};
}

void JobTable::reserve_progress() {
  if (progress_ != nullptr) return;
  // NOLINTNEXTLINE(*-avoid-c-arrays): uninitialised on purpose
  progress_ = std::make_unique_for_overwrite<Done[]>(std::size_t{capacity_} * max_segments_);
}

void JobTable::touch() {
  reserve_progress();
  const std::size_t rows = capacity_;
  tactus::touch(jobs_);
  tactus::touch(finished_.get(), rows * words_ * sizeof(finished_[0]));
  tactus::touch(part_in_flight_.get(), rows * max_segments_ * sizeof(part_in_flight_[0]));
  tactus::touch(unjoined_.get(), rows * max_segments_ * sizeof(unjoined_[0]));
  tactus::touch(progress_.get(), rows * max_segments_ * sizeof(progress_[0]));
}

void JobTable::note_progress(SubmissionId submission, const SegmentProgress& progress) noexcept {
  JobRow& job = jobs_[submission.job.slot];
  if (!job.was_cut) {
    reserve_progress();
    std::fill_n(&progress_[place({submission.job, 0})], job.segments, Done{});
    job.was_cut = true;
  }
  progress_[place(submission)] = {progress.blocks, progress.bytes, progress.time.count()};
}

}  // namespace tactus::sched
