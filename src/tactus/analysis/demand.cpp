#include "tactus/analysis/demand.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tactus/analysis/effort.hpp"
#include "tactus/base/ratio_sum.hpp"

namespace tactus::analysis {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// From this length downwards the blocking is `cost`, until the next step.
struct BlockingStep {
  std::int64_t below = 0;  // in force for t < below
  std::int64_t cost = 0;
  std::size_t who = 0;
};

/// Falling lengths, rising costs; blockers that never decide are left out.
std::vector<BlockingStep> blocking_steps(std::span<const Blocker> blockers) {
  std::vector<BlockingStep> steps;
  steps.reserve(blockers.size());
  for (const Blocker& blocker : blockers) {
    if (blocker.cost > 0) steps.push_back({blocker.deadline.count(), blocker.cost, blocker.who});
  }
  std::sort(steps.begin(), steps.end(), [](const BlockingStep& a, const BlockingStep& b) {
    return a.below != b.below ? a.below > b.below : a.cost > b.cost;
  });
  std::size_t kept = 0;
  std::int64_t most = 0;
  for (const BlockingStep& step : steps) {
    if (step.cost <= most) continue;
    most = step.cost;
    steps[kept++] = step;
  }
  steps.resize(kept);
  return steps;
}

constexpr Int128 ceil_quotient(Int128 a, Int128 b) { return (a + b - 1) / b; }

class Test {
 public:
  Test(std::span<const DemandTask> tasks, std::span<const Blocker> blockers, const SupplyBound& supply,
       const DemandOptions& options)
      : tasks_{tasks}, steps_{blocking_steps(blockers)}, supply_{supply}, options_{options} {
    for (const DemandTask& task : tasks) {
      longest_period_ = std::max(longest_period_, task.period.count());
      shortest_deadline_ = std::min(shortest_deadline_, task.deadline.count());
      utilisation_.add({task.cost, task.period.count()});
    }
    if (options.shortest > Duration{}) shortest_deadline_ = options.shortest.count();
  }

  DemandAnswer run() {
    if (is_overloaded()) {
      answer_.outcome = DemandAnswer::Outcome::overloaded;
      return answer_;
    }
    // First the lengths near the periods, where most failures show.
    constexpr std::int64_t near_periods = 64;
    std::int64_t near = largest;
    if (__builtin_mul_overflow(longest_period_, near_periods, &near)) near = largest;
    std::optional<std::int64_t> horizon = rate_horizon();
    if (!horizon || *horizon > near) {
      horizon = shorter(shorter(horizon, later(busy_period())), later(hyperperiod(horizon)));
    }
    near = std::min(near, horizon.value_or(largest));
    if (!search(near, 0)) return answer_;
    if (!horizon) {
      give_up("no bound on the intervals to look at fits 64 bits of nanoseconds");
    } else if (*horizon > near) {
      search(*horizon, near);
    }
    return answer_;
  }

 private:
  using Outcome = DemandAnswer::Outcome;

  static std::optional<std::int64_t> shorter(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
  }

  /// By the lengths that are not looked at.
  [[nodiscard]] std::optional<std::int64_t> later(std::optional<std::int64_t> horizon) const {
    const std::int64_t skipped = options_.shortest.count();
    if (!horizon || *horizon > largest - skipped) return std::nullopt;
    return *horizon + skipped;
  }

  void give_up(std::string limit) {
    answer_.outcome = Outcome::gave_up;
    answer_.limit = std::move(limit);
  }

  [[nodiscard]] Ratio share() const {
    return {checked_mul(options_.scale, supply_.budget()), supply_.period()};
  }

  [[nodiscard]] bool is_overloaded() const {
    if (supply_.is_empty()) return !tasks_.empty();
    if (const auto decided = compare(utilisation_, share())) return *decided > 0;
    std::vector<Ratio> terms;
    for (const DemandTask& task : tasks_) terms.push_back({task.cost, task.period.count()});
    return compare_exactly(terms, share()) > 0;
  }

  // The horizons: every failure that there is implies one at a length less than the number returned.

  [[nodiscard]] std::optional<std::int64_t> rate_horizon() const {
    Int128 ahead = ceil_quotient(static_cast<Int128>(share().numerator) * supply_.gap(), supply_.period());
    for (const DemandTask& task : tasks_) {
      if (task.deadline == task.period) continue;
      ahead += ceil_quotient(static_cast<Int128>(task.cost) * (task.period - task.deadline).count(),
                             task.period.count());
    }
    RatioSum rate;
    rate.add(share());
    const UInt128 left = rate.lower() > utilisation_.upper() ? rate.lower() - utilisation_.upper() : 0;
    if (steps_.empty()) return length_for(ahead, left);
    const auto with_all = length_for(ahead + steps_.back().cost, left);
    // Blockers without a deadline block every length, the others only lengths below the first finite step.
    const bool endless = steps_.front().below == Blocker::no_deadline.count();
    if (endless && steps_.size() == 1) return with_all;
    const auto with_endless = length_for(ahead + (endless ? steps_.front().cost : 0), left);
    if (!with_endless) return with_all;
    return shorter(with_all, std::max(*with_endless, steps_[endless ? 1 : 0].below));
  }

  /// The least length t with left t >= ahead; `left` in 2^-64ths, rounded down.
  static std::optional<std::int64_t> length_for(Int128 ahead, UInt128 left) {
    if (ahead == 0) return 0;
    if (left == 0 || ahead > largest) return std::nullopt;
    const UInt128 length = ((static_cast<UInt128>(ahead) << 64U) - 1) / left + 1;
    if (length > static_cast<UInt128>(largest)) return std::nullopt;
    return static_cast<std::int64_t>(length);
  }

