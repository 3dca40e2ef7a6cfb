// A cache of the servers of `sm-cores`, by their sets of tasks.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "tactus/model/system.hpp"
#include "tactus/plan/server_budget.hpp"

namespace tactus::plan {

/// Tasks that share a server, by their index in the system, in rising order.
using Group = std::vector<TaskIndex>;

class ServerCatalog {
 public:
  ServerCatalog(const System& system, ServerOrder order) : system_{system}, order_{order} {}

  /// The server of one core with these tasks; null where none of them has a deadline: such a core always
  /// holds.
  ServerBudget* core(const Group& tasks);

  /// The server of the gang tasks; null as above.
  ServerBudget* gang();

  [[nodiscard]] const System& system() const { return system_; }

 private:
  [[nodiscard]] std::unique_ptr<ServerBudget> build(const Group& tasks, bool is_gang) const;

  const System& system_;
  ServerOrder order_;
  std::map<Group, std::unique_ptr<ServerBudget>> cores_;
  std::unique_ptr<ServerBudget> gang_;
  bool gang_is_built_ = false;
};

}  // namespace tactus::plan
