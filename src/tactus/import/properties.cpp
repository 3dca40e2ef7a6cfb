#include "tactus/import/properties.hpp"

#include "tactus/import/quantity.hpp"

namespace tactus::import {

std::string folded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') result += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) result += c;
  }
  return result;
}

std::optional<std::string> object_text(const Element& holder) {
  const Element* value = holder.child("value");
  const Element& from = value == nullptr ? holder : *value;
  if (!from.has("value")) return std::nullopt;
  std::string text{from.attribute("value")};
  if (from.has("unit")) text += " " + std::string{from.attribute("unit")};
  return text;
}

std::optional<std::string> property(const Element& element, std::string_view key) {
  for (const Element& one : element.children) {
    if (one.name == "customProperties" && folded(one.attribute("key")) == folded(key))
      return object_text(one);
  }
  return std::nullopt;
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
  const std::optional<Rational> number = parse_number(text);
  if (!number || number->denominator() != 1) return std::nullopt;
  return number->numerator();
}

std::optional<std::int64_t> integer_property(const Element& element, std::string_view key) {
  const std::optional<std::string> text = property(element, key);
  return text ? parse_whole(*text) : std::nullopt;
}

}  // namespace tactus::import
