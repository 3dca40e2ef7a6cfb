#include "tactus/import/software.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tactus/base/utf8.hpp"
#include "tactus/import/calls.hpp"
#include "tactus/import/properties.hpp"
#include "tactus/import/quantity.hpp"

namespace tactus::import {

namespace {

/// Roles under which the items of an activity stand, of all versions.
bool holds_items(std::string_view tag) {
  constexpr std::array<std::string_view, 7> roles{"items",         "graphEntries", "calls", "runnableItems",
                                                  "activityGraph", "callGraph",    "value"};
  return std::find(roles.begin(), roles.end(), tag) != roles.end();
}

/// Of a counter: how many calls there are for each that counts.
std::int64_t prescaler_of(const Element& element) {
  const Element* counter = element.child("counter");
  if (counter == nullptr) return 1;
  return std::max<std::int64_t>(1, parse_whole(counter->attribute("prescaler")).value_or(1));
}

class ActivityReader {
 public:
  explicit ActivityReader(Notes& notes) : notes_{&notes}, documents_{&notes.documents()} {}

  Activity read(const Element& holder) {
    Activity steps;
    for (const Element& child : holder.children) {
      if (holds_items(child.name) && !is_reference(child)) add(child, steps);
    }
    return steps;
  }

  /// The first access by logical execution time that was read; may be null.
  [[nodiscard]] const Element* timed() const { return timed_; }

  /// Whether one of the activities read since the last question has a group that is not interrupted.
  bool had_uninterruptible() { return std::exchange(has_uninterruptible_, false); }

 private:
  void add(const Element& element, Activity& steps) {
    const std::string_view type = element.type;
    if (type.empty() || type == "Group" || type == "CallSequence") {
      if (element.attribute("interruptible") == "false") has_uninterruptible_ = true;
      Activity inner = read(element);
      std::move(inner.begin(), inner.end(), std::back_inserter(steps));
    } else if (type == "Ticks" || type == "ExecutionNeed" || type == "RunnableInstructions") {
      steps.push_back(ticks_of(element));
    } else if (type == "LabelAccess") {
      add_access(element, steps);
    } else if (type == "RunnableCall" || type == "TaskRunnableCall") {
      add_call(element, steps);
    } else if (type == "InterProcessTrigger" || type == "InterProcessActivation") {
      add_target(element, StepKind::trigger, "stimulus", steps);
    } else if (type == "WaitEvent") {
      add_events(element, StepKind::wait, steps);
    } else if (type == "SetEvent") {
      add_events(element, StepKind::set_event, steps);
    } else if (type == "ClearEvent") {
      add_events(element, StepKind::clear_event, steps);
    } else if (type.ends_with("Switch")) {
      steps.push_back(choice_of(element));
    } else if (type == "WhileLoop") {
      Step step{.kind = StepKind::loop, .element = &element, .events = {}, .ways = {}, .probabilities = {}};
      step.ways.push_back(read(element));
      steps.push_back(std::move(step));
    }
  }

  void add_target(const Element& element, StepKind kind, std::string_view role, Activity& steps) {
    Step step{.kind = kind,
              .element = &element,
              .target = documents_->target(element, role),
              .every = prescaler_of(element),
              .events = {},
              .ways = {},
              .probabilities = {}};
    if (step.target == nullptr) {
      notes_->refuse(element, ProblemId::unknown_name,
                     fmt::format("{} has no {} in the model", element.type, role),
                     "is a file of the model missing? Name the folder with all of them");
      return;
    }
    steps.push_back(std::move(step));
  }

  /// Several calls are a loop around one.
  void add_call(const Element& element, Activity& steps) {
    Activity call;
    add_target(element, StepKind::call, "runnable", call);
    const Often often = often_of(element, "statistic");
    if (call.empty() || often == Often{}) {
      std::move(call.begin(), call.end(), std::back_inserter(steps));
      return;
    }
    steps.push_back({.kind = StepKind::loop,
                     .element = &element,
                     .often = often,
                     .events = {},
                     .ways = {std::move(call)},
                     .probabilities = {}});
  }