  std::optional<std::int64_t> busy_period() {
    constexpr int max_rounds = 1000;
    Int128 work = steps_.empty() ? 0 : steps_.back().cost;
    for (const DemandTask& task : tasks_) work += task.cost;
    std::int64_t length = 0;
    for (int round = 0; round < max_rounds; ++round) {
      const Int128 needed = ceil_quotient(work, options_.scale);
      if (needed > largest) return std::nullopt;
      const Int128 next = needed == 0 ? Int128{0} : supply_.time_for(needed);
      if (next > largest) return std::nullopt;
      if (next <= length) return length;
      length = static_cast<std::int64_t>(next);
      ++answer_.evaluations;
      spend_steps(tasks_.size());
      work = steps_.empty() ? 0 : steps_.back().cost;
      for (const DemandTask& task : tasks_) {
        work += static_cast<Int128>(ceil_div(length, task.period.count())) * task.cost;
      }
    }
    return std::nullopt;
  }

  /// Lengths up to and including the hyperperiod; nothing where `best` is shorter.
  [[nodiscard]] std::optional<std::int64_t> hyperperiod(std::optional<std::int64_t> best) const {
    std::int64_t result = 1;
    for (const DemandTask& task : tasks_) {
      const auto next = checked_lcm(result, task.period.count());
      if (!next || *next == largest || (best && *next >= *best)) return std::nullopt;
      result = *next;
    }
    return result + 1;
  }

  /// All lengths below `from` and not below `to`. False when the answer is known: it fails, or gave up.
  bool search(std::int64_t from, std::int64_t to) {
    return fits_64_bits(from) ? search_with<std::int64_t>(from, to) : search_with<Int128>(from, to);
  }

  /// Whether no sum of the search leaves 64 bits: the greatest of them are those at the start.
  [[nodiscard]] bool fits_64_bits(std::int64_t from) const {
    Int128 most = static_cast<Int128>(options_.scale) + (steps_.empty() ? 0 : steps_.back().cost);
    for (const DemandTask& task : tasks_) {
      const Int128 jobs = from / task.period.count() + 1;
      most += jobs * task.cost;
      if (most > largest) return false;
    }
    if (static_cast<Int128>(from) * options_.scale > largest) return false;
    const Int128 work = std::min<Int128>(from, most);
    return work == 0 || supply_.time_for(work) <= largest;
  }

  template <typename Number>
  bool search_with(std::int64_t before, std::int64_t to) {
    std::size_t next_step = 0;
    Number blocking = 0;
    int more_after_failure = 64;  // a shorter interval is a better witness: continue for a while
    const std::int64_t stop = std::max(to, shortest_deadline_);
    while (before > stop) {
      if (more_after_failure == 0) return false;
      if (answer_.outcome == Outcome::fails) {
        --more_after_failure;
      } else if (answer_.evaluations == options_.max_evaluations) {
        give_up("more than " + std::to_string(options_.max_evaluations) + " intervals to look at");
        return false;
      }
      ++answer_.evaluations;
      // The last deadline before `before`, and the demand there: no job has its deadline in between.
      Number demand = 0;
      std::int64_t length = 0;
      for (const DemandTask& task : tasks_) {
        const std::int64_t behind = before - 1 - task.deadline.count();
        if (behind < 0) continue;
        const std::int64_t periods = behind / task.period.count();
        demand += static_cast<Number>(periods + 1) * task.cost;
        length = std::max(length, task.deadline.count() + periods * task.period.count());
      }
      while (next_step < steps_.size() && length < steps_[next_step].below) {
        blocking = steps_[next_step++].cost;
      }
      const Number work = whole(demand + blocking);
      // The least length with enough supply.
      const Number enough = work == 0 ? 0 : work > length ? work : supply_.time_for(work);
      if (enough > length) {
        fail(length, demand, next_step);
        before = length;
      } else {
        before = std::max(static_cast<std::int64_t>(enough),
                          next_step < steps_.size() ? steps_[next_step].below : 0);
      }
    }
    return answer_.outcome != Outcome::fails;
  }

  /// In whole nanoseconds, rounded up: supplies are whole.
  template <typename Number>
  [[nodiscard]] Number whole(Number work) const {
    return options_.scale == 1 ? work : (work + options_.scale - 1) / options_.scale;
  }

  void fail(std::int64_t length, Int128 demand, std::size_t next_step) {
    answer_.outcome = Outcome::fails;
    DemandWitness& witness = answer_.witness;
    witness.interval = Duration{length};
    witness.demand = demand;
    if (next_step > 0) {
      witness.blocking = steps_[next_step - 1].cost;
      if (steps_[next_step - 1].who != Blocker::nobody) witness.blocker = steps_[next_step - 1].who;
    }
    witness.supply = supply_.in(witness.interval);
  }

  std::span<const DemandTask> tasks_;
  std::vector<BlockingStep> steps_;
  const SupplyBound& supply_;
  const DemandOptions& options_;
  std::int64_t longest_period_ = 1;
  std::int64_t shortest_deadline_ = largest;
  RatioSum utilisation_;
  DemandAnswer answer_;
};

}  // namespace

DemandAnswer test_demand(std::span<const DemandTask> tasks, std::span<const Blocker> blockers,
                         const SupplyBound& supply, const DemandOptions& options) {
  if (options.scale != 1 && supply.shape() == SupplyBound::Shape::line) {
    throw std::invalid_argument{"a line of supply takes scale 1 only"};
  }
  return Test{tasks, blockers, supply, options}.run();
}

}  // namespace tactus::analysis
