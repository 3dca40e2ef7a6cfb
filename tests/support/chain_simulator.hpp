// Chains of nodes on servers, played event by event: what the composed bounds are attacked with. Time is
// whole units. It is apart from the engine of `sim/`, and knows every kind of server.
#pragma once

#include <cstdint>
#include <vector>

#include "support/dice.hpp"
#include "tactus/analysis/composition.hpp"

namespace tactus::test {

/// All that is left open by a system, for one job.
struct ChainJob {
  std::int64_t after = 0;           // released so long after it could be
  std::int64_t late = 0;            // of its jitter
  std::vector<std::int64_t> ahead;  // by node: before it reaches its server
  std::vector<std::int64_t> times;  // by node: on its server
  std::uint64_t bits = 0;           // ties, lengths of slices, order of device and scheduler
};

/// On GPUs with streams: by server, how many blocks run at a time, 0 where a node has the device alone. Where
/// there are such places, a node is a kernel of as many blocks of its longest block's length as its worst
/// case allows (p + ceil((n - 1) p / places)), and `times` are numbers of blocks.
using BlockPlaces = std::vector<std::int64_t>;

struct ChainSchedule {
  BlockPlaces places;
  std::vector<std::vector<ChainJob>> jobs;  // by task
  std::vector<std::int64_t> window_starts;  // by server: O of `window`
};

/// The latest of all jobs, from the nominal release; -1 where no job was done.
struct ChainObserved {
  std::vector<std::int64_t> responses;
  std::vector<std::vector<std::int64_t>> ready;  // by task and node
  std::vector<std::vector<std::int64_t>> ends;
  std::vector<std::vector<std::int64_t>> spans;  // from ready to end
};

ChainObserved simulate_chains(const analysis::ChainSystem& system, const ChainSchedule& schedule);

/// A random schedule with so many jobs a task, fewer where that is longer than `horizon`.
ChainSchedule draw_chain_schedule(const analysis::ChainSystem& system, std::int64_t horizon, Dice& dice,
                                  const BlockPlaces& places = {});

/// Changes one thing.
void change_chain_schedule(const analysis::ChainSystem& system, ChainSchedule& schedule, Dice& dice);

/// The latest response of a task (and of its nodes) that hill climbing finds in so many simulations. The
/// other tasks' values are those seen on the way.
ChainObserved climb_chains(const analysis::ChainSystem& system, std::size_t task, int simulations, Dice& dice,
                           const BlockPlaces& places = {});

}  // namespace tactus::test
