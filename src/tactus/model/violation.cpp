#include "tactus/model/violation.hpp"

#include <algorithm>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus {

namespace {

bool is_plain_word(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

}  // namespace

std::string child_path(const std::string& path, std::string_view name) {
  if (is_plain_word(name)) return path + "." + std::string{name};
  std::string result = path + "[\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"]";
}

std::string item_path(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

std::string task_path(std::size_t index) { return item_path("tasks", index); }

std::string describe(const Task& task) {
  return task.name.empty() ? "this task" : "task " + in_backticks(task.name);
}

}  // namespace tactus
