// tactus import: a system file from an AMALTHEA model.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/cli/model_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/import/json.hpp"
#include "tactus/import/loads.hpp"
#include "tactus/import/xml.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/report/table.hpp"

namespace tactus::cli {

namespace {

using import::Imported;
using import::percent;
using import::Severity;

constexpr std::string_view examples = R"(
MODEL is a file of Eclipse APP4MC (*.amxmi, plain or packed) or a folder whose files are one model. A GPU task that
a CPU task triggers and waits for becomes part of that task: CPU work, a copy, GPU work, a copy, CPU work. What the
model leaves open is assumed, and every assumption is listed here, in the system file and in JSON. `tactus check`,
`sim` and `plan` take models, too, with the same assumptions. docs/amalthea.md says more.

Examples:
  tactus import examples/amalthea/camera.amxmi                  what it holds, what is odd, how busy each unit is
  tactus import examples/amalthea/camera.amxmi -o camera.yaml   the system, with comments on where all comes from
  tactus import examples/amalthea/camera.amxmi --average --json

Exit status: 0 done, 2 bad input, or the model lacks what times need.)";

struct ImportOptions {
  std::string model;
  std::string output;
  std::string chains;
  bool json = false;
  ModelOptions choices;
};

std::string clock_text(const Rational& hertz) {
  return to_decimal(hertz / Rational{1'000'000}).value_or(to_string(hertz / Rational{1'000'000})) + " MHz";
}

std::string holds_text(const Imported& imported) {
  const auto count = [&](std::string_view name, std::string_view noun) {
    return plural(imported.census.count_of(name), noun);
  };
  std::size_t stimuli = 0;
  for (const import::ClassCount& one : imported.census.classes) {
    if (one.name.ends_with("Stimulus")) stimuli += one.count;
  }
  const std::size_t lost = imported.census.lost;
  return fmt::format("{}: AMALTHEA {}, {}, {}, {}, {}, {}; {}, {}\n", shown(imported.source),
                     shown(imported.version), count("Task", "task"), count("Runnable", "runnable"),
                     import::labels_text(imported.census),
                     stimuli == 1 ? "1 stimulus" : fmt::format("{} stimuli", stimuli),
                     plural(imported.census.count_of("ProcessingUnit") + imported.census.count_of("Core"),
                            "processing unit"),
                     plural(imported.census.references, "reference"),
                     lost == 0 ? "all resolved" : fmt::format("{} unresolved", lost));
}

std::string units_text(const Imported& imported) {
  report::Table table{{"unit", "definition"}, {"clock", "tasks", "average", "worst", "with waiting"}};
  for (const import::Load& one : imported.converted->loads) {
    const bool is_over = one.worst_with_waiting > Rational{1};
    table.add_row({shown(one.unit),
                   shown(one.definition),
                   clock_text(one.hertz),
                   std::to_string(one.tasks.size()),
                   import::average_percent(one.average),
                   {percent(one.worst), one.worst > Rational{1} ? report::Tone::bad : report::Tone::plain},
                   {percent(one.worst_with_waiting), is_over ? report::Tone::bad : report::Tone::plain}});
  }
  return table.to_text(wants_colour(), text_width());
}

std::string period_text(const Task& task) {
  if (!task.period) return "once";
  return (task.arrival == Arrival::sporadic ? ">= " : "") + to_text(*task.period);
}

std::string tasks_text(const Imported& imported) {
  report::Table table{{"task", "core"}, {"period", "deadline", "priority"}, {"work"}};
  const System& system = imported.converted->system;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    std::string work = import::work_text(imported.converted->origins[i].parts);
    if (task.wait == Waiting::busy) work += ", waits busily";
    const auto core = static_cast<std::size_t>(task.core);
    table.add_row({shown(task.name),
                   task.any_core                             ? "any"
                   : core < imported.converted->cores.size() ? shown(imported.converted->cores[core])
                                                             : "-",
                   period_text(task), task.deadline ? to_text(*task.deadline) : "-",
                   task.priority ? std::to_string(*task.priority) : "-", work});
  }
  return table.to_text(wants_colour(), text_width());
}

