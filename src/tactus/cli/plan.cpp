// tactus plan: what would make it hold?
#include "tactus/plan/plan.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/text.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/progress.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/report/table.hpp"

namespace tactus::cli {

using plan::Plan;
using plan::TaskPlan;

namespace {

constexpr std::string_view examples = R"(
What is planned depends on the policy of the file:
  order: fp            priorities (single-stream, multi-stream, sm-cores)
  strategy: sm-cores   the reservations, with the smallest share of time for the gang window, and the core of
                       every task with `sm: any`
What the file gives already is kept if it holds. With nothing to choose the system is checked as it is.
The smallest gang window leaves the gang tasks nothing to spare; shorten their deadlines to leave some.

Examples:
  tactus plan examples/sharing/to-plan.yaml                   the parameters, and the margin of each task
  tactus plan examples/sharing/to-plan.yaml -o robot.yaml     the same, and a complete system file
  tactus check robot.yaml                                     which holds

bound is a proven response time, margin is deadline - bound. Tests that only prove deadlines give the deadline
as the bound. can shrink: how much shorter the deadline of that task alone could be.

Exit status: 0 found, 1 nothing found, 2 bad input, 130 interrupted (with the best plan so far, if there is one).)";

struct PlanOptions {
  std::string file;
  std::string output;
  bool json = false;
};

std::string text_or_dash(const std::optional<Duration>& duration) {
  return duration ? to_text(*duration) : "-";
}

std::string window_text(const std::optional<Window>& window) {
  if (!window) return "none";
  return fmt::format("{} from {} on", to_text(window->budget), to_text(window->offset));
}

std::string core_text(const Task& task) {
  return task.sm.kind == SmAffinity::Kind::one ? std::to_string(task.sm.core) : "all";
}

/// Tasks in file order; columns for what was planned.
std::string tasks_table(const Plan& plan) {
  std::vector<report::Column> columns{{"task", report::Align::left}};
  if (plan.has_priorities) columns.push_back({"priority", report::Align::right});
  if (plan.has_cores) columns.push_back({"sm", report::Align::right});
  for (const char* header : {"deadline", "bound", "margin", "can shrink"}) {
    columns.push_back({header, report::Align::right});
  }
  report::Table table{columns};
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const TaskPlan& task = plan.tasks[i];
    const Task& planned = plan.planned.tasks[i];
    std::vector<report::Cell> cells{task.name};
    if (plan.has_priorities) {
      cells.emplace_back(planned.priority ? std::to_string(*planned.priority) : std::string{"-"});
    }
    if (plan.has_cores) cells.emplace_back(core_text(planned));
    for (const auto& value : {task.deadline, task.bound, task.margin, task.can_shrink}) {
      cells.emplace_back(text_or_dash(value));
    }
    table.add_row(std::move(cells));
  }
  return table.to_text(wants_colour());
}

std::string text_of(const Plan& plan) {
  if (!plan.found) {
    std::string text = fmt::format("{}: nothing found\n\n", plan.system);
    if (!plan.searched.empty()) text += fmt::format("Searched: {}.\n", plan.searched);
    return text + fmt::format("Why not: {}.\n", plan.why_not);
  }
  std::string text = fmt::format("{}: found\n\n", plan.system);
  if (plan.has_reservations) {
    const Reservations& reservations = *plan.planned.policy.reservations;
    text += fmt::format("reservations: every {}; local {}; all {}\n\n", to_text(reservations.period),
                        window_text(reservations.local), window_text(reservations.all));
  }
  return text + tasks_table(plan) +
         fmt::format("\nEvery deadline holds by {}. Chosen by: {}.\n", plan.accepted_by, plan.how);
}

Plan search(const System& system) {
  Progress progress{"planning " + system.name};
  const InterruptGuard guard;
  plan::Watch watch;
  watch.stop = &InterruptGuard::flag();
  watch.progress = [&](double part) { progress.show(part); };
  return plan::plan(system, watch);
}

int run(const PlanOptions& options) {
  const System system = load(options.file, Completeness::to_be_planned);
  // Opened first: a path that cannot be written is better said before the search than after it.
  std::optional<AtomicFile> output;
  if (!options.output.empty()) output.emplace(options.output);
  const Plan found = search(system);
  if (output && found.found) {
    output->write(to_system_file(found.planned));
    output->commit();
  }
  print(options.json ? to_json(found).dump() + "\n" : text_of(found));
  if (output && found.found) say(fmt::format("system file: {}", options.output));
  if (found.interrupted) {
    say(found.found ? "interrupted: this is the best plan so far" : "interrupted");
    return interrupted;
  }
  return found.found ? answer_yes : answer_no;
}

}  // namespace

void add_plan(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("plan", "What would make it hold? Finds priorities, cores, reservations");
  const auto options = std::make_shared<PlanOptions>();
  verb->add_option("FILE", options->file, "System file; what is to be planned may be missing")->required();
  verb->add_option("-o,--output", options->output, "Write the complete system file here, if a plan is found");
  verb->add_flag("--json", options->json, "JSON for machines");
  verb->footer(std::string{examples});
  verb->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace tactus::cli
