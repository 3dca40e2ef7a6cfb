#include "tactus/import/execution_time.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/utf8.hpp"
#include "tactus/import/quantity.hpp"

namespace tactus::import {

namespace {

constexpr std::int64_t usual_line_size = 64;
constexpr std::int64_t ns_per_second = 1'000'000'000;

Span all(const Rational& time) { return {time, time, time}; }

/// One of several ways: as short as the shortest, as long as the longest.
Span one_of(const std::vector<Span>& ways, const std::vector<Rational>& probabilities) {
  if (ways.empty()) return {};
  Span result = ways.front();
  Rational weights;
  Span all_together;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    result = envelope(result, ways[i]);
    const Rational weight = probabilities.empty() ? Rational{1} : probabilities[i];
    weights = weights + weight;
    all_together = all_together + scaled(ways[i], weight);
  }
  result.average = weights > Rational{} ? scaled(all_together, Rational{1} / weights).average : result.worst;
  return result;
}

}  // namespace

ExecutionTime TimeTable::time_of(const Step& step, const ProcessingUnit& unit) {
  return time_at({&step, 1}, unit, counts_accesses());
}

ExecutionTime TimeTable::time_of(const Runnable& runnable, const ProcessingUnit& unit) {
  return time_of(runnable, unit, counts_accesses());
}

ExecutionTime TimeTable::time_of(const Runnable& runnable, const ProcessingUnit& unit, bool accesses) {
  const std::tuple key{&runnable, &unit, accesses};
  auto known = known_.find(key);
  if (known == known_.end()) known = known_.emplace(key, time_at(runnable.activity, unit, accesses)).first;
  return known->second;
}

