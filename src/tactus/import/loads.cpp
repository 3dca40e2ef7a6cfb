#include "tactus/import/loads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/utf8.hpp"

namespace tactus::import {

namespace {

/// Sums of exact fractions of many periods leave 64 bits: each is rounded up to a part in a thousand million.
constexpr std::int64_t parts = 1'000'000'000;

Rational share(const Rational& time, Duration period) {
  const Int128 scaled = static_cast<Int128>(time.numerator()) * parts;
  const Int128 divisor = static_cast<Int128>(time.denominator()) * period.count();
  const Int128 rounded = (scaled + divisor - 1) / divisor;
  return Rational{static_cast<std::int64_t>(std::min<Int128>(rounded, Int128{parts} * parts)), parts};
}

/// What a part needs at least: of a kernel, as if its blocks and those of others filled all SMs.
Span work_of(const Part& part) {
  if (!part.grid.blocks || *part.grid.blocks < 1) return part.time;
  constexpr std::int64_t threads_per_sm = 2048;  // that of a platform where a file says nothing
  const std::int64_t threads = std::clamp<std::int64_t>(part.grid.threads.value_or(512), 32, threads_per_sm);
  const std::int64_t places =
      std::max<std::int64_t>(1, part.unit->sms.value_or(1)) * (threads_per_sm / threads);
  const Rational rounds{*part.grid.blocks, places};
  return scaled(part.time, rounds);
}

void add_job(const Job& job, const Task& task, std::vector<Load>& loads, const Model& model) {
  if (!task.period) return;
  const ProcessingUnit* home = nullptr;
  for (const Part& part : job.parts) {
    if (part.kind == PartKind::cpu && home == nullptr) home = part.unit;
  }
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const ProcessingUnit* unit = &model.hardware.units[i];
    Span own;
    Span waiting;
    for (const Part& part : job.parts) {
      if (part.kind != PartKind::copy && part.unit == unit) own = own + work_of(part);
      if (job.is_busy && unit == home && part.kind != PartKind::cpu) waiting = waiting + part.time;
    }
    if (own == Span{} && waiting == Span{}) continue;
    loads[i].tasks.push_back(task.name);
    loads[i].average = loads[i].average + share(own.average, *task.period);
    loads[i].worst = loads[i].worst + share(own.worst, *task.period);
    loads[i].worst_with_waiting = loads[i].worst_with_waiting + share((own + waiting).worst, *task.period);
  }
}

}  // namespace

std::string percent(const Rational& share) {
  const Int128 scaled = static_cast<Int128>(share.numerator()) * 1'000;
  const auto tenths = static_cast<std::int64_t>((scaled + share.denominator() - 1) / share.denominator());
  return fmt::format("{}.{} %", tenths / 10, tenths % 10);
}

std::string average_percent(const Rational& share) {
  constexpr std::int64_t all = 1'000;  // tenths of a percent
  const Rational scaled = share * Rational{all} + Rational{1, 2};
  const Rational nearest{floor_div(scaled.numerator(), scaled.denominator()), all};
  return percent(share > Rational{1} ? std::max(nearest, Rational{all + 1, all}) : nearest);
}

std::vector<Load> loads_of(const Model& model, const std::vector<Job>& jobs, const std::vector<Task>& tasks) {
  std::vector<Load> loads;
  for (const ProcessingUnit& unit : model.hardware.units) {
    loads.push_back({.unit = unit.name,
                     .definition = unit.definition_name,
                     .kind = unit.kind,
                     .hertz = unit.hertz,
                     .tasks = {},
                     .average = {},
                     .worst = {},
                     .worst_with_waiting = {}});
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) add_job(jobs[i], tasks[i], loads, model);
  return loads;
}

void warn_of_overload(const Model& model, const std::vector<Load>& loads, Notes& notes) {
  for (const Load& one : loads) {
    if (one.worst_with_waiting <= Rational{1}) continue;
    const auto unit = std::find_if(model.hardware.units.begin(), model.hardware.units.end(),
                                   [&one](const ProcessingUnit& other) { return other.name == one.unit; });
    const bool by_waiting = one.worst <= Rational{1};
    notes.point_out(
        "overload", unit == model.hardware.units.end() ? nullptr : unit->element,
        by_waiting
            ? fmt::format("in the worst case {} is needed for {} of its time, with the time that tasks "
                          "wait busily: no schedule holds then",
                          in_backticks(one.unit), percent(one.worst_with_waiting))
            : fmt::format("in the worst case {} is needed for {} of its time, and for {} on average: no "
                          "schedule holds",
                          in_backticks(one.unit), percent(one.worst), average_percent(one.average)),
        "map some of its tasks elsewhere");
  }
}

}  // namespace tactus::import
