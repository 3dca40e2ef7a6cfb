#include "support/chain_engine_bounds.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "tactus/analysis/registry.hpp"

namespace tactus::test {

namespace {

using Number = std::int64_t;
using Bound = std::optional<Number>;
using Function = std::function<Number(Number)>;

constexpr Number endless = std::numeric_limits<Number>::max() / 16;

struct Operation {
  ServerKind server = ServerKind::cpu;
  Number best = 0;
  Number worst = 0;       // with overheads
  Number submission = 0;  // e_s
};

struct Chain {
  TaskIndex index = 0;
  bool best_effort = false;
  std::int32_t core = 0;
  Number deadline = 0;
  Number period = 0;
  Number jitter = 0;
  std::vector<Operation> operations{};
};

Operation operation_of(const System& system, TaskIndex task, std::size_t segment) {
  const Overheads& overheads = system.platform.overheads;
  const ServerKind server = server_of(system.tasks[task].work.nodes[segment].segment);
  const Interval time = whole_time(system, task, segment);
  Duration more = overheads.launch + overheads.completion;
  if (server == ServerKind::cpu) more = overheads.cpu;
  if (server == ServerKind::copy) more = overheads.copy;
  return {server, in_ns(time.best), in_ns(time.worst + more), in_ns(submission_time(system, task, server))};
}

std::vector<Chain> chains_of(const System& system) {
  std::vector<Chain> chains;
  for (const TaskIndex index : urgency_order(system)) {
    const Task& task = system.tasks[index];
    Chain chain{.index = index, .best_effort = task.arrival == Arrival::best_effort, .core = task.core};
    if (!chain.best_effort) {
      chain.deadline = in_ns(*task.deadline);
      chain.period = in_ns(*task.period);
      chain.jitter = in_ns(task.jitter + system.platform.overheads.release);
    }
    for (std::size_t segment = 0; segment < task.work.nodes.size(); ++segment) {
      const Segment& given = task.work.nodes[segment].segment;
      if (server_of(given) != ServerKind::gpu && drawn_time(given).worst == Duration{}) continue;
      chain.operations.push_back(operation_of(system, index, segment));
    }
    chains.push_back(std::move(chain));
  }
  return chains;
}

/// E, gaps and wraps.
struct Pattern {
  std::vector<Number> work;
  std::vector<Number> gaps;
  Number first_wrap = 0;
  Number later_wrap = 0;
};

Number work_from(const Pattern& pattern, std::size_t start, Number length) {
  Number now = 0;
  Number done = 0;
  bool wrapped = false;
  for (std::size_t i = start; now < length;) {
    done += std::min(pattern.work[i], length - now);
    now += pattern.work[i];
    if (i + 1 < pattern.work.size()) {
      now += pattern.gaps[i++];
    } else {
      now += std::exchange(wrapped, true) ? pattern.later_wrap : pattern.first_wrap;
      i = 0;
    }
  }
  return done;
}

Number max_work(const Pattern& pattern, Number length) {
  Number most = 0;
  for (std::size_t start = 0; start < pattern.work.size(); ++start) {
    if (pattern.work[start] > 0) most = std::max(most, work_from(pattern, start, length));
  }
  return most;
}

/// Pieces of work with gaps ahead of each; the last gap is behind all.
Pattern pattern_of(std::vector<Number> work, std::vector<Number> gaps, Number period, Number response) {
  Pattern pattern{.work = std::move(work), .gaps = {gaps.begin() + 1, gaps.end() - 1}};
  Number sum = 0;
  for (const Number piece : pattern.work) sum += piece;
  for (const Number gap : pattern.gaps) sum += gap;
  pattern.first_wrap = std::max<Number>(0, period - response) + gaps.front() + gaps.back();
  pattern.later_wrap = std::max<Number>(0, period - sum);
  pattern.first_wrap = std::min(pattern.first_wrap, pattern.later_wrap);
  return pattern;
}

/// Work on one server; `more` is added to each piece.
Pattern on_server(const Chain& chain, ServerKind server, Number more, Number response) {
  std::vector<Number> work;
  std::vector<Number> gaps{0};
  for (const Operation& operation : chain.operations) {
    if (operation.server == server) {
      work.push_back(operation.worst + more);
      gaps.push_back(0);
    } else {
      gaps.back() += operation.best;
    }
  }
  return work.empty() ? Pattern{} : pattern_of(std::move(work), std::move(gaps), chain.period, response);
}

/// Least r >= f(r).
Bound least(Number limit, const Function& f) {
  for (Number r = 0; r <= limit;) {
    const Number next = f(r);
    if (next <= r) return r;
    r = next;
  }
  return std::nullopt;
}

class Twin {
 public:
  Twin(const System& system, const EngineMistake& mistake, bool in_time)
      : chains_{chains_of(system)},
        mistake_{mistake},
        in_time_{in_time},
        event_{in_ns(system.platform.overheads.engine.event)},
        bounds_(system.tasks.size()) {}

