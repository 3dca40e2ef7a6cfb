#include "tactus/import/finding.hpp"

#include <algorithm>
#include <array>

#include "tactus/base/utf8.hpp"

namespace tactus::import {

namespace {

constexpr std::size_t max_kept = 10'000;  // a hostile model could ask for millions

}  // namespace

void Notes::add(Severity severity, std::string_view kind, const Element* where, const std::string& message,
                const std::string& hint) {
  if (findings_.size() == max_kept) return;
  const Place place = where == nullptr ? Place{} : documents_->place(*where);
  // Several parts of the importer come across the same thing.
  if (!said_.emplace(place.file, place.line, place.column, message).second) return;
  findings_.push_back({.severity = severity,
                       .kind = std::string{kind},
                       .place = place,
                       .message = shown(message),
                       .hint = shown(hint)});
}

void Notes::refuse(const Element& where, ProblemId id, const std::string& message, const std::string& hint) {
  if (problems_.size() == max_kept) return;
  Problem problem = documents_->problem(where, id, message, hint);
  if (std::find(problems_.begin(), problems_.end(), problem) == problems_.end())
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
