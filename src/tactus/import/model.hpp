// A model of AMALTHEA, read by what its elements mean.
#pragma once

#include <map>
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
  Mapping mapping;
  std::map<const Element*, Arrivals> arrivals;              // by stimulus
  std::map<const Element*, std::vector<Trigger>> triggers;  // by stimulus
  std::vector<Requirement> requirements;
};

/// Problems and findings go to `notes`.
Model read_model(const Options& options, Notes& notes);

/// The steps of an activity one after the other, with those of the runnables that it calls where these
/// trigger something or wait. Calls in a circle are problems.
Activity flattened(const Activity& activity, const Software& software, Notes& notes);

}  // namespace tactus::import
