// Random systems of chains on servers of every kind, small numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "support/dice.hpp"
#include "tactus/analysis/composition.hpp"

namespace tactus::test {

/// What may be in a random system; the rest is drawn.
struct ComposedKinds {
  bool edf = true;
  bool levels = true;
  bool windows = true;
  bool busy = true;
  bool jitter = true;
  bool overheads = true;
  bool background = true;      // best-effort tasks, and tasks with one job
  bool late_deadlines = true;  // D > T
  bool one_node = false;       // every chain has one node, all on one server
  bool graphs = false;         // jobs with parallel branches
  bool window_blocks = false;  // blocks that are not interrupted in windows
  bool clusters = false;       // cores that share their work, fair lateness
  bool gpu_order = false;      // an order of the GPU's own
  std::int64_t max_tasks = 4;
  std::optional<analysis::ServiceKind> gpu{};  // drawn where it is not given
  std::int64_t load = 60;                      // per cent of the busiest server, about
};

/// Two to four tasks with up to five nodes on one or two cores, a copy engine and a GPU.
analysis::ChainSystem draw_chain_system(const ComposedKinds& kinds, Dice& dice);

}  // namespace tactus::test
