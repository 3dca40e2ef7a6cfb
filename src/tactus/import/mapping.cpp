#include "tactus/import/mapping.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/import/properties.hpp"
#include "tactus/import/quantity.hpp"

namespace tactus::import {

namespace {

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
        if (one.name == "taskSchedulers" && !is_reference(one)) read_scheduler(one);
      }
    }
    for (const std::string_view role : {"schedulerAllocation", "coreAllocation"}) {
      for (const Element* one : documents_->listed("mappingModel", role)) read_responsibility(*one);
    }
    for (const Element* one : documents_->listed("mappingModel", "taskAllocation")) read_task(*one);
    for (const std::string_view role : {"memoryMapping", "mapping"}) {
      for (const Element* one : documents_->listed("mappingModel", role)) {
        const Element* label = documents_->target(*one, "abstractElement");
        const Element* memory = documents_->target(*one, "memory");
        if (label != nullptr && memory != nullptr) mapping_.memory_of[label] = memory;
      }
    }
    return std::move(mapping_);
  }

 private:
  [[nodiscard]] std::vector<Parameter> parameters(const Element& holder) const {
    std::vector<Parameter> found;
    for (const Element& one : holder.children) {
      if (one.name == "schedulingAlgorithm") {
        const std::vector<Parameter> inner = parameters(one);
        found.insert(found.end(), inner.begin(), inner.end());
      }
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
      if (const std::optional<std::string> text = object_text(one))
        found.push_back({std::move(key), *text, &one});
    }
    return found;
  }

  std::optional<Duration> slice(const Parameter& parameter) {
    const std::optional<Duration> time = parse_time_text(parameter.text);
    if (!time || *time <= Duration{}) {
      notes_->warn("time-slice", parameter.element,
                   fmt::format("the time slice {} is not understood", in_backticks(parameter.text)),
                   "write it as \"50 ms\"");
      return std::nullopt;
    }
    return time;
  }

  void read_scheduler(const Element& element) {
    TaskSchedulerFacts scheduler{.element = &element,
                                 .name = std::string{name_of(element)},
                                 .algorithm = {},
                                 .serves = {},
                                 .longest_slice = {},
                                 .shortest_slice = {}};
    if (const Element* algorithm = element.child("schedulingAlgorithm"))
      scheduler.algorithm = algorithm->type;
    if (const Element* definition = documents_->target(element, "definition"))
      scheduler.algorithm = name_of(*definition);
    for (const Parameter& one : parameters(element)) {
      if (one.key.find("timeslice") == std::string::npos) continue;
      if (one.key.find("max") != std::string::npos) scheduler.longest_slice = slice(one);
      if (one.key.find("min") != std::string::npos) scheduler.shortest_slice = slice(one);
    }
    mapping_.schedulers.emplace(&element, std::move(scheduler));
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

  void read_task(const Element& element) {
    TaskAllocationFacts allocation{.element = &element,
                                   .task = documents_->target(element, "task"),
                                   .affinity = {},
                                   .priority = {},
                                   .time_slice = {}};
    if (allocation.task == nullptr) return;
    const auto scheduler = mapping_.schedulers.find(documents_->target(element, "scheduler"));
    if (scheduler != mapping_.schedulers.end()) allocation.scheduler = &scheduler->second;
    for (const std::string_view role : {"affinity", "coreAffinity"}) {
      for (const Element* unit : documents_->targets(element, role)) {
        if (const ProcessingUnit* one = hardware_->find(unit)) allocation.affinity.push_back(one);
      }
    }
    for (const Parameter& one : parameters(element)) read_parameter(one, allocation);
    for (const Element* holder : {&element, allocation.task}) {  // until version 0.8.0
      if (!allocation.priority && holder->has("priority"))
        allocation.priority = parse_whole(holder->attribute("priority"));
    }
    mapping_.tasks.push_back(std::move(allocation));
  }

  void read_parameter(const Parameter& one, TaskAllocationFacts& allocation) {
    if (one.key == "priority") {
      allocation.priority = parse_whole(one.text);
    } else if (one.key.find("timeslice") != std::string::npos) {
      allocation.time_slice = slice(one);
    }
  }

  const Hardware* hardware_;
  Notes* notes_;
  const Documents* documents_;
  Mapping mapping_;
};

}  // namespace

const TaskAllocationFacts* Mapping::find(const Element* task) const {
  const auto found = std::find_if(tasks.begin(), tasks.end(),
                                  [task](const TaskAllocationFacts& one) { return one.task == task; });
  return found == tasks.end() ? nullptr : &*found;
}

Mapping read_mapping(const Hardware& hardware, Notes& notes) { return MappingReader{hardware, notes}.read(); }

}  // namespace tactus::import
