#include "tactus/model/validate.hpp"

#include "tactus/model/rules.hpp"

namespace tactus {

std::vector<Finding> validate(const System& system) {
  std::vector<Finding> findings;
  if (!system.name.empty()) Rules{system, findings}.check_name("name", "the system", system.name);
  check_platform(system, findings);
  check_policy(system, findings);
  if (system.tasks.empty()) {
    findings.push_back({.path = "tasks",
                        .message = "the system has no tasks",
                        .hint = "list at least one task under `tasks:`",
                        .id = ProblemId::missing_key});
  }
  check_tasks(system, findings);
  return findings;
}

std::vector<Finding> find_missing_parameters(const System& system) {
  const StrategyFacts& strategy = *system.policy.strategy;
  return strategy.missing == nullptr ? std::vector<Finding>{} : strategy.missing(system);
}

}  // namespace tactus
