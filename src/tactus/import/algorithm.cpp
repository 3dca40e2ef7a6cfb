#include "tactus/import/algorithm.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "tactus/import/properties.hpp"

namespace tactus::import {

namespace {

/// By a part of the name, in lower case; the first that fits.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> differences{{
    {"budget",
     "a task that has used up its budget waits for the next one there and goes on here, so it may be done "
     "earlier here than in the model"},
    {"server",
     "its tasks share a budget there and may have the whole core here, so they may be done earlier here than "
     "in the model"},
    {"roundrobin",
     "tasks of one priority take turns there, and one is done before the other here, so the first may be "
     "done earlier here than in the model"},
    {"pfair",
     "tasks share the core in small pieces there, so some may be done earlier here than in the model"},
    {"leastlocalremaining",
     "tasks share the core in small pieces there, so some may be done earlier here than in the model"},
    {"grouping", "it serves groups of tasks there, so some may be done earlier here than in the model"},
    {"nonpreemptive",
     "nothing is preempted there, so urgent tasks may be done earlier here than in the model"},
    {"cooperative",
     "tasks are preempted only between runnables there, so urgent ones may be done earlier here than in the "
     "model"},
    {"earliestdeadline", "jobs have another order there, so some may be done earlier here than in the model"},
}};

const auto* difference_by_name(std::string_view algorithm) {
  return std::find_if(differences.begin(), differences.end(), [name = folded(algorithm)](const auto& one) {
    return name.find(one.first) != std::string::npos;
  });
}

}  // namespace

Rule rule_of(std::string_view algorithm) {
  const std::string name = folded(algorithm);
  if (name == "fixedprioritypreemptive" || name == "osek") return Rule::priorities;
  if (name == "ratemonotonic") return Rule::rate;
  if (name == "deadlinemonotonic") return Rule::deadline;
  if (name == "earliestdeadlinefirst") return Rule::edf;
  return Rule::other;
}

bool is_known_algorithm(std::string_view algorithm) {
  return rule_of(algorithm) != Rule::other || difference_by_name(algorithm) != differences.end();
}

std::string_view difference_of(std::string_view algorithm) {
  const Rule rule = rule_of(algorithm);
  if (rule != Rule::other && rule != Rule::edf) return {};
  const auto* found = difference_by_name(algorithm);
  return found == differences.end()
             ? "what it does is not known, so tasks may be done earlier here than in the model"
             : found->second;
}

}  // namespace tactus::import
