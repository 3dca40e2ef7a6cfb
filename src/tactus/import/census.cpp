#include "tactus/import/census.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"

namespace tactus::import {

namespace {

struct Effects {
  std::string_view name;
  Effect effect;
  std::string_view meaning;
};

/// Classes that are not understood and of which something is known.
constexpr std::array<Effects, 22> effects{{
    {"SemaphoreAccess", Effect::response_time, "waiting for a semaphore is not counted"},
    {"Semaphore", Effect::response_time, "waiting for a semaphore is not counted"},
    {"SynchronousServerCall", Effect::response_time, "the server's time is not counted"},
    {"AsynchronousServerCall", Effect::response_time, "the server's time is not counted"},
    {"GetResultServerCall", Effect::response_time, "waiting for the server is not counted"},
    {"EnforcedMigration", Effect::response_time, "the task is taken to stay on its core"},
    {"SchedulePoint", Effect::response_time, "the task is taken to be preemptible everywhere or nowhere"},
    {"TerminateProcess", Effect::response_time, "what follows is counted, too"},
    {"ChannelSend", Effect::response_time, "the transfer is not counted"},
    {"ChannelReceive", Effect::response_time, "the transfer is not counted"},
    {"computationItems", Effect::response_time, "what a scheduler computes is not counted"},
    {"OsOverhead", Effect::response_time, "overheads of the operating system are not counted"},
    {"runnableAllocation", Effect::response_time, "runnables run where their task does"},
    {"ConnectionHandler", Effect::response_time, "waiting for a shared connection is not counted"},
    {"CustomEventTrigger", Effect::maybe, "the event that it triggers activates nothing"},
    {"ModeLabelAccess", Effect::maybe, "modes are not followed: the longest way is taken"},
    {"osDataConsistency", Effect::response_time, "what protecting data costs is not counted"},
    {"deadline", Effect::limit, "deadlines of runnables are not checked"},
    {"Cache", Effect::maybe, "accesses take the latency of the memory"},
    {"measurementModel", Effect::none, "measurements are not used"},
    {"propertyConstraintsModel", Effect::none, "allocation constraints are not used"},
    {"componentsModel", Effect::none, "components do not change times"},
}};

/// Classes and tags that the importer uses, or that say nothing about time.
const std::set<std::string_view>& understood() {
  static const std::set<std::string_view> names{
      // The parts of a model and what only holds other elements.
      "Amalthea", "commonElements", "swModel", "hwModel", "osModel", "stimuliModel", "eventModel",
      "constraintsModel", "mappingModel", "configModel", "activityGraph", "callGraph", "graphEntries",
      "calls", "extended", "default", "value", "values", "key", "entries", "defaultEntry", "condition",
      "deviation", "distribution", "eventMask", "limit", "customProperties", "size", "lineSize", "recurrence",
      "offset", "jitter", "minDistance", "nextOccurrence", "occurrence", "occurrenceTimes",
      "occurrenceMinDistance", "burstLength", "lowerBound", "upperBound", "min", "max", "mean", "sd",
      "average", "readLatency", "writeLatency", "dataRate", "accessLatency", "defaultValue", "limitValue",
      "minimum", "maximum", "schedulingAlgorithm", "schedulingParameters", "parameterExtensions",
      "algorithmParameters", "statistic", "counter", "transmissionPolicy", "frequency", "prescaler",
      "accessElements", "accessPath", "needs", "memoryMapping", "needItems", "lowerTimeBorder",
      "upperTimeBorder", "segments", "strands", "items", "runnableItems", "dataSize", "timestamp", "period",
      "triggerTimes", "timestamps", "Time", "SignedTime", "activation", "WeibullEstimators",
      "WeibullParameters",
      // Software.
      "Task", "Runnable", "Label", "OsEvent", "Group", "CallSequence", "RunnableCall", "TaskRunnableCall",
      "Ticks", "ExecutionNeed", "RunnableInstructions", "LabelAccess", "InterProcessTrigger",
      "InterProcessActivation", "WaitEvent", "SetEvent", "ClearEvent", "ProbabilitySwitch",
      "RunnableProbabilitySwitch", "Switch", "ModeSwitch", "RunnableModeSwitch", "WhileLoop", "ModeLabel",
      "ModeLiteral", "Mode", "EnumMode", "NumericMode", "Section", "ProcessPrototype", "runnableCalls", "Tag",
      "Namespace", "PeriodicActivation", "TypeDefinition", "CoreClassifier", "MemoryClassifier", "Channel",
      "ModeCondition", "ModeValueCondition", "ModeConditionDisjunction", "ModeConditionConjunction",
      "ModeValue",
      // Hardware.
      "ProcessingUnitDefinition", "ProcessingUnit", "MemoryDefinition", "Memory", "CacheDefinition",
      "HwFeatureCategory", "HwFeature", "HwStructure", "HwPort", "HwConnection", "FrequencyDomain",
      "PowerDomain", "ConnectionHandlerDefinition", "Core", "CoreType", "Quartz", "MemoryType", "ECU",
      "Microcontroller", "ECUType", "MicrocontrollerType", "system", "HwAccessElement", "LatencyAccessPath",
      "connections",
      // Operating system, mapping, constraints.
      "OperatingSystem", "TaskScheduler", "SchedulerDefinition", "SchedulingParameterDefinition",
      "SchedulerAllocation", "TaskAllocation", "ISR", "isrAllocation", "InterruptController",
      "parentAssociation", "SchedulerAssociation", "ProcessRequirement", "RunnableRequirement",
      "TimeRequirementLimit", "EventChain", "EventChainContainer", "EventChainReference", "SubEventChain",
      "eventChain", "ProcessEvent", "RunnableEvent", "LabelEvent", "StimulusEvent",
      "EventChainLatencyConstraint", "runnableGroups", "RunnableAllocationConstraint", "CustomStimulus",
      "memoryAddressMapping", "PhysicalSectionMapping", "affinityConstraints"};
  return names;
}

bool ends_as_understood(std::string_view name) {
  // Families of classes that are read by their form.
  constexpr std::array<std::string_view, 8> endings{"Stimulus", "Object",     "Algorithm",  "Distribution",
                                                    "Constant", "Statistics", "Boundaries", "Histogram"};
  constexpr std::array<std::string_view, 5> schedulers{"FixedPriority", "EarliestDeadlineFirst", "OSEK",
                                                       "RateMonotonic", "DeadlineMonotonic"};
  const auto ends = [name](std::string_view ending) { return name.ends_with(ending); };
  const auto begins = [name](std::string_view start) { return name.starts_with(start); };
  return std::any_of(endings.begin(), endings.end(), ends) ||
         std::any_of(schedulers.begin(), schedulers.end(), begins) || name.ends_with("Deviation") ||
         name.starts_with("Instructions") || name.starts_with("Need");
}

/// What an element counts as: its class, or else its tag.
std::string_view kind_of(const Element& element) {
  const std::string_view type = class_of(element);
  return type.empty() ? std::string_view{element.name} : type;
}

/// Whether it is something that a task or runnable does, by the place where it stands.
bool is_step(const Element& element) {
  constexpr std::array<std::string_view, 4> roles{"items", "graphEntries", "calls", "runnableItems"};
  if (std::find(roles.begin(), roles.end(), element.name) == roles.end()) return false;
  for (const Element* one = element.parent; one != nullptr; one = one->parent) {
    if (one->name == "tasks" || one->name == "runnables" || one->name == "isrs") return true;
  }
  return false;
}

/// A constraint, but for those of what may run where: these are not about times.
bool is_limit(const Element& element) {
  return element.parent != nullptr && element.parent->name == "constraintsModel" &&
         element.name != "affinityConstraints";
}

class Counting {
 public:
  explicit Counting(const Documents& documents) : documents_{&documents} {}

