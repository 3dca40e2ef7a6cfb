#include "tactus/import/execution_time.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"
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

ExecutionTime TimeTable::time_of(const Activity& activity, const ProcessingUnit& unit) {
  return time_at(activity, unit, 0);
}

ExecutionTime TimeTable::time_of(const Runnable& runnable, const ProcessingUnit& unit) {
  Step call{.kind = StepKind::call,
            .element = runnable.element,
            .target = runnable.element,
            .events = {},
            .ways = {},
            .probabilities = {}};
  return call_time(call, unit, 0);
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

ExecutionTime TimeTable::call_time(const Step& step, const ProcessingUnit& unit, std::size_t depth) {
  const Runnable* runnable = model_->software.find_runnable(step.target);
  if (runnable == nullptr) return {};
  const auto key = std::pair{step.target, &unit};
  auto known = known_.find(key);
  if (known == known_.end()) {
    if (in_progress_[step.target] || depth > limits::calls) {
      notes_->refuse(*step.element, ProblemId::incomplete_model,
                     fmt::format("runnable {} calls itself", in_backticks(runnable->name)),
                     "remove the call: how often it repeats is not known");
      return {};
    }
    in_progress_[step.target] = true;
    const ExecutionTime time = time_at(runnable->activity, unit, depth + 1);
    in_progress_[step.target] = false;
    known = known_.emplace(key, time).first;
  }
  ExecutionTime time = known->second;
  if (step.every > 1) {
    // It may be this time, or not.
    const Rational share{1, step.every};
    time.ticks = {Rational{}, time.ticks.average * share, time.ticks.worst};
    time.accesses = {Rational{}, time.accesses.average * share, time.accesses.worst};
  }
  return time;
}

ExecutionTime TimeTable::choice_time(const Step& step, const ProcessingUnit& unit, std::size_t depth) {
  std::vector<Span> ticks;
  std::vector<Span> accesses;
  for (const Activity& way : step.ways) {
    const ExecutionTime time = time_at(way, unit, depth + 1);
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

ExecutionTime TimeTable::time_at(const Activity& activity, const ProcessingUnit& unit, std::size_t depth) {
  ExecutionTime time;
  Amounts amounts;
  for (const Step& step : activity) {
    if (step.kind == StepKind::ticks) {
      time.ticks = time.ticks + ticks_time(step, unit);
    } else if (step.kind == StepKind::call) {
      const ExecutionTime called = call_time(step, unit, depth);
      time.ticks = time.ticks + called.ticks;
      time.accesses = time.accesses + called.accesses;
    } else if (step.kind == StepKind::choice || step.kind == StepKind::loop) {
      const ExecutionTime chosen = choice_time(step, unit, depth);
      time.ticks = time.ticks + chosen.ticks;
      time.accesses = time.accesses + chosen.accesses;
    }
  }
  if (options_->access == AccessTime::latency || options_->access == AccessTime::rate) {
    for (const Step& step : activity) {
      if (step.kind == StepKind::access) collect({step}, unit, amounts, depth);
    }
    time.accesses = time.accesses + access_time(amounts, unit);
  }
  return time;
}

Span TimeTable::copy_time(const Activity& activity, const ProcessingUnit& unit) {
  if (options_->access == AccessTime::none) return {};
  Amounts amounts;
  collect(activity, unit, amounts, 0);
  return access_time(amounts, unit);
}

void TimeTable::collect(const Activity& activity, const ProcessingUnit& unit, Amounts& amounts,
                        std::size_t depth) {
  if (depth > limits::depth) return;
  for (const Step& step : activity) {
    if (++collected_ > limits::steps)
      throw OverflowError{"the runnables of the model call each other too often"};
    if (step.kind == StepKind::call) {
      const Runnable* runnable = model_->software.find_runnable(step.target);
      if (runnable != nullptr) collect(runnable->activity, unit, amounts, depth + 1);
    }
    if (step.kind == StepKind::loop) {
      collect_loop(step, unit, amounts, depth);
    } else {
      for (const Activity& way : step.ways) collect(way, unit, amounts, depth + 1);
    }
    if (step.kind != StepKind::access) continue;
    const MemoryAccess* access = access_of(step, unit);
    const Rational bytes = label_size(*step.target);
    const Often often = step.often.value_or(Often{});
    if (access == nullptr) continue;
    if (bytes <= Rational{}) {
      note_without_size(*step.target);
      continue;
    }
    for (const bool reads : {true, false}) {
      if (!(reads ? step.reads : step.writes)) continue;
      Amount& amount = amounts[{access, reads}];
      amount.bytes = amount.bytes + bytes * Rational{often.most};
      amount.lines =
          checked_add(amount.lines, checked_mul(ceiling(bytes / Rational{line_size()}), often.most));
      amount.may_be_none = amount.may_be_none || often.least < often.most;
    }
  }
}

void TimeTable::collect_loop(const Step& step, const ProcessingUnit& unit, Amounts& amounts,
                             std::size_t depth) {
  const std::optional<Often> runs = runs_of(step, options_->loops);
  if (!runs) {
    notes_->refuse(*step.element, ProblemId::incomplete_model, "how often this loop copies is not known",
                   "say how often at most: --loops 10");
    return;
  }
  Amounts once;
  for (const Activity& way : step.ways) collect(way, unit, once, depth + 1);
  for (const auto& [access, amount] : once) {
    Amount& all = amounts[access];
    all.bytes = all.bytes + amount.bytes * Rational{runs->most};
    all.lines = checked_add(all.lines, checked_mul(amount.lines, runs->most));
    all.may_be_none = all.may_be_none || amount.may_be_none || runs->least < runs->most;
  }
}

const MemoryAccess* TimeTable::access_of(const Step& step, const ProcessingUnit& unit) {
  if (unit.accesses.empty()) return nullptr;
  const auto memory = model_->mapping.memory_of.find(step.target);
  const bool is_mapped = memory != model_->mapping.memory_of.end();
  if (is_mapped) {
    for (const MemoryAccess& one : unit.accesses) {
      if (one.memory == memory->second) return &one;
    }
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

bool TimeTable::has_ticks(const Activity& activity) {
  std::vector<const Activity*> open{&activity};
  std::map<const Element*, bool> seen;
  while (!open.empty()) {
    const Activity* one = open.back();
    open.pop_back();
    for (const Step& step : *one) {
      if (step.kind == StepKind::ticks) return true;
      for (const Activity& way : step.ways) open.push_back(&way);
      const Runnable* called =
          step.kind == StepKind::call ? model_->software.find_runnable(step.target) : nullptr;
      if (called != nullptr && !std::exchange(seen[step.target], true)) open.push_back(&called->activity);
    }
  }
  return false;
}

bool TimeTable::can_run(const Activity& activity, const ProcessingUnit& unit) {
  std::vector<const Activity*> open{&activity};
  std::map<const Element*, bool> seen;
  while (!open.empty()) {
    const Activity* one = open.back();
    open.pop_back();
    for (const Step& step : *one) {
      const auto& entries = step.ticks.by_definition;
      const auto fits = [&unit](const auto& entry) {
        return entry.first == nullptr || entry.first == unit.definition;
      };
      if (step.kind == StepKind::ticks && !entries.empty() &&
          std::none_of(entries.begin(), entries.end(), fits))
        return false;
      for (const Activity& way : step.ways) open.push_back(&way);
      const Runnable* called =
          step.kind == StepKind::call ? model_->software.find_runnable(step.target) : nullptr;
      if (called != nullptr && !std::exchange(seen[step.target], true)) open.push_back(&called->activity);
    }
  }
  return true;
}

Rational TimeTable::bytes(const Activity& activity, bool reads) {
  Rational sum;
  for (const Step& step : activity) {
    const bool counts = step.kind == StepKind::access && (reads ? step.reads : step.writes);
    if (counts) sum = sum + label_size(*step.target);
  }
  return sum;
}

}  // namespace tactus::import
