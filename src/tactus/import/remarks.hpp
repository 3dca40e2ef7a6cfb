// What a model says or leaves out that is worth a look before its answer is believed.
#pragma once

#include "tactus/import/execution_time.hpp"
#include "tactus/import/placement.hpp"

namespace tactus::import {

/// Notes of the model as a whole, and warnings about its likely slips.
void add_remarks(const Model& model, const Options& options, Notes& notes);

}  // namespace tactus::import
