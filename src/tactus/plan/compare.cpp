#include "tactus/plan/compare.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "tactus/base/error.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::plan {

using nlohmann::ordered_json;

namespace {

/// The release of the oldest job of each task that was pending at the end. Jobs that were given up do not
/// count.
class OldestPending final : public trace::Observer {
 public:
  using Observer::on;

  explicit OldestPending(std::size_t tasks) : release_(tasks) {}

  [[nodiscard]] trace::Interests interests() const override { return {.ends = true}; }

  void on(const trace::JobEnded& event) override {
    if (event.completion != never || event.fate != trace::Fate::ran) return;
    std::optional<Time>& release = release_[event.job.task];
    if (!release || event.release < *release) release = event.release;
  }

  [[nodiscard]] std::optional<Duration> age(TaskIndex task, Time reached) const {
    if (!release_[task] || *release_[task] > reached) return std::nullopt;
    return reached - *release_[task];
  }

 private:
  std::vector<std::optional<Time>> release_;
};

std::optional<Simulated> simulate(const System& system, const CompareOptions& options, const Watch& watch) {
  try {
    sim::Options settings;
    settings.horizon = options.horizon;
    settings.stop = watch.stop;
    trace::Statistics statistics{system.tasks.size()};
    OldestPending pending{system.tasks.size()};
    const std::array<trace::Observer*, 2> observers{&statistics, &pending};
    const sim::Outcome outcome = sim::simulate(system, settings, observers);
    Simulated seen;
    seen.horizon = outcome.horizon;
    seen.reached = outcome.reached;
    seen.misses = statistics.misses();
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      const std::optional<trace::ResponseTimes> response = statistics.of(task).response;
      const std::optional<Duration> age = pending.age(task, outcome.reached);
      const bool unfinished = age && (!response || *age >= response->max);
      seen.unfinished.push_back(unfinished);
      seen.longest.push_back(unfinished ? age : response ? std::optional{response->max} : std::nullopt);
    }
    return seen;
  } catch (const InputError&) {
    return std::nullopt;  // the simulator does not support it
  } catch (const OverflowError&) {
    return std::nullopt;
  }
}

ordered_json to_json(const std::optional<WorstPart>& worst, const std::vector<std::string>& tasks) {
  if (!worst) return nullptr;
  return {{"task", tasks[worst->task]}, {"of_deadline_thousandths", worst->thousandths}};
}

ordered_json to_json(const ComparedWay& way, const Comparison& comparison) {
  const Trial& trial = way.trial;
  ordered_json json{{"strategy", strategy_word(trial.way)}, {"order", nullptr}, {"own", trial.own}};
  if (has_order(trial.way)) json["order"] = order_word(trial.way);
  json["verdict"] = to_string(trial.verdict);
  json["applies"] = trial.applies;
  json["analysis"] = nullptr;
  if (trial.holds()) {
    json["analysis"] = trial.plan.accepted_by;
    json["how"] = trial.plan.how;
    json["any_core"] = trial.any_core;
    json["plan"] = to_json(trial.plan);
  } else {
    json["why_not"] = trial.why_not;
  }
  std::vector<std::optional<Duration>> bounds(comparison.tasks.size());
  json["tasks"] = ordered_json::array();
  for (std::size_t i = 0; i < comparison.tasks.size(); ++i) {
    const analysis::ProvenBound proven = i < trial.bounds.size() ? trial.bounds[i] : analysis::ProvenBound{};
    bounds[i] = proven.bound;
    json["tasks"].push_back(
        {{"name", comparison.tasks[i]},
         {"deadline_ns", analysis::in_nanoseconds(comparison.deadlines[i])},
         {"bound_ns", analysis::in_nanoseconds(proven.bound)},
         {"deadline_only", proven.deadline_only},
         {"simulated_max_ns",
          way.simulated ? analysis::in_nanoseconds(way.simulated->longest[i]) : ordered_json{}},
         {"simulated_unfinished", way.simulated && way.simulated->unfinished[i]}});
  }
  json["worst_bound"] = to_json(worst_part(bounds, comparison.deadlines), comparison.tasks);
  json["worst_simulated"] = nullptr;
  json["simulated_misses"] = nullptr;
  json["simulated_to_ns"] = nullptr;
  if (way.simulated) {
    json["worst_simulated"] =
        to_json(worst_part(way.simulated->longest, comparison.deadlines), comparison.tasks);
    json["simulated_misses"] = way.simulated->misses;
    json["simulated_to_ns"] = count(way.simulated->reached);
  }
  return json;
}

}  // namespace

bool Comparison::some_holds() const {
  return std::any_of(ways.begin(), ways.end(), [](const ComparedWay& way) { return way.trial.holds(); });
}

Comparison compare(const System& system, std::span<const Way> ways, const CompareOptions& options,
                   const Watch& watch) {
  Comparison result;
  result.system = system.name;
  for (const Task& task : system.tasks) {
    result.tasks.push_back(task.name);
    result.deadlines.push_back(task.deadline);
  }
  for (const Way& way : ways) {
    if (watch.stopped()) break;
    ComparedWay compared;
    compared.trial = try_way(system, way, watch);
    if (options.simulate && compared.trial.complete) {
      compared.simulated = simulate(compared.trial.plan.planned, options, watch);
    }
    result.ways.push_back(std::move(compared));
    watch.show(static_cast<double>(result.ways.size()) / static_cast<double>(ways.size()));
  }
  result.interrupted = watch.stopped();
  return result;
}

std::optional<WorstPart> worst_part(std::span<const std::optional<Duration>> values,
                                    std::span<const std::optional<Duration>> deadlines) {
  constexpr std::int64_t whole = 1000;
  constexpr Int128 largest = std::numeric_limits<std::int64_t>::max();
  std::optional<WorstPart> worst;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i] || !deadlines[i]) continue;
    const Int128 deadline = deadlines[i]->count();
    const Int128 part = (static_cast<Int128>(values[i]->count()) * whole + deadline - 1) / deadline;
    const auto thousandths = static_cast<std::int64_t>(std::min(part, largest));
    if (!worst || thousandths > worst->thousandths) worst = WorstPart{i, thousandths};
  }
  return worst;
}

ordered_json to_json(const Comparison& comparison) {
  ordered_json json{{"system", comparison.system}, {"some_holds", comparison.some_holds()}};
  json["strategies"] = ordered_json::array();
  for (const ComparedWay& way : comparison.ways) json["strategies"].push_back(to_json(way, comparison));
  json["interrupted"] = comparison.interrupted;
  return json;
}

}  // namespace tactus::plan
