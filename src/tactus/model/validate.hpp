// The rules a model must keep. Checked once, at the boundary; code behind it relies on them.
#pragma once

#include <string>
#include <vector>

#include "tactus/base/problem_id.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// One broken rule. `path` names the field as a system file spells it, for instance "tasks[2].kernel.block"
/// or "policy.reservations.local"; whoever read the model maps it to a line and a column. A name that is not
/// a plain word stands in brackets and quotes, with \ before quotes and backslashes inside:
/// policy.virtual_sms["lidar.front"].
struct Finding {
  std::string path;
  std::string message;
  std::string hint;
  std::string related{};  // path of another field it is about, such as the first of two equal names
  ProblemId id = ProblemId::invalid_value;

  friend bool operator==(const Finding&, const Finding&) = default;
};

/// Every rule of the model the system breaks, in file order; empty when it is valid.
std::vector<Finding> validate(const System& system);

/// What `check` and `sim` need beyond a valid model and only `plan` can do without: reservations under
/// `sm-cores`, virtual SMs under `federated`, no `sm: any`.
std::vector<Finding> find_missing_parameters(const System& system);

}  // namespace tactus
