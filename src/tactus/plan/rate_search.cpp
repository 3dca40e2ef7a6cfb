#include "tactus/plan/rate_search.hpp"

#include <algorithm>
#include <limits>

namespace tactus::plan {

namespace {

class Search {
 public:
  Search(const RateQuestion& question, const Watch& watch) : question_{question}, watch_{watch} {}

  RateAnswer run() {
    try {
      if (question_.most >= 1) find();
    } catch (const SearchStopped&) {
      answer_.stopped = true;
    }
    answer_.largest = answer_.factor && !answer_.stopped && !answer_.gave_up &&
                      std::max(*answer_.factor, answer_.fails_to) >= question_.most;
    return answer_;
  }

 private:
  bool holds(std::int64_t factor) {
    stop_if_asked(watch_);
    watch_.show(-1);
    last_ = question_.judge(factor);
    if (last_ != RateVerdict::holds) return false;
    if (!answer_.factor || factor > *answer_.factor) answer_.factor = factor;
    return true;
  }

  void find() {
    const std::int64_t start = std::min(question_.start, question_.most);
    std::int64_t fails = question_.most + 1;
    if (holds(start)) {
      fails = first_failure_above(start);
    } else {
      fails = start;
      last_at_fails_ = last_;
      if (!find_below(fails)) return;
    }
    halve(fails);
    if (fails <= question_.most) scan(fails);
  }

  /// Steps that double, from one that holds.
  std::int64_t first_failure_above(std::int64_t factor) {
    for (std::int64_t step = 1; factor < question_.most; step *= 2) {
      const std::int64_t next = std::min(factor + step, question_.most);
      if (!holds(next)) {
        last_at_fails_ = last_;
        return next;
      }
      factor = next;
    }
    return question_.most + 1;
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
    for (std::int64_t i = 0; i < question_.scanned && answer_.fails_to < question_.most; ++i) {
      const std::int64_t next = answer_.fails_to + 1;
      if (holds(next)) answer_.gave_up = false;
      answer_.gave_up = answer_.gave_up || last_ == RateVerdict::gave_up;
      answer_.fails_to = next;
    }
  }

  const RateQuestion& question_;
  const Watch& watch_;
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

std::optional<System> at_rate(const System& system, std::int64_t factor) {
  System faster = system;
  for (Task& task : faster.tasks) {
    if (!repeats(task)) continue;
    task.period = divided(*task.period, factor);
    task.deadline = divided(*task.deadline, factor);
    if (!task.period || !task.deadline) return std::nullopt;
  }
  return faster;
}

}  // namespace tactus::plan
