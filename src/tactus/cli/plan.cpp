// tactus plan: searches for parameters with which all deadlines are proven.
#include "tactus/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/cli/chains.hpp"
#include "tactus/cli/hints.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/progress_bar.hpp"
#include "tactus/cli/schedule.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/strategy_text.hpp"
#include "tactus/plan/json.hpp"
#include "tactus/plan/node_policies.hpp"
#include "tactus/plan/rate_search.hpp"
#include "tactus/report/table.hpp"

namespace tactus::cli {

using plan::Plan;
using plan::TaskPlan;

namespace {

constexpr std::string_view examples = R"(
What is planned depends on the policy of the file (`--strategy any` tries them all, that of the file first):
  order: fp            priorities (single-stream, multi-stream, sm-cores)
  strategy: sm-cores   the reservations, with the smallest share of time for the gang window, and the core of
                       every task with `sm: any`
  strategy: federated  the virtual SMs of every task with GPU work; priorities too if the file gives none and
                       the order of deadlines does not hold. The virtual SMs that the file gives are kept
  strategy: graph      order, clusters and parallel_jobs, each if the file does not have it; with several
                       clusters that of each task, if the file has neither clusters nor cores
Where each segment goes to a server of its own (tasks with CPU work), under every strategy:
  priorities           where cores, copies or the GPU serve by fixed priorities
  core: any            the CPU core of the task, or its cluster where these share their work
  either: [...]        which variant of a part of its work a task takes: on the GPU or on the CPU
  the windows of sm-cores, virtual SMs, and other levels or a shorter time slice if those of the file do not hold
What the file gives already is kept if it holds. With nothing to choose the system is checked as it is.
The smallest gang window leaves the gang tasks nothing to spare; shorten their deadlines to leave some.

Examples:
  tactus plan examples/sharing/to-plan.yaml                   the parameters, and the margin of each task
  tactus plan examples/sharing/to-plan.yaml -o robot.yaml     the same, and a complete system file
  tactus check robot.yaml                                     which holds
  tactus plan examples/waters2019-plan.yaml                   cores, and what runs on the GPU
  tactus plan examples/sharing/robot.yaml --strategy any      the first strategy that holds, and its parameters
  tactus plan examples/federated/robot.yaml                   virtual SMs for chains over CPU, copies and GPU
  tactus plan examples/federated/robot.yaml --fewest-sms      on how few SMs does it hold?
  tactus plan examples/federated/robot.yaml --fastest         how much faster could all tasks come?
  tactus plan examples/chains.yaml --shortest-chains          what data needs through several tasks
  tactus plan examples/graphs/to-plan.yaml                    order, clusters, and which nodes go to the GPU
  tactus plan examples/graphs/fine.yaml --fastest             the highest frame rate within the deadlines

--fastest divides all periods and deadlines by the same factor, a multiple of 0.001, and rounds them down to
whole nanoseconds. Under graph deadlines stay as they are, also where they are the period because the file says
none: they are requirements from end to end. Where the system does not hold as it is, the factor is below 1.
Larger factors may hold again: the answer says up to where they were tried.

bound is a proven response time, margin is deadline - bound. `holds`: the deadline is proven, no response time.
can shrink: how much shorter the deadline of that task alone could be.

Exit status: 0 found, 1 nothing found, 2 bad input, 130 interrupted (with the best plan so far, if there is one).)";

constexpr std::chrono::minutes default_time_limit{1};

struct PlanOptions {
  std::string file;
  std::string output;
  bool json = false;
  bool all = false;
  bool no_hints = false;
  plan::PlanGoals aims;
  bool shortest_chains = false;
  std::vector<std::string> of;
  std::string time_limit;
  OverrideOptions overrides;
};

std::string text_or_dash(const std::optional<Duration>& duration) {
  return duration ? to_text(*duration) : "-";
}

std::string core_text(const Task& task) {
  return task.sm.kind == SmAffinity::Kind::one ? std::to_string(task.sm.core) : "all";
}

std::string virtual_sms_text(const System& system, std::size_t task) {
  const bool given = task < system.virtual_sms.size() && system.virtual_sms[task].has_value();
  return given ? std::to_string(*system.virtual_sms[task]) : "-";
}

/// "0", or "0, 1" where several parts of the task have variants.
std::string variants_text(const std::vector<std::size_t>& variants) {
  return variants.empty() ? "-" : fmt::format("{}", fmt::join(variants, ", "));
}

/// 1234 thousandths are "1.234".
std::string factor_text(std::int64_t thousandths) {
  return to_decimal(Rational{thousandths, plan::unchanged_rate}).value();
}

std::string sms_text(const Plan& plan) {
  const std::int64_t unit = plan.planned.platform.gpu.virtual_sms_per_sm;
  std::string text =
      fmt::format("SMs: {} of {}, {} virtual SMs each", plan.sms->used, plan.sms->available, unit);
  if (plan.sms->fewest) {
    text += *plan.sms->fewest ? "; with fewer no test accepts it"
                              : "; the fewest that were found, fewer are not ruled out";
  }
  return text + "\n";
}

std::string rate_text(const plan::RatePlan& rate) {
  const std::string whose = rate.tasks.empty() ? "" : fmt::format(" of {}", fmt::join(rate.tasks, ", "));
  std::string text = fmt::format("rates{}: {} times those of the file", whose, factor_text(rate.factor));
  if (rate.fails_to > rate.factor) {
    text += "; it is not accepted at " + factor_text(rate.factor + 1);
    if (rate.fails_to > rate.factor + 1) text += " to " + factor_text(rate.fails_to) + ", each tried";
    if (rate.gave_up) text += " (some searches gave up)";
  }
  if (rate.largest) text += "; nothing above can hold";
  return text + "\n";
}

std::string shortest_text(const plan::ShortestPlan& shortest) {
  return fmt::format("chains {}: {} together{}\n", fmt::join(shortest.chains, ", "),
                     to_text(shortest.together),
                     shortest.is_least ? "; no cores, variants and priorities give less"
                                       : "; less was not found, and is not ruled out");
}

/// Tasks in file order, with columns for the planned values.
std::string tasks_table(const Plan& plan, bool all) {
  std::vector<std::string> columns;
  if (plan.has_priorities) columns.emplace_back("priority");
  if (plan.has_gpu_priorities) columns.emplace_back("GPU priority");
  if (plan.has_cpu_cores) columns.emplace_back("core");
  if (!plan.variants.empty()) columns.emplace_back("variant");
  if (plan.has_cores) columns.emplace_back("sm");
  if (plan.has_virtual_sms) columns.emplace_back("virtual SMs");
  if (plan.rate) columns.emplace_back("period");
  columns.insert(columns.end(), {"deadline", "bound", "margin", "can shrink"});
  report::Table table{{"task"}, columns};
  std::vector<Standing> standings;
  standings.reserve(plan.tasks.size());
  for (const TaskPlan& task : plan.tasks) {
    standings.push_back(
        {.in_order = task.bound || !task.deadline, .slack = task.margin.value_or(Duration::max())});
  }
  const ShownTasks shown = shown_tasks(standings, all);
  for (const std::size_t i : shown.tasks) {
    const TaskPlan& task = plan.tasks[i];
    const Task& planned = plan.planned.tasks[i];
    std::vector<report::Cell> cells{task.name};
    if (plan.has_priorities) {
      cells.emplace_back(planned.priority ? std::to_string(*planned.priority) : std::string{"-"});
    }
    if (plan.has_gpu_priorities) {
      cells.emplace_back(planned.gpu_priority ? std::to_string(*planned.gpu_priority) : std::string{"-"});
    }
    if (plan.has_cpu_cores) cells.emplace_back(std::to_string(planned.core));
    if (!plan.variants.empty()) cells.emplace_back(variants_text(plan.variants[i]));
    if (plan.has_cores) cells.emplace_back(core_text(planned));
    if (plan.has_virtual_sms) cells.emplace_back(virtual_sms_text(plan.planned, i));
    if (plan.rate) cells.emplace_back(text_or_dash(planned.period));
    cells.emplace_back(text_or_dash(task.deadline));
    cells.emplace_back(task.deadline_only ? "holds"
                       : task.bound       ? rounded_up_text(*task.bound, task.deadline)
                                          : "-");
    cells.emplace_back(task.deadline_only || !task.margin ? "-" : rounded_text(*task.margin, Rounding::down));
    cells.emplace_back(task.can_shrink ? rounded_text(*task.can_shrink, Rounding::down) : "-");
    table.add_row(std::move(cells));
  }
  return table.to_text(wants_colour(), text_width()) + shown.note;
}

/// Of graphs, whose nodes have names: what each node with variants became.
std::string node_variants_text(const Plan& plan, const System& system) {
  std::string text;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.work.form != WorkForm::graph || task.choices.empty()) continue;
    std::vector<std::string> nodes;
    for (const WorkChoice& choice : task.choices) {
      const Node& node = plan.planned.tasks[i].work.nodes[choice.node];
      nodes.push_back(fmt::format("{} {}", printable(node.name), kind_name(node.segment)));
    }
    text += fmt::format("{}  {}: {}\n", text.empty() ? "\nNodes with variants:\n" : "", printable(task.name),
                        fmt::join(nodes, ", "));
  }
  return text;
}

