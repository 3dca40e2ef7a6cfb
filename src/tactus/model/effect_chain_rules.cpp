// The rules of effect chains.
#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "tactus/base/utf8.hpp"
#include "tactus/model/rules.hpp"

namespace tactus {

namespace {

class EffectChainRules : Rules {
 public:
  using Rules::Rules;

  /// Every chain once, in file order.
  void check_chain(std::size_t index) {
    const EffectChain& chain = system_.chains[index];
    const std::string path = item_path("chains", index);
    check_name(path + ".name", "this chain", chain.name);
    if (!chain.name.empty()) {
      const auto [first, is_new] = first_of_name_.try_emplace(chain.name, index);
      if (!is_new) {
        add(ProblemId::duplicate_name, path + ".name",
            fmt::format("two chains have the name {}", in_backticks(chain.name)),
            "give each chain its own name", item_path("chains", first->second) + ".name");
      }
    }
    const std::string who = chain.name.empty() ? "this chain" : "chain " + in_backticks(chain.name);
    if (chain.tasks.empty()) {
      add(ProblemId::missing_key, path + ".tasks", who + " has no tasks",
          "list the tasks through which data flows, for instance `tasks: [camera, planner]`");
    }
    check_members(path, who, chain);
    if (chain.reaction)
      check_positive(path + ".reaction", "the reaction of " + who, *chain.reaction, no_limit);
    if (chain.age) check_positive(path + ".age", "the age of " + who, *chain.age, no_limit);
  }

 private:
  static constexpr std::string_view no_limit = "; for no limit leave it out";

  void check_members(const std::string& path, const std::string& who, const EffectChain& chain) {
    std::unordered_set<TaskIndex> seen;
    for (std::size_t i = 0; i < chain.tasks.size(); ++i) {
      const std::string where = item_path(path + ".tasks", i);
      if (chain.tasks[i] >= system_.tasks.size()) {
        add(ProblemId::unknown_name, where,
            fmt::format("{} has task {}, but there are {}", who, chain.tasks[i], system_.tasks.size()),
            "tasks are counted from 0");
        continue;
      }
      const Task& task = system_.tasks[chain.tasks[i]];
      if (!seen.insert(chain.tasks[i]).second) {
        add(ProblemId::duplicate_name, where, fmt::format("{} has {} twice", who, describe(task)),
            "data passes each task of a chain once");
      } else if (!repeats(task)) {
        add(ProblemId::conflicting_keys, where,
            fmt::format("{} of {} is {}", describe(task), who,
                        task.arrival == Arrival::once ? "released only once" : "best-effort"),
            "a chain has periodic and sporadic tasks only");
      }
    }
  }

  std::unordered_map<std::string_view, std::size_t> first_of_name_;
};

}  // namespace

void check_chains(const System& system, std::vector<Violation>& violations) {
  EffectChainRules rules{system, violations};
  for (std::size_t i = 0; i < system.chains.size(); ++i) rules.check_chain(i);
}

}  // namespace tactus