  Census take() {
    for (const Element& root : documents_->roots()) count(root, true);
    for (const auto& [name, number] : classes_) census_.classes.push_back({std::string{name}, number});
    if (first_not_told_ != nullptr) {
      census_.unresolved.push_back(documents_->problem(
          *first_not_told_, ProblemId::more_problems,
          fmt::format("{} more references from here on lead nowhere", census_.lost - limits::told),
          "repair those above first"));
    }
    for (auto& [name, ignored] : ignored_) census_.ignored.push_back(std::move(ignored));
    std::stable_sort(census_.ignored.begin(), census_.ignored.end(),
                     [](const Ignored& a, const Ignored& b) { return a.effect < b.effect; });
    return std::move(census_);
  }

 private:
  /// Of parts that are not used only the references count.
  void count(const Element& element, bool is_used) {
    const std::string_view kind = kind_of(element);
    if (is_reference(element)) {
      const std::optional<Reference> reference = parse_href(element.attribute("href"));
      if (reference) {
        resolve(element, *reference);
      } else {
        note_unresolved(element, in_backticks(element.attribute("href")));
      }
      return;
    }
    if (is_used) {
      ++classes_[std::string{kind}];
      note_if_unknown(element, kind);
    }
    for (const Attribute& one : element.attributes) {
      if (one.name == "name" || one.name == "description") continue;
      for (const Reference& reference : parse_references(one.value)) resolve(element, reference);
    }
    const bool are_used = is_used && kind != "measurementModel" && kind != "componentsModel";
    for (const Element& child : element.children) count(child, are_used);
  }

