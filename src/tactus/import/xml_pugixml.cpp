#include <fmt/format.h>

#include <cstring>
#include <iterator>
#include <map>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "tactus/import/limits.hpp"
#include "tactus/import/xml.hpp"
#include "tactus/io/document.hpp"
#include "tactus/io/problems.hpp"

namespace tactus::import {

namespace {

class Reading {
 public:
  Reading(const SourceText& source, std::uint32_t file) : source_{&source}, file_{file} {}

  ParsedFile parse() {
    const pugi::xml_parse_result result =
        document_.load_buffer(source_->text.data(), source_->text.size(),
                              pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
    refuse_doctype();
    if (!result) {
      refuse_other_format();
      refuse(ProblemId::bad_xml, static_cast<std::size_t>(result.offset),
             fmt::format("this is not XML: {}", result.description()),
             "write the model anew with the tool that made it");
    }
    const pugi::xml_node root = document_.document_element();
    ParsedFile parsed;
    find_prefixes(root, parsed);
    convert(root, parsed.root, 1);
    adopt(parsed.root);
    return parsed;
  }

 private:
  [[noreturn]] void refuse(ProblemId id, std::size_t offset, std::string message, std::string hint) const {
    const io::TextPositions places{source_->text};
    io::ProblemList problems;
    problems.add(id, offset, std::move(message), std::move(hint));
    throw InputError{std::move(problems).in_file_order(places, source_->name)};
  }

  void refuse_other_format() const {
    const std::size_t first = source_->text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || source_->text[first] == '<') return;
    const bool is_json = source_->text[first] == '{' || source_->text[first] == '[';
    const bool is_system = !is_json && io::is_meant_as_system(source_->text);
    refuse(ProblemId::wrong_file, first,
           is_json     ? "this is JSON; models are XML"
           : is_system ? "this is a system file; models are XML"
                       : "this is not XML: it does not begin with `<`",
           is_system ? "it needs no import: `tactus check` takes it as it is"
                     : "name a model of Eclipse APP4MC (*.amxmi)");
  }

  void refuse_doctype() const {
    for (const pugi::xml_node& node : document_.children()) {
      if (node.type() != pugi::node_doctype) continue;
      refuse(ProblemId::bad_xml, offset_of(node),
             "the file declares a document type, which models do not need", "remove <!DOCTYPE ...>");
    }
  }

  static std::size_t offset_of(const pugi::xml_node& node) {
    const std::ptrdiff_t offset = node.offset_debug();
    // The library points at the name, behind the bracket.
    return offset > 0 ? static_cast<std::size_t>(offset) - 1 : 0;
  }

  /// Prefixes are resolved, not assumed: they are declared at the root.
  void find_prefixes(const pugi::xml_node& root, ParsedFile& parsed) {
    const std::string_view name = root.name();
    const std::string_view prefix =
        name.substr(0, name.find(':') == std::string_view::npos ? 0 : name.find(':'));
    for (const pugi::xml_attribute& one : root.attributes()) {
      const std::string_view key = one.name();
      const std::string_view value = one.value();
      if (!key.starts_with("xmlns")) continue;
      const std::string_view declared = key.size() > 6 ? key.substr(6) : std::string_view{};
      if (value == "http://www.w3.org/2001/XMLSchema-instance") type_ = std::string{declared} + ":type";
      if (value.ends_with("/XMI") || value.find("schema.omg.org/spec/XMI") != std::string_view::npos) {
        id_ = std::string{declared} + ":id";
        meta_ = std::string{declared} + ":";
      }
      if (declared == prefix) parsed.root_namespace = value;
    }
  }

  template <class Range>
  static std::size_t count_of(const Range& range) {
    return static_cast<std::size_t>(std::distance(range.begin(), range.end()));
  }

  void convert(const pugi::xml_node& node, Element& element, std::size_t depth) {
    if (depth > limits::depth) {
      refuse(ProblemId::too_large, offset_of(node),
             fmt::format("elements are nested deeper than {}", limits::depth), "no model needs that");
    }
    const std::string_view name = node.name();
    element.name = name.substr(name.find(':') == std::string_view::npos ? 0 : name.find(':') + 1);
    element.offset = static_cast<std::uint32_t>(offset_of(node));
    element.file = file_;
    element.attributes.reserve(count_of(node.attributes()));
    for (const pugi::xml_attribute& one : node.attributes()) {
      const std::string_view key = one.name();
      const std::string_view value = one.value();
      if (key == type_) {
        element.type = value.substr(value.find(':') == std::string_view::npos ? 0 : value.find(':') + 1);
      } else if (key == id_) {
        element.id = value;
      } else if (!key.starts_with("xmlns") && !key.starts_with(meta_)) {
        element.attributes.push_back({std::string{key}, std::string{value}});
      }
    }
    element.children.reserve(count_of(node.children()));
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() != pugi::node_element) continue;
      convert(child, element.children.emplace_back(), depth + 1);
    }
  }

  /// When no element moves any more.
  static void adopt(Element& element) {
    for (Element& child : element.children) {
      child.parent = &element;
      adopt(child);
    }
  }

  const SourceText* source_;
  std::uint32_t file_;
  pugi::xml_document document_;
  std::string type_ = "xsi:type";
  std::string id_ = "xmi:id";
  std::string meta_ = "xmi:";
};

}  // namespace

bool is_available() { return true; }

InputError not_available() { return InputError{"this build reads models"}; }

ParsedFile parse_xml(const SourceText& source, std::uint32_t file) { return Reading{source, file}.parse(); }

}  // namespace tactus::import
