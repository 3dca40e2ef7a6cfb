#include "tactus/import/finding.hpp"

#include <fmt/format.h>

#include <utility>

#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"

namespace tactus::import {

void Notes::add(Finding finding, const Element* where, const std::string& message, const std::string& hint) {
  // Many of one kind must not hide those of another.
  std::size_t& count = counts_[{finding.kind, finding.severity, finding.is_open}];
  if (count > limits::told) return;
  finding.place = where == nullptr ? Place{} : documents_->place(*where);
  // Several parts of the importer come across the same thing.
  const Place& place = finding.place;
  if (!said_.emplace(place.file, place.line, place.column, message).second) return;
  const bool is_last = ++count > limits::told;
  finding.message = is_last ? "there are more of this kind from here on" : shown(message);
  finding.hint = is_last ? "" : shown(hint);
  findings_.push_back(std::move(finding));
}

void Notes::refuse(const Element& where, ProblemId id, const std::string& message, const std::string& hint) {
  if (problems_.size() > limits::told) return;
  Problem problem = documents_->problem(where, id, message, hint);
  if (!refused_.emplace(problem.file, problem.line, problem.column, problem.message).second) return;
  if (problems_.size() == limits::told) {
    problem.id = ProblemId::more_problems;
    problem.message = "there are more problems from here on";
    problem.hint = "repair those above first";
  }
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