std::string text_of(const Plan& plan, const System& system, bool all) {
  const auto answer = [&](const char* words, report::Tone tone) {
    return fmt::format("{}: {}\n\n", plan.system, report::toned(words, tone, wants_colour()));
  };
  if (!plan.found) {
    std::string text = answer("nothing found", report::Tone::bad);
    if (!plan.searched.empty()) text += fmt::format("Searched: {}.\n", plan.searched);
    return text + fmt::format("Why not: {}.\n", plan.why_not);
  }
  std::string text = answer("found", report::Tone::good);
  if (plan.has_reservations) {
    const Reservations& reservations = *plan.planned.policy.reservations;
    text += fmt::format("reservations: every {}; local {}; all {}\n\n", to_text(reservations.period),
                        window_text(reservations.local), window_text(reservations.all));
  }
  if (plan.has_strategy) {
    const plan::Way way{plan.planned.policy.strategy, plan.planned.policy.order};
    text += fmt::format("strategy: {}{}\n\n", strategy_word(way),
                        has_order(way) ? fmt::format(", order: {}", order_word(way)) : "");
  }
  if (plan.has_policy) text += plan::chosen_policy_text(plan.planned.policy) + "\n\n";
  if (plan.sms) text += sms_text(plan);
  if (plan.rate) text += rate_text(*plan.rate);
  if (plan.shortest) text += shortest_text(*plan.shortest);
  if (plan.sms || plan.rate || plan.shortest) text += "\n";
  text += tasks_table(plan, all);
  text += node_variants_text(plan, system);
  if (!plan.chains.empty()) text += "\n" + chain_bounds_text(plan.chains);
  return text + fmt::format("\nEvery deadline holds by {}{}. Chosen by: {}.\n", plan.accepted_by,
                            plan.chains.empty() ? "" : ", and so does every limit of a chain", plan.how);
}

