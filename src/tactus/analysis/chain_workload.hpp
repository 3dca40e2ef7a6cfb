// How much work the jobs of one chain can do on one server in an interval: Wmax of `rtgpu`
// (docs/analyses.md), for chains of any kind.
//
//   E      the worst cases of the stages on that server, in order; stages that take no time are not
//          issued and left out
//   inner  between two of them: the best cases of the stages that lie between
//   wrap1  = T - X + best cases of the stages after the last and before the first of E
//   wrap2  = T - sum E - sum inner
//   W^h(t) = work in [0, t) if E[h] starts at 0, the gaps are `inner`, wrap1 at the first wrap and wrap2 at
//          the later ones;  Wmax(t) = max over h
//
// Zero stages that are left out change nothing: their gaps add up. For chains CPU copy GPU copy CPU ... these
// are the formulas of the paper, for one copy and for two.
//
// Why it bounds the work, if every job is done within X <= T of its nominal release: take an interval, the
// first job that the server works for in it, and the first stage h of it that does. From there on a job's
// stages are at least `inner` apart. That job ends no later than X after its release, and the next is
// released no earlier than T after it, so they are at least wrap1 apart. The n-th job after that cannot start
// earlier than its release, n - 1 periods later: that is wrap2. Stages that take less, start late, are
// stopped or began before the interval only move work out of it: to insert a piece of work delays what
// follows by no more than the piece.
//
// In the long run Wmax(t) >= t sum E / T: the pattern that repeats with T has a place from which no interval
// has less than its share, and it is the start of some stage.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "tactus/analysis/federated_tasks.hpp"
#include "tactus/analysis/interference.hpp"
#include "tactus/base/ratio_sum.hpp"

namespace tactus::analysis {

class ChainWorkload {
 public:
  /// No work at all.
  ChainWorkload() = default;
  /// The stages' worst cases fit the period, and so does X, `response`. A task that keeps X has wrap1 <=
  /// wrap2; where X is less than its stages need, wrap2 stands for wrap1. Where stages count for longer than
  /// they take (engine time), they need not fit: a gap that would be negative is 0.
  ChainWorkload(std::span<const Stage> stages, ServerKind server, Duration period, Duration response);
  /// On several servers together: a chain is on one of them at a time.
  ChainWorkload(std::span<const Stage> stages, std::initializer_list<ServerKind> servers, Duration period,
                Duration response);

  /// The pointwise minimum of several with the same share.
  static ChainWorkload min_of(std::vector<ChainWorkload> several);

  /// The same in intervals that have their last instant: Wmax(length + 1ns).
  [[nodiscard]] ChainWorkload with_last_instant() const;

  struct Point {
    Duration work{};
    /// For at least so long every further nanosecond adds one of work; 0 where it is flat.
    Duration grows_for{};
  };
  /// Wmax(length). It costs the same for every length: whole periods are counted, not walked through.
  [[nodiscard]] Point at(Duration length) const;

  [[nodiscard]] bool is_empty() const { return pieces_.empty(); }
  /// sum E / T.
  [[nodiscard]] Ratio share() const {
    return {static_cast<std::int64_t>(total_), static_cast<std::int64_t>(period_)};
  }

 private:
  /// One of E in the pattern of a job whose first piece starts at 0.
  struct Piece {
    std::uint64_t start = 0;
    std::uint64_t length = 0;
    std::uint64_t before = 0;  // work of the pieces before it
  };
  struct WorkSoFar {
    std::uint64_t work = 0;
    std::uint64_t grows_for = 0;
  };
  [[nodiscard]] WorkSoFar within_job(std::uint64_t since_start) const;
  [[nodiscard]] WorkSoFar from_first_piece(std::uint64_t since_start) const;
  [[nodiscard]] WorkSoFar max_in(std::uint64_t length) const;

  std::vector<Piece> pieces_;
  std::uint64_t total_ = 0;    // sum E
  std::uint64_t restart_ = 0;  // from the start of the first job's first piece to that of the second job
  std::uint64_t period_ = 1;
  std::uint64_t lead_ = 0;  // 1: with the last instant
  std::vector<ChainWorkload> several_;
};

/// The least r with r >= own + sum over the chains of Wmax(r), as far as r <= limit. The search jumps over
/// pieces of work, so the number of rounds depends on the number of pieces, not on their lengths. It gives up
/// after a million rounds.
FixedPoint min_length(std::span<const ChainWorkload* const> chains, Duration own, Duration limit);

/// The least s with before + sum over the chains of Wmax(s + 1ns) <= s, as far as s <= limit: the latest
/// start of non-preemptive work.
FixedPoint latest_start(std::span<const ChainWorkload* const> chains, Duration before, Duration limit);

}  // namespace tactus::analysis
