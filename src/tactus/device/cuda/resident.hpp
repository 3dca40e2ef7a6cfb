// The data that host and device share for work that stays on its SMs and waits there for its next job: rung
// by the host (doorbell), or released by the device's own clock (resident). resident.cuh has the device's
// side, resident_loop.hpp the host's.
#pragma once

#include "tactus/device/cuda/job_facts.hpp"
#include "tactus/device/cuda/sm_set.hpp"

namespace tactus::cuda {

/// What the host says in one word, which the device reads again and again.
struct ResidentWord {
  static constexpr unsigned segment_shift = 48;
  static constexpr unsigned long long count_mask = (1ULL << (segment_shift - 1)) - 1;

  unsigned long long bits = 0;

  /// No job begins any more.
  [[nodiscard]] TACTUS_HOST_DEVICE bool stops() const { return (bits & 1ULL) != 0; }
  /// Of a doorbell how many jobs were rung; else the number of a question for the time.
  [[nodiscard]] TACTUS_HOST_DEVICE unsigned long long count() const { return (bits >> 1U) & count_mask; }
  /// Of a doorbell: which of the task's GPU segments was rung last, counted from 0.
  [[nodiscard]] TACTUS_HOST_DEVICE unsigned segment() const {
    return static_cast<unsigned>(bits >> segment_shift);
  }
};

inline ResidentWord resident_word(unsigned long long count, unsigned segment, bool stops) {
  return {static_cast<unsigned long long>(segment) << ResidentWord::segment_shift | count << 1U |
          (stops ? 1U : 0U)};
}

/// In host memory, written by the host. Reading it takes the device about a microsecond, so few threads read
/// it, and only while nothing is due.
struct ResidentControl {
  /// Of a doorbell so many threads of different blocks read a word each, and the first that sees a ring
  /// begins the job. Their reads come at different times, so one of them comes soon; of the same word they
  /// would wait for each other. With questions and facts only the first is used.
  static constexpr unsigned listeners = 8;
  struct alignas(128) Place {
    unsigned long long word;  // a ResidentWord
  };
  // Not std::array, whose functions device code cannot call.
  Place places[listeners];  // NOLINT(modernize-avoid-c-arrays)
  /// The release of the first job on the device's clock; 0 while it is not known. Written once.
  unsigned long long first;
  /// How far the device's clock has run ahead of the host's since then: added to every release. Read with
  /// each new question.
  long long shift;
  /// Of a doorbell: of the job that was rung last.
  alignas(64) JobFacts facts;
};

/// In host memory, written by the device.
struct ResidentAnswer {
  alignas(64) unsigned long long question;
  unsigned long long time;         // of the device's clock
  alignas(64) unsigned int ready;  // blocks, when all are on their SMs
};

/// A job that is over, in a ring in host memory; of a doorbell there is none, because its host waits for
/// every job. The device never waits for the host: what the host does not read in time is overwritten, and
/// the sequence shows it. Its words may arrive in any order: a record counts when they fit together.
struct alignas(64) ResidentRecord {
  unsigned long long number;
  unsigned long long release;  // on the device's clock, as it was known then
  unsigned long long start;
  unsigned long long end;
  unsigned long long sequence;  // counts from 1
  unsigned long long check;
};

/// Of all its other words.
TACTUS_HOST_DEVICE inline unsigned long long check_of(const ResidentRecord& record) {
  constexpr unsigned long long odd = 0x9e3779b97f4a7c15ULL;
  return (((record.sequence * odd + record.number) * odd + record.release) * odd + record.start) * odd +
         record.end;
}

/// A job that has begun, in one word, so that all blocks see the same: how many have, and the GPU segment.
struct BegunWord {
  static constexpr unsigned none = ~0U;  // none begins any more

  unsigned long long bits = 0;

  [[nodiscard]] TACTUS_HOST_DEVICE unsigned jobs() const { return static_cast<unsigned>(bits); }
  [[nodiscard]] TACTUS_HOST_DEVICE unsigned segment() const { return static_cast<unsigned>(bits >> 32U); }
};

TACTUS_HOST_DEVICE inline BegunWord begun_word(unsigned jobs, unsigned segment = 0) {
  return {static_cast<unsigned long long>(segment) << 32U | jobs};
}

/// In device memory, all zero at first.
struct ResidentState {
  unsigned long long job;      // that is in progress, or awaited
  unsigned long long release;  // of it, on the device's clock; 0: not known yet
  unsigned long long first;    // release of job 0, with the host's corrections; 0: not known yet
  unsigned long long start;
  unsigned long long answered;            // the last question
  unsigned int unheard;                   // jobs since the host was heard
  unsigned int wants_facts;               // kernels read the facts of their job
  unsigned int segment;                   // of the next job, where a graph repeats it
  alignas(128) unsigned int round;        // jobs that are over
  alignas(128) unsigned long long begun;  // a BegunWord
  alignas(128) unsigned int present;      // blocks on their SMs
};

/// The same for the whole run. Passed by value: an argument of a kernel is at hand also after a fence.
struct ResidentPace {
  ResidentControl* control;
  ResidentAnswer* answer;
  ResidentRecord* ring;
  /// Of a doorbell, in host memory: for each block of the launch how many jobs it has done. So none of them
  /// waits for another before the host hears of it.
  unsigned int* done;
  ResidentState* state;  // null: the work is not resident
  unsigned long long ring_size;
  unsigned long long period;      // nanoseconds; 0: the host rings
  unsigned long long skip_after;  // a job that takes longer makes the next one be skipped; 0: never
  JobFacts* facts;                // of the job in progress, for its kernels
  long long offset;               // of the first release, from the start of the run
  long long deadline;             // relative; 0: none
};

}  // namespace tactus::cuda
