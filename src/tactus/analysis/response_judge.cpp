#include "tactus/analysis/response_judge.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tactus/base/text.hpp"

namespace tactus::analysis {

Blocking best_effort_blocking(const GpuServer& server) {
  Blocking blocking;
  for (const BestEffortBlock& block : server.best_effort_blocks) blocking.consider(block.length, block.task);
  return blocking;
}

std::vector<Blocking> less_urgent(const GpuServer& server, Duration GpuTask::*length) {
  std::vector<Blocking> blocking(server.tasks.size());
  Blocking longest = best_effort_blocking(server);
  for (std::size_t i = server.tasks.size(); i > 0; --i) {
    blocking[i - 1] = longest;
    longest.consider(server.tasks[i - 1].*length, server.tasks[i - 1].task);
  }
  return blocking;
}

Duration far_beyond(const GpuTask& task) {
  constexpr std::int64_t times = 1000;
  std::int64_t limit = 0;
  return __builtin_mul_overflow(task.deadline.count(), times, &limit) ? Duration::max() / 2 : Duration{limit};
}

void fails_response(const System& system, const GpuServer& server, const GpuTask& task,
                    const Interference& more_urgent, const ResponseTerms& terms, const SupplyBound& supply,
                    ServerResults& results) {
  if (results.fails_overloaded(server)) return;
  const std::string& name = system.tasks[task.task].name;
  Witness witness;
  witness.detail = {{"server", server.name},
                    {"task", name},
                    {"deadline_ns", task.deadline},
                    {"jitter_ns", task.jitter},
                    {"job", terms.job},
                    {"own_ns", terms.own},
                    {"blocks_in_the_way_ns", terms.blocks.of_own},
                    {"blocking_ns", terms.blocking.length},
                    {"blocker", name_or_nothing(system, terms.blocking.by)},
                    {"interval_ns", Duration{terms.length}}};
  witness.reason = "the response of '" + name + "' on " + server.name + " may pass its deadline of " +
                   to_text(task.deadline) + ": " + to_text(terms.own) + " of its own";
  if (terms.job > 0) witness.reason += " up to job " + std::to_string(terms.job) + " of a busy period";
  if (terms.blocks.of_own > Duration{}) {
    witness.reason += " + " + to_text(terms.blocks.of_own) + " of a less urgent block in its way";
  }
  if (terms.blocking.by) {
    const std::string& blocker = system.tasks[*terms.blocking.by].name;
    witness.reason +=
        " + " + to_text(terms.blocking.length - terms.blocks.of_blocker) + " blocking by '" + blocker + "'";
    if (terms.blocks.of_blocker > Duration{}) {
      witness.reason += " + " + to_text(terms.blocks.of_blocker) + " of a block in the way of that";
    }
  }
  Int128 interference = 0;
  std::vector<Detail> by_task;
  Int128 blocks = 0;  // in the way of more urgent jobs
  for (std::size_t i = 0; i < more_urgent.size(); ++i) {
    const std::int64_t jobs = more_urgent.jobs(i, terms.length, terms.end);
    const Int128 work = static_cast<Int128>(jobs) * more_urgent.cost(i);
    interference += work;
    if (i < terms.blocks.of_more_urgent.size()) {
      blocks += static_cast<Int128>(jobs) * terms.blocks.of_more_urgent[i].count();
    }
    by_task.push_back({{"task", system.tasks[server.tasks[i].task].name},
                       {"jobs", jobs},
                       {"work_ns", Duration{at_most_64_bits(work)}}});
  }
  witness.detail.push_back({"interference", std::move(by_task)});
  if (more_urgent.size() > 0) {
    witness.reason += " + " + to_text(Duration{at_most_64_bits(interference - blocks)}) +
                      " of more urgent tasks in " + to_text(Duration{terms.length});
  }
  if (blocks > 0) {
    witness.reason += " + " + to_text(Duration{at_most_64_bits(blocks)}) + " of blocks in the way of these";
  }
  if (server.engine) {
    const Int128 events = more_urgent.events_in(terms.length, terms.end);
    const Duration engine{at_most_64_bits(events + terms.below.count())};
    witness.detail.push_back({"engine_ns", engine});
    witness.reason += " + " + to_text(engine) + " of the engine for releases and for units under way";
  }
  if (task.jitter > Duration{}) witness.reason += " + " + to_text(task.jitter) + " until it is seen";
  if (supply.shape() != SupplyBound::Shape::always) {
    witness.detail.push_back({"supply_ns", supply.in(Duration{terms.length})});
    witness.reason += ", in windows";
  }
  if (terms.bound) {
    witness.detail.push_back({"bound_ns", *terms.bound});
    witness.reason += "; its bound is " + to_text(*terms.bound);
    results.may_be_late(task, *terms.bound);
  }
  results.fails(Verdict::unproven, std::move(witness));
}

namespace {

NonPreemptiveResponse gave_up(std::string limit) {
  return {NonPreemptiveResponse::Outcome::gave_up, {}, 0, 0, std::move(limit)};
}

}  // namespace

NonPreemptiveResponse NonPreemptiveTask::response(Duration limit, std::int64_t jobs_at_most) const {
  using Outcome = NonPreemptiveResponse::Outcome;
  NonPreemptiveResponse slowest = start_of(0, 0, limit);
  if (slowest.outcome != Outcome::found) return slowest;
  NonPreemptiveResponse count = count_jobs((Duration{slowest.length} + task.cost).count(), jobs_at_most);
  if (count.outcome != Outcome::found) return count;
  std::int64_t start = slowest.length;
  for (std::int64_t job = 1; job < count.job; ++job) {
    NonPreemptiveResponse next = start_of(job, start + task.cost.count(), limit);
    if (next.outcome != Outcome::found) return next;
    start = next.length;
    if (next.response > slowest.response) slowest = std::move(next);
  }
  return slowest;
}

/// w_k and the response that follows; `from` is no greater than w_k.
NonPreemptiveResponse NonPreemptiveTask::start_of(std::int64_t job, std::int64_t from, Duration limit) const {
  using Outcome = NonPreemptiveResponse::Outcome;
  const Int128 work = blocking.count() + static_cast<Int128>(job) * task.cost.count();
  const Int128 released = static_cast<Int128>(job) * task.period.count();
  // Started any later, the job ends too late.
  const Int128 latest = released + (limit - task.jitter - time_to_finish()).count();
  if (latest > std::numeric_limits<std::int64_t>::max()) {
    return gave_up("the times of its busy period do not fit 64 bits of nanoseconds");
  }
  NonPreemptiveResponse passes{Outcome::passes, {}, job, std::max<std::int64_t>(0, at_most_64_bits(latest))};
  if (latest < from) return passes;
  const FixedPoint point = work == 0 && more_urgent.is_empty()
                               ? FixedPoint{}
                               : more_urgent.min_length(work, End::closed, SupplyBound::always(),
                                                        static_cast<std::int64_t>(latest), from);
  if (point.outcome == FixedPoint::Outcome::passes) return passes;
  if (!point.found()) return gave_up("its fixed point was not found in a million rounds");
  const auto waited = Duration{static_cast<std::int64_t>(point.length - released)};
  return {Outcome::found, waited + time_to_finish() + task.jitter, job, point.length};
}

/// How many jobs the busy period has, as `job`; `from` is no greater than its length.
NonPreemptiveResponse NonPreemptiveTask::count_jobs(std::int64_t from, std::int64_t at_most) const {
  NonPreemptiveResponse count;
  std::int64_t longest_busy = std::numeric_limits<std::int64_t>::max();
  const bool cut = __builtin_mul_overflow(task.period.count(), at_most, &longest_busy);
  if (cut) longest_busy = std::numeric_limits<std::int64_t>::max();
  const FixedPoint busy =
      with_own.min_length(blocking.count(), End::open, SupplyBound::always(), longest_busy, from);
  if (busy.found()) {
    const Int128 seen = static_cast<Int128>(busy.length) + task.jitter.count();
    count.job = static_cast<std::int64_t>((seen + task.period.count() - 1) / task.period.count());
    if (count.job <= at_most) return count;
  }
  // H/T_i: enough jobs whatever the busy period.
  const std::optional<std::int64_t> hyperperiod = with_own.hyperperiod();
  count.job = hyperperiod ? *hyperperiod / task.period.count() : 0;
  if (hyperperiod && count.job <= at_most) return count;
  return gave_up(cut ? "the times of its busy period do not fit 64 bits of nanoseconds"
                     : "its busy period has more than a million jobs");
}

void judge_preemptive(const System& system, const GpuServer& server, const PreemptiveTerms& terms,
                      const SupplyBound& supply, ServerResults& results) {
  Interference more_urgent{server.tasks.size()};
  if (server.engine) add_events(more_urgent, server.engine->load, server.engine->earlier, End::open);
  for (std::size_t i = 0; i < server.tasks.size(); ++i) {
    const GpuTask& task = server.tasks[i];
    if (task.deadline <= task.jitter) {
      fails_late_release(system, server, task, results);
      return;
    }
    const Duration below = server.engine ? server.engine->below[i] : Duration{};
    const Int128 work =
        static_cast<Int128>(terms.blocking[i].length.count()) + terms.costs[i].count() + below.count();
    const FixedPoint response =
        more_urgent.min_length(work, End::open, supply, (task.deadline - task.jitter).count());
    if (response.outcome == FixedPoint::Outcome::gave_up) {
      gives_up_response(system, server, task, "its fixed point was not found in a million rounds", results);
      return;
    }
    if (!response.found()) {
      ResponseTerms failed;
      failed.blocking = terms.blocking[i];
      failed.own = terms.costs[i];
      failed.below = below;
      if (!terms.blocks_in_costs.empty()) {
        failed.blocks = {terms.blocks_in_costs[i], terms.blocks_in_blocking[i], terms.blocks_in_costs};
        failed.own -= failed.blocks.of_own;
      }
      const FixedPoint late =
          more_urgent.min_length(work, End::open, supply, (task.period - task.jitter).count());
      if (late.found()) failed.bound = Duration{late.length} + task.jitter;
      failed.length = late.found() ? late.length : (task.deadline - task.jitter).count();
      fails_response(system, server, task, more_urgent, failed, supply, results);
      return;
    }
    results.keeps_deadline(task, Duration{response.length} + task.jitter);
    more_urgent.add(terms.costs[i], task.period, task.jitter);
  }
}

void gives_up_response(const System& system, const GpuServer& server, const GpuTask& task,
                       const std::string& limit, ServerResults& results) {
  if (results.fails_overloaded(server)) return;
  const std::string& name = system.tasks[task.task].name;
  results.fails(Verdict::gave_up, {"'" + name + "' on " + server.name + ": " + limit,
                                   {{"server", server.name}, {"task", name}, {"limit", limit}}});
}

}  // namespace tactus::analysis
