// What to do about it: the output of the scheduler core.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/sched/event.hpp"
#include "tactus/sched/job_table.hpp"

namespace tactus::sched {

/// Streams 0 .. named-1 are those a strategy declares; `own_stream` is the one that belongs to the job alone.
using StreamId = std::uint32_t;
inline constexpr StreamId own_stream = ~StreamId{0};

/// An SM set a strategy declares; 0 is all SMs.
using SmSetId = std::uint32_t;

/// How much of a segment a submission starts: all that is left of it; what cannot be interrupted anyway (a
/// slice of exclusive work, one wave of a kernel's blocks, one piece of a copy); or all that is left, but no
/// further slice or block once a stop is requested. When it was not the last of the segment, `Stopped` tells
/// that it is over; the next submission goes on behind it.
enum class Extent : std::uint8_t { whole, slice, until_stopped };

/// Hand a segment to its server. The server is that of the segment's kind: a CPU core, the copy engines, the
/// GPU.
struct Submit {
  Operation operation;
  StreamId stream = own_stream;
  std::uint32_t rank = 0;  // 0 = most urgent: the level of a GPU queue, or the priority on a CPU core
  SmSetId sms = 0;
  Extent extent = Extent::whole;
};

/// Take a submitted segment off its server, where it can be preempted. `Stopped` tells when it is off, or
/// `Finished` when it was done by itself; a further submission goes on with it.
struct RequestStop {
  Operation operation;
};

struct ArmTimer {
  TimerId timer = 0;
  Time at{};
};

struct CancelTimer {
  TimerId timer = 0;
};

/// The next job of a best-effort task begins now; the core released it itself.
struct Repeat {
  JobId job;
};

/// A job is given up. Nothing of it is on a server any more.
struct DropJob {
  TaskIndex task = 0;
  std::uint64_t number = 0;
  Time release{};
  Dropped why = Dropped::no_room;
  std::optional<JobId> job{};  // its row, if it had one
};

/// All segments of a job have finished. Its row is free when the step returns, so the command carries what is
/// needed.
struct Done {
  JobId job;
  TaskIndex task = 0;
  std::uint64_t number = 0;
  Time release{};
  Time deadline = never;
};

using Command = std::variant<Submit, Done, Repeat, RequestStop, ArmTimer, CancelTimer, DropJob>;
using Commands = std::vector<Command>;

}  // namespace tactus::sched
