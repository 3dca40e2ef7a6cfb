#include "tactus/cli/schedule_json.hpp"

#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "tactus/analysis/json.hpp"
#include "tactus/analysis/observed_chains.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/trace/json.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::cli {

using nlohmann::ordered_json;

ordered_json tasks_json(const System& system, std::span<const trace::TaskStatistics> tasks,
                        std::span<const analysis::ProvenBound> bounds) {
  ordered_json all = ordered_json::array();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    ordered_json task{{"name", system.tasks[i].name}};
    to_json(task, tasks[i]);
    task["bound_ns"] = analysis::in_nanoseconds(bounds[i].bound);
    task["deadline_only"] = bounds[i].deadline_only;
    all.push_back(std::move(task));
  }
  return all;
}

ordered_json chains_json(std::span<const analysis::EffectResult> chains,
                         std::span<const trace::ChainStatistics> seen) {
  ordered_json all;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    ordered_json chain = to_json(chains[i]);
    to_json(chain, seen[i]);
    all.push_back(std::move(chain));
  }
  for (const analysis::BrokenChainBound& broken : analysis::broken_chain_bounds(chains, seen)) {
    for (ordered_json& chain : all) {
      if (chain["name"] == broken.chain) chain[broken.what + "_bound_exceeded"] = true;
    }
  }
  return all;
}

void print_with_lists(const ordered_json& json, const System& system,
                      const std::vector<trace::JobEnded>* jobs, const std::vector<trace::BlockRan>* blocks) {
  std::string head = json.dump();
  head.pop_back();
  print(head);
  flush_output();
  if (jobs != nullptr) {
    std::cout << ",\"jobs\":";
    trace::write_jobs_json(std::cout, *jobs, system);
  }
  if (blocks != nullptr) {
    std::cout << ",\"blocks\":";
    trace::write_blocks_json(std::cout, *blocks, system);
  }
  std::cout << "}\n" << std::flush;
  flush_output();
}

}  // namespace tactus::cli
