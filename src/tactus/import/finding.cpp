#include "tactus/import/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tactus/base/utf8.hpp"

namespace tactus::import {

namespace {

constexpr std::size_t max_kept = 10'000;  // of each kind; a hostile model could ask for millions

}  // namespace

void Notes::add(Finding finding, const Element* where, const std::string& message, const std::string& hint) {
  // Many of one kind must not hide those of another.
  std::size_t& count = counts_[{finding.severity, finding.is_open}];
  if (count == max_kept) return;
  finding.place = where == nullptr ? Place{} : documents_->place(*where);
  finding.message = shown(message);
  finding.hint = shown(hint);
  // Several parts of the importer come across the same thing.
  const Place& place = finding.place;
  if (!said_.emplace(place.file, place.line, place.column, finding.message).second) return;
  ++count;
  findings_.push_back(std::move(finding));
}

void Notes::refuse(const Element& where, ProblemId id, const std::string& message, const std::string& hint) {
  if (problems_.size() == max_kept) return;
  Problem problem = documents_->problem(where, id, message, hint);
  if (std::find(problems_.begin(), problems_.end(), problem) == problems_.end())
    problems_.push_back(std::move(problem));
}

void Notes::refuse_quantity(const Element& quantity, const std::string& hint) {
  const Element* of = quantity.parent;
  while (of != nullptr && name_of(*of).empty()) of = of->parent;
  refuse(quantity, ProblemId::bad_number,
         fmt::format("{} of {} is not understood", in_backticks(quantity.name),
                     of == nullptr ? "the model" : in_backticks(name_of(*of))),
         hint);
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::warning:
      return "warning";
    case Severity::assumption:
      return "assumption";
    case Severity::note:
      return "note";
  }
  return "";
}

}  // namespace tactus::import
