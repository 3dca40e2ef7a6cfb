// The events of a trace. Whatever ran, simulated or real, leaves these and no others.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

#include "tactus/base/time.hpp"
#include "tactus/model/task.hpp"

namespace tactus::trace {

/// Job `number` of a task, counted from 0.
struct JobName {
  TaskIndex task = 0;
  std::uint64_t number = 0;
  friend auto operator<=>(const JobName&, const JobName&) = default;
};

/// The kinds of events that an observer wants. Engines do not produce kinds that none wants.
struct Interests {
  bool releases = false;
  bool blocks = false;
  bool copies = false;
  bool cpus = false;
  bool operations = false;
  bool ends = false;
  bool absences = false;
};
inline constexpr std::array kinds_of_events{&Interests::releases, &Interests::blocks,     &Interests::copies,
                                            &Interests::cpus,     &Interests::operations, &Interests::ends,
                                            &Interests::absences};

/// A job arrived. `release` is the nominal instant, from which its deadline counts.
struct JobReleased {
  static constexpr auto kind = &Interests::releases;
  JobName job;
  Time release{};
  Time deadline = never;  // absolute; `never` for a job without one
};

/// One block occupied one SM; a slice of exclusive work leaves one event for each of its SMs, with the
/// slice's index as block. Sent as soon as both ends are known; the end may lie past the horizon.
struct BlockRan {
  static constexpr auto kind = &Interests::blocks;
  JobName job;
  std::uint32_t segment = 0;
  std::int64_t block = 0;
  std::int32_t sm = 0;
  Time start{};
  Time end{};
};

/// One copy occupied one copy engine.
struct CopyRan {
  static constexpr auto kind = &Interests::copies;
  JobName job;
  std::uint32_t segment = 0;
  std::int32_t engine = 0;
  Time start{};
  Time end{};
};

/// A CPU core served one segment without a break.
struct CpuRan {
  static constexpr auto kind = &Interests::cpus;
  JobName job;
  std::uint32_t segment = 0;
  std::int32_t core = 0;
  Time start{};
  Time end{};
};

/// A segment left its stream, or its CPU core.
struct OperationFinished {
  static constexpr auto kind = &Interests::operations;
  JobName job;
  std::uint32_t segment = 0;
  std::int32_t stream = -1;  // index of the named stream; -1 for the job's own
  Time called{};             // when it joined its stream
  Time start{};              // when its first part began
  Time end{};
};

/// What became of a job.
enum class Fate : std::uint8_t {
  ran,      // to its completion, or until the schedule was cut
  aborted,  // it used up its budget
  failed,   // its device broke it off
  skipped,  // the job before it used up its budget or missed its deadline
  no_room,  // too many jobs were pending
  full,     // `max_jobs` of its task were in progress
};

/// Whether a job was turned away as its task asks: it never had to meet its deadline or its bound.
constexpr bool is_turned_away(Fate fate) { return fate == Fate::skipped || fate == Fate::full; }
/// Whether nothing of the job ever came to the device.
constexpr bool never_began(Fate fate) { return is_turned_away(fate) || fate == Fate::no_room; }

/// The last event of a job: it completed, it was given up, or the schedule was cut at its
/// horizon.
struct JobEnded {
  static constexpr auto kind = &Interests::ends;
  JobName job;
  Time release{};
  Time start = never;       // first instant any part of it executed; `never` if none did
  Time completion = never;  // `never` if it was cut off
  Time deadline = never;
  bool missed = false;
  Fate fate = Fate::ran;
};

/// The fate of a job in one word: "done", "late" (done after its deadline), "aborted", "failed",
/// "skipped", "no-room", "full", or "pending" at the end of the schedule.
constexpr std::string_view fate_word(const JobEnded& job) {
  switch (job.fate) {
    case Fate::aborted:
      return "aborted";
    case Fate::failed:
      return "failed";
    case Fate::skipped:
      return "skipped";
    case Fate::no_room:
      return "no-room";
    case Fate::full:
      return "full";
    case Fate::ran:
      break;
  }
  if (job.completion == never) return "pending";
  return job.missed ? "late" : "done";
}

/// The engine's thread was polling the clock and lost its CPU: to the kernel, another thread or a
/// hypervisor. Whatever was due in between was handled late.
struct EngineAway {
  static constexpr auto kind = &Interests::absences;
  Time from{};
  Time to{};
};

}  // namespace tactus::trace