std::string finding_text(const import::Finding& one) {
  std::string text = one.place.line > 0 ? fmt::format("  {}:{}:{}: {}\n", one.place.file, one.place.line,
                                                      one.place.column, one.message)
                                        : fmt::format("  {}\n", one.message);
  if (!one.hint.empty()) text += fmt::format("      {}\n", one.hint);
  return text;
}

std::string findings_text(const Imported& imported) {
  std::string text;
  for (const auto& [severity, title] :
       {std::pair{Severity::warning, "Warnings"}, std::pair{Severity::assumption, "Assumed"},
        std::pair{Severity::note, "Notes"}}) {
    std::string lines;
    for (const import::Finding& one : imported.findings) {
      if (one.severity == severity) lines += finding_text(one);
    }
    if (severity == Severity::warning) {
      for (const auto* problems : {&imported.census.unresolved, &imported.census.ambiguous}) {
        for (const Problem& one : *problems)
          lines += fmt::format("  {}:{}:{}: {}\n      {}\n", one.file, one.line, one.column, one.message,
                               one.hint);
      }
    }
    if (!lines.empty()) text += fmt::format("\n{}:\n{}", title, lines);
  }
  std::string ignored;
  for (const import::Ignored& one : imported.census.ignored) {
    ignored += fmt::format("  {} x {} ({}): {}, first at {}:{}\n", one.count, shown(one.name),
                           to_string(one.effect), one.meaning, one.first.file, one.first.line);
  }
  if (!ignored.empty()) text += fmt::format("\nIgnored:\n{}", ignored);
  return text;
}

std::string report_text(const Imported& imported) {
  std::string text = holds_text(imported);
  if (imported.converted) text += "\n" + units_text(imported) + "\n" + tasks_text(imported);
  return text + findings_text(imported);
}

/// The model is not made from the system file again, nor would a new file with this name be taken for one.
void refuse_to_overwrite(const ImportOptions& options) {
  refuse_to_replace({{"-o", options.output}}, {options.model, options.chains});
  if (std::filesystem::path{options.output}.extension() == ".amxmi") {
    throw InputError{"-o " + in_backticks(options.output) + " would be taken for a model",
                     "a system file is called, for instance, system.yaml"};
  }
}

int run(const ImportOptions& options) {
  if (!import::is_available()) throw import::not_available();
  const bool is_printed = is_standard_stream(options.output);
  refuse_to_mix({{"-o -", is_printed}, {"--json", options.json}});
  refuse_to_overwrite(options);
  OutputFile file{options.output};
  Imported imported = import_input(options.model, options.choices.options());
  if (!options.chains.empty() && imported.converted) {
    System& system = imported.converted->system;
    system = with_chains(system, options.chains,
                         options.choices.open ? Completeness::to_be_planned : Completeness::complete);
  }
  if (options.json) {
    print(import::to_json(imported).dump() + "\n");
  } else {
    print_beside(is_printed, report_text(imported));
  }
  if (!imported.converted) throw InputError{imported.problems};
  if (!options.output.empty()) file.write(import::to_commented_file(imported));
  if (!options.output.empty() && !is_printed) say(fmt::format("system file: {}", shown(options.output)));
  return answer_yes;
}

}  // namespace

void add_import(Verb app) {
  const Verb verb = app.add_verb("import", "A system file from an AMALTHEA model (Eclipse APP4MC)");
  const auto options = std::make_shared<ImportOptions>();
  verb.add_option("MODEL", options->model, "Model file or folder, or - for standard input").required();
  verb.add_option("-o,--output", options->output, "Write the system file here (-: standard output)")
      .type_name("FILE");
  verb.add_flag("--json", options->json,
                "JSON for machines: what the model holds, what was noticed, and the system");
  verb.add_option("--chains", options->chains,
                  "How data flows: `chains` as in a system file, in a file of their own")
      .type_name("FILE");
  add_model_options(verb, options->choices);
  verb.footer(examples);
  verb.runs([options] { return run(*options); });
}

}  // namespace tactus::cli
