// The composed bounds written out once more: plain loops, one unit or one job at a time, with a switch for
// each simplification that breaks them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/analysis/composition.hpp"

namespace tactus::test {

/// All off: the bounds of the spec.
struct CompositionMistake {
  bool release_jitter_only = false;   // a fresh window counts jitter J, not how late a node can be ready
  bool worst_in_gaps = false;         // upper bounds before and between nodes
  bool no_carry_in = false;           // the first wrap is like the later ones
  bool blocked_once_a_job = false;    // not once for each of its nodes
  bool each_blocker_once = false;     // in a window, however often it is released
  bool busy_is_suspended = false;     // a task that holds its core leaves it to others
  bool own_nodes_forgotten = false;   // npfp without g: an earlier job of the own task in the busy period
  bool one_low_block = false;         // a blocker of the last level drags one block along, not two
  bool last_level_forgotten = false;  // only blocks block, not jobs in the last level
  bool edf_never_blocked = false;
  bool first_job_only = false;             // q = 1
  bool ready_without_ahead = false;        // N without o
  bool one_order_for_all_servers = false;  // the order of the list, whatever a server's own is
  bool low_blocks_once = false;            // no low block after each completion of a more urgent node
  bool no_back_off = false;                // npfp: nothing can start one unit before (x instead of x + 1)
  bool supply_at_once = false;             // a window serves from the start
  bool others_forgotten_in_fifo = false;   // a FIFO client waits for one other task only
  bool blocked_until_ready_only = false;   // EDF: no blocker begins while the node is on its way
  bool edf_from_release_only = false;      // EDF: the fresh window begins when the node comes, or never
  bool edf_own_jobs_forgotten = false;     // EDF: earlier own nodes are not in the fresh window
  bool all_jobs_at_once = false;           // np-fp even if waiting jobs are not at the server yet
  bool own_branches_forgotten = false;     // a graph's other nodes on the server are not in the way
  bool one_way_only = false;               // the first way through a graph, not the longest
  bool one_node_in_queue = false;          // FIFO: one node of each other graph
  bool no_carry_in_on_cores = false;       // several cores: jobs of a window only
  bool window_ends_ignored = false;        // blocks that do not fit a window cost nothing
  bool window_blocks_ignored = false;      // blocks of less urgent tasks in windows are not in the way
};

/// What is left out of the bounds to get those of another analysis. They stay sound.
struct CompositionCoarsening {
  /// rtgpu: ends of nodes from the response alone, the chain alone as the work in a window, no fresh windows,
  /// the longest blocker for each node.
  bool as_rtgpu = false;
};

struct PlainBounds {
  std::vector<std::optional<std::int64_t>> responses;
  std::vector<bool> calm;
  std::vector<std::vector<std::int64_t>> ready;  // by task and node; -1 for none
  std::vector<std::vector<std::int64_t>> end;
  std::vector<std::vector<std::int64_t>> node;
};

PlainBounds plain_composition(const analysis::ChainSystem& system, analysis::ChainForm form,
                              const CompositionMistake& mistake = {},
                              const CompositionCoarsening& coarsening = {});

}  // namespace tactus::test
