// Requirements of a model, and its event chains.
#pragma once

#include <string>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/import/finding.hpp"

namespace tactus::import {

/// An upper limit for the response time of a task.
struct Requirement {
  const Element* element = nullptr;
  std::string name;
  const Element* process = nullptr;
  Duration limit{};
};

std::vector<Requirement> read_requirements(Notes& notes);

/// Warnings about requirements whose names fit other tasks than those they limit.
void compare_names(const std::vector<Requirement>& requirements, Notes& notes);

}  // namespace tactus::import
