// Interference by more urgent tasks under fixed priorities, the fixed points based on it, and blocking by
// less urgent ones.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tactus/analysis/supply.hpp"
#include "tactus/base/ratio_sum.hpp"
#include "tactus/base/time.hpp"
#include "tactus/model/task.hpp"

namespace tactus::analysis {

/// The longest piece of less urgent work that cannot be stopped, and by which task.
struct Blocking {
  Duration length{};
  std::optional<TaskIndex> by;

  /// Keeps the longer.
  void consider(Duration other, TaskIndex task) {
    if (other > length) *this = {other, task};
  }
};

/// Whether jobs that are seen at the end of an interval count.
enum class End : std::uint8_t {
  open,    // ceil((t + J)/T) jobs
  closed,  // floor((t + J)/T) + 1 jobs
};

/// A least fixed point, or why none was found.
struct FixedPoint {
  enum class Outcome : std::uint8_t { found, passes, gave_up };
  Outcome outcome = Outcome::found;
  /// The fixed point; or the last length tried, which is a lower bound of the fixed point.
  std::int64_t length = 0;

  [[nodiscard]] bool found() const { return outcome == Outcome::found; }
};

class Interference {
 public:
  explicit Interference(std::size_t size) { tasks_.reserve(size); }

  /// cost > 0, 0 <= jitter < period.
  void add(Duration cost, Duration period, Duration jitter);

  /// The same for events of the engine, which `jobs`, `cost` and `size` do not tell of; any jitter.
  void add_events(Duration cost, Duration period, Duration jitter);

  /// The work that can be seen in an interval of this length.
  [[nodiscard]] Int128 in(std::int64_t length, End end) const;
  /// What of it is for events.
  [[nodiscard]] Int128 events_in(std::int64_t length, End end) const;
  [[nodiscard]] std::int64_t jobs(std::size_t task, std::int64_t length, End end) const;
  [[nodiscard]] std::int64_t cost(std::size_t task) const { return tasks_[task].cost; }
  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  [[nodiscard]] bool is_empty() const { return alike_.empty(); }

  /// The least common multiple of all periods; nothing where it leaves 64 bits.
  [[nodiscard]] std::optional<std::int64_t> hyperperiod() const;

  /// How the share of time they need compares with the limit, exactly.
  [[nodiscard]] std::strong_ordering compare_utilisation(Ratio limit) const;

  /// The least t >= from with supply(t) >= work + in(t), as far as t <= limit; work > 0. `from` must not be
  /// greater than it. It gives up after a million rounds.
  [[nodiscard]] FixedPoint min_length(Int128 work, End end, const SupplyBound& supply, std::int64_t limit,
                                      std::int64_t from = 0) const;

 private:
  struct Interferer {
    std::int64_t cost = 0;
    std::int64_t period = 1;
    std::int64_t jitter = 0;
  };

  void add_to_sums(const Interferer& added);

  /// A length that is no greater than the fixed point, from the long-run share alone.
  [[nodiscard]] Int128 min_by_share(Int128 work, const SupplyBound& supply) const;

  /// Tasks with equal period and jitter are merged: many tasks have few periods.
  struct Alike {
    Int128 cost = 0;
    std::int64_t period = 1;
    std::int64_t jitter = 0;
  };

  std::vector<Interferer> tasks_;
  std::vector<Interferer> events_;
  std::vector<Alike> alike_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> place_of_;  // by period and jitter
  RatioSum utilisation_;
  Int128 ahead_ = 0;  // sum of J C/T, rounded down
};

}  // namespace tactus::analysis
