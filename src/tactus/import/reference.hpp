// How elements of a model name each other: "Core0/P1?type=HwPort".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/import/element.hpp"

namespace tactus::import {

/// What APP4MC writes for the name of an element that has none.
inline constexpr std::string_view no_name = "no-name";

struct Reference {
  std::vector<std::string> path;  // decoded names, the element's own last
  std::string type;               // its class

  [[nodiscard]] const std::string& name() const { return path.back(); }
};

/// One reference; nothing where the text is none. Names are form-encoded (a space is +), and %20 is read,
/// too.
std::optional<Reference> parse_reference(std::string_view text);

/// The references of a text with blanks between them; empty where something in it is none.
std::vector<Reference> parse_references(std::string_view text);

/// The same of an attribute or of child elements with `href`, whichever there is.
std::vector<Reference> references(const Element& element, std::string_view role);

/// What `href` names: "amlt:/#Name?type=Class", or with two slashes.
std::optional<Reference> parse_href(std::string_view text);

/// "Name (Class)", for messages.
std::string describe(const Reference& reference);

}  // namespace tactus::import
