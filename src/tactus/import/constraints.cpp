#include "tactus/import/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tactus/base/utf8.hpp"
#include "tactus/import/quantity.hpp"

namespace tactus::import {

namespace {

using Words = std::set<std::string>;

/// "Deadline_Task_LaneDetection" as deadline, task, lane, detection.
Words words_of(std::string_view name) {
  Words words;
  std::string word;
  char before = '_';
  const auto end_word = [&] {
    if (!word.empty()) words.insert(word);
    word.clear();
  };
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_letter = is_upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool begins = is_upper && before >= 'a' && before <= 'z';
    if (!is_letter || begins) end_word();
    if (is_letter) word += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    before = c;
  }
  end_word();
  return words;
}

/// How alike two names are: common words among all words.
Rational likeness(const Words& a, const Words& b) {
  Words common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(common, common.end()));
  const std::size_t all = a.size() + b.size() - common.size();
  return all == 0 ? Rational{}
                  : Rational{static_cast<std::int64_t>(common.size()), static_cast<std::int64_t>(all)};
}

/// Words that all names have say nothing.
Words common_words(const std::vector<Words>& names) {
  Words common = names.empty() ? Words{} : names.front();
  for (const Words& one : names) {
    Words both;
    std::set_intersection(common.begin(), common.end(), one.begin(), one.end(),
                          std::inserter(both, both.end()));
    common = std::move(both);
  }
  return common;
}

}  // namespace

std::vector<Requirement> read_requirements(Notes& notes) {
  const Documents& documents = notes.documents();
  std::vector<Requirement> requirements;
  for (const Element* one : documents.listed("constraintsModel", "requirements")) {
    const Element* limit = one->child("limit");
    const std::string_view type = limit == nullptr ? "" : limit->attribute("limitType");
    const std::string_view metric = limit == nullptr ? "" : limit->attribute("metric");
    if (type != "UpperLimit" || metric != "ResponseTime") {
      notes.warn(
          "requirement", one,
          fmt::format("requirement {} ({} of {}) is not checked: only upper limits of response times are",
                      in_backticks(name_of(*one)), type.empty() ? "limit" : type,
                      metric.empty() ? "something else" : metric));
      continue;
    }
    const Element* process = documents.target(*one, "process");
    if (process == nullptr) {
      notes.warn("requirement", one,
                 fmt::format("requirement {} limits the response time of no task, and is not used",
                             in_backticks(name_of(*one))),
                 "only limits of tasks are deadlines; a runnable's may be a part of its task's");
      continue;
    }
    const Element* value = limit->child("limitValue");
    const std::optional<Rational> time = value == nullptr ? std::nullopt : nanoseconds_of(*value);
    if (!time || *time < Rational{1}) {
      notes.refuse(*one, ProblemId::bad_number,
                   fmt::format("the limit of requirement {} is not understood", in_backticks(name_of(*one))),
                   "write `limitValue` with a value above 0 and a unit such as ms");
      continue;
    }
    requirements.push_back({.element = one,
                            .name = std::string{name_of(*one)},
                            .process = process,
                            .limit = rounded_down(*time)});
  }
  return requirements;
}

void compare_names(const std::vector<Requirement>& requirements, Notes& notes) {
  std::vector<Words> names;
  names.reserve(requirements.size());
  for (const Requirement& one : requirements) names.push_back(words_of(one.name));
  if (requirements.size() < 2 || requirements.size() > 1'000) return;
  const Words common = common_words(names);
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    Words name = names[i];
    for (const std::string& word : common) name.erase(word);
    const Requirement& mine = requirements[i];
    const Requirement* best = &mine;
    Rational most = likeness(name, words_of(name_of(*mine.process)));
    for (const Requirement& other : requirements) {
      const Rational one = likeness(name, words_of(name_of(*other.process)));
      if (one > most) {
        most = one;
        best = &other;
      }
    }
    if (best->process == mine.process) continue;
    notes.point_out("requirement-target", mine.element,
                    fmt::format("requirement {} limits {}, but its name fits {} better: are targets swapped?",
                                in_backticks(mine.name), in_backticks(name_of(*mine.process)),
                                in_backticks(name_of(*best->process))),
                    "correct `process` in the model, or `deadline` in the system file");
  }
}

}  // namespace tactus::import
