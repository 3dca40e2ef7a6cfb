#include "tactus/analysis/converted_tasks.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tactus/analysis/demand.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

/// A common denominator under which all costs fit 64 bits; nothing when there is none.
std::optional<std::int64_t> common_scale(std::span<const ConvertedTask> tasks) {
  std::optional<std::int64_t> scale = 1;
  for (const ConvertedTask& task : tasks) {
    if (scale) scale = checked_lcm(*scale, task.parts / std::gcd(task.parts, in_ns(task.cost)));
  }
  if (!scale) return std::nullopt;
  for (const ConvertedTask& task : tasks) {
    std::int64_t scaled = 0;
    if (__builtin_mul_overflow(in_ns(task.cost), *scale, &scaled)) return std::nullopt;
  }
  return scale;
}

/// Of `scale` parts of a nanosecond, rounded up.
std::int64_t scaled_cost(const ConvertedTask& task, std::int64_t scale) {
  return ceil_div(checked_mul(in_ns(task.cost), scale), task.parts);
}

/// Nanoseconds with their fraction, as "7/2ns" or with a unit.
std::string parts_text(std::int64_t value, std::int64_t scale) {
  if (value % scale == 0) return to_text(Duration{value / scale});
  return to_string(Rational{value, scale}) + "ns";
}

std::vector<Detail> details_of(const System& system, std::span<const ConvertedTask> tasks) {
  std::vector<Detail> list;
  for (const ConvertedTask& task : tasks) {
    list.push_back({{"task", system.tasks[task.task].name},
                    {"cost_ns", task.cost},
                    {"parts", task.parts},
                    {"deadline_ns", task.deadline},
                    {"period_ns", task.period}});
  }
  return list;
}

Witness interval_witness(const GpuServer& server, const DemandWitness& found, std::int64_t scale) {
  Witness witness;
  const std::string needed = parts_text(at_most_64_bits(found.demand + found.blocking), scale);
  witness.reason = "in an interval of " + to_text(found.interval) + " the converted tasks of " + server.name +
                   " may need " + needed;
  if (found.blocking > 0) witness.reason += ", blocking included";
  witness.detail = {{"server", server.name},
                    {"interval_ns", found.interval},
                    {"demand", at_most_64_bits(found.demand)},
                    {"blocking", found.blocking},
                    {"parts_of_a_nanosecond", scale}};
  return witness;
}

std::optional<std::vector<ConvertedTask>> convert_all(const GpuServer& server, const Convert& convert) {
  std::vector<ConvertedTask> converted;
  for (const GpuTask& task : server.tasks) {
    if (!server.supply) {
      converted.push_back({task.task, task.cost, 1, task.deadline, task.period});
    } else if (!convert(task, *server.supply, converted)) {
      return std::nullopt;
    }
  }
  return converted;
}

}  // namespace

void judge_converted(const System& system, const GpuServer& server, const Convert& convert,
                     ServerResults& results) {
  const std::optional<std::vector<ConvertedTask>> converted = convert_all(server, convert);
  if (!converted) return;
  const std::vector<ConvertedTask>& tasks = *converted;
  constexpr std::int64_t fine = std::int64_t{1} << 20;
  DemandOptions options;
  options.scale = common_scale(tasks).value_or(fine);
  std::vector<DemandTask> demands;
  demands.reserve(tasks.size());
  for (const ConvertedTask& task : tasks) {
    demands.push_back({scaled_cost(task, options.scale), task.deadline, task.period});
  }
  std::vector<Blocker> blockers;
  for (const BestEffortBlock& block : server.best_effort_blocks) {
    blockers.push_back({checked_mul(in_ns(block.length), options.scale), Blocker::no_deadline, block.task});
  }
  const DemandAnswer answer = test_demand(demands, blockers, SupplyBound::always(), options);
  if (answer.holds()) {
    results.keep_deadlines(server);
    return;
  }
  Witness witness;
  Verdict verdict = Verdict::unproven;
  if (answer.outcome == DemandAnswer::Outcome::fails) {
    witness = interval_witness(server, answer.witness, options.scale);
  } else if (answer.outcome == DemandAnswer::Outcome::overloaded) {
    witness.reason = "the converted tasks of " + server.name + " need more than a whole processor";
    witness.detail.push_back({"server", server.name});
  } else {
    verdict = Verdict::gave_up;
    witness.reason = server.name + ": " + answer.limit;
    witness.detail = {{"server", server.name}, {"limit", answer.limit}};
  }
  witness.detail.push_back({"converted", details_of(system, tasks)});
  results.fails(verdict, std::move(witness));
}

ConvertedTask to_harmonic(const GpuTask& task, const Supply& supply) {
  const Duration closes = supply.offset + supply.budget;
  if (task.period <= supply.period) {
    const Duration tail = supply.period - closes;  // from the end of the window to the end of the period
    return {task.task, task.cost, 1, std::min(task.deadline, task.period - tail) - supply.offset,
            task.period};
  }
  if (task.deadline < closes) return {task.task, task.cost, 1, task.deadline - supply.offset, task.period};
  const std::int64_t windows = (task.deadline - closes) / supply.period + 1;
  return {task.task, task.cost, windows, supply.budget, supply.period};
}

std::string find_unharmonic(const System& system, std::span<const GpuServer> servers) {
  for (const GpuServer& server : servers) {
    if (!server.supply) continue;
    for (const GpuTask& task : server.tasks) {
      const Duration period = server.supply->period;
      if (task.period % period == Duration{} || period % task.period == Duration{}) continue;
      return "needs periods that divide the reservation period or are multiples of it: task '" +
             system.tasks[task.task].name + "' has " + to_text(task.period) + ", the reservation " +
             to_text(period);
    }
  }
  return {};
}

}  // namespace tactus::analysis
