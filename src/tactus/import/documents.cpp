#include "tactus/import/documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tactus/base/utf8.hpp"
#include "tactus/import/xml.hpp"

namespace tactus::import {

namespace {

constexpr std::string_view namespace_start = "http://app4mc.eclipse.org/amalthea/";

struct Refusal {
  std::string message;
  std::string hint;
};

/// Why a root is none of a model that can be read; empty where it is one.
Refusal refusal(const ParsedFile& file) {
  const bool is_itea =
      file.root_namespace.find("amalthea.itea2.org") != std::string::npos || file.root.name == "AMALTHEA";
  if (is_itea) {
    return {"this is a model of the ITEA project AMALTHEA (before Eclipse APP4MC), which is not read",
            "open it in Eclipse APP4MC and let its model migration write the current version"};
  }
  const bool is_app4mc = file.root_namespace.starts_with(namespace_start);
  if (is_app4mc && file.root.name == "Amalthea") return {};
  if (is_app4mc) {
    return {fmt::format("the root is {}, a part of a model, as before version 0.7.2",
                        in_backticks(file.root.name)),
            "let the model migration of Eclipse APP4MC write the current version"};
  }
  return {fmt::format("the root is {}, not that of an AMALTHEA model", in_backticks(file.root.name)),
          "name a model of Eclipse APP4MC (*.amxmi)"};
}

/// Whether the names around an element, from inside out, are those of the reference.
bool stands_in(const Element& element, const std::vector<std::string>& path) {
  const Element* around = element.parent;
  for (std::size_t i = path.size() - 1; i-- > 0;) {
    while (around != nullptr && name_of(*around).empty()) around = around->parent;
    if (around == nullptr || name_of(*around) != path[i]) return false;
    around = around->parent;
  }
  return true;
}

/// The same by the `namespace` that newer models give elements; that of a namespace is the one before it.
bool is_in_namespace(const Element& element, const std::vector<std::string>& path) {
  const bool is_space = class_of(element) == "Namespace";
  const std::vector<Reference> spaces = references(element, is_space ? "previousSegment" : "namespace");
  return !spaces.empty() &&
         std::equal(spaces.front().path.begin(), spaces.front().path.end(), path.begin(), path.end() - 1);
}

}  // namespace

Documents::Documents(std::vector<SourceText> sources) : sources_{std::move(sources)} {
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    places_.emplace_back(sources_[i].text);
    try {
      ParsedFile file = parse_xml(sources_[i], static_cast<std::uint32_t>(i));
      if (const Refusal why = refusal(file); !why.message.empty()) {
        problems.push_back(problem(file.root, ProblemId::wrong_file, why.message, why.hint));
        continue;
      }
      if (version_.empty()) version_ = file.root_namespace.substr(namespace_start.size());
      roots_.push_back(std::move(file.root));
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError{std::move(problems)};
  for (Element& root : roots_) {
    for (Element& part : root.children) part.parent = &root;
    add_names(root);
  }
}

void Documents::add_names(const Element& element) {
  if (!is_reference(element)) {
    if (const std::string_view name = name_of(element); !name.empty()) {
      named_.push_back(&element);
      by_name_[std::string{name}].push_back(&element);
    } else if (const std::string_view type = class_of(element); !type.empty()) {
      unnamed_[std::string{type}].push_back(&element);
    }
  }
  for (const Element& child : element.children) add_names(child);
}

std::vector<const Element*> Documents::parts(std::string_view tag) const {
  std::vector<const Element*> found;
  for (const Element& root : roots_) {
    for (const Element& part : root.children) {
      if (part.name == tag) found.push_back(&part);
    }
  }
  return found;
}

std::vector<const Element*> Documents::listed(std::string_view part, std::string_view tag) const {
  std::vector<const Element*> found;
  for (const Element* one : parts(part)) {
    for (const Element& child : one->children) {
      if (child.name == tag && !is_reference(child)) found.push_back(&child);
    }
  }
  return found;
}

std::vector<const Element*> Documents::candidates(const Reference& reference, std::size_t most) const {
  const auto found = by_name_.find(reference.name());
  if (found == by_name_.end()) {
    // Which of several elements without a name is meant, nobody can tell.
    const auto unnamed = unnamed_.find(reference.type);
    const bool is_one =
        reference.name() == no_name && unnamed != unnamed_.end() && unnamed->second.size() == 1;
    return is_one ? unnamed->second : std::vector<const Element*>{};
  }
  std::vector<const Element*> exact;
  std::vector<const Element*> possible;  // of a class that the tag does not tell
  for (const Element* one : found->second) {
    const std::string_view type = class_of(*one);
    if (reference.path.size() > 1 && !stands_in(*one, reference.path) &&
        !is_in_namespace(*one, reference.path))
      continue;
    if (type == reference.type) exact.push_back(one);
    if (exact.size() == most) break;
    if (type.empty()) possible.push_back(one);
  }
  return exact.empty() ? possible : exact;
}

const Element* Documents::find(const Reference& reference) const {
  const std::vector<const Element*> found = candidates(reference, 1);
  return found.empty() ? nullptr : found.front();
}

std::vector<const Element*> Documents::targets(const Element& element, std::string_view role) const {
  std::vector<const Element*> found;
  for (const Reference& one : references(element, role)) {
    if (const Element* target = find(one)) found.push_back(target);
  }
  return found;
}

const Element* Documents::target(const Element& element, std::string_view role) const {
  const std::vector<const Element*> found = targets(element, role);
  return found.empty() ? nullptr : found.front();
}

Place Documents::place(const Element& element) const {
  const io::TextPosition at = places_.at(element.file).at(element.offset);
  return {.file = shown(sources_[element.file].name), .line = at.line, .column = at.column};
}

Problem Documents::problem(const Element& element, ProblemId id, const std::string& message,
                           const std::string& hint) const {
  const Place at = place(element);
  return {.file = at.file,
          .line = at.line,
          .column = at.column,
          .message = shown(message),  // names of the model may hold anything
          .hint = shown(hint),
          .id = id,
          .source = std::string{places_.at(element.file).line(at.line)}};
}

}  // namespace tactus::import
