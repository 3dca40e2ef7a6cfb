#include "tactus/import/mapping.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/import/hierarchy.hpp"
#include "tactus/import/properties.hpp"
#include "tactus/import/quantity.hpp"

namespace tactus::import {

namespace {

bool is_slice(std::string_view key) { return key.find("timeslice") != std::string_view::npos; }

bool is_least_slice(std::string_view key) {
  return is_slice(key) && (key.starts_with("min") || key.find("timeslicemin") != std::string_view::npos);
}

/// A parameter of a scheduler or allocation, in any of its spellings.
struct Parameter {
  std::string key;  // folded, without "extended"
  std::string text;
  const Element* element = nullptr;
};

class MappingReader {
 public:
  MappingReader(const Hardware& hardware, Notes& notes)
      : hardware_{&hardware}, notes_{&notes}, documents_{&notes.documents()} {}

  Mapping read() {
    for (const Element* system : documents_->listed("osModel", "operatingSystems")) {
      for (const Element& one : system->children) {
        const bool is_scheduler = one.name == "taskSchedulers" || one.name == "interruptControllers";
        if (is_scheduler && !is_reference(one)) read_scheduler(one);
      }
    }
    for (const std::string_view role : {"schedulerAllocation", "coreAllocation"}) {
      for (const Element* one : documents_->listed("mappingModel", role)) read_responsibility(*one);
    }
    for (auto& [element, scheduler] : mapping_.schedulers) read_parent(*element, scheduler);
    inherit_responsibility(mapping_.schedulers, *notes_);
    for (const Element* one : documents_->listed("mappingModel", "taskAllocation"))
      read_allocation(*one, "task", "scheduler");
    for (const Element* one : documents_->listed("mappingModel", "isrAllocation"))
      read_allocation(*one, "isr", "controller");
    for (const std::string_view role : {"memoryMapping", "mapping"}) {
      for (const Element* one : documents_->listed("mappingModel", role)) {
        lay(documents_->target(*one, "abstractElement"), documents_->target(*one, "memory"));
      }
    }
    lay_sections();
    return std::move(mapping_);
  }

 private:
  void lay(const Element* label, const Element* memory) {
    if (label == nullptr || memory == nullptr) return;
    const auto [at, is_new] = mapping_.memory_of.emplace(label, memory);
    if (!is_new && at->second != memory) at->second = nullptr;
  }

  /// Labels lie where their sections do, unless they have a memory of their own.
  void lay_sections() {
    for (const std::string_view tag : {"physicalSectionMapping", "physicalSectionMappings"}) {
      for (const Element* one : documents_->listed("mappingModel", tag)) {
        const Element* memory = documents_->target(*one, "memory");
        for (const std::string_view role : {"labels", "origin"}) {
          for (const Element* element : documents_->targets(*one, role)) lay(element, memory);
        }
      }
    }
    for (const Element* label : documents_->listed("swModel", "labels")) {
      const auto section = mapping_.memory_of.find(documents_->target(*label, "section"));
      if (section != mapping_.memory_of.end()) mapping_.memory_of.emplace(label, section->second);
    }
  }

  [[nodiscard]] std::vector<Parameter> parameters(const Element& holder) const {
    std::vector<Parameter> found;
    for (const Element& one : holder.children) {
      if (one.name == "schedulingAlgorithm") {
        const std::vector<Parameter> inner = parameters(one);
        found.insert(found.end(), inner.begin(), inner.end());
      }
      if (is_slice(folded(one.name)))  // until version 2.0.0 a part of the algorithm
        found.push_back({folded(one.name), object_text(one).value_or(""), &one});
      const bool is_parameter = one.name == "schedulingParameters" || one.name == "parameterExtensions" ||
                                one.name == "algorithmParameters";
      if (!is_parameter) continue;
      if (one.has("priority")) found.push_back({"priority", std::string{one.attribute("priority")}, &one});
      if (one.has("minBudget") || (!one.has("key") && one.child("key") == nullptr)) continue;
      // A reference to its definition, whose name says what it is, or a plain word.
      const std::vector<Reference> definition = references(one, "key");
      std::string key =
          folded(definition.empty() ? one.attribute("key") : std::string_view{definition.front().name()});
      if (key.starts_with("extended")) key.erase(0, std::string_view{"extended"}.size());
      found.push_back({std::move(key), object_text(one).value_or(""), &one});
    }
    return found;
  }

  std::optional<Duration> slice(const Parameter& parameter) {
    const std::optional<Duration> time = parse_time_text(parameter.text);
    if (!time || *time <= Duration{}) {
      notes_->warn("time-slice", parameter.element,
                   fmt::format("the time slice {} is not understood, so it does not count",
                               in_backticks(parameter.text)),
                   "write it with a unit, as \"50 ms\"");
      return std::nullopt;
    }
    return time;
  }

