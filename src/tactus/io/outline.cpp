#include "tactus/io/outline.hpp"

#include <optional>

#include "tactus/io/document.hpp"

namespace tactus::io {

bool is_meant_as_system(std::string_view text) {
  const auto mentions = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (!mentions("tactus") && !(mentions("platform") && mentions("tasks"))) return false;
  const TextPositions places{text};
  ProblemList problems;
  if (const std::optional<Value> root = parse_document(text, places, problems)) {
    const auto has = [&](std::string_view key) { return root->find(key) != nullptr; };
    return has("tactus") || (has("platform") && has("tasks") && !has("tactus-experiment"));
  }
  return text.starts_with("tactus:") || mentions("\ntactus:");
}

std::vector<TextPosition> task_places(std::string_view text) {
  const TextPositions places{text};
  ProblemList problems;
  std::vector<TextPosition> result;
  const std::optional<Value> root = parse_document(text, places, problems);
  if (!root) return result;
  const Value* tasks = root->find("tasks");
  if (tasks == nullptr) return result;
  for (const Value& task : tasks->items) {
    const Value* name = task.find("name");
    result.push_back(places.at(name == nullptr ? task.offset : name->offset));
  }
  return result;
}

}  // namespace tactus::io
