#include "tactus/trace/json_text.hpp"

#include <nlohmann/json.hpp>

#include "tactus/base/utf8.hpp"

namespace tactus::trace {

std::string escape_json(std::string_view text) {
  // Characters that change the text direction are escaped as well, in case the file is shown in a terminal.
  const std::string quoted =
      tame(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return quoted.substr(1, quoted.size() - 2);
}

std::string number_or_null(Time time) { return time == never ? "null" : std::to_string(in_ns(time)); }

std::vector<std::string> escaped_task_names(const System& system) {
  std::vector<std::string> names;
  names.reserve(system.tasks.size());
  for (const Task& task : system.tasks) names.push_back(escape_json(task.name));
  return names;
}

}  // namespace tactus::trace
