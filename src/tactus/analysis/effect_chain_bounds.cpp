// Claim: no input takes longer through the chain than `reaction`, no output has an input older than `age`, in
//   any schedule in which every job publishes at most `publication` after its nominal release.
// Source: the sum of periods and responses is Davare et al. 2007; following the jobs of a hyperperiod by
//   their latest instants is the forward and backward view of Duerr et al. 2019 and Guenzel et al. 2021.
// Model: periodic tasks with offsets; a sporadic task only at the start of a chain (reaction) or at its end
//   (age), elsewhere nothing bounds the wait for its next job. Jitter and overheads are part of
//   `publication`.
// Kind: sufficient; tight for LET.
// Soundness: docs/proofs/chains.md. Tested against simulated data flow (tests/sim/effect_chains_test.cpp).
#include "tactus/analysis/effect_chain_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

using Stages = std::span<const EffectStage>;

std::int64_t period_of(const EffectStage& stage) { return stage.period.count(); }
std::int64_t publication_of(const EffectStage& stage) { return stage.publication.count(); }
/// The offset as it counts here: the bounds are about all jobs, so the first release makes no difference.
std::int64_t phase_of(const EffectStage& stage) { return stage.offset.count() % stage.period.count(); }

std::int64_t modulo(std::int64_t a, std::int64_t b) { return a - floor_div(a, b) * b; }

/// Instants at which each of the stages repeats its releases, as jobs of one of them; nothing where too many
/// jobs would have to be followed.
std::optional<std::int64_t> jobs_to_follow(Stages stages, const EffectStage& counted, std::int64_t followed) {
  std::optional<std::int64_t> whole = 1;
  for (const EffectStage& stage : stages) {
    whole = checked_lcm(*whole, period_of(stage));
    if (!whole) return std::nullopt;
  }
  const std::int64_t jobs = *whole / period_of(counted);
  const auto length = static_cast<std::int64_t>(stages.size());
  return jobs > followed / length ? std::nullopt : std::optional{jobs};
}

/// The longest wait from a publication of one stage to the next release of its successor (or, backwards, from
/// the latest publication before a release to that release): releases of both meet in steps of the greatest
/// common divisor of their periods.
std::int64_t longest_wait(const EffectStage& from, const EffectStage& to, std::int64_t period) {
  const std::int64_t step = std::gcd(period_of(from), period_of(to));
  const std::int64_t distance = modulo(phase_of(to) - phase_of(from), step);
  return period - step + modulo(distance - publication_of(from) % step, step);
}

struct Length {
  std::int64_t length = 0;
  bool tight = true;
};

/// From a release of the first stage to the publication of what its job read, all periodic.
Length forward(Stages stages, std::int64_t followed) {
  const std::optional<std::int64_t> jobs = jobs_to_follow(stages, stages.front(), followed);
  if (!jobs) {
    std::int64_t sum = publication_of(stages.front());
    for (std::size_t i = 1; i < stages.size(); ++i) {
      const std::int64_t wait = longest_wait(stages[i - 1], stages[i], period_of(stages[i]));
      sum = checked_add(sum, checked_add(wait, publication_of(stages[i])));
    }
    return {sum, stages.size() <= 2};
  }
  std::int64_t longest = 0;
  for (std::int64_t job = 0; job < *jobs; ++job) {
    const std::int64_t release = phase_of(stages.front()) + job * period_of(stages.front());
    std::int64_t now = checked_add(release, publication_of(stages.front()));
    for (const EffectStage& stage : stages.subspan(1)) {
      const std::int64_t next = ceil_div(now - phase_of(stage), period_of(stage));
      const std::int64_t next_release = checked_add(phase_of(stage), checked_mul(next, period_of(stage)));
      now = checked_add(next_release, publication_of(stage));
    }
    longest = std::max(longest, now - release);
  }
  return {longest, true};
}

