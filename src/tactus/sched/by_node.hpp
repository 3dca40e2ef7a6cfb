// Hands each node of a job to its server: to CPU cores, to a copy engine, or to the strategy that shares the
// GPU. How cores and copy engines serve does not depend on how the GPU is shared.
//
// A node goes to its server when its predecessors are done, and leaves it at its end. The jobs of a task run
// one after the other, unless the strategy times nodes (node_gate.hpp). Cores serve in the order of the CPU
// policy: they preempt by the urgency of what they were given, or, where the policy is not preemptive, get
// the next node when they are free. Copies wait here and go to a copy engine one request at a time, in the
// order of the copy policy; neighbouring copies of a chain form one request, except where the engine needs
// time: then each is submitted when the one before it is over, as all segments are. CPU work and copies whose
// longest time is zero are not submitted. A task that waits busily holds its core from the start of a job to
// its end.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tactus/sched/capabilities.hpp"
#include "tactus/sched/strategy.hpp"

namespace tactus::sched {

/// For a system that is_by_node. `gpu` gets the GPU nodes, each by `on_ready`.
std::unique_ptr<Strategy> make_by_node(const System& system, std::unique_ptr<Strategy> gpu);

/// What such a system needs and the engine does not offer.
std::vector<std::string> refuse_by_node(const System& system, const Capabilities& capabilities);

}  // namespace tactus::sched