  /// Whether all tasks are in time.
  bool run() {
    for (std::size_t k = 0; k < chains_.size(); ++k) {
      const Chain& chain = chains_[k];
      if (chain.best_effort) continue;
      if (chain.jitter > chain.deadline) return false;
      const Bound response = response_of(k);
      if (response && *response <= chain.period - chain.jitter) {
        bounds_[chain.index] = Duration{*response + chain.jitter};
      }
      if (!response || *response > chain.deadline - chain.jitter) return false;
      x_.push_back(*response + chain.jitter);
    }
    return true;
  }

  [[nodiscard]] const std::vector<std::optional<Duration>>& bounds() const { return bounds_; }

 private:
  [[nodiscard]] std::vector<const Chain*> below(std::size_t k) const {
    std::vector<const Chain*> result;
    for (std::size_t i = k + 1; i < chains_.size(); ++i) {
      if (chains_[i].best_effort && mistake_.best_effort_forgotten) continue;
      result.push_back(&chains_[i]);
    }
    return result;
  }

  [[nodiscard]] Number longest_below(std::size_t k) const {
    Number longest = 0;
    if (mistake_.no_submission_below) return 0;
    for (const Chain* chain : below(k)) {
      for (const Operation& one : chain->operations) longest = std::max(longest, one.submission);
    }
    return longest;
  }

  [[nodiscard]] Number blocking_copy(std::size_t k, Number behind) const {
    Number longest = 0;
    for (std::size_t i = k + 1; i < chains_.size(); ++i) {
      for (const Operation& one : chains_[i].operations) {
        if (one.server != ServerKind::copy) continue;
        const Number submission = mistake_.no_submission_of_blocker ? 0 : one.submission;
        longest = std::max(longest, one.worst + submission + behind);
      }
    }
    return longest;
  }

  /// All that the engine does for a task, with submissions or without.
  [[nodiscard]] Pattern engine_of(const Chain& chain, bool submits, Number response) const {
    std::vector<Number> work;
    std::vector<Number> gaps{0};
    for (const Operation& one : chain.operations) {
      work.push_back(event_ + (submits ? one.submission : 0));
      gaps.push_back(submits && mistake_.worst_in_gaps_above ? one.worst : one.best);
    }
    work.push_back(event_);
    gaps.push_back(0);
    Pattern pattern = pattern_of(std::move(work), std::move(gaps), chain.period, response);
    if (submits && mistake_.no_carry_in_above) pattern.first_wrap = pattern.later_wrap;
    return pattern;
  }

  [[nodiscard]] Number above(std::size_t k, Number length) const {
    if (mistake_.nothing_above) return 0;
    Number sum = 0;
    for (std::size_t i = 0; i < k; ++i) {
      sum += max_work(engine_of(chains_[i], true, x_[i]), length + (mistake_.open_end ? 0 : 1));
    }
    return sum;
  }

  [[nodiscard]] Number releases(const Chain& chain, Number length) const {
    return chain.best_effort ? 0 : (length + chain.jitter) / chain.period + 1;
  }

  /// Releases of less urgent tasks, and one end of each.
  [[nodiscard]] Number few_events_below(std::size_t k, Number length) const {
    if (mistake_.no_events_below) return 0;
    Number sum = 0;
    for (const Chain* chain : below(k)) sum += event_ * (releases(*chain, length) + 1);
    return sum;
  }

  [[nodiscard]] Number all_events_below(std::size_t k, Number length) const {
    if (mistake_.no_events_below || event_ == 0) return 0;
    Number sum = 0;
    for (const Chain* chain : below(k)) {
      if (in_time_ && !chain->best_effort) {
        sum += max_work(engine_of(*chain, false, chain->deadline), length + 1);
        continue;
      }
      Number apart = endless;
      for (const Operation& one : chain->operations) apart = std::min(apart, one.best);
      if (apart == 0) return endless;
      sum += event_ * (releases(*chain, length) + 1 + length / apart);
    }
    return sum;
  }

