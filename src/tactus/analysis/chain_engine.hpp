// The engine's own time in systems whose nodes go to servers of their own: constants that the composed tests
// add (docs/proofs/composition.md, section 18).
//
//   V     from the instant at which an event is visible until all that follows from it is decided
//   q_i   from then until a submission of task i begins, if its server can take it. As in engine_delays.hpp,
//         but what the engine does for a chain that may be more urgent is that of federated_engine.hpp with
//         X = D: its actions are as far apart as its nodes take at best.
//   Q     the largest q_i: for so long a server that takes one node at a time may stand still although nodes
//         wait for it, before each of them
#pragma once

#include <optional>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"

namespace tactus::analysis {

struct ChainEngine {
  Duration decision{};            // V
  std::vector<Duration> waiting;  // q, by task; of best-effort tasks 0
  Duration pause{};               // Q
};

/// Not issued: it takes no time and waits for nothing.
inline bool is_skipped(const Node& node) {
  return server_of(node.segment) != ServerKind::gpu && drawn_time(node.segment).worst == Duration{};
}

/// Nothing where the engine cannot keep up. Tasks repeat, or are best-effort.
std::optional<ChainEngine> chain_engine(const System& system);

}  // namespace tactus::analysis