/// The index of each name. `noun`: what they are names of.
std::vector<std::size_t> named(const std::vector<std::string>& names, std::string_view noun,
                               const std::vector<std::string_view>& known) {
  std::vector<std::size_t> indices;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      const std::string_view near = nearest_name(name, known);
      throw InputError{
          fmt::format("--of: no {} is called '{}'", noun, printable(name)),
          near.empty() ? fmt::format("write names of {}s", noun) : fmt::format("did you mean '{}'?", near)};
    }
    indices.push_back(static_cast<std::size_t>(found - known.begin()));
  }
  return indices;
}

template <class Named>
std::vector<std::string_view> names_of(const std::vector<Named>& all) {
  std::vector<std::string_view> names;
  names.reserve(all.size());
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

std::vector<TaskIndex> tasks_to_speed_up(const System& system, const std::vector<std::string>& names) {
  std::vector<TaskIndex> tasks;
  for (const std::size_t task : named(names, "task", names_of(system.tasks))) {
    tasks.push_back(static_cast<TaskIndex>(task));
    if (repeats(system.tasks[task])) continue;
    throw InputError{fmt::format("--of: task '{}' has no rate", printable(system.tasks[task].name)),
                     "name periodic or sporadic tasks"};
  }
  return tasks;
}

/// Those named; none: all.
std::vector<std::size_t> chains_to_shorten(const System& system, const std::vector<std::string>& names) {
  if (system.chains.empty()) {
    throw InputError{"--shortest-chains: the system has no chains",
                     "add `chains` to it, or --chains FILE with them"};
  }
  std::vector<std::size_t> chains = named(names, "chain", names_of(system.chains));
  std::sort(chains.begin(), chains.end());
  chains.erase(std::unique(chains.begin(), chains.end()), chains.end());
  for (std::size_t i = 0; names.empty() && i < system.chains.size(); ++i) chains.push_back(i);
  return chains;
}

/// What the options ask for, of this system.
plan::PlanGoals goals_of(const PlanOptions& options, const System& system, bool is_model) {
  plan::PlanGoals goals = options.aims;
  // Who asks for the mapping of a model wants the best one.
  goals.shortest_if_possible =
      !options.shortest_chains && is_model && !system.chains.empty() && !goals.fastest && !goals.fewest_sms;
  if (goals.fastest) goals.fastest_of = tasks_to_speed_up(system, options.of);
  if (options.shortest_chains || goals.shortest_if_possible) {
    goals.shortest_chains = chains_to_shorten(system, options.of);
    goals.time_limit = default_time_limit;
  }
  if (!options.time_limit.empty()) {
    goals.time_limit =
        option_value("--time-limit", options.time_limit, io::parse_duration(options.time_limit));
  }
  return goals;
}

void refuse_contradictions(const PlanOptions& options, bool any_strategy) {
  const bool has_aim = options.aims.fewest_sms || options.aims.fastest;
  if (any_strategy && (has_aim || options.shortest_chains)) {
    throw InputError{"--strategy any cannot be combined with --fewest-sms, --fastest and --shortest-chains",
                     "name one strategy, or leave these out"};
  }
  if (has_aim && options.shortest_chains) {
    throw InputError{"--shortest-chains cannot be combined with --fewest-sms and --fastest", "keep one"};
  }
  if (!options.of.empty() && !options.aims.fastest && !options.shortest_chains) {
    throw InputError{"--of is for --fastest and --shortest-chains",
                     "it names the tasks that become faster, or the chains that become shorter"};
  }
}

Plan search(const System& system, const plan::PlanGoals& aims, bool any_strategy) {
  ProgressBar progress{"planning " + system.name};
  if (any_strategy) return plan::plan_any_way(system, progress.watch(), aims.time_limit);
  return plan::plan(system, progress.watch(), aims);
}

int run(PlanOptions options) {
  const InterruptGuard guard;
  const bool any_strategy = options.overrides.strategy == "any";
  if (any_strategy) options.overrides.strategy.clear();
  refuse_contradictions(options, any_strategy);
  const bool is_printed = is_standard_stream(options.output);
  refuse_to_mix({{"-o -", is_printed}, {"--json", options.json}});
  refuse_to_replace({{"-o", options.output}}, {options.file, options.overrides.chains});
  const SystemText input =
      read_system_input(options.file, Completeness::to_be_planned, options.overrides.chains);
  const System system = system_of(input, Completeness::to_be_planned, options.overrides);
  const plan::PlanGoals goals = goals_of(options, system, input.is_model);
  OutputFile output{options.output};
  const Plan found = search(system, goals, any_strategy);
  const bool is_written = found.found && !options.output.empty();
  if (is_written) output.write(to_system_file(found.planned));
  std::optional<plan::Hints> hints;
  if (!found.found && !found.interrupted && !options.no_hints && !any_strategy &&
      system.tasks.size() <= max_hinted_tasks) {
    hints = plan::find_other_ways(system, hint_watch());
  }
  if (options.json) {
    nlohmann::ordered_json json = to_json(found);
    if (hints) json["hints"] = to_json(*hints, system);
    print(json.dump() + "\n");
  } else {
    print_beside(is_printed, text_of(found, system, options.all));
    if (hints) print_beside(is_printed, "\n" + hints_text(*hints, system, options.file, options.overrides));
  }
  if (is_written && !is_printed) say(fmt::format("system file: {}", shown(options.output)));
  if (found.interrupted) {
    say(found.found ? "interrupted: this is the best plan so far" : "interrupted");
    return interrupted;
  }
  return found.found ? answer_yes : answer_no;
}

}  // namespace

