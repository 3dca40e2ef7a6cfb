// What to do about it: the output of the scheduler core.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/segment.hpp"
#include "tactus/sched/event.hpp"
#include "tactus/sched/job_table.hpp"
#include "tactus/sched/urgency.hpp"

namespace tactus::sched {

/// Streams 0, 1, ... are those that a strategy declares: they outlive jobs. From `own_stream` on they belong
/// to a job alone: nodes that run side by side need one each.
using StreamId = std::uint32_t;
inline constexpr StreamId own_stream = StreamId{1} << 31U;
constexpr bool is_own(StreamId stream) { return stream >= own_stream; }
constexpr StreamId own_stream_of(std::uint32_t node) { return own_stream + node; }

/// An SM set a strategy declares; 0 is all SMs.
using SmSetId = std::uint32_t;

/// CPU cores that share their work, by consecutive numbers: one core, a cluster, or all of them.
struct Cores {
  std::int32_t first = 0;
  std::int32_t count = 1;
  friend bool operator==(const Cores&, const Cores&) = default;
};

/// How much of a segment a submission starts: all that is left of it; what cannot be interrupted anyway (a
/// slice of exclusive work, one wave of a kernel's blocks, one piece of a copy); or all that is left, but no
/// further slice or block once a stop is requested. When it was not the last of the segment, `Stopped` tells
/// that it is over; the next submission goes on behind it.
enum class Extent : std::uint8_t { whole, slice, until_stopped };

/// Exactly what of its segment a submission stands for: what lies behind `done`, up to a limit. The core says
/// it by the rules of the model; what a device cuts beyond that (chunks of best-effort copies on a GPU) is
/// its own affair.
struct Stretch {
  static constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();

  SegmentProgress done;                 // by earlier submissions
  std::int64_t max_blocks = all;        // of a kernel
  std::int64_t max_bytes = all;         // of a copy
  Duration max_time = Duration::max();  // of exclusive work
};

/// Hand a segment to its server: CPU cores, the copy engines, or SMs. A CPU serves by urgency; the others
/// serve a stream in order and the streams by their level.
struct Submit {
  SubmissionId id;
  ServerKind server = ServerKind::gpu;
  Cores cores{};                 // of CPU work
  StreamId stream = own_stream;  // of copies and GPU work
  std::uint32_t level = 0;       // of the stream; 0 = most urgent
  SmSetId sms = 0;               // of GPU work
  Urgency urgency{};             // of CPU work, at this moment
  Extent extent = Extent::whole;
  Stretch stretch{};  // the core's: what the extent means here
};

/// Take a submitted segment off its server, where it can be preempted. `Stopped` tells when it is off, or
/// `Finished` when it was done by itself; a further submission goes on with it.
struct RequestStop {
  SubmissionId id;
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

/// Adds a command and fills it in where it is: commands are large.
template <class Kind>
Kind& append(Commands& commands) {
  return *std::get_if<Kind>(&commands.emplace_back(std::in_place_type<Kind>));
}

}  // namespace tactus::sched
