#include "tactus/import/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/import/quantity.hpp"
#include "tactus/import/source.hpp"

namespace tactus::import {

namespace {

/// Some names and how many more there are.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

/// "1 port", "2 ports".
std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string_view has_or_have(const std::vector<std::string>& names) {
  return names.size() == 1 ? "has" : "have";
}

class Remarks {
 public:
  Remarks(const Model& model, const Options& options, Notes& notes)
      : model_{&model}, options_{&options}, notes_{&notes} {}

  void add() {
    compare_names(model_->requirements, *notes_);
    remark_files();
    remark_distances();
    remark_triggers();
    remark_ticks();
    remark_runnables();
    remark_limits();
    remark_slices();
    remark_names();
    remark_labels();
    remark_hardware();
    remark_offloads();
    if (notes_->documents().listed("constraintsModel", "eventChains").empty()) {
      notes_->note("no-chains", nullptr,
                   "the model has no event chains: how data flows from task to task is not known",
                   "--chains FILE, or write `chains` into the system file");
    }
  }

 private:
  /// Models that have nothing to do with each other may lie in one folder.
  void remark_files() {
    const std::vector<std::string>& versions = notes_->documents().versions();
    const std::vector<SourceText>& sources = notes_->documents().sources();
    const bool are_mixed = std::ranges::count(versions, versions.front()) != std::ssize(versions);
    std::vector<std::string> files;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (are_mixed || is_whole_model(sources[i].text))
        files.push_back(fmt::format("{} (version {})", sources[i].name, versions[i]));
    }
    if (files.size() < 2) return;
    notes_->point_out(
        "joined-models", nullptr,
        fmt::format("files {} are taken as one system: {}",
                    are_mixed ? "of different versions" : "with hardware and software of their own",
                    some_of(files)),
        "name one file, unless they are one system");
  }

  /// Why the rate of a task is asked for, where a stimulus says a distance of 0 or none.
  void remark_distances() {
    std::set<const Element*> used;
    for (const Process& task : model_->software.tasks) {
      if (!options_->periods.contains(task.name)) used.insert(task.stimuli.begin(), task.stimuli.end());
    }
    for (const Element* stimulus : notes_->documents().listed("stimuliModel", "stimuli")) {
      const std::string_view role = distance_role(*stimulus);
      if (role.empty() || model_->arrivals.at(stimulus).period || !used.contains(stimulus)) continue;
      notes_->warn(
          "no-distance", stimulus,
          fmt::format("{} has no least distance between its arrivals", in_backticks(name_of(*stimulus))),
          fmt::format("give `{}` a lower bound above 0", role));
    }
  }

  void remark_triggers() {
    std::set<const Element*> used;
    for (const Process& task : model_->software.tasks) used.insert(task.stimuli.begin(), task.stimuli.end());
    for (const Element* stimulus : notes_->documents().listed("stimuliModel", "stimuli")) {
      const auto triggers = model_->triggers.find(stimulus);
      if (used.contains(stimulus) || triggers == model_->triggers.end()) continue;
      notes_->note(
          "trigger-without-task", stimulus,
          fmt::format("{} triggers {}, which activates no task",
                      in_backticks(triggers->second.front().from->name), in_backticks(name_of(*stimulus))));
    }
  }

  void remark_ticks() {
    std::size_t all = 0;
    std::size_t with_default = 0;
    for (const Runnable& one : model_->software.runnables) {
      for_each_step(one.activity, [&](const Step& step) {
        if (step.kind != StepKind::ticks) return;
        ++all;
        const auto& entries = step.ticks.by_definition;
        if (std::any_of(entries.begin(), entries.end(),
                        [](const auto& entry) { return entry.first == nullptr; }))
          ++with_default;
      });
    }
    if (all > 0 && with_default == 0) {
      notes_->note("no-default-ticks", nullptr,
                   "no ticks have a default: what has none for a processing unit cannot run there");
    }
  }