  /// By the statistic of a call or an access. It is never taken to be nothing at all.
  Often often_of(const Element& element, std::string_view role) {
    const Element* statistic = element.child("statistic");
    const Element* value = statistic == nullptr ? nullptr : statistic->child(role);
    if (value == nullptr) return {};
    const auto number = [&](std::string_view key) {
      const std::optional<Rational> read = parse_number(value->attribute(key));
      if (value->has(key) && (!read || *read < Rational{})) {
        notes_->refuse(*value, ProblemId::bad_number,
                       fmt::format("how often this happens is not understood: {} is {}", key,
                                   in_backticks(value->attribute(key))),
                       "write a number of at most 18 digits that is not negative");
      }
      return read.value_or(Rational{});
    };
    const bool is_one_value = value->has("value");
    const Rational least = number(is_one_value ? "value" : "min");
    const Rational average = number(is_one_value ? "value" : "avg");
    const Rational most = is_one_value ? average : std::max({number("max"), average, least});
    const bool is_mean = is_one_value && most.denominator() != 1;
    if (is_mean && !std::exchange(told_of_means_, true)) {
      notes_->warn(
          "statistic", value,
          fmt::format("a call or access is said to happen {} times, which is a mean: such numbers are "
                      "rounded up, and it may happen more often in the model",
                      value->attribute("value")),
          "say how often it happens at most: MinAvgMaxStatistic");
    }
    return {
        .least = is_mean ? 0 : std::max<std::int64_t>(0, floor_div(least.numerator(), least.denominator())),
        .average = average == Rational{} ? most : average,
        .most = std::max<std::int64_t>(1, ceiling(most))};
  }

  void add_access(const Element& element, Activity& steps) {
    Step step{.kind = StepKind::access,
              .element = &element,
              .target = documents_->target(element, "data"),
              .events = {},
              .ways = {},
              .probabilities = {}};
    if (step.target == nullptr) return;  // the census tells
    if (timed_ == nullptr && element.attribute("implementation") == "timed") timed_ = &element;
    const std::string_view access = element.attribute("access");
    step.reads = access.starts_with("read");
    step.writes = access.ends_with("rite");  // "write" and "readWrite"
    if (!step.reads && !step.writes) {
      step.reads = step.writes = true;
      notes_->assume("access-kind", &element, "accesses that do not say whether they read or write do both");
    }
    const Element* policy = element.child("transmissionPolicy");
    if (policy != nullptr && policy->has("chunkProcessingTicks") &&
        parse_whole(policy->attribute("chunkProcessingTicks")) != 0) {
      notes_->warn("transmission", &element,
                   "what it takes to process the chunks of an access is not counted",
                   "add it to the ticks of the runnable");
    }
    step.often = often_of(element, "value");
    steps.push_back(std::move(step));
  }

  void add_events(const Element& element, StepKind kind, Activity& steps) {
    Step step{.kind = kind,
              .element = &element,
              .target = documents_->target(element, "process"),
              .events = {},
              .may_keep_core = element.attribute("waitingBehaviour") != "passive",
              .may_give_core = element.attribute("waitingBehaviour") != "active",
              .needs_all = element.attribute("maskType") != "OR",
              .needs_one = element.attribute("maskType") != "AND",
              .is_conditional = prescaler_of(element) > 1,
              .ways = {},
              .probabilities = {}};
    if (const Element* mask = element.child("eventMask")) step.events = documents_->targets(*mask, "events");
    steps.push_back(std::move(step));
  }

  Step choice_of(const Element& element) {
    Step step{.kind = StepKind::choice, .element = &element, .events = {}, .ways = {}, .probabilities = {}};
    bool has_default = false;
    for (const Element& entry : element.children) {
      if (entry.name != "entries" && entry.name != "defaultEntry") continue;
      has_default = has_default || entry.name == "defaultEntry";
      step.ways.push_back(read(entry));
      if (const std::optional<Rational> one = parse_number(entry.attribute("probability")))
        step.probabilities.push_back(*one);
    }
    const bool is_by_chance = step.probabilities.size() == step.ways.size() && !step.ways.empty();
    if (!is_by_chance) step.probabilities.clear();
    if (!has_default && !is_by_chance) step.ways.emplace_back();  // none of them may be taken
    return step;
  }

  Step ticks_of(const Element& element) {
    Step step{.kind = StepKind::ticks, .element = &element, .events = {}, .ways = {}, .probabilities = {}};
    step.ticks.are_instructions = element.type != "Ticks";
    std::string others;  // needs that are not read
    for (const Element& child : element.children) {
      const bool is_need = child.name == "needs" || child.name == "default";
      if (!is_need && child.name != "extended") continue;
      const Element* definition = is_need ? nullptr : documents_->target(child, "key");
      if (!is_need && definition == nullptr) {  // the default is for other units
        const bool has_key = child.has("key") || child.child("key") != nullptr;  // then the census tells
        if (!has_key)
          notes_->warn("no-ticks", &child, "these ticks do not say for which processing unit they are");
        continue;
      }
      if (is_need && child.has("key")) {
        add_need(child, definition, step, others);
      } else if (!is_need && std::any_of(child.children.begin(), child.children.end(), is_named_value)) {
        for (const Element& value : child.children) {
          if (is_named_value(value)) add_need(value, definition, step, others);
        }
      } else {
        add_ticks(child, definition, step);
      }
    }
    if (!step.ticks.by_definition.empty()) {
      if (!others.empty()) {
        notes_->warn("needs", &element,
                     fmt::format("this {} has also the needs {}, which take no time here: only that with the "
                                 "key `Instructions` does",
                                 element.type, others),
                     "count what they take as `Instructions`, too");
      }
      return step;
    }
    if (others.empty()) {
      notes_->warn("no-ticks", &element,
                   fmt::format("this {} element says no number, so it takes no time", element.type));
    } else {
      notes_->warn(
          "no-ticks", &element,
          fmt::format("this {} has the needs {}, and only that with the key `Instructions` is read: it "
                      "takes no time",
                      element.type, others),
          "give it a need with the key `Instructions`");
    }
    return step;
  }

