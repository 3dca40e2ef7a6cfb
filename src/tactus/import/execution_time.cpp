#include "tactus/import/execution_time.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/utf8.hpp"
#include "tactus/import/quantity.hpp"

namespace tactus::import {

namespace {

constexpr std::int64_t usual_line_size = 64;
constexpr std::int64_t ns_per_second = 1'000'000'000;

Span scaled(const Span& span, const Rational& factor) {
  return {span.best * factor, span.average * factor, span.worst * factor};
}

Span all(const Rational& time) { return {time, time, time}; }

/// One of several ways: as short as the shortest, as long as the longest.
Span one_of(const std::vector<Span>& ways, const std::vector<Rational>& probabilities) {
  if (ways.empty()) return {};
  Span result = ways.front();
  Rational weights;
  Rational sum;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    result = envelope(result, ways[i]);
    const Rational weight = probabilities.empty() ? Rational{1} : probabilities[i];
    weights = weights + weight;
    sum = sum + weight * ways[i].average;
  }
  result.average = weights > Rational{} ? sum / weights : result.worst;
  return result;
}

}  // namespace

Span envelope(const Span& a, const Span& b) {
  return {std::min(a.best, b.best), std::max(a.average, b.average), std::max(a.worst, b.worst)};
}

ExecutionTime TimeTable::time_of(const Step& step, const ProcessingUnit& unit) {
  return time_at({&step, 1}, unit);
}

ExecutionTime TimeTable::time_of(const Runnable& runnable, const ProcessingUnit& unit) {
  const std::pair key{&runnable, &unit};
  auto known = known_.find(key);
  if (known == known_.end()) known = known_.emplace(key, time_at(runnable.activity, unit)).first;
  return known->second;
}

Span TimeTable::ticks_time(const Step& step, const ProcessingUnit& unit) {
  const Distribution* found = nullptr;
  for (const auto& [definition, distribution] : step.ticks.by_definition) {
    if (definition == unit.definition && definition != nullptr) found = &distribution;
    if (definition == nullptr && found == nullptr) found = &distribution;
  }
  if (step.ticks.by_definition.empty()) return {};
  if (found == nullptr) {
    notes_->refuse(*step.element, ProblemId::incomplete_model,
                   fmt::format("there are no ticks for {}, on which {} ({}) is to run this, and no default",
                               in_backticks(unit.definition_name), in_backticks(unit.name),
                               unit.kind == UnitKind::gpu ? "a GPU" : "a core"),
                   "add ticks for it, or allocate the task to another processing unit");
    return {};
  }
  Rational per_tick = Rational{ns_per_second} / unit.hertz;
  if (step.ticks.are_instructions) per_tick = per_tick / unit.instructions_per_cycle.value_or(Rational{1});
  return scaled(bounded(*found, *step.element, true), per_tick);
}

/// Best, average and worst case of ticks or of a latency.
Span TimeTable::bounded(const Distribution& found, const Element& where, bool are_ticks) {
  Distribution cycles = found;
  if (options_->deviations) cycles = with_bounds(cycles, *options_->deviations);
  if (!cycles.worst) {
    notes_->refuse(where, ProblemId::incomplete_model,
                   fmt::format("{} no upper bound, so there is no worst case",
                               are_ticks ? "these ticks have" : "this latency has"),
                   "give the distribution bounds, or say how many standard deviations above the mean count "
                   "as the worst case: --deviations 3");
    return {};
  }
  const Rational best = std::max(Rational{}, cycles.best.value_or(Rational{}));
  if (best > *cycles.worst) {
    notes_->refuse(where, ProblemId::best_above_worst,
                   fmt::format("the lower bound of {} is above the upper bound",
                               are_ticks ? "these ticks" : "this latency"),
                   "swap them");
    return {};
  }
  return {best, cycles.average.value_or(*cycles.worst), *cycles.worst};
}