  void remark_runnables() {
    std::vector<std::string> copies;
    std::vector<std::string> gpu_only;
    std::set<const Element*> gpus;
    for (const ProcessingUnit& unit : model_->hardware.units) {
      if (unit.kind == UnitKind::gpu && unit.definition != nullptr) gpus.insert(unit.definition);
    }
    for (const Runnable& one : model_->software.runnables) {
      bool ticks = false;
      bool accesses = false;
      bool elsewhere = false;
      for_each_step(one.activity, [&](const Step& step) {
        ticks = ticks || step.kind == StepKind::ticks || step.kind == StepKind::call;
        accesses = accesses || step.kind == StepKind::access;
        for (const auto& [definition, distribution] : step.ticks.by_definition)
          elsewhere = elsewhere || !gpus.contains(definition);
      });
      if (!ticks && accesses) copies.push_back(one.name);
      if (ticks && !elsewhere && !gpus.empty()) gpu_only.push_back(one.name);
    }
    if (!copies.empty() && !gpus.empty()) {
      notes_->assume(
          "copies", nullptr,
          fmt::format("runnables with accesses and no ticks are copies where a GPU task calls them: {}",
                      some_of(copies)),
          "--access and --lines say what they take");
    }
    if (!gpu_only.empty())
      notes_->note("gpu-only", nullptr,
                   fmt::format("only the GPU has ticks for {}: it cannot run on a core", some_of(gpu_only)));
  }

  void remark_limits() {
    const auto has_none = [](const Process& task) {
      return task.element->attribute("multipleTaskActivationLimit") == "0";
    };
    const auto count = static_cast<std::size_t>(
        std::count_if(model_->software.tasks.begin(), model_->software.tasks.end(), has_none));
    if (count == 0) return;
    notes_->note("activation-limit", nullptr,
                 fmt::format("multipleTaskActivationLimit is 0 for {}; that is taken as no limit",
                             counted(count, "task")));
  }

  void remark_slices() {
    std::vector<std::string> texts;
    for (const TaskAllocationFacts& one : model_->mapping.tasks) {
      if (one.time_slice) texts.push_back(fmt::format("{} {}", name_of(*one.task), to_text(*one.time_slice)));
    }
    for (const auto& [element, scheduler] : model_->mapping.schedulers) {
      if (scheduler.longest_slice)
        texts.push_back(fmt::format("{} at most {}", scheduler.name, to_text(*scheduler.longest_slice)));
      if (scheduler.shortest_slice)
        texts.push_back(fmt::format("{} at least {}", scheduler.name, to_text(*scheduler.shortest_slice)));
    }
    if (!texts.empty())
      notes_->assume("time-slice-text", nullptr,
                     "time slices are read from texts of the model: " + some_of(texts));
  }

  void remark_names() {
    const std::set<std::string_view> classes{
        "Task", "Runnable", "OsEvent", "Label", "InterProcessStimulus", "PeriodicStimulus", "ProcessingUnit"};
    std::map<std::string_view, std::set<std::string_view>> by_name;
    for (const Element* one : notes_->documents().named()) {
      if (const std::string_view type = class_of(*one); classes.contains(type))
        by_name[name_of(*one)].insert(type);
    }
    std::vector<std::string> shared;
    for (const auto& [name, types] : by_name) {
      if (types.size() > 1) shared.push_back(fmt::format("{} ({})", shown(name), fmt::join(types, ", ")));
    }
    if (!shared.empty())
      notes_->note("same-name", nullptr,
                   "names that belong to several classes; references say which: " + some_of(shared));
  }

  /// Labels that something in an activity refers to, whatever class that is: mode labels are also read by
  /// conditions.
  void collect_uses(const Element& element, std::set<const Element*>& used) {
    for (const Element& child : element.children) {
      if (child.name == "customProperties") continue;
      for (const Attribute& one : child.attributes) {
        const std::size_t begin = one.name == "href" ? one.value.find('#') + 1 : 0;
        for (const Reference& reference : parse_references(std::string_view{one.value}.substr(begin))) {
          if (!reference.type.ends_with("Label")) continue;
          if (const Element* label = notes_->documents().find(reference)) used.insert(label);
        }
      }
      collect_uses(child, used);
    }
  }

  void remark_labels() {
    std::set<const Element*> used;
    for (const std::string_view role : {"tasks", "isrs", "runnables"}) {
      for (const Element* one : notes_->documents().listed("swModel", role)) collect_uses(*one, used);
    }
    std::vector<std::string> unused;
    for (const auto& [label, memory] : model_->mapping.memory_of) {
      const std::string_view type = class_of(*label);
      const bool is_label = type == "Label" || type == "ModeLabel";
      if (is_label && !used.contains(label)) unused.emplace_back(name_of(*label));
    }
    std::sort(unused.begin(), unused.end());
    if (!unused.empty())
      notes_->note("unused-labels", nullptr,
                   fmt::format("labels that are mapped to a memory and never accessed: {}", some_of(unused)));
  }

