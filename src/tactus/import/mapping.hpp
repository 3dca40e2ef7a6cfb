// Schedulers, and which tasks run where with which priority.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/import/hardware.hpp"

namespace tactus::import {

struct TaskSchedulerFacts {
  const Element* element = nullptr;
  std::string name;
  std::string algorithm;                      // "FixedPriorityPreemptive"
  std::vector<const ProcessingUnit*> serves;  // its responsibility, or that of the schedulers above it
  std::optional<Duration> longest_slice;
  std::optional<Duration> shortest_slice;
  bool is_for_interrupts = false;              // an interrupt controller
  const TaskSchedulerFacts* parent = nullptr;  // the scheduler above it
  std::optional<std::int64_t> priority{};      // which that one gives it
  bool has_share = false;                      // that one gives it other parameters, too, such as a budget
};

struct TaskAllocationFacts {
  const Element* element = nullptr;
  const Element* task = nullptr;                  // or an interrupt
  const TaskSchedulerFacts* scheduler = nullptr;  // null: none, or not in the model
  std::vector<const ProcessingUnit*> affinity;
  std::optional<std::int64_t> priority;  // larger is more urgent
  std::optional<Duration> time_slice;
  std::optional<Duration> shortest_slice{};
};

struct Mapping {
  std::map<const Element*, TaskSchedulerFacts> schedulers;
  std::vector<TaskAllocationFacts> tasks;
  /// By label; sections are among them. Null: the model names several.
  std::map<const Element*, const Element*> memory_of;

  /// Empty: the task is not allocated.
  [[nodiscard]] std::vector<const TaskAllocationFacts*> allocations_of(const Element* task) const;
};

Mapping read_mapping(const Hardware& hardware, Notes& notes);

}  // namespace tactus::import
