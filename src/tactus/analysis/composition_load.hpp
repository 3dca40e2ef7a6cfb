// What the jobs of one task put on one server in a window: section 5 of
// docs/proofs/composition.md.
//
// A task's parts on a server are its nodes there, or, on a core that it holds while it waits, all of the job
// as one part. Job k of a part executes between `before` after its release, what the nodes ahead of it take
// at least, and `end`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/analysis/chain_workload.hpp"
#include "tactus/analysis/supply.hpp"
#include "tactus/base/exact.hpp"

namespace tactus::analysis {

/// More than any length of time: no bound. Sums and products stay there.
inline constexpr Int128 endless = static_cast<Int128>(1) << 100U;

constexpr Int128 capped(Int128 work) { return work < endless ? work : endless; }
/// For count and work of at least 0.
Int128 capped_product(Int128 count, Int128 work);

/// The value of a function of time that never falls, and for how long every further nanosecond adds at least
/// one.
struct Demand {
  Int128 work = 0;
  std::int64_t grows_for = 0;
};

constexpr Demand operator+(const Demand& a, const Demand& b) {
  return {capped(a.work + b.work), a.grows_for > b.grows_for ? a.grows_for : b.grows_for};
}
constexpr Demand operator+(const Demand& a, Int128 work) { return {capped(a.work + work), a.grows_for}; }

/// The minimum grows at least until the other one could become the minimum.
constexpr Demand lesser(const Demand& a, const Demand& b) {
  const Int128 work = a.work < b.work ? a.work : b.work;
  const Int128 until_a = a.work + a.grows_for;
  const Int128 until_b = b.work + b.grows_for;
  return {work, static_cast<std::int64_t>((until_a < until_b ? until_a : until_b) - work)};
}

/// A node on the server, or the whole job.
struct LoadPart {
  std::int64_t length = 0;  // E
  std::int64_t before = 0;  // pb
  std::int64_t best = 0;    // b
  std::int64_t end = 0;     // F
  std::int64_t seen = 0;    // S + o: it has reached the server
  std::int64_t behind = 0;  // what follows it in its line, with w on this server and b elsewhere
};

/// Parts of which each waits for the one before it. A chain has one line on a server, a graph may have more.
using LoadLine = std::vector<LoadPart>;

/// A task as others see it on one server.
struct LoadOwner {
  std::optional<std::int64_t> period;
  std::int64_t deadline = 0;
  std::int64_t response = 0;  // R
};

/// Which bounds of the work in any window are used.
enum class WindowWork : std::uint8_t { none, parts, parts_and_chain };

class ServerLoad {
 public:
  /// A task without a bound: everything is endless.
  ServerLoad() = default;
  ServerLoad(const ServerLoad&) = delete;
  ServerLoad& operator=(const ServerLoad&) = delete;
  ServerLoad(ServerLoad&&) = default;
  ServerLoad& operator=(ServerLoad&&) = default;
  ~ServerLoad() = default;
  ServerLoad(const LoadOwner& owner, const std::vector<LoadLine>& lines, WindowWork window_work);

  /// W: the most work in any window of this length, > 0.
  [[nodiscard]] Demand in_any(std::int64_t length) const;
  /// The same of one line: it is at one place of the server at a time.
  [[nodiscard]] Demand in_any(std::int64_t length, std::size_t line) const;
  [[nodiscard]] std::size_t lines() const { return lines_.size(); }
  /// M: the most completions in it.
  [[nodiscard]] Int128 ends_in_any(std::int64_t length) const;
  /// N: the most work in a window at whose start nothing of the task that has reached the server is
  /// unfinished; `added` to the length of each part.
  [[nodiscard]] Int128 in_fresh(std::int64_t length, std::int64_t added) const;
  /// The same of jobs with deadlines up to `deadline` after the start of the window.
  [[nodiscard]] Int128 in_fresh_by(std::int64_t length, std::int64_t deadline) const;
  /// E: work of jobs with deadlines up to d, executed at or after d - length.
  [[nodiscard]] Int128 by_deadline(std::int64_t length) const;
  /// Mdl: completions of those jobs.
  [[nodiscard]] Int128 ends_by_deadline(std::int64_t length) const;

  [[nodiscard]] bool is_bounded() const { return is_bounded_; }
  [[nodiscard]] const LoadOwner& owner() const { return owner_; }
  [[nodiscard]] std::span<const LoadPart> parts() const { return parts_; }
  /// sum E / T, at most 1 where there is a bound.
  [[nodiscard]] Ratio share() const;

 private:
  [[nodiscard]] Int128 jobs_in(Int128 length) const;
  [[nodiscard]] Int128 jobs_since(Int128 length) const;
  [[nodiscard]] Demand by_parts(std::int64_t length, std::span<const LoadPart> parts) const;
  [[nodiscard]] Demand of_line(std::int64_t length, std::size_t line) const;
  [[nodiscard]] Int128 of_job(Int128 until_end) const;

  bool is_bounded_ = false;
  bool has_window_work_ = false;
  bool has_chain_ = false;
  LoadOwner owner_;
  std::vector<LoadPart> parts_;
  std::int64_t total_ = 0;        // sum E
  std::int64_t whole_after_ = 0;  // so long before its latest end a job can have all of its work ahead
  std::vector<std::span<const LoadPart>> lines_;
  std::vector<ChainWorkload> chains_;  // by line
};

}  // namespace tactus::analysis