ExecutionTime TimeTable::call_time(const Step& step, const ProcessingUnit& unit) {
  const Runnable* runnable = model_->software.called_in(step);
  if (runnable == nullptr) return {};
  ExecutionTime time = time_of(*runnable, unit);
  if (step.every > 1) {
    // It may be this time, or not.
    const Rational share{1, step.every};
    time.ticks = {Rational{}, time.ticks.average * share, time.ticks.worst};
    time.accesses = {Rational{}, time.accesses.average * share, time.accesses.worst};
  }
  return time;
}

ExecutionTime TimeTable::choice_time(const Step& step, const ProcessingUnit& unit) {
  std::vector<Span> ticks;
  std::vector<Span> accesses;
  for (const Activity& way : step.ways) {
    const ExecutionTime time = time_at(way, unit);
    ticks.push_back(time.ticks);
    accesses.push_back(time.accesses);
  }
  if (step.kind == StepKind::choice) {
    return {one_of(ticks, step.probabilities), one_of(accesses, step.probabilities)};
  }
  const std::optional<Often> runs = runs_of(step, options_->loops);
  if (!runs) {
    notes_->refuse(*step.element, ProblemId::incomplete_model, "how often this loop is run is not known",
                   "say how often at most: --loops 10");
    return {};
  }
  const auto repeated = [&runs](const std::vector<Span>& body) {
    const Span once = body.empty() ? Span{} : body.front();
    return Span{once.best * Rational{runs->least}, once.average * runs->average,
                once.worst * Rational{runs->most}};
  };
  return {repeated(ticks), repeated(accesses)};
}

ExecutionTime TimeTable::time_at(Steps steps, const ProcessingUnit& unit) {
  ExecutionTime time;
  Amounts amounts;
  for (const Step& step : steps) {
    if (step.kind == StepKind::ticks) {
      time.ticks = time.ticks + ticks_time(step, unit);
    } else if (step.kind == StepKind::call) {
      const ExecutionTime called = call_time(step, unit);
      time.ticks = time.ticks + called.ticks;
      time.accesses = time.accesses + called.accesses;
    } else if (step.kind == StepKind::choice || step.kind == StepKind::loop) {
      const ExecutionTime chosen = choice_time(step, unit);
      time.ticks = time.ticks + chosen.ticks;
      time.accesses = time.accesses + chosen.accesses;
    }
  }
  if (options_->access == AccessTime::latency || options_->access == AccessTime::rate) {
    for (const Step& step : steps) {
      if (step.kind == StepKind::access) collect_access(step, unit, amounts);
    }
    time.accesses = time.accesses + access_time(amounts, unit);
  }
  return time;
}

Span TimeTable::copy_time(const Step& step, const ProcessingUnit& unit) {
  if (options_->access == AccessTime::none) return {};
  Amounts amounts;
  collect({&step, 1}, unit, amounts);
  return access_time(amounts, unit);
}

void TimeTable::Amount::add(const Amount& other, const Often& often) {
  bytes = bytes + other.bytes * Rational{often.most};
  lines = checked_add(lines, checked_mul(other.lines, often.most));
  may_be_none = may_be_none || other.may_be_none || often.least < often.most;
}

void TimeTable::collect(Steps steps, const ProcessingUnit& unit, Amounts& amounts) {
  for (const Step& step : steps) {
    if (const Runnable* runnable = model_->software.called_in(step)) {
      const auto [known, is_new] = copies_.try_emplace({runnable, &unit});
      if (is_new) collect(runnable->activity, unit, known->second);
      for (const auto& [access, amount] : known->second) amounts[access].add(amount, {});
    } else if (step.kind == StepKind::loop) {
      collect_loop(step, unit, amounts);
    } else if (step.kind == StepKind::access) {
      collect_access(step, unit, amounts);
    } else {
      for (const Activity& way : step.ways) collect(way, unit, amounts);
    }
  }
}

