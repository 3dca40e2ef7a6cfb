// Generator `gpu-jobs`: independent GPU jobs, their utilisations by UUniFast-discard or RandFixedSum, periods
// from a list or log-uniform. For the tests of whole jobs: one stream and several streams.
#include <fmt/format.h>

#include <array>

#include "tactus/base/random.hpp"
#include "tactus/base/text.hpp"
#include "tactus/generate/generator.hpp"
#include "tactus/generate/job_tasks.hpp"
#include "tactus/generate/periods.hpp"
#include "tactus/generate/utilisation_parameters.hpp"
#include "tactus/model/presets.hpp"

namespace tactus::generate {

namespace {

constexpr std::array<std::string_view, 2> strategy_words{"single-stream", "multi-stream"};
constexpr std::array<std::string_view, 2> refill_words{"lazy", "immediate"};

std::span<const Parameter> specification() {
  using Kind = ParameterKind;
  static const std::array<Parameter, 16> all{{
      {"tasks", Kind::integer, "", "how many", required, task_counts},
      {"utilisation", Kind::decimal, "", "of all tasks together", required, any_utilisation},
      {"utilisation_method", Kind::word, utilisation_method::uunifast_discard, "how it is shared out",
       optional, anything, utilisation_method_words()},
      {"utilisation_least", Kind::decimal, "0", "no task has less; scaled-uniform: before scaling", optional,
       any_utilisation},
      {"utilisation_limit", Kind::decimal, "1", "no task has more; scaled-uniform: before scaling", optional,
       any_utilisation},
      {"periods", Kind::durations, "", "periods to choose from", optional, at_least_1ns},
      {"periods_between", Kind::durations, "", "instead of periods: [least, most], log-uniform", optional,
       at_least_1ns},
      {"granularity", Kind::duration, "1us", "log-uniform periods are multiples of it", optional,
       at_least_1ns},
      {"deadline_least", Kind::decimal, "1",
       "deadlines are uniform from this share of the period to all of it", optional, at_most_1},
      {"block_share", Kind::decimal, "1", "longest block as a share of the job; 1: it cannot be preempted",
       optional, at_most_1},
      {"arrival", Kind::word, "sporadic", "of all tasks", optional, anything, arrival_words()},
      {"strategy", Kind::word, "single-stream", "how they share the GPU", optional, anything, strategy_words},
      {"order", Kind::word, "edf", "of the strategy", optional, anything, order_words()},
      {"levels", Kind::integer, "", "of multi-stream; default: the platform's priority levels", optional,
       limits::priority_levels},
      {"refill", Kind::word, "lazy", "of multi-stream", optional, anything, refill_words},
      {"platform", Kind::word, "jetson-tx2", "a preset", optional, anything, platform_words()},
  }};
  return all;
}

Platform platform_of(const Parameters& parameters) {
  return find_preset(parameters.word("platform")).value();
}

void check_periods(const Parameters& parameters, std::vector<ParameterProblem>& problems) {
  const bool listed = parameters.has("periods");
  const bool between = parameters.has("periods_between");
  if (listed == between) {
    problems.push_back({listed ? "periods_between" : "periods",
                        listed ? "both `periods` and `periods_between` are given"
                               : "neither `periods` nor `periods_between` is given",
                        "give one: a list to choose from, or [least, most]"});
    return;
  }
  if (!between) return;
  const std::vector<Duration>& ends = parameters.durations("periods_between");
  if (ends.size() != 2 || ends[0] > ends[1]) {
    problems.push_back({"periods_between", "periods_between is not [least, most]",
                        "write two durations, the shorter first, for instance [10ms, 1s]"});
  }
}

std::vector<ParameterProblem> check(const Parameters& parameters) {
  std::vector<ParameterProblem> problems;
  const auto text = [&](std::string_view key) { return to_text(*parameters.value_of(key)); };
  check_utilisations(parameters, problems);
  check_periods(parameters, problems);
  const std::int32_t most = platform_of(parameters).gpu.priority_levels;
  if (parameters.has("levels") && parameters.integer("levels") > most) {
    problems.push_back(
        {"levels",
         fmt::format("levels is {}, but {} has {} stream priorities", text("levels"), text("platform"), most),
         fmt::format("allowed: 1 to {}", most)});
  }
  return problems;
}

Duration draw_period(const Parameters& parameters, std::uint64_t bits) {
  if (parameters.has("periods")) return pick_from(parameters.durations("periods"), bits);
  const std::vector<Duration>& ends = parameters.durations("periods_between");
  return log_uniform(ends[0], ends[1], parameters.duration("granularity"), bits);
}

System make(const Parameters& parameters, std::uint64_t seed) {
  System system;
  system.platform = platform_of(parameters);
  system.policy.strategy = strategy_named(parameters.word("strategy"));
  system.policy.order = parameters.word("order") == "fp" ? Order::fp : Order::edf;
  system.policy.refill = parameters.word("refill") == "immediate" ? Refill::immediate : Refill::lazy;
  system.policy.levels = parameters.has("levels") ? static_cast<std::int32_t>(parameters.integer("levels"))
                                                  : system.platform.gpu.priority_levels;
  const std::vector<Utilisation> shares = draw_utilisations(parameters, "gpu-jobs", seed);
  const Arrival arrival = arrival_of(parameters.word("arrival"));
  const BlockShare blocks{parameters.decimal("block_share")};
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Duration period = draw_period(parameters, draw_bits(seed, Purpose::period, 0, i));
    const Duration deadline = uniform_deadline(period, parameters.decimal("deadline_least"),
                                               draw_bits(seed, Purpose::deadline, 0, i));
    system.tasks.push_back(
        make_job_task(fmt::format("task{}", i), arrival, period, deadline, shares[i], blocks));
  }
  return system;
}

}  // namespace

Generator gpu_jobs() {
  return {.id = "gpu-jobs",
          .title = "independent GPU jobs that share one stream or several",
          .source =
              "UUniFast-discard: Bini and Buttazzo 2005, Davis and Burns 2009; RandFixedSum: Emberson, "
              "Stafford and Davis 2010",
          .parameters = specification(),
          .check = check,
          .make = make};
}

}  // namespace tactus::generate
