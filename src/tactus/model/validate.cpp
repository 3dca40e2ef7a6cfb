#include "tactus/model/validate.hpp"

#include "tactus/model/rules.hpp"

namespace tactus {

std::vector<Violation> validate(const System& system) {
  std::vector<Violation> violations;
  if (!system.name.empty()) Rules{system, violations}.check_name("name", "the system", system.name);
  check_platform(system, violations);
  check_policy(system, violations);
  if (system.tasks.empty()) {
    violations.push_back({.path = "tasks",
                          .message = "the system has no tasks",
                          .hint = "list at least one task under `tasks:`",
                          .id = ProblemId::missing_key});
  }
  check_tasks(system, violations);
  check_chains(system, violations);
  return violations;
}

std::vector<Violation> find_missing_parameters(const System& system) {
  const StrategyFacts& strategy = *system.policy.strategy;
  return strategy.missing == nullptr ? std::vector<Violation>{} : strategy.missing(system);
}

}  // namespace tactus
