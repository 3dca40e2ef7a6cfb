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

/// Told of every stretch in which a core served one piece of work without a break.
class CpuListener {
 public:
  virtual void cpu_ran(std::uint64_t token, std::int32_t core, Time start, Time end) = 0;

 protected:
  ~CpuListener() = default;
};

/// Cores that share their work have as many pieces of it running as there are cores, the most urgent ones.
class SimCpus {
 public:
  struct Work {
    std::uint64_t token = 0;
    sched::Urgency urgency;
    Duration length{};
  };

  /// From now on; null: nobody listens.
  void listen(CpuListener* listener) { listener_ = listener; }

  /// Two sets of cores are equal or have no core in common.
  void submit(const sched::Cores& cores, const Work& work, Time now);

  /// When the next piece of work ends if nothing more urgent comes; `never` when all cores are idle.
  [[nodiscard]] Time next_end() const { return ends_.empty() ? never : ends_.begin()->first; }

  /// Goes to an instant not behind `next_end`; what ends there is appended, by core.
  void advance(Time now, std::vector<Completion>& finished) {
    if (!ends_.empty()) end_due(now, finished);
  }

  /// Idle cores turn to the most urgent work.
  void dispatch(Time now) {
    if (!to_start_.empty()) start(now);
  }

  /// Tells the stretches that are not over as far as they have come.
  void end_at(Time now);

  /// Calls `visit(token, start)` for all unfinished work; `start` is `never` for what has not run.
  template <class Visit>
  void for_each_work(Visit&& visit) const {
    for (const Pool& pool : pools_) {
      for (const Core& core : pool.cores) {
        if (core.running) visit(core.piece.token, core.piece.start);
      }
      for (const Piece& piece : pool.waiting) visit(piece.token, piece.start);
    }
  }

 private:
  struct Piece {
    std::uint64_t token = 0;
    sched::Urgency urgency;
    std::uint64_t number = 0;  // in the order of submission: of equals the first goes first
    Duration left{};
    Time called{};
    Time start = never;
    std::int32_t core = -1;  // where it ran last
  };
  struct Core {
    bool running = false;
    Time since{};  // when the running stretch began
    Piece piece;
  };
  /// Cores that share their work, and what waits for one of them: a heap, the most urgent first.
  struct Pool {
    sched::Cores numbers;
    std::vector<Core> cores;
    std::vector<Piece> waiting;
    std::size_t idle = 0;
  };
  static bool less_urgent(const Piece& a, const Piece& b) {
    return b.urgency < a.urgency || (b.urgency == a.urgency && b.number < a.number);
  }
  static Time end_of(const Core& core) { return core.since + core.piece.left; }

  Pool& pool_of(const sched::Cores& cores);
  Pool& pool_with(std::int32_t core);
  void pause(Pool& pool, std::size_t index, Time now);
  void end_due(Time now, std::vector<Completion>& finished);
  void start(Time now);
  void start(Pool& pool, Time now);

  std::vector<Pool> pools_;                       // those that were ever used, by number
  std::set<std::pair<Time, std::int32_t>> ends_;  // of the running pieces, with the number of the core
  std::vector<std::int32_t> to_start_;            // a core of each pool that may have something to start
  std::uint64_t submitted_ = 0;
  CpuListener* listener_ = nullptr;
};

}  // namespace tactus::device
