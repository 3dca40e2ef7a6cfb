// Schedulers below other schedulers.
#pragma once

#include <map>

#include "tactus/import/mapping.hpp"

namespace tactus::import {

/// A scheduler without responsibility serves the processing units of the one above it. A circle is cut, with
/// a warning, and more levels than a model needs, too.
void inherit_responsibility(std::map<const Element*, TaskSchedulerFacts>& schedulers, Notes& notes);

/// The one above all; of null it is null.
const TaskSchedulerFacts* top_of(const TaskSchedulerFacts* scheduler);

}  // namespace tactus::import
