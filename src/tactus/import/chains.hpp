// The event chains of a model, as chains of tasks.
#pragma once

#include <map>
#include <vector>

#include "tactus/import/model.hpp"
#include "tactus/model/system.hpp"

namespace tactus::import {

/// Tasks of the system that do the work of each task of the model.
using Owners = std::map<const Process*, std::vector<TaskIndex>>;

/// Adds every event chain whose events each belong to one task, with the limits of its latency constraints.
/// Others are noted.
void add_chains(const Model& model, const Owners& owners, Notes& notes, System& system);

}  // namespace tactus::import
