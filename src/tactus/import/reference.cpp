#include "tactus/import/reference.hpp"

#include <fmt/format.h>

#include <utility>

#include "tactus/base/utf8.hpp"

namespace tactus::import {

namespace {

constexpr std::string_view type_mark = "?type=";

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape =
        text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0;
    if (is_escape) {
      result += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      result += text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

}  // namespace

std::optional<Reference> parse_reference(std::string_view text) {
  const std::size_t mark = text.find(type_mark);
  if (mark == std::string_view::npos || mark == 0) return std::nullopt;
  Reference reference;
  reference.type = text.substr(mark + type_mark.size());
  std::string_view names = text.substr(0, mark);
  // Slashes within names are escaped, so they are split before names are decoded.
  while (true) {
    const std::size_t slash = names.find('/');
    reference.path.push_back(decoded(names.substr(0, slash)));
    if (slash == std::string_view::npos) return reference;
    names.remove_prefix(slash + 1);
  }
}

std::vector<Reference> parse_references(std::string_view text) {
  std::vector<Reference> found;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(" \t\r\n");
    if (const std::string_view word = text.substr(0, end); !word.empty()) {
      std::optional<Reference> one = parse_reference(word);
      if (!one) return {};
      found.push_back(*std::move(one));
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return found;
}

std::optional<Reference> parse_href(std::string_view text) {
  const std::size_t hash = text.find('#');
  return hash == std::string_view::npos ? std::nullopt : parse_reference(text.substr(hash + 1));
}

std::vector<Reference> references(const Element& element, std::string_view role) {
  std::vector<Reference> found = parse_references(element.attribute(role));
  for (const Element& child : element.children) {
    if (child.name != role || !is_reference(child)) continue;
    if (std::optional<Reference> one = parse_href(child.attribute("href"))) found.push_back(*std::move(one));
  }
  return found;
}

std::string describe(const Reference& reference) {
  std::string name;
  for (const std::string& step : reference.path) name += (name.empty() ? "" : "/") + step;
  return fmt::format("{} ({})", in_backticks(name), shown(reference.type));
}

}  // namespace tactus::import
