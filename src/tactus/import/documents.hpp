// All files of a model, read, and what their elements refer to.
#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/import/reference.hpp"
#include "tactus/import/source.hpp"
#include "tactus/io/problems.hpp"

namespace tactus::import {

/// A position in one of the files.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

class Documents {
 public:
  /// InputError with what is wrong with the texts, or when they are no AMALTHEA model.
  explicit Documents(std::vector<SourceText> sources);
  // Elements know the one around them.
  Documents(const Documents&) = delete;
  Documents& operator=(const Documents&) = delete;
  Documents(Documents&&) = default;
  Documents& operator=(Documents&&) = default;
  ~Documents() = default;

  [[nodiscard]] const std::vector<SourceText>& sources() const { return sources_; }
  /// One for each file.
  [[nodiscard]] const std::deque<Element>& roots() const { return roots_; }
  /// The last part of the namespace, such as "0.9.8"; of several files the first one's.
  [[nodiscard]] const std::string& version() const { return versions_.front(); }
  /// Of each file.
  [[nodiscard]] const std::vector<std::string>& versions() const { return versions_; }
  /// The parts of the root with this tag (`swModel`), of all files.
  [[nodiscard]] std::vector<const Element*> parts(std::string_view tag) const;
  /// Their children with a tag.
  [[nodiscard]] std::vector<const Element*> listed(std::string_view part, std::string_view tag) const;

  /// All elements that a reference may mean; one where all is well.
  [[nodiscard]] std::vector<const Element*> candidates(
      const Reference& reference, std::size_t most = std::numeric_limits<std::size_t>::max()) const;
  /// Its element, the first one where several have the name; null where there is none.
  [[nodiscard]] const Element* find(const Reference& reference) const;
  /// What the element refers to under this role; what is not there is left out.
  [[nodiscard]] std::vector<const Element*> targets(const Element& element, std::string_view role) const;
  /// The first of these, or null.
  [[nodiscard]] const Element* target(const Element& element, std::string_view role) const;

  [[nodiscard]] Place place(const Element& element) const;
  [[nodiscard]] Problem problem(const Element& element, ProblemId id, const std::string& message,
                                const std::string& hint) const;

  /// Elements with names, in the order of the files.
  [[nodiscard]] const std::vector<const Element*>& named() const { return named_; }

 private:
  struct Member {
    const Element* element = nullptr;
    const Element* around = nullptr;  // whose name, or that of one around it, is the next one
  };
  /// Elements of one name and class, in the order of the files; also by names around them, once these are
  /// asked for.
  struct Group {
    std::vector<Member> members;
    bool is_split = false;
  };

  void add_names(const Element& element);
  std::span<const Member> members_of(const Reference& reference, std::string_view type) const;
  std::span<const Member> members_in_namespace(const Reference& reference, std::string_view type) const;
  /// The first of both, in the order of the files.
  static std::vector<const Element*> first_of(std::span<const Member> a, std::span<const Member> b,
                                              std::size_t most);
  void split(const std::string& key) const;

  std::vector<SourceText> sources_;
  std::vector<io::TextPositions> places_;
  std::deque<Element> roots_;
  std::vector<std::string> versions_;
  std::vector<const Element*> named_;
  mutable std::unordered_map<std::string, Group> groups_;                 // by name, class, and names around
  std::unordered_map<std::string, std::vector<const Element*>> unnamed_;  // by class
};

}  // namespace tactus::import