bool TimeTable::counts_accesses() const {
  return options_->access == AccessTime::latency || options_->access == AccessTime::rate;
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

ExecutionTime TimeTable::call_time(const Step& step, const ProcessingUnit& unit, bool accesses) {
  const Runnable* runnable = model_->software.called_in(step);
  if (runnable == nullptr) return {};
  ExecutionTime time = time_of(*runnable, unit, accesses);
  if (step.every > 1) {
    // It may be this time, or not.
    const Rational share{1, step.every};
    time.ticks = {Rational{}, scaled(time.ticks, share).average, time.ticks.worst};
    time.accesses = {Rational{}, scaled(time.accesses, share).average, time.accesses.worst};
  }
  return time;
}

ExecutionTime TimeTable::choice_time(const Step& step, const ProcessingUnit& unit, bool accesses) {
  std::vector<Span> ticks;
  std::vector<Span> to_labels;
  for (const Activity& way : step.ways) {
    const ExecutionTime time = time_at(way, unit, accesses);
    ticks.push_back(time.ticks);
    to_labels.push_back(time.accesses);
  }
  if (step.kind == StepKind::choice) {
    return {one_of(ticks, step.probabilities), one_of(to_labels, step.probabilities)};
  }
  const std::optional<Often> runs = runs_of(step, options_->loops);
  if (!runs) {
    notes_->refuse(*step.element, ProblemId::incomplete_model, "how often this loop is run is not known",
                   "say how often at most: --loops 10");
    return {};
  }
  const auto repeated = [&runs](const std::vector<Span>& body) {
    const Span once = body.empty() ? Span{} : body.front();
    return Span{scaled(once, Rational{runs->least}).best, scaled(once, runs->average).average,
                scaled(once, Rational{runs->most}).worst};
  };
  return {repeated(ticks), repeated(to_labels)};
}

ExecutionTime TimeTable::time_at(Steps steps, const ProcessingUnit& unit, bool accesses) {
  ExecutionTime time;
  Amounts amounts;
  for (const Step& step : steps) {
    if (step.kind == StepKind::ticks) {
      time.ticks = time.ticks + ticks_time(step, unit);
    } else if (step.kind == StepKind::call) {
      const ExecutionTime called = call_time(step, unit, accesses);
      time.ticks = time.ticks + called.ticks;
      time.accesses = time.accesses + called.accesses;
    } else if (step.kind == StepKind::choice || step.kind == StepKind::loop) {
      const ExecutionTime chosen = choice_time(step, unit, accesses);
      time.ticks = time.ticks + chosen.ticks;
      time.accesses = time.accesses + chosen.accesses;
    }
  }
  if (!accesses) return time;
  for (const Step& step : steps) {
    if (step.kind == StepKind::access) collect_access(step, unit, amounts);
  }
  time.accesses = time.accesses + access_time(amounts, unit);
  return time;
}

Span TimeTable::copy_time(const Step& step, const ProcessingUnit& unit) {
  return time_at({&step, 1}, unit, options_->access != AccessTime::none).accesses;
}

void TimeTable::collect_access(const Step& step, const ProcessingUnit& unit, Amounts& amounts) {
  const Rational bytes = size_of(*step.target);
  if (bytes <= Rational{}) {
    note_without_size(*step.target);
    return;
  }
  if (unit.accesses.empty()) {
    notes_->warn("no-access-time", unit.element,
                 fmt::format("{} has no access elements: accesses to labels take no time there",
                             in_backticks(unit.name)),
                 "give it some, or --access none: they are part of the ticks");
    return;
  }
  const Element* memory = memory_of(*step.target, unit);
  const std::int64_t lines = ceiling(bytes / Rational{line_size()});
  const Often often = step.often.value_or(Often{});
  for (const bool reads : {true, false}) {
    if (!(reads ? step.reads : step.writes)) continue;
    Amount& amount = amounts[{memory, reads}];
    amount.bytes = amount.bytes + bytes * Rational{often.most};
    amount.lines = checked_add(amount.lines, checked_mul(lines, often.most));
    amount.may_be_none = amount.may_be_none || often.least < often.most;
  }
}

Rational TimeTable::size_of(const Element& label) {
  const auto [known, is_new] = sizes_.try_emplace(&label);
  if (is_new) known->second = label_size(label);
  return known->second;
}

/// Where the label lies, as far as the unit gets there. Null: it may be any memory.
const Element* TimeTable::memory_of(const Element& label, const ProcessingUnit& unit) {
  const auto [ways, is_new] = ways_to_.try_emplace(&unit);
  if (is_new) {
    for (const MemoryAccess& one : unit.accesses) {
      ways->second[one.memory].push_back(&one);
      ways->second[nullptr].push_back(&one);
    }
  }
  const auto mapped = model_->mapping.memory_of.find(&label);
  const Element* memory = mapped == model_->mapping.memory_of.end() ? nullptr : mapped->second;
  if (ways->second.contains(memory) && memory != nullptr) return memory;
  if (memory != nullptr && without_access_.emplace(memory, &unit).second) {
    notes_->warn("no-access", unit.element,
                 fmt::format("{} has no access element for {}, where labels lie that it uses: its slowest "
                             "one counts, and at best its fastest",
                             in_backticks(unit.name), in_backticks(name_of(*memory))),
                 "give it an access element or path");
  }
  if (memory == nullptr && unit.accesses.size() > 1) {
    notes_->assume_more(
        "no-memory", unit.element,
        fmt::format("for labels that lie in no memory, or in several, the slowest access element "
                    "of {} counts, and at best its fastest",
                    in_backticks(unit.name)),
        "map them to a memory");
  }
  return nullptr;
}

Span TimeTable::access_time(const Amounts& amounts, const ProcessingUnit& unit) {
  Span time;
  for (const auto& [key, amount] : amounts) {
    const auto& [memory, reads] = key;
    // Labels that may lie in different memories share no lines.
    const bool is_by_label = options_->lines == Lines::label || memory == nullptr;
    const std::int64_t lines = is_by_label ? amount.lines : ceiling(amount.bytes / Rational{line_size()});
    std::optional<Span> one;
    for (const MemoryAccess* access : ways_to_.at(&unit).at(memory)) {
      const Span by_it = access_time(*access, reads, amount.bytes, lines, unit);
      one = one ? envelope(*one, by_it) : by_it;
    }
    if (amount.may_be_none) one->best = {};
    time = time + *one;
  }
  return time;
}

Span TimeTable::access_time(const MemoryAccess& access, bool reads, Rational bytes, std::int64_t lines,
                            const ProcessingUnit& unit) {
  note_missing_latency(access, reads, unit);
  const auto by_rate = [&](const Stage& stage) {
    return scaled(all(bytes), Rational{ns_per_second} / *stage.bytes_per_second);
  };
  const auto by_latency = [&](const Stage& stage) {
    if (!stage.latency(reads)) return Span{};
    const Span once = scaled(bounded(*stage.latency(reads), *stage.element, false),
                             Rational{ns_per_second} / stage.hertz.value_or(unit.hertz));
    return scaled(once, Rational{lines});
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
  // At worst each stores all before it passes that on; pipelined, the slowest counts.
  Span time = stage_time(access.at_memory);
  for (const Stage& stage : access.way) {
    const Span next = stage_time(stage);
    const Rational pipelined = std::max(time.best, next.best);
    time = time + next;
    time.best = pipelined;
  }
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