void TimeTable::collect_loop(const Step& step, const ProcessingUnit& unit, Amounts& amounts) {
  const std::optional<Often> runs = runs_of(step, options_->loops);
  if (!runs) {
    notes_->refuse(*step.element, ProblemId::incomplete_model, "how often this loop copies is not known",
                   "say how often at most: --loops 10");
    return;
  }
  Amounts once;
  for (const Activity& way : step.ways) collect(way, unit, once);
  for (const auto& [access, amount] : once) amounts[access].add(amount, *runs);
}

void TimeTable::collect_access(const Step& step, const ProcessingUnit& unit, Amounts& amounts) {
  const MemoryAccess* access = access_of(step, unit);
  if (access == nullptr) return;
  const Rational bytes = size_of(*step.target) ;
  if (bytes <= Rational{}) {
    note_without_size(*step.target);
    return;
  }
  const Amount amount{.bytes = bytes, .lines = ceiling(bytes / Rational{line_size()})};
  const Often often = step.often.value_or(Often{});
  if (step.reads) amounts[{access, true}].add(amount, often);
  if (step.writes) amounts[{access, false}].add(amount, often);
}

Rational TimeTable::size_of(const Element& label) {
  const auto [known, is_new] = sizes_.try_emplace(&label);
  if (is_new) known->second = label_size(label);
  return known->second;
}

const MemoryAccess* TimeTable::access_of(const Step& step, const ProcessingUnit& unit) {
  if (unit.accesses.empty()) return nullptr;
  const auto memory = model_->mapping.memory_of.find(step.target);
  const bool is_mapped = memory != model_->mapping.memory_of.end();
  if (is_mapped) {
    const auto [ways, is_new] = ways_to_.try_emplace(&unit);
    if (is_new) {
      for (const MemoryAccess& one : unit.accesses) ways->second.emplace(one.memory, &one);
    }
    if (const auto way = ways->second.find(memory->second); way != ways->second.end()) return way->second;
  }
  const MemoryAccess& first = unit.accesses.front();
  if (is_mapped && without_access_.emplace(memory->second, &unit).second) {
    notes_->warn(
        "no-access", unit.element,
        fmt::format("{} has no access element for {}, where labels lie that it uses: that for {} counts",
                    in_backticks(unit.name), in_backticks(name_of(*memory->second)),
                    in_backticks(name_of(*first.memory))),
        "give it an access element or path");
  }
  if (!is_mapped && unit.accesses.size() > 1) {
    notes_->assume("no-memory", unit.element,
                   fmt::format("labels that lie in no memory are used by {} as if in {}",
                               in_backticks(unit.name), in_backticks(name_of(*first.memory))),
                   "map them to a memory");
  }
  return &first;
}

Span TimeTable::access_time(const Amounts& amounts, const ProcessingUnit& unit) {
  Span time;
  for (const auto& [key, amount] : amounts) {
    Span one = access_time(*key.first, key.second, amount, unit);
    if (amount.may_be_none) one.best = {};
    time = time + one;
  }
  return time;
}

Span TimeTable::access_time(const MemoryAccess& access, bool reads, const Amount& amount,
                            const ProcessingUnit& unit) {
  note_missing_latency(access, reads, unit);
  const std::int64_t lines =
      options_->lines == Lines::label ? amount.lines : ceiling(amount.bytes / Rational{line_size()});
  const auto by_rate = [&](const Stage& stage) {
    return all(amount.bytes / *stage.bytes_per_second * Rational{ns_per_second});
  };
  const auto by_latency = [&](const Stage& stage) {
    if (!stage.latency(reads)) return Span{};
    return scaled(bounded(*stage.latency(reads), *stage.element, false),
                  Rational{lines} * (Rational{ns_per_second} / stage.hertz.value_or(unit.hertz)));
  };
  const bool prefers_rate = options_->access == AccessTime::rate;
  if (!access.is_path) {
    const Stage& stage = access.way.front();
    if (stage.bytes_per_second && (prefers_rate || !access.has_latency(reads))) return by_rate(stage);
    return by_latency(stage) + by_latency(access.at_memory);
  }
  const auto stage_time = [&](const Stage& stage) {
    const bool takes_rate = stage.bytes_per_second && (prefers_rate || !stage.latency(reads));
    return takes_rate ? by_rate(stage) : by_latency(stage);
  };
  // As if each stored all before it passes that on: pipelined transfers are shorter.
  Span time = stage_time(access.at_memory);
  for (const Stage& stage : access.way) time = time + stage_time(stage);
  return time;
}

