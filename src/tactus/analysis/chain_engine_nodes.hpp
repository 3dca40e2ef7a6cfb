// What the engine does for tasks, as nodes of theirs.
//
// With e_s what the engine needs to submit a node, and V, q and Q as in chain_engine.hpp:
// - J has V more.
// - Before a node on cores that preempt, or on SMs of its own, there is a node of up to q + e_s on a server
// of
//   its own, "the engine"; behind it one of up to V.
// - A node on another server takes up to Q + e_s + its time + V there, and a best-effort node of up to Q may
// be
//   in the way of each. Since the Q may lie before the node is ready, best cases are less by Q, and releases
//   count from Q earlier (`earlier`).
#pragma once

#include <string>

#include "tactus/analysis/chain_engine.hpp"
#include "tactus/analysis/chain_system.hpp"
#include "tactus/model/system.hpp"

namespace tactus::analysis {

/// Where nobody has shown how the engine's time enters; empty where it can be counted.
std::string why_engine_is_not_counted(const System& system, bool cuts_copies);

/// To chains that were made without it. Each of their nodes is one segment. Returns why that does not work.
std::string add_engine(const System& system, ChainEngine engine, SystemOfChains& made);

}  // namespace tactus::analysis
