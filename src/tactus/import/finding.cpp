#include "tactus/import/finding.hpp"

#include <algorithm>
#include <array>

#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"

namespace tactus::import {

void Notes::add(Severity severity, std::string_view kind, const Element* where, const std::string& message,
                const std::string& hint) {
  const auto known = of_kind_.emplace(kind, 0).first;
  if (known->second > limits::told) return;
  const Place place = where == nullptr ? Place{} : documents_->place(*where);
  // Several parts of the importer come across the same thing.
  if (!said_.emplace(place.file, place.line, place.column, message).second) return;
  const bool is_last = ++known->second > limits::told;
  findings_.push_back({.severity = severity,
                       .kind = std::string{kind},
                       .place = place,
                       .message = is_last ? "there are more of this kind from here on" : shown(message),
                       .hint = is_last ? "" : shown(hint)});
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

bool is_optimistic(const Finding& finding) {
  constexpr std::array<std::string_view, 26> kinds{"outstanding",
                                                   "gpu-processes",
                                                   "accelerator",
                                                   "awaited-interrupt",
                                                   "busy-elsewhere",
                                                   "child-scheduler",
                                                   "deadline-jitter",
                                                   "equal-priorities",
                                                   "interrupts",
                                                   "limit-jitter",
                                                   "missing-priority",
                                                   "mixed-priorities",
                                                   "no-access",
                                                   "no-latency",
                                                   "no-responsibility",
                                                   "no-size",
                                                   "no-ticks",
                                                   "no-time",
                                                   "offload-priority",
                                                   "preemption",
                                                   "scheduler",
                                                   "several-activations",
                                                   "several-allocations",
                                                   "several-cores",
                                                   "transmission",
                                                   "wait"};
  return finding.severity == Severity::warning &&
         std::find(kinds.begin(), kinds.end(), finding.kind) != kinds.end();
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
