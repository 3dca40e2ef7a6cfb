// tactus compare: one system under every strategy.
#include "tactus/plan/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/base/text.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/progress_bar.hpp"
#include "tactus/cli/schedule.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/plan/json.hpp"
#include "tactus/plan/node_policies.hpp"
#include "tactus/report/table.hpp"

namespace tactus::cli {

using plan::ComparedWay;
using plan::Comparison;
using plan::Trial;
using plan::Way;

namespace {

constexpr std::string_view examples = R"(
Every strategy and order is tried with the same tasks. What the file leaves open or gives for that strategy is
planned as `tactus plan` does it: priorities, cores, reservations, virtual SMs. Then what came out is checked and
simulated with worst-case times.

  bound/D   the largest proven response time, as a part of its task's deadline (`holds`: deadlines are proven,
            response times are not)
  seen/D    the same for the longest response in the simulation (`>`: of a job that was not done at its end)

Examples:
  tactus compare examples/first.yaml                                   which strategies hold?
  tactus compare examples/first.yaml --strategy single-stream,multi-stream
  tactus compare examples/first.yaml --set tasks.lidar.deadline=5ms    the same with another deadline

Exit status: 0 some strategy holds, 1 none does, 2 bad input, 130 interrupted.)";

struct CompareVerbOptions {
  std::string file;
  std::vector<std::string> strategies;
  std::string horizon;
  bool no_sim = false;
  bool json = false;
  OverrideOptions overrides;
};

std::vector<Way> chosen_ways(const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const Way& way : plan::all_ways()) {
    if (known.empty() || known.back() != strategy_word(way)) known.push_back(strategy_word(way));
  }
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string_view near = nearest_name(name, known);
    throw InputError{fmt::format("--strategy: '{}' is no strategy that can be compared", name),
                     near.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                                  : fmt::format("did you mean '{}'?", near)};
  }
  std::vector<Way> ways;
  for (const Way& way : plan::all_ways()) {
    const bool wanted =
        names.empty() || std::find(names.begin(), names.end(), strategy_word(way)) != names.end();
    if (wanted) ways.push_back(way);
  }
  return ways;
}

std::string part_text(std::int64_t thousandths) {
  return fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
}

std::string bound_text(const Comparison& comparison, const Trial& trial) {
  std::vector<std::optional<Duration>> bounds;
  bool deadlines_only = trial.holds();
  for (std::size_t i = 0; i < trial.bounds.size(); ++i) {
    const analysis::ProvenBound& proven = trial.bounds[i];
    bounds.push_back(proven.bound);
    if (proven.bound && comparison.deadlines[i] && !proven.deadline_only) deadlines_only = false;
  }
  if (deadlines_only) return "holds";
  const auto worst = plan::worst_part(bounds, comparison.deadlines);
  return worst ? part_text(worst->thousandths) : "-";
}

std::string seen_text(const Comparison& comparison, const ComparedWay& way) {
  if (!way.simulated) return "-";
  constexpr std::int64_t whole = 1000;
  const auto worst = plan::worst_part(way.simulated->longest, comparison.deadlines);
  // Dropped jobs have no response time.
  if (way.simulated->misses > 0 && (!worst || worst->thousandths <= whole)) return ">1";
  if (!worst) return "-";
  return (way.simulated->unfinished[worst->task] ? ">" : "") + part_text(worst->thousandths);
}

std::string verdict_text(const Trial& trial) {
  if (trial.stopped) return "stopped";
  return trial.applies ? std::string{to_string(trial.verdict)} : "no analysis";
}

std::string table_text(const Comparison& comparison) {
  report::Table table{{"strategy", "order", "verdict", "by"}, {"bound/D", "seen/D", "misses"}};
  for (const ComparedWay& way : comparison.ways) {
    const Trial& trial = way.trial;
    table.add_row({std::string{strategy_word(trial.way)} + (trial.own ? " *" : ""),
                   std::string{order_word(trial.way)}, verdict_text(trial),
                   trial.holds() ? trial.plan.accepted_by : "-", bound_text(comparison, trial),
                   seen_text(comparison, way),
                   way.simulated ? with_thousands(way.simulated->misses) : std::string{"-"}});
  }
  return table.to_text(wants_colour(), text_width());
}

void append(std::string& list, std::string text) { list += (list.empty() ? "" : ", ") + std::move(text); }

