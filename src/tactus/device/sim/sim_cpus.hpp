// The simulated CPU cores: preemptive, the most urgent first, in virtual time.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/device/sim/sim_gpu.hpp"
#include "tactus/sched/command.hpp"

namespace tactus::device {

/// Gets every interval in which a core served one piece of work without interruption.
class CpuListener {
 public:
  virtual void cpu_ran(std::uint64_t token, std::int32_t core, Time start, Time end) = 0;

 protected:
  ~CpuListener() = default;
};

/// Cores that share a ready queue run as many pieces as there are cores, the most urgent ones.
class SimCpus {
 public:
  struct Work {
    std::uint64_t token = 0;
    sched::Urgency urgency;
    Duration length{};
  };

  /// Takes effect from now on; null: no listener.
  void listen(CpuListener* listener) { listener_ = listener; }

  /// Two sets of cores are equal or have no core in common.
  void submit(const Cores& cores, const Work& work, Time now);

  /// Holds a core from now on, whenever nothing more urgent runs there. Replaces an earlier hold of the
  /// token.
  void hold(const Cores& cores, std::uint64_t token, const sched::Urgency& urgency, Time now);
  /// Ends the hold of a token, if there is one.
  void release(std::uint64_t token, Time now);

  /// The next end if nothing more urgent arrives; `never` when all cores are idle.
  [[nodiscard]] Time next_end() const { return ends_.empty() ? never : ends_.begin()->first; }

  /// Advances to an instant not after `next_end`; appends what ends there, ordered by core.
  void advance(Time now, std::vector<Completion>& finished) {
    if (!ends_.empty()) end_due(now, finished);
  }

  /// Idle cores take the most urgent work.
  void dispatch(Time now) {
    if (!to_start_.empty()) start(now);
  }

  /// Reports the running intervals up to now.
  void end_at(Time now);

  /// Calls `visit(token, start)` for all unfinished work; `start` is `never` if it has not run.
  template <class Visit>
  void for_each_work(Visit&& visit) const {
    for (const Pool& pool : pools_) {
      for (const Core& core : pool.cores) {
        if (core.running && !core.piece.urgency.holds) visit(core.piece.token, core.piece.start);
      }
      for (const Piece& piece : pool.waiting) {
        if (!piece.urgency.holds) visit(piece.token, piece.start);
      }
    }
  }

 private:
  struct Piece {
    std::uint64_t token = 0;
    sched::Urgency urgency;
    std::uint64_t number = 0;  // order of submission; breaks ties
    Duration left{};
    Time called{};
    Time start = never;
    std::int32_t core = -1;  // where it ran last
  };
  struct Core {
    bool running = false;
    Time since{};  // when the running interval began
    Piece piece;
  };
  /// Cores that share a ready queue, and the pieces that wait: a heap, the most urgent first.
  struct Pool {
    Cores numbers;
    std::vector<Core> cores;
    std::vector<Piece> waiting;
    std::size_t idle = 0;
  };
  static bool less_urgent(const Piece& a, const Piece& b) {
    return b.urgency < a.urgency || (b.urgency == a.urgency && b.number < a.number);
  }
  static Time end_of(const Core& core) { return core.since + core.piece.left; }
  static bool is_hold(const Piece& piece, std::uint64_t token) {
    return piece.urgency.holds && piece.token == token;
  }

  Pool& pool_of(const Cores& cores);
  Pool& pool_with(std::int32_t core);
  void add(Pool& pool, const Piece& piece, Time now);
  void pause(Pool& pool, std::size_t index, Time now);
  void end_due(Time now, std::vector<Completion>& finished);
  void start(Time now);
  void start(Pool& pool, Time now);

  std::vector<Pool> pools_;                       // those used so far, by number
  std::set<std::pair<Time, std::int32_t>> ends_;  // of the running pieces, with the number of the core
  std::vector<std::pair<std::uint64_t, Cores>> holds_;
  std::vector<std::int32_t> to_start_;  // one core of each pool that may have something to start
  std::uint64_t submitted_ = 0;
  CpuListener* listener_ = nullptr;
};

}  // namespace tactus::device
