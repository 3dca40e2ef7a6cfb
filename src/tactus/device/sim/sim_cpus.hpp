// The simulated CPU cores: preemptive fixed priority in virtual time.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/device/sim/sim_gpu.hpp"

namespace tactus::device {

/// Told of every stretch in which a core served one piece of work without a break.
class CpuListener {
 public:
  virtual void cpu_ran(std::uint64_t token, std::int32_t core, Time start, Time end) = 0;

 protected:
  ~CpuListener() = default;
};

class SimCpus {
 public:
  /// Work for a core; a smaller rank is more urgent. No two pieces of work of one core have the same rank at
  /// a time.
  struct Work {
    std::uint64_t token = 0;
    std::uint32_t rank = 0;
    Duration length{};
  };

  /// From now on; null: nobody listens.
  void listen(CpuListener* listener) { listener_ = listener; }

  void submit(std::int32_t core, const Work& work, Time now);

  /// When the next piece of work ends if nothing more urgent comes; `never` when all cores are idle.
  [[nodiscard]] Time next_end() const { return ends_.empty() ? never : ends_.begin()->first; }

  /// Goes to an instant not behind `next_end`; what ends there is appended, by core.
  void advance(Time now, std::vector<Completion>& finished) {
    if (!ends_.empty()) end_due(now, finished);
  }

  /// Every core turns to its most urgent work.
  void dispatch(Time now) {
    if (!to_start_.empty()) start(now);
  }

  /// Tells the stretches that are under way as far as they have come.
  void end_at(Time now);

  /// Calls `visit(token, start)` for all unfinished work; `start` is `never` for what has not run.
  template <class Visit>
  void for_each_work(Visit&& visit) const {
    for (const Core& core : cores_) {
      for (const Piece& piece : core.pieces) visit(piece.token, piece.start);
    }
  }

 private:
  struct Piece {
    std::uint64_t token = 0;
    std::uint32_t rank = 0;
    Duration left{};
    Time called{};
    Time start = never;
  };
  /// The pieces are a heap, the most urgent one first; that one runs once `running` is set.
  struct Core {
    std::int32_t number = 0;
    bool running = false;
    Time since{};  // when the running stretch began
    std::vector<Piece> pieces;
  };
  static bool less_urgent(const Piece& a, const Piece& b) { return b.rank < a.rank; }
  static Time end_of(const Core& core) { return core.since + core.pieces.front().left; }

  Core& core_of(std::int32_t number);
  void pause(Core& core, Time now);
  void end_due(Time now, std::vector<Completion>& finished);
  void start(Time now);

  std::vector<Core> cores_;                       // those that were ever used, by number
  std::set<std::pair<Time, std::int32_t>> ends_;  // of the running pieces, with the number of the core
  std::vector<std::int32_t> to_start_;            // cores whose most urgent piece is another than before
  CpuListener* listener_ = nullptr;
};

}  // namespace tactus::device
