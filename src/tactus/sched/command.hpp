// Commands: the output of the scheduler core.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"
#include "tactus/sched/event.hpp"
#include "tactus/sched/job_table.hpp"
#include "tactus/sched/urgency.hpp"

namespace tactus::sched {

/// Streams 0, 1, ... are declared by the strategy and outlive jobs. Numbers from `own_stream` on are streams
/// of the job itself: nodes that run in parallel need one each.
using StreamId = std::uint32_t;
inline constexpr StreamId own_stream = StreamId{1} << 31U;
constexpr bool is_own(StreamId stream) { return stream >= own_stream; }
constexpr StreamId own_stream_of(std::uint32_t node) { return own_stream + node; }

/// An SM set that the strategy declares; 0 is all SMs.
using SmSetId = std::uint32_t;

/// How much of a segment a submission covers. `whole`: all that is left. `slice`: one unit that cannot be
/// preempted (a slice of exclusive work, a wave of blocks, a chunk of a copy). `until_stopped`: all that is
/// left, but no further slice or block starts once a stop is requested. When a submission ends before its
/// segment does, `Stopped` reports that; the next submission continues from there.
enum class Extent : std::uint8_t { whole, slice, until_stopped };

/// The exact part of a segment that a submission covers. The core computes it by the rules of the model; as
/// it stands here it is all of a segment.
struct Stretch {
  static constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();

  SegmentProgress done;                              // by earlier submissions of the segment
  SegmentProgress until{all, all, Duration::max()};  // when all of the stretch has run
  /// The segment is then finished. Where only the device knows how much work it is (exclusive work, copies
  /// given as a time, bound functions and copies), it may be finished earlier.
  bool is_last = true;

  /// How many blocks of a kernel with so many it has.
  [[nodiscard]] std::int64_t blocks_of(std::int64_t grid) const noexcept {
    return std::min(grid, until.blocks) - std::min(grid, done.blocks);
  }
  /// How long it takes if all of the segment takes `whole`; not of kernels.
  [[nodiscard]] Duration time_of(Duration whole) const noexcept {
    return std::min(whole, until.time) - std::min(whole, done.time);
  }
};

/// Hands a segment to its server: CPU cores, the copy engines, or SMs. CPU cores serve by urgency. The other
/// servers serve each stream in order, and streams by level.
struct Submit {
  SubmissionId id;
  ServerKind server = ServerKind::gpu;
  Cores cores{};                 // of CPU work
  StreamId stream = own_stream;  // of copies and GPU work
  std::uint32_t level = 0;       // of the stream; 0 = most urgent
  SmSetId sms = 0;               // of GPU work
  Urgency urgency{};             // of CPU work, at the time of the submission
  Extent extent = Extent::whole;
  Stretch stretch{};  // filled in by the core from `extent`
};

/// Asks for a submission to be preempted. The answer is `Stopped`, or `Finished` when it completed first. A
/// later submission continues the segment.
struct RequestStop {
  SubmissionId id;
};

/// A job that waits busily: a core is held for it, at this urgency, until it is over. Its CPU work goes
/// first. A second command for the same job replaces the first.
struct HoldCore {
  JobId job;
  Cores cores{};
  Urgency urgency{};
};

struct ArmTimer {
  TimerId timer = 0;
  Time at{};
};

struct CancelTimer {
  TimerId timer = 0;
};

/// A best-effort task starts its next job; the core has released it itself.
struct Repeat {
  JobId job;
};

/// A job is given up. None of its work is on a server any more.
struct DropJob {
  TaskIndex task = 0;
  std::uint64_t number = 0;
  Time release{};
  Dropped why = Dropped::no_room;
  std::optional<JobId> job{};  // its row in the job table, if it had one
};

/// All segments of a job have finished. Its row is freed when the step returns, so the command carries what
/// the engine needs.
struct Done {
  JobId job;
  TaskIndex task = 0;
  std::uint64_t number = 0;
  Time release{};
  Time deadline = never;
  std::uint32_t place = 0;
};

using Command = std::variant<Submit, Done, Repeat, RequestStop, HoldCore, ArmTimer, CancelTimer, DropJob>;
using Commands = std::vector<Command>;

/// Constructs the command in place: commands are large.
template <class Kind>
Kind& append(Commands& commands) {
  return *std::get_if<Kind>(&commands.emplace_back(std::in_place_type<Kind>));
}

}  // namespace tactus::sched
