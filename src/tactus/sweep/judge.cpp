#include "tactus/sweep/judge.hpp"

#include "tactus/analysis/check.hpp"

namespace tactus::sweep {

using analysis::Verdict;

namespace {

void count(const analysis::Result& result, Counts& counts) {
  if (!result.applies() || !result.verdict) {
    ++counts.not_applicable;
    return;
  }
  switch (*result.verdict) {
    case Verdict::schedulable:
      ++counts.schedulable;
      return;
    case Verdict::unschedulable:
      ++counts.unschedulable;
      return;
    case Verdict::unproven:
      ++counts.unproven;
      return;
    case Verdict::gave_up:
      ++counts.gave_up;
      return;
  }
}

bool is_contradicted(const Experiment& experiment, const std::vector<analysis::Result>& results,
                     std::size_t index) {
  if (results[index].verdict != Verdict::schedulable) return false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    // Two run-time models may well differ about one system.
    const analysis::Analysis& other = experiment.analyses[i];
    if (other.run_time_model != experiment.analyses[index].run_time_model) continue;
    if (other.sound && results[i].verdict == Verdict::unschedulable) return true;
  }
  return false;
}

void count_system(const Experiment& experiment, const Point& point, std::int64_t number, PartCounts& part) {
  const std::vector<analysis::Result> results = judge(experiment, make_system(experiment, point, number));
  for (std::size_t i = 0; i < results.size(); ++i) {
    count(results[i], part.counts[i]);
    if (!results[i].applies() && number < part.first_why_not[i]) {
      part.counts[i].why_not = results[i].why_not;
      part.first_why_not[i] = number;
    }
    if (is_contradicted(experiment, results, i)) ++part.counts[i].contradicted;
  }
}

}  // namespace

std::vector<analysis::Result> judge(const Experiment& experiment, const System& system) {
  std::vector<analysis::Result> results;
  results.reserve(experiment.analyses.size());
  for (const analysis::Analysis& entry : experiment.analyses) {
    results.push_back(analysis::run(entry, system));
  }
  return results;
}

PartCounts judge(const Experiment& experiment, Chunk& chunk, const std::function<bool()>& must_stop) {
  PartCounts part{experiment.analyses.size()};
  for (std::int64_t number = chunk.systems.first; number < chunk.systems.end; ++number) {
    if (must_stop()) {
      chunk.systems.end = number;
      break;
    }
    count_system(experiment, experiment.points[chunk.point], number, part);
  }
  return part;
}

}  // namespace tactus::sweep
