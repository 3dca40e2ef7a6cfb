// The result of a sweep as text.
#pragma once

#include <string>

#include "tactus/sweep/counts.hpp"
#include "tactus/sweep/experiment.hpp"

namespace tactus::cli {

/// A table of acceptance ratios in percent, and notes.
std::string text_of(const sweep::Experiment& experiment, const sweep::SweepResult& result);

/// A sound analysis accepted a system that another sound one proves unschedulable: one of them is wrong.
bool sound_one_is_contradicted(const sweep::Experiment& experiment, const sweep::SweepResult& result);

}  // namespace tactus::cli