/// From the release of the job whose input is behind an output to that output, all periodic.
Length backward(Stages stages, std::int64_t followed) {
  const std::optional<std::int64_t> jobs = jobs_to_follow(stages, stages.back(), followed);
  if (!jobs) {
    std::int64_t sum = publication_of(stages.back());
    for (std::size_t i = 1; i < stages.size(); ++i) {
      const std::int64_t wait = longest_wait(stages[i - 1], stages[i], period_of(stages[i - 1]));
      sum = checked_add(sum, checked_add(wait, publication_of(stages[i - 1])));
    }
    return {sum, stages.size() <= 2};
  }
  std::int64_t longest = 0;
  for (std::int64_t job = 0; job < *jobs; ++job) {
    const std::int64_t output =
        checked_add(phase_of(stages.back()) + job * period_of(stages.back()), publication_of(stages.back()));
    std::int64_t release = output - publication_of(stages.back());
    for (std::size_t i = stages.size() - 1; i > 0; --i) {
      const EffectStage& stage = stages[i - 1];
      const std::int64_t latest = checked_add(release, -publication_of(stage));
      const std::int64_t number = floor_div(checked_add(latest, -phase_of(stage)), period_of(stage));
      release = checked_add(phase_of(stage), checked_mul(number, period_of(stage)));
    }
    longest = std::max(longest, checked_add(output, -release));
  }
  return {longest, true};
}

EffectBound bound_of(Length length) {
  return {.bound = Duration{length.length}, .why_none = {}, .unbounded = false, .tight = length.tight};
}

EffectBound none(std::string why, bool unbounded) {
  return {.bound = {}, .why_none = std::move(why), .unbounded = unbounded, .tight = false};
}

const EffectStage* find_sporadic(Stages stages) {
  const auto found = std::ranges::find_if(stages, &EffectStage::sporadic);
  return found == stages.end() ? nullptr : &*found;
}

/// The latest value, and LET.
EffectBound reaction_by_value(Stages stages, std::int64_t followed) {
  if (const EffectStage* sporadic = find_sporadic(stages.subspan(1))) {
    return none(
        fmt::format("the reaction has no bound: '{}' is sporadic, and nothing says how long data waits "
                    "for its next job",
                    sporadic->name),
        true);
  }
  const EffectStage& first = stages.front();
  if (!first.sporadic) {
    const Length latency = forward(stages, followed);
    return bound_of({checked_add(latency.length, period_of(first)), latency.tight});
  }
  if (stages.size() == 1) return bound_of({publication_of(first), true});
  // Its value may be published at any instant, just too late for a release of the second.
  const Length latency = forward(stages.subspan(1), followed);
  const std::int64_t wait = checked_add(publication_of(first), period_of(stages[1]) - 1);
  return bound_of({checked_add(latency.length, wait), latency.tight});
}

EffectBound age_by_value(Stages stages, std::int64_t followed) {
  const Stages producers = stages.first(stages.size() - 1);
  if (const EffectStage* sporadic = find_sporadic(producers)) {
    return none(
        fmt::format("the age has no bound: '{}' is sporadic, and nothing says how old its latest value "
                    "becomes before its next job",
                    sporadic->name),
        true);
  }
  const EffectStage& last = stages.back();
  if (!last.sporadic) return bound_of(backward(stages, followed));
  if (producers.empty()) return bound_of({publication_of(last), true});
  // It may start at any instant, just before a value is published.
  const Length age = backward(producers, followed);
  const std::int64_t wait = checked_add(publication_of(last), period_of(producers.back()) - 1);
  return bound_of({checked_add(age.length, wait), age.tight});
}

/// Every value of the first stage through all queues, by the latest instants: value k is taken by the first
/// job that is released when it is surely there, or the next after the one that takes value k - 1. Follows
/// the values until the pattern repeats; nothing where that takes too long.
std::optional<std::int64_t> follow_queues(Stages stages, std::int64_t followed) {
  const EffectStage& first = stages.front();
  const std::optional<std::int64_t> cycle = jobs_to_follow(stages, first, followed);
  if (!cycle) return std::nullopt;
  std::vector<std::int64_t> taker(stages.size(), -1);  // of the last value, by stage
  std::vector<std::int64_t> lead(stages.size(), 0);    // when it takes the value, after the value's release
  std::vector<std::int64_t> lead_before;
  std::int64_t longest = 0;
  bool waited_for_first = false;  // in this cycle a value waited for the first job of a stage
  const std::int64_t values = followed / static_cast<std::int64_t>(stages.size());
  for (std::int64_t value = 0; value < values; ++value) {
    const std::int64_t release = checked_add(first.offset.count(), checked_mul(value, period_of(first)));
    std::int64_t now = checked_add(release, publication_of(first));
    for (std::size_t i = 1; i < stages.size(); ++i) {
      const EffectStage& stage = stages[i];
      const std::int64_t offset = stage.offset.count();
      waited_for_first = waited_for_first || now < offset;
      const std::int64_t next = std::max<std::int64_t>(0, ceil_div(now - offset, period_of(stage)));
      taker[i] = std::max(next, taker[i] + 1);
      const std::int64_t taken = checked_add(offset, checked_mul(taker[i], period_of(stage)));
      lead[i] = taken - release;
      now = checked_add(taken, publication_of(stage));
    }
    longest = std::max(longest, now - release);
    if ((value + 1) % *cycle != 0) continue;
    if (lead == lead_before && !waited_for_first) return longest;
    lead_before = lead;
    waited_for_first = false;
  }
  return std::nullopt;
}

