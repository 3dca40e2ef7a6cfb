// Just enough of XML to tell whether a picture is well-formed and what it holds.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::test {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;    // directly inside it, entities resolved
  std::string parent;  // name of the element around it
};

/// All elements in document order. Throws std::runtime_error with the place where the text is not
/// well-formed: tags that do not match, attributes without quotes or given twice, bare '<' and '&',
/// characters XML forbids, anything behind the root.
std::vector<XmlElement> parse_xml(std::string_view text);

}  // namespace tactus::test
