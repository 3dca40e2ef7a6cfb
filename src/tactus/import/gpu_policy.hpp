// How the system shares its GPU and its cores, from the model's schedulers.
#pragma once

#include <vector>

#include "tactus/import/model.hpp"
#include "tactus/import/parts.hpp"
#include "tactus/model/system.hpp"

namespace tactus::import {

/// The GPU and the strategy. The tasks of the system are there already; `jobs` are theirs.
void set_gpu(const Model& model, const std::vector<Job>& jobs, const Options& options, Notes& notes,
             System& system);

/// The order of the cores, from the algorithms of their schedulers.
void set_cpu_policy(const Model& model, Notes& notes, System& system);

}  // namespace tactus::import