  void resolve(const Element& element, const Reference& reference) {
    ++census_.references;
    std::vector<const Element*> found = documents_->candidates(reference, 2);
    if (found.empty()) note_unresolved(element, reference);
    if (found.size() < 2 || told_.size() == limits::told || !told_.insert(describe(reference)).second) return;
    found = documents_->candidates(reference);
    const Place other = documents_->place(*found[1]);
    census_.ambiguous.push_back(documents_->problem(
        *found[0], ProblemId::duplicate_name,
        fmt::format("{} is there {} times; references to it mean this one", describe(reference),
                    found.size()),
        fmt::format("another is at {}:{}; give each a name of its own", other.file, other.line)));
  }

  void note_unresolved(const Element& element, const Reference& reference) {
    if (reference.name() != no_name) {
      note_unresolved(element, describe(reference));
      return;
    }
    note_unresolved(
        element,
        fmt::format("{} refers to an element of class {} that has no name: which one is not known",
                    shown(kind_of(element)), shown(reference.type)),
        "give the element a name in Eclipse APP4MC, which then writes it into the reference");
  }

  void note_unresolved(const Element& element, const std::string& what) {
    note_unresolved(element,
                    fmt::format("{} refers to {}, which is not in the model", shown(kind_of(element)), what),
                    "is a file of the model missing? Name the folder with all of them");
  }

  void note_unresolved(const Element& element, const std::string& message, const std::string& hint) {
    if (++census_.lost <= limits::told)
      census_.unresolved.push_back(documents_->problem(element, ProblemId::unknown_name, message, hint));
    if (census_.lost == limits::told + 1) first_not_told_ = &element;
  }

  void note_if_unknown(const Element& element, std::string_view kind) {
    if (kind == "osDataConsistency" && element.attribute("mode") == "noProtection") return;
    // Some have a role in which even a known class is not understood.
    const auto known = std::find_if(effects.begin(), effects.end(), [&](const Effects& one) {
      return one.name == kind || one.name == element.name;
    });
    if (known == effects.end() && (understood().contains(kind) || ends_as_understood(kind))) return;
    if (known != effects.end()) kind = known->name;
    // Below something that is ignored, only what is known to matter is worth a line.
    if (known == effects.end() && element.parent != nullptr &&
        ignored_.contains(std::string{kind_of(*element.parent)}))
      return;
    Ignored& one = ignored_[std::string{kind}];
    if (++one.count > 1) return;
    one.name = shown(kind);
    one.first = documents_->place(element);
    if (known != effects.end()) {
      one.effect = known->effect;
      one.meaning = known->meaning;
    } else if (is_limit(element)) {
      one.effect = Effect::limit;
      one.meaning = "the constraint is not checked";
    } else {
      // A step of an activity takes its time.
      one.effect = is_step(element) ? Effect::response_time : Effect::maybe;
      one.meaning = is_step(element) ? "not known to the importer, so what it takes is not counted"
                                     : "not known to the importer";
    }
  }

  const Documents* documents_;
  Census census_;
  std::map<std::string, std::size_t> classes_;
  std::map<std::string, Ignored> ignored_;
  std::set<std::string> told_;
  const Element* first_not_told_ = nullptr;
};

}  // namespace

std::size_t Census::count_of(std::string_view name) const {
  const auto found =
      std::find_if(classes.begin(), classes.end(), [&](const ClassCount& one) { return one.name == name; });
  return found == classes.end() ? 0 : found->count;
}

Census take_census(const Documents& documents) { return Counting{documents}.take(); }

std::string_view to_string(Effect effect) {
  switch (effect) {
    case Effect::response_time:
      return "changes response times";
    case Effect::limit:
      return "is no part of the answer";
    case Effect::maybe:
      return "may change response times";
    case Effect::none:
      return "does not change times";
  }
  return "";
}

}  // namespace tactus::import