void add_plan(Verb app) {
  const Verb verb =
      app.add_verb("plan", "What would make it hold? Finds priorities, cores, reservations, virtual SMs");
  const auto options = std::make_shared<PlanOptions>();
  verb.add_option("FILE", options->file,
                  "System file, AMALTHEA model or - for standard input; what is to be planned may be missing")
      .required();
  verb.add_option("-o,--output", options->output,
                  "Write the complete system file here, if a plan is found (-: standard output)")
      .type_name("FILE");
  verb.add_flag("--fewest-sms", options->aims.fewest_sms,
                strategies_text(has_own_sms) + ": use as few SMs as possible");
  verb.add_flag("--fastest", options->aims.fastest,
                strategies_text(plan::can_scale_rates) +
                    ": make all tasks faster by the largest common factor that holds");
  verb.add_flag(
      "--shortest-chains", options->shortest_chains,
      "Where each segment goes to a server of its own: the cores, variants and priorities with which "
      "the chains have the smallest bounds, added up; the default of AMALTHEA models with chains");
  verb.add_option(
          "--of", options->of,
          "With --fastest: only these tasks, the others keep their rates; with --shortest-chains: only "
          "these chains")
      .type_name("NAME,...")
      .delimiter(',');
  verb.add_option("--time-limit", options->time_limit,
                  "How long all choices are gone through, for --shortest-chains (1min without this) or where "
                  "the quick search finds nothing; then, how long `can shrink` is measured")
      .type_name("TIME");
  verb.add_flag("--all", options->all, "Every task of a long table, in file order");
  verb.add_flag("--json", options->json, "JSON for machines");
  verb.add_flag("--no-hints", options->no_hints, "Where nothing is found, do not try other strategies");
  add_override_options(verb, options->overrides);
  verb.footer(examples);
  verb.runs([options] { return run(*options); });
}

}  // namespace tactus::cli
