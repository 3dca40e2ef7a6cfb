#include "tactus/io/locate.hpp"

#include <array>
#include <utility>

#include "tactus/io/path.hpp"

namespace tactus::io {

namespace {

/// Keys under which a file may give what the model calls by another name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> other_names{
    {{"period", "rate"}, {"registers", "registers_per_thread"}}};

}  // namespace

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
  if (const Value* value = entry(parent, key)) return value;
  for (const auto& [model, file] : other_names) {
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
