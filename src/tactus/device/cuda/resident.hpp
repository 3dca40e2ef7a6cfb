// The data that host and device share for work that stays on its SMs and waits there for its next job: rung
// by the host (doorbell), or released by the device's own clock (resident). resident.cuh has the device's
// side, resident_loop.hpp the host's.
#pragma once

#include "tactus/device/cuda/job_facts.hpp"

namespace tactus::cuda {

/// In host memory, written by the host. Reading it takes the device about a microsecond, so one thread reads
/// it, and only while nothing is due.
struct ResidentControl {
  /// Bit 0: stop before the next job. The other bits: of a doorbell how many jobs were rung; else the number
  /// of a question for the time.
  alignas(64) unsigned long long word;
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
  alignas(64) unsigned int ready;  // all blocks are on their SMs
};

/// A job that is over, in a ring in host memory. The device never waits for the host: what the host does not
/// read in time is overwritten, and the sequence shows it. Its words may arrive in any order: a record counts
/// when they fit together.
struct ResidentRecord {
  unsigned long long number;
  unsigned long long start;  // on the device's clock
  unsigned long long end;
  unsigned long long sequence;  // counts from 1
  unsigned long long check;
};

#ifdef __CUDACC__
__host__ __device__
#endif
    inline unsigned long long
    check_of(unsigned long long sequence, unsigned long long number, unsigned long long start,
             unsigned long long end) {
  constexpr unsigned long long odd = 0x9e3779b97f4a7c15ULL;
  return ((sequence * odd + number) * odd + start) * odd + end;
}

/// In device memory, all zero at first.
struct ResidentState {
  unsigned long long job;      // that is in progress, or awaited
  unsigned long long release;  // of it, on the device's clock; 0: not known yet
  unsigned long long first;    // release of job 0, with the host's corrections; 0: not known yet
  unsigned long long start;
  unsigned long long records;         // in the ring, so far
  unsigned long long answered;        // the last question
  unsigned int unheard;               // jobs since the host was heard
  alignas(128) unsigned int round;    // jobs that are over
  alignas(128) unsigned int begun;    // jobs that have begun; all bits: none begins any more
  alignas(128) unsigned int present;  // blocks on their SMs
};

/// In device memory, the same for the whole run.
struct ResidentPace {
  ResidentControl* control;
  ResidentAnswer* answer;
  ResidentRecord* ring;
  ResidentState* state;
  unsigned long long ring_size;
  unsigned long long period;      // nanoseconds; 0: the host rings
  unsigned long long skip_after;  // a job that takes longer makes the next one be skipped; 0: never
  JobFacts* facts;                // of the job in progress, for its kernels; null: they do not read them
  long long offset;               // of the first release, from the start of the run
  long long deadline;             // relative; negative: none
};

}  // namespace tactus::cuda
