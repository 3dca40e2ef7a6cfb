#include "tactus/import/element.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tactus::import {

namespace {

/// Roles whose class is never written, because only one class can have them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 47> classes_of_tags{{
    {"channels", "Channel"},
    {"coreClassifiers", "CoreClassifier"},
    {"cores", "Core"},
    {"coreTypes", "CoreType"},
    {"customEntities", "CustomEntity"},
    {"customProcesses", "CustomProcess"},
    {"ecus", "ECU"},
    {"ecuTypes", "ECUType"},
    {"entryPoints", "EntryPoint"},
    {"eventChains", "EventChain"},
    {"events", "OsEvent"},
    {"featureCategories", "HwFeatureCategory"},
    {"features", "HwFeature"},
    {"groups", "Group"},
    {"interruptControllers", "InterruptController"},
    {"isrs", "ISR"},
    {"labels", "Label"},
    {"literals", "ModeLiteral"},
    {"memories", "Memory"},
    {"memoryClassifiers", "MemoryClassifier"},
    {"memoryTypes", "MemoryType"},
    {"microcontrollers", "Microcontroller"},
    {"microcontrollerTypes", "MicrocontrollerType"},
    {"modeLabels", "ModeLabel"},
    {"modes", "Mode"},
    {"namespaces", "Namespace"},
    {"networks", "Network"},
    {"operatingSystems", "OperatingSystem"},
    {"osOverheads", "OsOverhead"},
    {"physicalSectionMapping", "PhysicalSectionMapping"},
    {"physicalSectionMappings", "PhysicalSectionMapping"},
    {"ports", "HwPort"},
    {"processChains", "ProcessChain"},
    {"processPrototypes", "ProcessPrototype"},
    {"quartzes", "Quartz"},
    {"runnables", "Runnable"},
    {"schedulerAllocation", "SchedulerAllocation"},
    {"schedulerDefinitions", "SchedulerDefinition"},
    {"schedulingParameterDefinitions", "SchedulingParameterDefinition"},
    {"sections", "Section"},
    {"semaphores", "Semaphore"},
    {"structures", "HwStructure"},
    {"tags", "Tag"},
    {"taskAllocation", "TaskAllocation"},
    {"tasks", "Task"},
    {"taskSchedulers", "TaskScheduler"},
    {"typeDefinitions", "TypeDefinition"},
}};

}  // namespace

std::string_view Element::attribute(std::string_view key) const {
  for (const Attribute& one : attributes) {
    if (one.name == key) return one.value;
  }
  return {};
}

bool Element::has(std::string_view key) const {
  return std::any_of(attributes.begin(), attributes.end(),
                     [key](const Attribute& one) { return one.name == key; });
}

const Element* Element::child(std::string_view tag) const {
  const auto found =
      std::find_if(children.begin(), children.end(), [tag](const Element& one) { return one.name == tag; });
  return found == children.end() ? nullptr : &*found;
}

std::string_view class_of(const Element& element) {
  if (!element.type.empty()) return element.type;
  for (const auto& [tag, name] : classes_of_tags) {
    if (tag == element.name) return name;
  }
  return {};
}

}  // namespace tactus::import
