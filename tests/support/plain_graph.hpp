// The end-to-end bounds of graphs, straight from the formulas, in floating point. Terms can be left out.
#pragma once

#include <vector>

#include "support/plain_fifo.hpp"
#include "tactus/model/system.hpp"

namespace tactus::test {

struct GraphTerms {
  bool pending = true;        // on cores: what is pending when few are busy
  bool first_of_each = true;  // on cores: a job of each node beyond its rate (S)
  bool points = true;         // on cores: what comes later with an earlier point
  bool unpreempted = true;    // without preemption: what runs on every core, not on n of them
  bool carried = true;        // in turn: what the n nodes carry over
  bool late_jobs = true;      // on cores: earlier jobs of a node that are late
  bool turns = true;          // nodes that wait for their own earlier jobs
  bool history = true;        // nodes that wait for other nodes of earlier jobs
  bool other_engines = true;  // copies: what the other engines have begun
  bool other_copies = true;   // copies: those that came before
  bool late = true;           // of sources
  bool timers = true;         // of nodes that wait
  bool spread = true;         // kernels and copies less than a period apart
  bool completion = true;     // until the end of a kernel is known
  bool longest_path = true;   // else the longest node
  FifoTerms kernels{};
};

/// By task, in nanoseconds; empty: there is no bound. For systems to which graph-edf or graph-fl applies.
std::vector<double> plain_graph_bounds(const System& system, const GraphTerms& terms = {});

}  // namespace tactus::test
