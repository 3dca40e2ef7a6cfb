// Finds the value in a document that breaks a rule of the model.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "tactus/io/document.hpp"
#include "tactus/io/reader.hpp"

namespace tactus::io {

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
