// The jobs in progress. The table has a fixed size and belongs to the scheduler core; engines hold only ids.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/task.hpp"

namespace tactus::sched {

/// A row of the job table with a generation: the id of a job that is gone matches no later job of the row.
struct JobId {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  friend bool operator==(const JobId&, const JobId&) = default;
};

/// A submission of one segment of one job. `part` tells submissions of the same segment apart: the core
/// assigns it, and every event about the submission must carry it. 0 stands for whichever submission of the
/// segment is in flight.
struct SubmissionId {
  JobId job;
  std::uint32_t segment = 0;
  std::uint32_t part = 0;
  friend bool operator==(const SubmissionId&, const SubmissionId&) = default;
};

/// Progress of a segment: blocks of a kernel; slices and time of exclusive work; bytes of a copy. The core
/// derives the time of a copy from its bytes.
struct SegmentProgress {
  std::int64_t blocks = 0;
  std::int64_t bytes = 0;
  Duration time{};
  friend bool operator==(const SegmentProgress&, const SegmentProgress&) = default;
};

/// Why a job is given up.
enum class Dropped : std::uint8_t {
  no_room,  // the job table was full
  failed,   // the device refused or aborted a segment
  aborted,  // it used up its budget
  skipped,  // the job before it used up its budget or missed its deadline
  full,     // `max_jobs` of its task were in progress
};

struct JobRow {
  JobId id;               // of its job; in a free row, of the next one
  Time release{};         // nominal
  Time deadline = never;  // absolute
  std::uint64_t number = 0;
  TaskIndex task = 0;
  std::uint32_t segments = 0;
  std::uint32_t unfinished = 0;  // segments not finished; in a free row, the next free row
  std::uint32_t parts = 0;       // number of submissions so far
  std::uint32_t in_flight = 0;   // submissions whose end or stop is not known yet
  std::uint32_t place = 0;       // among the jobs of its task, where that has a limit
  bool live = false;
  bool given_up = false;
  bool was_cut = false;            // a segment of it was stopped before its end
  Dropped why = Dropped::no_room;  // why it was given up
};

/// All memory is allocated at construction, and touched only as it is used.
class JobTable {
 public:
  JobTable(std::uint32_t capacity, std::uint32_t max_segments);

  /// `predecessors`: their number, by segment. Null when the table is full.
  const JobRow* open(TaskIndex task, std::uint64_t number, Time release, Time deadline,
                     std::span<const std::uint32_t> predecessors) noexcept;
  void close(JobId id) noexcept;

  /// The job with this id; null when it is gone or never existed.
  [[nodiscard]] const JobRow* find(JobId id) const noexcept {
    if (id.slot >= rows_) return nullptr;
    const JobRow& job = jobs_[id.slot];
    return job.live && job.id == id ? &job : nullptr;
  }

  /// The same for the id of a live job.
  [[nodiscard]] const JobRow& get(JobId id) const { return jobs_[id.slot]; }

  enum class Mark : std::uint8_t { counted, job_done, ignored };
  /// Records that a segment has finished. Duplicates and segments of jobs that are gone are ignored.
  Mark mark_finished(SubmissionId submission) noexcept;
  /// The job must be live.
  [[nodiscard]] bool is_finished(SubmissionId submission) const noexcept {
    return (finished_[word_place(submission)] & bit_of(submission)) != 0;
  }

  /// One predecessor of the segment, and everything before that, has finished. True when it was the last one.
  bool join(SubmissionId submission) noexcept { return --unjoined_[place(submission)] == 0; }
  [[nodiscard]] bool has_joined(SubmissionId submission) const noexcept {
    return unjoined_[place(submission)] == 0;
  }
  /// Whether a segment of a live job may be submitted: all its predecessors have finished, and it is neither
  /// finished nor in flight.
  [[nodiscard]] bool is_ready(SubmissionId submission) const noexcept {
    return has_joined(submission) && part_in_flight_[place(submission)] == 0 && !is_finished(submission);
  }

  /// Records a submission of a segment of a live job; returns its `part`.
  std::uint32_t note_submitted(SubmissionId submission) noexcept;
  /// The `part` of the submission in flight; 0 when there is none.
  [[nodiscard]] std::uint32_t part_in_flight(SubmissionId submission) const noexcept;
  /// A submission has ended, stopped or failed. False when it is not in flight, or no longer.
  bool note_landed(SubmissionId submission) noexcept;
  void set_place(JobId id, std::uint32_t place) noexcept { jobs_[id.slot].place = place; }
  void give_up(JobId id, Dropped why) noexcept {
    jobs_[id.slot].given_up = true;
    jobs_[id.slot].why = why;
  }

  /// The progress of a segment that was stopped before its end.
  [[nodiscard]] SegmentProgress progress(SubmissionId submission) const noexcept;
  void note_progress(SubmissionId submission, const SegmentProgress& progress) noexcept;
  /// Allocates the memory for progress now.
  void reserve_progress();
  /// Touches all memory, including that for progress.
  void touch();

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_; }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t slot = 0; slot < rows_; ++slot) {
      if (jobs_[slot].live) visit(jobs_[slot].id, jobs_[slot]);
    }
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// SegmentProgress without default values, so that allocating it touches no memory.
  struct Done {
    std::int64_t blocks;
    std::int64_t bytes;
    std::int64_t time;
  };

  static constexpr std::uint32_t bits_of_word = 64;

  [[nodiscard]] std::size_t place(SubmissionId submission) const {
    return std::size_t{submission.job.slot} * max_segments_ + submission.segment;
  }
  [[nodiscard]] std::size_t word_place(SubmissionId submission) const {
    return std::size_t{submission.job.slot} * words_ + submission.segment / bits_of_word;
  }
  static std::uint64_t bit_of(SubmissionId submission) {
    return std::uint64_t{1} << (submission.segment % bits_of_word);
  }

  std::uint32_t capacity_;
  std::uint32_t max_segments_;
  std::uint32_t words_;  // words of the bit set of finished segments, per job
  std::uint32_t size_ = 0;
  std::vector<JobRow> jobs_;
  std::uint32_t rows_ = 0;  // number of rows; read on every lookup
  std::uint32_t first_free_ = none;
  // NOLINTBEGIN(*-avoid-c-arrays): uninitialised on purpose
  std::unique_ptr<std::uint64_t[]> finished_;
  // By row and segment:
  std::unique_ptr<std::uint32_t[]> part_in_flight_;  // 0: none is in flight
  std::unique_ptr<std::uint32_t[]> unjoined_;        // number of unfinished predecessors
  std::unique_ptr<Done[]> progress_;                 // null until a segment is first cut
  // NOLINTEND(*-avoid-c-arrays)
};

}  // namespace tactus::sched
