#include "tactus/io/locate.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "tactus/io/units.hpp"

namespace tactus::io {

Step take_step(std::string_view& path) {
  Step step;
  if (path.starts_with("[\"")) {
    std::size_t i = 2;
    for (; i < path.size() && path[i] != '"'; ++i) {
      if (path[i] == '\\' && i + 1 < path.size()) ++i;
      step.key += path[i];
    }
    path.remove_prefix(std::min(i + 2, path.size()));
  } else if (path.starts_with('[')) {
    const std::size_t end = std::min(path.find(']'), path.size());
    step = {std::string{path.substr(1, end - 1)}, true};
    path.remove_prefix(std::min(end + 1, path.size()));
  } else {
    if (path.starts_with('.')) path.remove_prefix(1);
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    step.key = path.substr(0, end);
    path.remove_prefix(end);
  }
  return step;
}

const Value* Locator::entry(const Value& map, std::string_view key) {
  constexpr std::size_t large = 32;
  if (map.entries.size() < large) return map.find(key);
  auto& index = indices_[&map];
  if (index.empty()) {
    for (const Value::Entry& entry : map.entries) index.emplace(entry.key, &entry.value);
  }
  const auto found = index.find(key);
  return found == index.end() ? nullptr : found->second;
}

const Value* Locator::child(const Value& parent, const std::string& key) {
  // The items of some lists have names in the model: their places.
  if (parent.kind == Value::Kind::list) {
    const std::optional<std::int64_t> place = parse_integer(key).value;
    const bool is_there = place && *place >= 0 && *place < std::ssize(parent.items);
    return is_there ? &parent.items[static_cast<std::size_t>(*place)] : nullptr;
  }
  if (const Value* value = entry(parent, key)) return value;
  for (const auto& [model, file] : alternatives) {
    if (key != model) continue;
    if (const Value* value = entry(parent, file)) return value;
  }
  return reader_->find_misspelt(parent, key);
}

const Value& Locator::find(std::string_view path) {
  const Value* value = root_;
  while (!path.empty()) {
    const Step step = take_step(path);
    const Value* next = nullptr;
    if (step.is_index) {
      const std::size_t index = std::stoul(step.key);
      if (index < value->items.size()) next = &value->items[index];
    } else {
      next = child(*value, step.key);
    }
    if (next == nullptr) break;
    value = next;
  }
  return *value;
}

}  // namespace tactus::io