void TimeTable::note_missing_latency(const MemoryAccess& access, bool reads, const ProcessingUnit& unit) {
  if (!told_.emplace(&access, reads).second) return;
  const std::string from = in_backticks(unit.name);
  const std::string to = in_backticks(name_of(*access.memory));
  const std::string_view what = reads ? "reads" : "writes";
  if (!access.has_latency(reads) && !access.has_rate()) {
    notes_->warn("no-latency", access.element,
                 fmt::format("the {} from {} to {} has neither latency nor data rate for {}: {}",
                             access.is_path ? "path" : "access element", from, to, what,
                             access.at_memory.latency(reads) ? "only the memory takes time for them"
                                                             : "they take no time"),
                 access.is_path ? "give its connections a latency or a data rate"
                                : "give it a latency or a data rate");
    return;
  }
  if (!access.is_path || options_->access == AccessTime::rate) return;
  std::vector<std::string> by_rate;
  for (const Stage& stage : access.way) {
    if (stage.bytes_per_second && !stage.latency(reads))
      by_rate.push_back(in_backticks(name_of(*stage.element)));
  }
  if (by_rate.empty()) return;
  notes_->warn("no-latency", access.element,
               fmt::format("on the path from {} to {} there is no latency for {} at {}: {} there", from, to,
                           what, fmt::join(by_rate, ", "),
                           by_rate.size() == 1 ? "the data rate counts" : "the data rates count"),
               "give latencies, or --access rate: data rates for all accesses");
}

void TimeTable::note_without_size(const Element& label) {
  constexpr std::size_t most = 10;
  if (without_size_.size() >= most || !without_size_.insert(&label).second) return;
  notes_->warn("no-size", &label,
               fmt::format("label {} has no size that is understood: accesses to it take no time",
                           in_backticks(name_of(label))),
               without_size_.size() == most ? "and so have others, maybe" : "");
}

std::int64_t TimeTable::line_size() const {
  return options_->line_size.value_or(model_->hardware.line_size.value_or(usual_line_size));
}

bool TimeTable::has_ticks(const Step& step) const {
  bool has = false;
  for_each_step({&step, 1}, [&](const Step& one) { has = has || model_->software.has_ticks(one); });
  return has;
}

bool TimeTable::can_run(Steps steps, const ProcessingUnit& unit, const std::vector<bool>& able) const {
  const auto fits = [&unit](const auto& entry) {
    return entry.first == nullptr || entry.first == unit.definition;
  };
  bool can = true;
  for_each_step(steps, [&](const Step& step) {
    const auto& entries = step.ticks.by_definition;
    const Runnable* called = model_->software.called_in(step);
    can = can && (entries.empty() || std::any_of(entries.begin(), entries.end(), fits)) &&
          (called == nullptr || able[index_of(*called)]);
  });
  return can;
}

const std::vector<bool>& TimeTable::able_on(const ProcessingUnit& unit) {
  const auto [known, is_new] = able_.try_emplace(unit.definition, model_->software.runnables.size());
  if (!is_new) return known->second;
  for (const std::size_t i : model_->software.callees_first)
    known->second[i] = can_run(model_->software.runnables[i].activity, unit, known->second);
  return known->second;
}

bool TimeTable::can_run(const Step& step, const ProcessingUnit& unit) {
  return can_run({&step, 1}, unit, able_on(unit));
}

bool TimeTable::can_run(const Runnable& runnable, const ProcessingUnit& unit) {
  return able_on(unit)[index_of(runnable)];
}

std::size_t TimeTable::index_of(const Runnable& runnable) const {
  return static_cast<std::size_t>(&runnable - model_->software.runnables.data());
}

}  // namespace tactus::import