  void remark_hardware() {
    std::vector<std::string> with_rate;
    std::vector<std::string> without;
    for (const ProcessingUnit& unit : model_->hardware.units) {
      const bool has_rate = std::any_of(unit.accesses.begin(), unit.accesses.end(),
                                        [](const MemoryAccess& one) { return one.has_rate(); });
      (has_rate ? with_rate : without).push_back(unit.name);
    }
    if (!with_rate.empty() && !without.empty()) {
      notes_->note("data-rate", nullptr,
                   fmt::format("only {} {} a data rate; with --access rate the others take their latencies",
                               some_of(with_rate), has_or_have(with_rate)));
    }
    std::size_t ports = 0;
    std::size_t connections = 0;
    std::vector<const Element*> open = notes_->documents().parts("hwModel");
    while (!open.empty()) {
      const Element* one = open.back();
      open.pop_back();
      if (one->name == "ports") ++ports;
      if (one->name == "connections") ++connections;
      for (const Element& child : one->children) open.push_back(&child);
    }
    if (ports > 0 && connections == 0)
      notes_->note("no-connections", nullptr,
                   fmt::format("the hardware has {} and no connection {}", counted(ports, "port"),
                               ports == 1 ? "to it" : "between them"));
    const std::int64_t line = options_->line_size.value_or(model_->hardware.line_size.value_or(64));
    constexpr std::array<std::string_view, 4> how{
        "the unit's latency for each line", "the unit's data rate, or its latency for each line",
        "nothing, but for copies, which take the latency for each line", "nothing"};
    notes_->assume(
        "access-time", nullptr,
        fmt::format(
            "accesses to labels take {}{}; a line has {} B, {}; kB is 1000 B",
            how.at(static_cast<std::size_t>(options_->access)),
            takes_rates_of_paths() ? ", along a path one data rate after the other (their times add up)" : "",
            line,
            options_->lines == Lines::label ? "each label begins one" : "labels of a runnable lie together"),
        "--access, --line-size and --lines choose");
  }

  [[nodiscard]] bool takes_rates_of_paths() const {
    if (options_->access != AccessTime::rate) return false;
    const auto is_path = [](const MemoryAccess& one) { return one.is_path && one.has_rate(); };
    return std::any_of(model_->hardware.units.begin(), model_->hardware.units.end(),
                       [&](const ProcessingUnit& unit) {
                         return std::any_of(unit.accesses.begin(), unit.accesses.end(), is_path);
                       });
  }

  /// Behind a wait a result is usually read and passed on; a runnable that writes what the GPU reads is
  /// likely a slip.
  void remark_offloads() {
    std::set<const Element*> inputs;  // read by runnables without ticks that GPU tasks call
    for (const Process& task : model_->software.tasks) {
      const bool is_triggered =
          std::any_of(task.stimuli.begin(), task.stimuli.end(),
                      [this](const Element* one) { return model_->triggers.contains(one); });
      if (is_triggered) collect_inputs(task, inputs);
    }
    for (const Process& task : model_->software.tasks) {
      bool behind = false;
      for (const Step& step : task.activity) {
        behind = behind || step.kind == StepKind::wait;
        const Runnable* called = behind ? model_->software.called_in(step) : nullptr;
        if (called != nullptr) compare_accesses(*called, inputs);
      }
    }
  }

  void collect_inputs(const Process& task, std::set<const Element*>& inputs) {
    bool before = true;
    for (const Step& step : task.activity) {
      const Runnable* called = model_->software.called_in(step);
      if (called == nullptr) continue;
      bool has_ticks = false;
      for_each_step(called->activity, [&has_ticks](const Step& inner) {
        has_ticks = has_ticks || inner.kind == StepKind::ticks;
      });
      before = before && !has_ticks;
      if (!before) return;
      for_each_step(called->activity, [&inputs](const Step& inner) {
        if (inner.kind == StepKind::access && inner.reads) inputs.insert(inner.target);
      });
    }
  }

  void compare_accesses(const Runnable& runnable, const std::set<const Element*>& inputs) {
    std::set<const Element*> read;
    for_each_step(runnable.activity, [&read](const Step& step) {
      if (step.kind == StepKind::access && step.reads) read.insert(step.target);
    });
    for_each_step(runnable.activity, [&](const Step& step) {
      const bool is_slip = step.kind == StepKind::access && step.writes && inputs.contains(step.target) &&
                           !read.contains(step.target);
      if (!is_slip) return;
      notes_->point_out(
          "result-over-input", step.element,
          fmt::format("{} writes {}, which is copied to the GPU as its input, and does not read it: "
                      "is another label meant?",
                      in_backticks(runnable.name), in_backticks(name_of(*step.target))));
    });
  }

  const Model* model_;
  const Options* options_;
  Notes* notes_;
};

}  // namespace

void add_remarks(const Model& model, const Options& options, Notes& notes) {
  Remarks{model, options, notes}.add();
}

}  // namespace tactus::import
