#include "tactus/import/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"
#include "tactus/import/remarks.hpp"
#include "tactus/import/xml.hpp"
#include "tactus/model/limits.hpp"
#include "tactus/model/validate.hpp"

namespace tactus::import {

namespace {

std::string system_name(const std::string& path) {
  const std::filesystem::path file{path.ends_with('/') ? path.substr(0, path.size() - 1) : path};
  std::string name = file.stem().string();
  if (name.empty() || name == "." || find_invalid_utf8(name) ||
      count_characters(name) > tactus::limits::name_characters)
    return "model";
  return name == "-" || name == "stdin" ? "model" : name;
}

/// One row for each runnable and kind of processing unit that has ticks for it.
std::vector<RunnableTime> runnable_times(const Model& model, const Options& options,
                                         const Documents& documents) {
  Notes unheard{documents};
  Options ticks_only = options;
  ticks_only.access = AccessTime::none;
  TimeTable times{model, ticks_only, unheard};
  std::vector<const ProcessingUnit*> kinds;
  std::set<std::pair<const Element*, Rational>> known;
  for (const ProcessingUnit& unit : model.hardware.units) {
    if (known.emplace(unit.definition, unit.hertz).second) kinds.push_back(&unit);
  }
  std::vector<RunnableTime> rows;
  std::size_t looked_at = 0;
  for (const Runnable& runnable : model.software.runnables) {
    if (!runnable.has_ticks || runnable.is_cut) continue;
    if ((looked_at += kinds.size()) > limits::rows) break;
    for (const ProcessingUnit* unit : kinds) {
      if (!times.can_run(runnable, *unit)) continue;
      rows.push_back({.runnable = runnable.name,
                      .definition = unit->definition_name,
                      .unit = unit->name,
                      .time = times.time_of(runnable, *unit).ticks});
    }
  }
  return rows;
}

void refuse_without_tasks(const Model& model, Notes& notes) {
  const Element& root = notes.documents().roots().front();
  if (!model.software.tasks.empty()) {
    notes.refuse(root, ProblemId::incomplete_model, "no task of the model can be analysed",
                 "the warnings say why");
    return;
  }
  const bool is_hardware = model.software.runnables.empty() && !model.hardware.units.empty();
  notes.refuse(root, ProblemId::incomplete_model,
               is_hardware ? "the model has no tasks: it describes hardware only"
                           : "the model has no tasks, so there are no times",
               "name the folder that holds its other files, too");
}

void add_violations(const System& system, Notes& notes, const Options& options) {
  std::vector<Violation> violations = validate(system);
  if (!options.open) {
    const std::vector<Violation> missing = find_missing_parameters(system);
    violations.insert(violations.end(), missing.begin(), missing.end());
  }
  for (const Violation& one : violations) {
    notes.refuse(
        notes.documents().roots().front(), one.id,
        fmt::format("the system that follows from the model is not valid: {} ({})", one.message, one.path),
        one.hint);
  }
}

}  // namespace

Imported import_model(std::vector<SourceText> sources, const std::string& path, const Options& options) {
  if (!is_available()) throw not_available();
  const Documents documents{std::move(sources)};
  Imported imported{.name = system_name(path),
                    .source = path,
                    .version = documents.version(),
                    .census = take_census(documents),
                    .findings = {},
                    .times = {},
                    .converted = {},
                    .problems = {}};
  Notes notes{documents};
  try {
    const Model model = read_model(options, notes);
    add_remarks(model, options, notes);
    imported.times = runnable_times(model, options, documents);
    Converted converted = convert(model, options, notes);
    converted.system.name = imported.name;
    if (converted.system.tasks.empty() && notes.problems().empty()) {
      refuse_without_tasks(model, notes);
    } else if (!converted.system.tasks.empty()) {
      add_violations(converted.system, notes, options);
    }
    if (notes.problems().empty()) imported.converted = std::move(converted);
  } catch (const TooLarge& error) {
    notes.refuse(documents.roots().front(), ProblemId::too_large, error.what(), error.hint);
  } catch (const OverflowError& error) {
    notes.refuse(documents.roots().front(), ProblemId::out_of_range,
                 fmt::format("the model's numbers are too large: {}", error.what()),
                 "is there a time, frequency or size beyond what any machine has?");
  }
  imported.findings = notes.findings();
  imported.problems = notes.problems();
  return imported;
}

Imported import_model(const std::string& path, const Options& options) {
  if (!is_available()) throw not_available();
  return import_model(read_sources(path), path, options);
}

}  // namespace tactus::import
