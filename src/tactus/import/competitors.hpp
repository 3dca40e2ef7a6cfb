// Which tasks compete with each other, so that their priorities must be comparable.
#pragma once

#include <vector>

#include "tactus/import/priorities.hpp"

namespace tactus::import {

/// Tasks below one scheduler, or without any.
struct Crew {
  const TaskSchedulerFacts* scheduler = nullptr;  // the one above all
  std::vector<Ranked*> tasks;
};

/// Schedulers whose tasks share cores, directly or through others. Interrupts are in none.
std::vector<std::vector<Crew>> competitors(std::vector<Ranked>& tasks);

}  // namespace tactus::import