/// The planned values; empty if nothing had to be planned.
std::string chosen_text(const Trial& trial) {
  if (!trial.changed) return {};
  const System& system = trial.plan.planned;
  std::string text;
  if (trial.plan.has_reservations && system.policy.reservations) {
    const Reservations& reservations = *system.policy.reservations;
    text = fmt::format("reservations every {}, local {}, all {}", to_text(reservations.period),
                       window_text(reservations.local), window_text(reservations.all));
  }
  std::string cores;
  std::string priorities;
  std::string virtual_sms;
  std::string cpu_cores;
  std::string gpu_priorities;
  std::string variants;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.sm.kind == SmAffinity::Kind::one) append(cores, fmt::format("{} {}", task.name, task.sm.core));
    append(cpu_cores, fmt::format("{} {}", task.name, task.core));
    if (!trial.plan.variants.empty() && !trial.plan.variants[i].empty()) {
      append(variants, fmt::format("{} {}", task.name, fmt::join(trial.plan.variants[i], " ")));
    }
    if (task.gpu_priority) append(gpu_priorities, fmt::format("{} {}", task.name, *task.gpu_priority));
    if (task.priority) append(priorities, fmt::format("{} {}", task.name, *task.priority));
    if (i < system.virtual_sms.size() && system.virtual_sms[i]) {
      append(virtual_sms, fmt::format("{} {}", task.name, *system.virtual_sms[i]));
    }
  }
  const auto add = [&](bool planned, std::string_view what, const std::string& list) {
    if (!planned || list.empty()) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", what, list);
  };
  if (trial.plan.has_policy) {
    text += (text.empty() ? "" : "; ") + plan::chosen_policy_text(system.policy);
  }
  add(trial.plan.has_cpu_cores, "CPU cores", cpu_cores);
  add(!trial.plan.variants.empty(), "variants", variants);
  add(trial.plan.has_cores, "cores", cores);
  add(trial.plan.has_priorities, "priorities", priorities);
  add(trial.plan.has_gpu_priorities, "GPU priorities", gpu_priorities);
  add(trial.plan.has_virtual_sms, "virtual SMs", virtual_sms);
  return text;
}

std::string name_of(const Way& way) {
  if (!has_order(way)) return std::string{strategy_word(way)};
  return fmt::format("{} {}", strategy_word(way), order_word(way));
}

/// The simulated time, and for which strategies it was shorter.
std::string simulated_text(const Comparison& comparison) {
  std::string text;
  for (const ComparedWay& way : comparison.ways) {
    if (!way.simulated) continue;
    const plan::Simulated& seen = *way.simulated;
    if (text.empty()) {
      text = seen.horizon == never
                 ? std::string{"Simulated with worst-case times until all jobs were done"}
                 : fmt::format("Simulated with worst-case times from 0 to {}", to_text(seen.horizon));
    }
    if (seen.reached < seen.horizon && seen.horizon != never) {
      text += fmt::format("; {} only to {}", name_of(way.trial.way), to_text(seen.reached));
    }
  }
  return text.empty() ? text : text + ".\n";
}

std::string text_of(const Comparison& comparison) {
  const auto holding = std::count_if(comparison.ways.begin(), comparison.ways.end(),
                                     [](const ComparedWay& way) { return way.trial.holds(); });
  std::string text = fmt::format("{}: {} of {} hold\n\n{}", comparison.system, holding,
                                 comparison.ways.size(), table_text(comparison));
  const bool has_own = std::any_of(comparison.ways.begin(), comparison.ways.end(),
                                   [](const ComparedWay& way) { return way.trial.own; });
  if (has_own) text += "* the strategy and order of the file\n";
  text += simulated_text(comparison);
  std::string chosen;
  std::string against;
  for (const ComparedWay& way : comparison.ways) {
    const Trial& trial = way.trial;
    if (const std::string what = trial.holds() ? chosen_text(trial) : ""; !what.empty()) {
      chosen += fmt::format("  {}: {}\n", name_of(trial.way), what);
    }
    if (!trial.holds()) against += fmt::format("  {}: {}\n", name_of(trial.way), trial.why_not);
  }
  if (!chosen.empty()) text += "\nChosen:\n" + chosen;
  if (!against.empty()) text += "\nWhy not:\n" + against;
  return text;
}

int run(const CompareVerbOptions& options) {
  const InterruptGuard guard;
  const std::vector<Way> ways = chosen_ways(options.strategies);
  const System system = load_input(options.file, Completeness::to_be_planned, options.overrides);
  plan::CompareOptions settings;
  settings.simulate = !options.no_sim;
  settings.horizon = parse_length(options.horizon);
  Comparison comparison;
  {
    ProgressBar progress{"comparing " + system.name};
    comparison = plan::compare(system, ways, settings, progress.watch());
  }
  if (options.json) {
    print(to_json(comparison).dump() + "\n");
  } else {
    print_text(text_of(comparison));
  }
  if (comparison.interrupted) {
    say("interrupted: not every strategy was tried");
    return interrupted;
  }
  return comparison.some_holds() ? answer_yes : answer_no;
}

}  // namespace

void add_compare(Verb app) {
  const Verb verb = app.add_verb("compare", "Which strategy? One system under all of them, side by side");
  const auto options = std::make_shared<CompareVerbOptions>();
  verb.add_option("FILE", options->file,
                  "System file, or - for standard input; what is to be planned may be missing")
      .required();
  verb.add_option("--strategy", options->strategies, "Only these strategies (separated by commas)")
      .delimiter(',')
      .repeats();
  verb.add_option("--for", options->horizon, "How long to simulate, with a unit (default: as `tactus sim`)");
  verb.add_flag("--no-sim", options->no_sim, "Prove only, do not simulate");
  verb.add_flag("--json", options->json, "JSON for machines");
  add_set_option(verb, options->overrides);
  verb.footer(examples);
  verb.runs([options] { return run(*options); });
}

}  // namespace tactus::cli
