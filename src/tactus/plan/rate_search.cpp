#include "tactus/plan/rate_search.hpp"

#include <algorithm>
#include <limits>

namespace tactus::plan {

namespace {

class Search {
 public:
  Search(const RateQuestion& question, const Watch& watch)
      : question_{question}, watch_{watch}, most_{question.most} {}

  RateAnswer run() {
    try {
      if (most_ >= 1) find();
    } catch (const SearchStopped&) {
      answer_.stopped = true;
    }
    answer_.largest = answer_.factor && !answer_.stopped && !answer_.gave_up &&
                      std::max(*answer_.factor, answer_.fails_to) >= most_;
    return answer_;
  }

 private:
  bool holds(std::int64_t factor) {
    stop_if_asked(watch_);
    watch_.show(-1);
    last_ = question_.judge(factor);
    if (last_ == RateVerdict::ruled_out) most_ = std::min(most_, factor - 1);
    if (last_ != RateVerdict::holds) return false;
    if (!answer_.factor || factor > *answer_.factor) answer_.factor = factor;
    return true;
  }

  void find() {
    const std::int64_t start = std::min(question_.start, most_);
    std::int64_t fails = most_ + 1;
    if (holds(start)) {
      fails = first_failure_above(start);
    } else {
      fails = start;
      last_at_fails_ = last_;
      if (!find_below(fails)) return;
    }
    halve(fails);
    if (fails <= most_) scan(fails);
  }

  /// Steps that double, from one that holds.
  std::int64_t first_failure_above(std::int64_t factor) {
    for (std::int64_t step = 1; factor < most_; step *= 2) {
      const std::int64_t next = std::min(factor + step, most_);
      if (!holds(next)) {
        last_at_fails_ = last_;
        return next;
      }
      factor = next;
    }
    return most_ + 1;
  }

  bool find_below(std::int64_t& fails) {
    for (std::int64_t step = 1; fails > 1; step *= 2) {
      const std::int64_t next = std::max<std::int64_t>(fails - step, 1);
      if (holds(next)) return true;
      last_at_fails_ = last_;
      fails = next;
    }
    return false;
  }

  void halve(std::int64_t& fails) {
    while (fails - *answer_.factor > 1) {
      const std::int64_t middle = *answer_.factor + (fails - *answer_.factor) / 2;
      if (!holds(middle)) {
        fails = middle;
        last_at_fails_ = last_;
      }
    }
  }

  /// From the factor next to the one that holds; it is known to fail.
  void scan(std::int64_t fails) {
    answer_.fails_to = fails;
    answer_.gave_up = last_at_fails_ == RateVerdict::gave_up;
    for (std::int64_t i = 0; i < question_.scanned && answer_.fails_to < most_; ++i) {
      const std::int64_t next = answer_.fails_to + 1;
      if (holds(next)) answer_.gave_up = false;
      answer_.gave_up = answer_.gave_up || last_ == RateVerdict::gave_up;
      answer_.fails_to = next;
    }
  }

  const RateQuestion& question_;
  const Watch& watch_;
  std::int64_t most_;  // above it nothing can hold
  RateVerdict last_ = RateVerdict::fails;
  RateVerdict last_at_fails_ = RateVerdict::fails;
  RateAnswer answer_;
};

/// Nothing where it becomes 0 or leaves 64 bits.
std::optional<Duration> divided(Duration duration, std::int64_t factor) {
  const Int128 result = static_cast<Int128>(duration.count()) * unchanged_rate / factor;
  if (result < 1 || result > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return Duration{static_cast<std::int64_t>(result)};
}

}  // namespace

RateAnswer search_rate(const RateQuestion& question, const Watch& watch) {
  return Search{question, watch}.run();
}

std::optional<System> at_rate(const System& system, std::int64_t factor, const RateScope& scope) {
  System faster = system;
  for (TaskIndex i = 0; i < faster.tasks.size(); ++i) {
    Task& task = faster.tasks[i];
    const bool is_meant =
        scope.tasks.empty() || std::find(scope.tasks.begin(), scope.tasks.end(), i) != scope.tasks.end();
    if (!repeats(task) || !is_meant) continue;
    task.period = divided(*task.period, factor);
    if (!scope.keeps_deadlines) task.deadline = divided(*task.deadline, factor);
    if (!task.period || !task.deadline) return std::nullopt;
  }
  return faster;
}

}  // namespace tactus::plan