/// The same for values that come at least a period apart, from above.
std::optional<std::int64_t> sum_of_queues(Stages stages) {
  std::int64_t earliest = checked_add(stages.front().offset.count(), publication_of(stages.front()));
  std::int64_t separation = period_of(stages.front());
  std::int64_t sum = publication_of(stages.front());
  for (const EffectStage& stage : stages.subspan(1)) {
    const std::int64_t period = period_of(stage);
    if (period > separation) return std::nullopt;
    const std::int64_t before = stage.offset.count() - earliest;  // values may gather before its first job
    const std::int64_t wait = std::max(period - 1, before);
    sum = checked_add(sum, checked_add(wait, publication_of(stage)));
    separation = before > 0 ? period : separation / period * period;
    earliest = checked_add(std::max(earliest, stage.offset.count()), publication_of(stage));
  }
  return sum;
}

/// Why values may wait for ever, or the bound of none of them is known; empty where they pass one by one.
EffectBound find_obstacle(Stages stages) {
  const EffectStage& first = stages.front();
  if (const EffectStage* sporadic = find_sporadic(stages.subspan(1))) {
    return none(
        fmt::format("there is no bound: '{}' is sporadic, and nothing says how long a value waits in the "
                    "queue for its next job",
                    sporadic->name),
        true);
  }
  const auto slow = std::ranges::find_if(
      stages.subspan(1), [&](const EffectStage& stage) { return stage.period > first.period; });
  if (slow != stages.subspan(1).end()) {
    return none(
        fmt::format("the rates do not fit: '{}' sends a value every {}, '{}' takes one only every {}, "
                    "so a queue grows without end; let '{}' be as fast, or let the chain pass the "
                    "latest value (register)",
                    first.name, to_text(first.period), slow->name, to_text(slow->period), slow->name),
        !first.sporadic);
  }
  const auto late =
      std::ranges::find_if(stages, [](const EffectStage& stage) { return stage.publication > stage.period; });
  if (late == stages.end()) return {};
  return none(
      fmt::format("jobs of '{}' may overlap (response {}, period {}), and values overtake each other; "
                  "queues need responses within periods",
                  late->name, to_text(late->publication), to_text(late->period)),
      false);
}

EffectBounds bounds_by_queue(Stages stages, std::int64_t followed) {
  if (const EffectBound obstacle = find_obstacle(stages); !obstacle.why_none.empty())
    return {obstacle, obstacle};
  const EffectStage& first = stages.front();
  std::optional<std::int64_t> latency;
  if (!first.sporadic) latency = follow_queues(stages, followed);
  if (!latency) latency = sum_of_queues(stages);
  if (!latency) {
    const EffectBound unknown =
        none("values come unevenly, and no bound on how many gather in the queues is known", false);
    return {unknown, unknown};
  }
  const std::int64_t sampling = first.sporadic ? 0 : period_of(first);
  return {bound_of({checked_add(*latency, sampling), false}), bound_of({*latency, false})};
}

}  // namespace

EffectBounds effect_bounds(std::span<const EffectStage> stages, Communication communication,
                           std::int64_t followed) {
  if (communication == Communication::queue) return bounds_by_queue(stages, followed);
  return {reaction_by_value(stages, followed), age_by_value(stages, followed)};
}

}  // namespace tactus::analysis