  [[nodiscard]] Bound response_of(std::size_t k) const {
    const Chain& own = chains_[k];
    const Number limit = own.deadline - own.jitter;
    const Number submission = longest_below(k);
    const Number behind = mistake_.none_behind_copies ? 0 : submission;
    const Number event = mistake_.own_events_free ? 0 : event_;
    const Number blocking = blocking_copy(k, behind);
    const auto on_core = [&](Number length) {
      Number sum = 0;
      for (std::size_t i = 0; i < k; ++i) {
        if (chains_[i].core == own.core)
          sum += max_work(on_server(chains_[i], ServerKind::cpu, 0, x_[i]), length);
      }
      return sum;
    };
    bool other_copies = blocking > 0;
    const auto copies = [&](Number length) {
      Number sum = 0;
      for (std::size_t i = 0; i < k; ++i) {
        sum += max_work(on_server(chains_[i], ServerKind::copy, behind, x_[i]), length + 1);
      }
      return sum;
    };
    for (std::size_t i = 0; i < k; ++i) {
      other_copies = other_copies || !on_server(chains_[i], ServerKind::copy, 0, x_[i]).work.empty();
    }
    const Number each = submission + event;
    const auto usual = [&](Number s) { return above(k, s) + few_events_below(k, s); };
    const auto meanwhile = [&](Number s) { return above(k, s) + all_events_below(k, s) + copies(s); };
    const Bound first = least(limit, [&](Number s) { return each + usual(s); });
    const Bound later =
        mistake_.one_submission_below ? least(limit, [&](Number s) { return event + usual(s); }) : first;
    Bound copy = later;
    if (other_copies) copy = least(limit, [&](Number s) { return each + blocking + meanwhile(s); });
    Number known = 0;
    Number cpu = 0;
    Number requests = 0;
    Bound each_cpu = 0;
    for (const Operation& one : own.operations) {
      if (!mistake_.own_submissions_free) known += one.submission;
      if (one.server == ServerKind::cpu) {
        cpu += one.worst;
        const Bound response = least(limit, [&](Number r) { return one.worst + on_core(r); });
        each_cpu = each_cpu && response ? Bound{*each_cpu + *response} : std::nullopt;
        continue;
      }
      known += one.worst;
      if (one.server == ServerKind::copy) ++requests;
    }
    const auto events = static_cast<Number>(own.operations.size()) + (mistake_.end_known_at_once ? 0 : 1);
    Bound best;
    const auto consider = [&](const Bound& length) {
      if (length && event_ > 0 && *length >= own.period - own.jitter) return;
      if (length && (!best || *length < *best)) best = length;
    };
    if (first && later && (copy || requests == 0)) {
      const Number waits = known + *first + *later * (events - requests - 1) + copy.value_or(0) * requests;
      if (each_cpu) consider(waits + *each_cpu);
      consider(least(limit, [&](Number r) { return waits + cpu + on_core(r); }));
    }
    const Number submissions = mistake_.one_submission_below ? submission : submission * events;
    const Number whole = known + submissions + event * events + blocking * requests;
    const auto whole_job = [&](Number r) { return meanwhile(r) - (requests == 0 ? copies(r) : 0); };
    if (each_cpu) consider(least(limit, [&](Number r) { return whole + *each_cpu + whole_job(r); }));
    consider(least(limit, [&](Number r) { return whole + cpu + on_core(r) + whole_job(r); }));
    return best;
  }

  std::vector<Chain> chains_;
  EngineMistake mistake_;
  bool in_time_;
  Number event_;
  std::vector<Number> x_;
  std::vector<std::optional<Duration>> bounds_;
};

}  // namespace

std::vector<std::optional<Duration>> chain_engine_bounds(const System& system, const EngineMistake& mistake) {
  Twin twin{system, mistake, true};
  if (twin.run()) return twin.bounds();
  Twin robust{system, mistake, false};
  robust.run();
  return robust.bounds();
}

analysis::Analysis mistaken_engine(const EngineMistake& mistake) {
  analysis::Analysis mutant = *analysis::find("rtgpu");
  mutant.run = [mistake, run = mutant.run](const System& system) {
    analysis::Result result = run(system);
    if (!result.applies()) return result;
    const std::vector<std::optional<Duration>> bounds = chain_engine_bounds(system, mistake);
    result.verdict = analysis::Verdict::schedulable;
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      const Task& task = system.tasks[i];
      result.tasks[i].bound = bounds[i];
      const bool in_time =
          task.arrival == Arrival::best_effort || (bounds[i] && *bounds[i] <= *task.deadline);
      if (!in_time) result.verdict = analysis::Verdict::unproven;
    }
    return result;
  };
  return mutant;
}

}  // namespace tactus::test
