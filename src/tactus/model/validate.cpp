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

std::vector<Violation> find_open_choices(const System& system) {
  std::vector<Violation> open;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.any_core) {
      open.push_back({.path = task_path(i) + ".core",
                      .message = describe(task) + " has no core yet: `core: any` leaves the choice open",
                      .hint = "`tactus plan FILE` with the same options finds one; or write its number",
                      .id = ProblemId::needs_plan});
    }
    for (std::size_t choice = 0; choice < task.choices.size(); ++choice) {
      if (task.choices[choice].variants.size() < 2) continue;  // said elsewhere
      open.push_back(
          {.path = choice_path(task_path(i), task, choice),
           .message = describe(task) + " has work with several variants: `either` leaves the choice open",
           .hint = "`tactus plan FILE` with the same options chooses; or write `variant: 0` beside it",
           .id = ProblemId::needs_plan});
    }
  }
  return open;
}

std::vector<Violation> find_missing_parameters(const System& system) {
  const StrategyFacts& strategy = *system.policy.strategy;
  std::vector<Violation> missing =
      strategy.missing == nullptr ? std::vector<Violation>{} : strategy.missing(system);
  const std::vector<Violation> open = find_open_choices(system);
  missing.insert(missing.end(), open.begin(), open.end());
  return missing;
}

}  // namespace tactus