  std::optional<std::int64_t> priority(std::string_view text, const Element& where) {
    const std::optional<std::int64_t> number = parse_whole(text);
    if (!number && !text.empty()) {
      notes_->refuse(where, ProblemId::bad_number,
                     fmt::format("the priority {} is not understood", in_backticks(text)),
                     "write a whole number; larger ones are more urgent");
    }
    return number;
  }

  void read_scheduler(const Element& element) {
    TaskSchedulerFacts scheduler{.element = &element,
                                 .name = std::string{name_of(element)},
                                 .algorithm = {},
                                 .serves = {},
                                 .longest_slice = {},
                                 .shortest_slice = {},
                                 .is_for_interrupts = element.name == "interruptControllers"};
    if (const Element* algorithm = element.child("schedulingAlgorithm"))
      scheduler.algorithm = algorithm->type;
    if (const Element* definition = documents_->target(element, "definition"))
      scheduler.algorithm = name_of(*definition);
    for (const Parameter& one : parameters(element)) {
      const std::optional<Duration> time = is_slice(one.key) ? slice(one) : std::nullopt;
      if (!time) continue;
      if (is_least_slice(one.key)) {
        scheduler.shortest_slice = time;
      } else {
        scheduler.longest_slice = std::max(scheduler.longest_slice.value_or(*time), *time);
      }
    }
    mapping_.schedulers.emplace(&element, std::move(scheduler));
  }

  void read_parent(const Element& element, TaskSchedulerFacts& scheduler) {
    const Element* association = element.child("parentAssociation");
    if (association == nullptr) return;
    const auto parent = mapping_.schedulers.find(documents_->target(*association, "parent"));
    if (parent == mapping_.schedulers.end()) return;
    scheduler.parent = &parent->second;
    for (const Element& one : association->children)
      scheduler.has_share = scheduler.has_share || one.child("minBudget") != nullptr ||
                            one.child("maxBudget") != nullptr || one.child("replenishment") != nullptr;
    for (const Parameter& one : parameters(*association)) {
      if (one.key == "priority") {
        scheduler.priority = priority(one.text, *one.element);
      } else {
        scheduler.has_share = true;
      }
    }
  }

  void read_responsibility(const Element& element) {
    const auto found = mapping_.schedulers.find(documents_->target(element, "scheduler"));
    if (found == mapping_.schedulers.end()) return;
    for (const std::string_view role : {"responsibility", "core"}) {
      for (const Element* unit : documents_->targets(element, role)) {
        if (const ProcessingUnit* one = hardware_->find(unit)) found->second.serves.push_back(one);
      }
    }
  }

  void read_allocation(const Element& element, std::string_view task_role, std::string_view scheduler_role) {
    TaskAllocationFacts allocation{.element = &element,
                                   .task = documents_->target(element, task_role),
                                   .affinity = {},
                                   .priority = {},
                                   .time_slice = {}};
    if (allocation.task == nullptr) return;
    const auto scheduler = mapping_.schedulers.find(documents_->target(element, scheduler_role));
    if (scheduler != mapping_.schedulers.end()) allocation.scheduler = &scheduler->second;
    for (const std::string_view role : {"affinity", "coreAffinity"}) {
      for (const Element* unit : documents_->targets(element, role)) {
        if (const ProcessingUnit* one = hardware_->find(unit)) allocation.affinity.push_back(one);
      }
    }
    for (const Parameter& one : parameters(element)) {
      if (one.key == "priority") allocation.priority = priority(one.text, *one.element);
      const std::optional<Duration> time = is_slice(one.key) ? slice(one) : std::nullopt;
      if (time) (is_least_slice(one.key) ? allocation.shortest_slice : allocation.time_slice) = time;
    }
    for (const Element* holder : {&element, allocation.task}) {  // until version 0.8.0
      if (!allocation.priority && holder->has("priority"))
        allocation.priority = priority(holder->attribute("priority"), *holder);
    }
    mapping_.tasks.push_back(std::move(allocation));
  }

  const Hardware* hardware_;
  Notes* notes_;
  const Documents* documents_;
  Mapping mapping_;
};

}  // namespace

std::vector<const TaskAllocationFacts*> Mapping::allocations_of(const Element* task) const {
  std::vector<const TaskAllocationFacts*> found;
  for (const TaskAllocationFacts& one : tasks) {
    if (one.task == task) found.push_back(&one);
  }
  return found;
}

Mapping read_mapping(const Hardware& hardware, Notes& notes) { return MappingReader{hardware, notes}.read(); }

}  // namespace tactus::import
