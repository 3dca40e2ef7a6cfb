// Which tasks compete with each other, so that their priorities must be comparable.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "tactus/import/priorities.hpp"

namespace tactus::import {

/// Tasks below one scheduler, or without any.
struct Crew {
  const TaskSchedulerFacts* scheduler = nullptr;  // the one above all
  std::vector<Ranked*> tasks;
};

/// The cores that a task needs; -1: any of them.
std::set<std::int32_t> cores_of(const Ranked& one);

/// Whether some core is among both.
bool meet(const std::set<std::int32_t>& a, const std::set<std::int32_t>& b);

/// Schedulers whose tasks share cores, directly or through others. Interrupts are in none.
std::vector<std::vector<Crew>> competitors(std::vector<Ranked>& tasks);

}  // namespace tactus::import
