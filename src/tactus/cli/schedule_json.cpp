#include "tactus/cli/schedule_json.hpp"

#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "tactus/analysis/json.hpp"
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
