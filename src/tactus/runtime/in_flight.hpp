// The submissions in flight, and which of them are in service.
//
// A device does not report when work starts, but its order is known. Submissions of one stream run one after
// the other. The first of each stream queues for its engine: the most urgent first, ties in the order of
// arrival. Less urgent work gets no further SM while more urgent work waits. So some submissions are
// certainly in service, and only those have their turn here. Others may be in service as well (equally urgent
// kernels that fit beside each other); that is unknown, and they get their turn later.
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

/// The server of a submission: an SM set, the copy engines, or CPU cores.
struct ServerUnit {
  ServerKind kind = ServerKind::gpu;
  std::uint32_t index = 0;  // SM set (0: all SMs) or first core
  friend bool operator==(const ServerUnit&, const ServerUnit&) = default;

  /// Whether work on one may delay work on the other.
  [[nodiscard]] bool meets(const ServerUnit& other) const {
    return kind == other.kind &&
           (index == other.index || (kind == ServerKind::gpu && (index == 0 || other.index == 0)));
  }
};

struct Submission {
  sched::SubmissionId id;
  TaskIndex task = 0;
  ServerUnit server;       // the watchdog waits until this has been silent for long
  ServerUnit engine;       // serves it when it is first in its stream
  std::int32_t cores = 1;  // of CPU work: how many cores share its ready queue
  sched::StreamId stream = sched::own_stream;
  sched::Urgency urgency;    // of copies and GPU work: the level of the stream
  Duration longest_block{};  // declared: how long it continues after more urgent work has arrived
  Duration launch{};         // declared: until it reaches its engine
  Time since{};

  // Kept by InFlight:
  std::uint64_t place = 0;  // in the queue of its engine, from 1; 0: not yet first in its stream
  Time first_from{};        // when it came to be first in its stream, its launch not counted
  Time served_from{};       // once it has its turn: when less urgent blocks that started before have ended
  bool is_alone = true;     // nothing else that its engine may serve was in flight, but for its own stream
};

/// Bounded; nothing is allocated once `reserve` has been called.
class InFlight {
 public:
  void reserve(std::size_t submissions, std::size_t servers, std::size_t holds) {
    all_.reserve(submissions);
    servers_.reserve(servers);
    holds_.reserve(holds);
  }
  void touch() {
    tactus::touch(all_);
    tactus::touch(servers_);
    tactus::touch(holds_);
  }
  [[nodiscard]] bool empty() const { return all_.empty(); }

  /// Submitted at `submission.since`.
  void add(const Submission& submission);

  /// An event about a submission has arrived. Nothing when it is not in flight, because an earlier event
  /// ended it.
  std::optional<Submission> take(sched::SubmissionId wanted, Time now);

  /// A core is held for a job from now on, until `release`: less urgent work does not get it.
  void hold(const sched::HoldCore& hold);
  void release(sched::JobId job, Time now);

  /// Calls `visit(submission)` for all submissions that have their turn.
  template <class Visit>
  void for_each_in_turn(Visit&& visit) {
    note_firsts();
    for (const Submission& submission : all_) {
      if (has_turn(submission)) visit(submission);
    }
  }

  /// When `find_quiet` will find a submission if no event arrives before.
  [[nodiscard]] Time next_quiet(Duration limit) const;

  /// A submission whose server has reported nothing for longer than `limit`.
  [[nodiscard]] const Submission* find_quiet(Time now, Duration limit) const;

 private:
  struct State {
    ServerUnit server;
    Time heard = origin;
    // Over all submissions that wait for this server or are in service:
    std::optional<sched::Urgency> best{};
    std::uint64_t first_of_best = 0;  // its place
    std::uint64_t first = 0;          // lowest place
  };

  State& state_of(const ServerUnit& server);
  void note_company(Submission& added);
  void enter_queue(Submission& submission, Time now);
  void note_firsts();
  [[nodiscard]] bool has_turn(const Submission& submission) const;
  [[nodiscard]] bool is_held_up(const Submission& submission) const;
  [[nodiscard]] Time quiet_since(const Submission& submission) const;

  std::vector<Submission> all_;  // in the order of submission
  std::vector<State> servers_;   // those used so far
  std::vector<sched::HoldCore> holds_;
  std::uint64_t entered_ = 0;
};

}  // namespace tactus::runtime
