// A rule that a system breaks, and where.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tactus/base/problem_id.hpp"
#include "tactus/model/task.hpp"

namespace tactus {

/// One broken rule. `path` names the field as a system file spells it, for instance "tasks[2].kernel.block"
/// or "policy.reservations.local"; whoever read the model maps it to a line and a column. A name that is not
/// a plain word stands in brackets and quotes, with \ before quotes and backslashes inside:
/// policy.virtual_sms["lidar.front"].
struct Violation {
  std::string path;
  std::string message;
  std::string hint;
  std::string related{};  // path of another field it is about, such as the first of two equal names
  ProblemId id = ProblemId::invalid_value;

  friend bool operator==(const Violation&, const Violation&) = default;
};

/// The path of what `name` names inside the map at `path`, and of an item of the list there.
std::string child_path(const std::string& path, std::string_view name);
std::string item_path(const std::string& path, std::size_t index);
std::string task_path(std::size_t index);

/// The name of a task in messages.
std::string describe(const Task& task);

/// The hint for parameters that `tactus plan` can find.
inline constexpr std::string_view plan_finds_them = "`tactus plan FILE` with the same options finds them";

}  // namespace tactus
