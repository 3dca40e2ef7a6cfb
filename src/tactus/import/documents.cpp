#include "tactus/import/documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"
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

/// Before anything is made of the texts: of a few bytes in an archive millions of elements may come.
void refuse_many_elements(const std::vector<SourceText>& sources) {
  std::size_t elements = 0;
  std::size_t quotes = 0;
  for (const SourceText& one : sources) {
    for (std::size_t at = one.text.find('<'); at != std::string::npos; at = one.text.find('<', at + 1)) {
      if (at + 1 < one.text.size() && one.text[at + 1] != '/') ++elements;
    }
    quotes +=
        static_cast<std::size_t>(std::ranges::count(one.text, '"') + std::ranges::count(one.text, '\''));
    const bool are_elements = elements > limits::elements;
    if (!are_elements && quotes / 2 <= limits::attributes) continue;
    throw InputError{{Problem{
        .file = shown(one.name),
        .line = 1,
        .column = 1,
        .message = are_elements ? fmt::format("the model has more than {} elements", limits::elements)
                                : fmt::format("the model has more than {} attributes", limits::attributes),
        .hint = "leave out what does not concern timing",
        .id = ProblemId::too_large}}};
  }
}

// Keys of groups. No text of XML has this character, and no name around an element is empty.
constexpr char mark = '\0';

std::string key_of(std::string_view name, std::string_view type) {
  return fmt::format("{}{}{}", name, mark, type);
}

/// What is in a `namespace` has the names of that before its own, as if it stood within it.
std::string key_in_namespace(std::string key, std::span<const std::string> spaces) {
  for (const std::string& one : spaces) key += fmt::format("{}{}{}", mark, mark, one);
  return key;
}

bool is_before(const Element* a, const Element* b) {
  return std::pair{a->file, a->offset} < std::pair{b->file, b->offset};
}

}  // namespace

Documents::Documents(std::vector<SourceText> sources) : sources_{std::move(sources)} {
  refuse_many_elements(sources_);
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    places_.emplace_back(sources_[i].text);
    try {
      ParsedFile file = parse_xml(sources_[i], static_cast<std::uint32_t>(i));
      if (const Refusal why = refusal(file); !why.message.empty()) {
        problems.push_back(problem(file.root, ProblemId::wrong_file, why.message, why.hint));
        continue;
      }
      versions_.push_back(file.root_namespace.substr(namespace_start.size()));
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
      const std::string key = key_of(name, class_of(element));
      groups_[key].members.push_back({&element, element.parent});
      // Of a namespace, the one before it.
      const bool is_space = class_of(element) == "Namespace";
      const std::vector<Reference> spaces = references(element, is_space ? "previousSegment" : "namespace");
      if (!spaces.empty())
        groups_[key_in_namespace(key, spaces.front().path)].members.push_back({&element, nullptr});
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

std::vector<const Element*> Documents::first_of(std::span<const Member> a, std::span<const Member> b,
                                                std::size_t most) {
  std::vector<const Element*> found;
  while (found.size() < most && !(a.empty() && b.empty())) {
    const bool from_a = b.empty() || (!a.empty() && !is_before(b.front().element, a.front().element));
    std::span<const Member>& from = from_a ? a : b;
    if (found.empty() || found.back() != from.front().element) found.push_back(from.front().element);
    from = from.subspan(1);
  }
  return found;
}

void Documents::split(const std::string& key) const {
  Group& group = groups_[key];
  if (std::exchange(group.is_split, true)) return;
  for (const Member& one : group.members) {
    const Element* around = one.around;
    while (around != nullptr && name_of(*around).empty()) around = around->parent;
    if (around == nullptr) continue;
    groups_[key_of(key, name_of(*around))].members.push_back({one.element, around->parent});
  }
}

std::span<const Documents::Member> Documents::members_of(const Reference& reference,
                                                         std::string_view type) const {
  std::string key = key_of(reference.name(), type);
  auto found = groups_.find(key);
  for (std::size_t i = reference.path.size() - 1; i-- > 0 && found != groups_.end();) {
    split(key);
    key = key_of(key, reference.path[i]);
    found = groups_.find(key);
  }
  if (found == groups_.end()) return {};
  return found->second.members;
}

std::span<const Documents::Member> Documents::members_in_namespace(const Reference& reference,
                                                                   std::string_view type) const {
  if (reference.path.size() < 2) return {};
  const std::span<const std::string> spaces{reference.path.data(), reference.path.size() - 1};
  const auto found = groups_.find(key_in_namespace(key_of(reference.name(), type), spaces));
  if (found == groups_.end()) return {};
  return found->second.members;
}

std::vector<const Element*> Documents::candidates(const Reference& reference, std::size_t most) const {
  std::vector<const Element*> found;
  // Of that class, or else of one that the tag does not tell.
  for (const std::string_view type : {std::string_view{reference.type}, std::string_view{}}) {
    if (found.empty())
      found = first_of(members_of(reference, type), members_in_namespace(reference, type), most);
  }
  // Which of several elements without a name is meant, nobody can tell.
  const auto unnamed = unnamed_.find(reference.type);
  const bool is_one = reference.name() == no_name && unnamed != unnamed_.end() && unnamed->second.size() == 1;
  return found.empty() && is_one ? unnamed->second : found;
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
