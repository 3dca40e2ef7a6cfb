#include <algorithm>
#include <array>

#include "tactus/sched/as_submitted.hpp"
#include "tactus/sched/federated.hpp"
#include "tactus/sched/multi_stream.hpp"
#include "tactus/sched/single_stream.hpp"
#include "tactus/sched/sm_cores.hpp"
#include "tactus/sched/strategy.hpp"

namespace tactus::sched {

std::span<const StrategyEntry> strategies() {
  static constexpr std::array all{
      as_submitted, single_stream, multi_stream, sm_cores, federated,
  };
  return all;
}

const StrategyEntry* find_strategy(StrategyKind kind) {
  const std::span<const StrategyEntry> all = strategies();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const StrategyEntry& entry) { return entry.kind == kind; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tactus::sched
