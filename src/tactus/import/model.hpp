// A model of AMALTHEA, read by what its elements mean.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tactus/import/constraints.hpp"
#include "tactus/import/hardware.hpp"
#include "tactus/import/mapping.hpp"
#include "tactus/import/options.hpp"
#include "tactus/import/software.hpp"
#include "tactus/import/stimuli.hpp"

namespace tactus::import {

/// A task that triggers a stimulus.
struct Trigger {
  const Process* from = nullptr;
  std::int64_t every = 1;  // only every n-th time
};

struct Model {
  Hardware hardware;
  Software software;
  /// What a job of each task does, one step after the other, with the steps of the runnables that it calls
  /// where these trigger something, wait or call a kernel with a grid.
  std::map<const Process*, Activity> steps;
  Mapping mapping;
  std::map<const Element*, Arrivals> arrivals;              // by stimulus
  std::map<const Element*, std::vector<Trigger>> triggers;  // by stimulus
  std::vector<Requirement> requirements;
  std::optional<std::int64_t> loops;  // how often a loop is run at most
};

/// Problems and findings go to `notes`.
Model read_model(const Options& options, Notes& notes);

}  // namespace tactus::import
