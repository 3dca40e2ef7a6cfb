// Paths to values of a document: `policy.levels`, `tasks[2].kernel.block`, `policy.virtual_sms["a.b"]`.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tactus/io/document.hpp"
#include "tactus/io/reader.hpp"

namespace tactus::io {

/// One step of a path: a key, or an index when it is a number in brackets.
struct Step {
  std::string key;
  bool is_index = false;
};

/// Takes the first step off a path that is not empty.
Step take_step(std::string_view& path);

/// Pairs of keys of which a file gives one; the first is the model's name.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 2> alternatives{
    {{"period", "rate"}, {"registers", "registers_per_thread"}}};

/// Finds the value that breaks a rule of the model.
class Locator {
 public:
  /// Both must outlive the locator.
  Locator(const Value& root, const Reader& reader) : root_{&root}, reader_{&reader} {}

  /// The value at the path of a broken rule; where the path does not exist, the innermost
  /// existing value on the way.
  const Value& find(std::string_view path);

 private:
  const Value* child(const Value& parent, const std::string& key);
  const Value* entry(const Value& map, std::string_view key);

  const Value* root_;
  const Reader* reader_;
  /// Index of the keys of large maps, so that thousands of lookups in one of them stay cheap.
  std::unordered_map<const Value*, std::unordered_map<std::string_view, const Value*>> indices_;
};

}  // namespace tactus::io
