// What was handed to a device and not heard of yet, and whose turn it is there.
//
// A device does not tell when work starts. But it keeps orders: the work of a stream goes one by one, as
// submitted; what is first in its stream waits for its engine, the most urgent first and equals in the order
// in which they came; and what is less urgent takes no further SM while something more urgent waits. So of
// all that is under way some is known to be served, and only that is said to have its turn. What a device
// serves beside it (equals that fit next to each other) is not known, and has its turn later.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/base/touch.hpp"
#include "tactus/model/segment.hpp"
#include "tactus/sched/command.hpp"
#include "tactus/sched/job_table.hpp"

namespace tactus::runtime {

/// Which server has a submission: an SM set, the copy engines, or CPU cores.
struct ServerUnit {
  ServerKind kind = ServerKind::gpu;
  std::uint32_t index = 0;  // SM set (0: all SMs) or first core
  friend bool operator==(const ServerUnit&, const ServerUnit&) = default;

  /// Whether work for one may hold up work for the other.
  [[nodiscard]] bool meets(const ServerUnit& other) const {
    return kind == other.kind &&
           (index == other.index || (kind == ServerKind::gpu && (index == 0 || other.index == 0)));
  }
};

struct Submission {
  sched::SubmissionId id;
  TaskIndex task = 0;
  ServerUnit server;  // what must be quiet for the watchdog to wake
  ServerUnit engine;  // what serves it when it is first in its stream
  sched::StreamId stream = sched::own_stream;
  sched::Urgency urgency;    // of copies and GPU work, the level of its stream
  Duration longest_block{};  // as declared: how long it goes on when something more urgent has come
  Duration launch{};         // as declared: until it reaches its engine
  Time since{};

  // Kept by InFlight:
  std::uint64_t place = 0;  // in the queue of its engine, from 1; 0: something of its stream is before it
  Time served_from{};       // if it has its turn: less urgent blocks that were there before it have ended
};

/// Bounded; nothing is allocated once `reserve` has been called.
class InFlight {
 public:
  void reserve(std::size_t submissions, std::size_t servers) {
    all_.reserve(submissions);
    servers_.reserve(servers);
  }
  void touch() {
    tactus::touch(all_);
    tactus::touch(servers_);
  }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] const std::vector<Submission>& all() const { return all_; }

  /// Submitted at its `since`.
  void add(const Submission& submission);

  /// Something was heard of a submission. False when it is not here: it was heard of before.
  bool take(sched::SubmissionId wanted, Time now);

  /// Calls `visit(submission)` for what has its turn.
  template <class Visit>
  void for_each_in_turn(Visit&& visit) {
    note_firsts();
    for (const Submission& submission : all_) {
      if (has_turn(submission)) visit(submission);
    }
  }

  /// When `find_quiet` would find something if nothing is heard until then.
  [[nodiscard]] Time next_quiet(Duration limit) const;

  /// A submission of which nothing, and nothing of its server either, was heard for longer than `limit`.
  [[nodiscard]] const Submission* find_quiet(Time now, Duration limit) const;

 private:
  struct State {
    ServerUnit server;
    Time heard = origin;
    // Of what waits for it or is served:
    std::optional<sched::Urgency> best{};
    std::uint64_t first_of_best = 0;  // place
    std::uint64_t first = 0;          // place
  };

  State& state_of(const ServerUnit& server);
  void enter_queue(Submission& submission, Time now);
  void note_firsts();
  [[nodiscard]] bool has_turn(const Submission& submission) const;
  [[nodiscard]] Time quiet_since(const Submission& submission) const;

  std::vector<Submission> all_;  // in the order of their submission
  std::vector<State> servers_;   // those that were ever used
  std::uint64_t entered_ = 0;
};

}  // namespace tactus::runtime