  /// Until version 0.9.2 the values of `extended` have the keys of needs.
  static bool is_named_value(const Element& child) { return child.name == "value" && child.has("key"); }

  /// Needs are named; only instructions are known to take time.
  void add_need(const Element& need, const Element* definition, Step& step, std::string& others) {
    const std::string_view key = need.attribute("key");
    if (folded(key) == "instructions") {
      add_ticks(need, definition, step);
    } else {
      others += (others.empty() ? "" : ", ") + in_backticks(key);
    }
  }

  void add_ticks(const Element& holder, const Element* definition, Step& step) {
    const Element* value = holder.child("value");
    const std::optional<Distribution> read = read_distribution(value == nullptr ? holder : *value);
    if (read) {
      step.ticks.by_definition.emplace_back(definition, *read);
    } else {
      notes_->refuse(holder, ProblemId::bad_number, "the number of ticks is not understood",
                     "write a constant, or a distribution with bounds of at most 18 digits");
    }
  }

  Notes* notes_;
  const Documents* documents_;
  bool has_uninterruptible_ = false;
  const Element* timed_ = nullptr;
  bool told_of_means_ = false;
};

Grid grid_of(const Element& element) {
  return {.blocks = integer_property(element, keys::grid),
          .threads = integer_property(element, keys::block),
          .shared_memory = integer_property(element, keys::shared_memory),
          .registers = integer_property(element, keys::registers),
          .stream = property(element, keys::stream),
          .stream_priority = integer_property(element, keys::stream_priority)};
}

}  // namespace

std::optional<Often> runs_of(const Step& loop, const std::optional<std::int64_t>& loops) {
  if (loop.often || !loops) return loop.often;
  return Often{.least = 0, .average = Rational{*loops}, .most = *loops};
}

bool takes_time(const Step& step) {
  return step.kind == StepKind::ticks || step.kind == StepKind::access || step.kind == StepKind::call ||
         step.kind == StepKind::choice || step.kind == StepKind::loop;
}

bool is_sure(const Step& step, std::size_t given) {
  return !step.is_conditional || (step.way_begin <= given && given < step.way_end);
}

const Runnable* Software::called_in(const Step& step) const {
  if (step.kind != StepKind::call) return nullptr;
  const auto found = runnable_of.find(step.target);
  return found == runnable_of.end() ? nullptr : &runnables[found->second];
}

bool Software::has_ticks(const Step& step) const {
  const Runnable* called = called_in(step);
  return step.kind == StepKind::ticks || (called != nullptr && called->has_ticks);
}

bool Software::acts(const Step& step) const {
  const Runnable* called = called_in(step);
  return step.kind == StepKind::trigger || step.kind == StepKind::wait || step.kind == StepKind::set_event ||
         step.kind == StepKind::clear_event || (called != nullptr && (called->acts || called->grid.blocks));
}

Software read_software(Notes& notes) {
  const Documents& documents = notes.documents();
  ActivityReader reader{notes};
  Software software;
  for (const std::string_view tag : {"tasks", "isrs"}) {
    for (const Element* one : documents.listed("swModel", tag)) {
      software.tasks.push_back({.name = std::string{name_of(*one)},
                                .element = one,
                                .stimuli = documents.targets(*one, "stimuli"),
                                .activity = reader.read(*one),
                                .grid = grid_of(*one),
                                .is_interrupt = tag == "isrs"});
      software.tasks.back().has_uninterruptible = reader.had_uninterruptible();
    }
  }
  for (const Element* one : documents.listed("swModel", "runnables")) {
    software.runnable_of.emplace(one, software.runnables.size());
    software.runnables.push_back({.name = std::string{name_of(*one)},
                                  .element = one,
                                  .activity = reader.read(*one),
                                  .grid = grid_of(*one)});
    software.runnables.back().has_uninterruptible = reader.had_uninterruptible();
  }
  follow_calls(software, notes);
  software.timed = reader.timed();
  return software;
}

Rational label_size(const Element& label) {
  const Element* size = label.child("size");
  return size == nullptr ? Rational{} : bytes_of(*size).value_or(Rational{});
}

}  // namespace tactus::import
