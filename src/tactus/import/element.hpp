// The elements of an AMALTHEA model as they stand in its files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::import {

struct Attribute {
  std::string name;
  std::string value;
};

struct Element {
  std::string name;                   // of the tag, which says the role in the element around it
  std::string type;                   // xsi:type without its prefix; empty where there is none
  std::string id;                     // xmi:id
  std::vector<Attribute> attributes;  // all others
  std::vector<Element> children;
  const Element* parent = nullptr;
  std::uint32_t offset = 0;  // in the text of its file
  std::uint32_t file = 0;    // which of the model's files

  /// Empty where there is none.
  [[nodiscard]] std::string_view attribute(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const;
  /// The first child with this tag, or null.
  [[nodiscard]] const Element* child(std::string_view tag) const;
};

/// The class of the metamodel: `xsi:type`, or what the tag stands for where classes are not written. Empty
/// where the tag is not known.
std::string_view class_of(const Element& element);

/// The `name` of the element.
inline std::string_view name_of(const Element& element) { return element.attribute("name"); }

/// An element that only refers to another, in this file or a different one.
inline bool is_reference(const Element& element) { return element.has("href"); }

}  // namespace tactus::import
