#include "tactus/analysis/analysis.hpp"

#include <array>
#include <utility>

#include "tactus/analysis/references.hpp"

namespace tactus::analysis {

Result does_not_apply(std::string why_not) {
  Result result;
  result.why_not = std::move(why_not);
  return result;
}

bool has_a_say(const Analysis& analysis) { return analysis.sound && analysis.run_time_model.empty(); }

Kind kind_here(const Analysis& analysis, const Result& result) {
  return analysis.kind == Kind::exact && !result.exact ? Kind::sufficient : analysis.kind;
}

bool is_for_other_strategy(const Analysis& analysis, const System& system) {
  return !analysis.strategy.empty() && analysis.strategy != system.policy.strategy->name;
}

std::string_view to_string(Kind kind) {
  constexpr std::array<std::string_view, 3> names{"exact", "sufficient", "necessary"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, 4> names{"schedulable", "unschedulable", "unproven", "gave-up"};
  return names.at(static_cast<std::size_t>(verdict));
}

nlohmann::ordered_json in_nanoseconds(const std::optional<Duration>& duration) {
  return duration ? nlohmann::ordered_json(duration->count()) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json to_json(const Analysis& analysis, const Result& result) {
  nlohmann::ordered_json json{
      {"id", analysis.id},       {"title", analysis.title},          {"source", analysis.source},
      {"sound", analysis.sound}, {"kind", to_string(analysis.kind)}, {"applies", result.applies()}};
  if (!analysis.run_time_model.empty()) json["run_time_model"] = analysis.run_time_model;
  if (!result.applies()) json["why_not"] = result.why_not;
  if (result.applies()) json["kind_here"] = to_string(kind_here(analysis, result));
  json["verdict"] = nullptr;
  if (result.verdict) json["verdict"] = to_string(*result.verdict);
  if (!result.reason.empty()) json["reason"] = result.reason;
  json["detail"] = result.detail;
  json["tasks"] = nlohmann::ordered_json::array();
  for (const TaskResult& task : result.tasks) {
    json["tasks"].push_back({{"name", task.name},
                             {"deadline_ns", in_nanoseconds(task.deadline)},
                             {"bound_ns", in_nanoseconds(task.bound)},
                             {"deadline_only", task.deadline_only},
                             {"ok", task.ok}});
  }
  return json;
}

nlohmann::ordered_json to_json(const Analysis& analysis) {
  nlohmann::ordered_json json{
      {"id", analysis.id},       {"title", analysis.title},          {"source", analysis.source},
      {"sound", analysis.sound}, {"kind", to_string(analysis.kind)}, {"needs", analysis.needs}};
  if (!analysis.run_time_model.empty()) json["run_time_model"] = analysis.run_time_model;
  json["references"] = nlohmann::ordered_json::array();
  for (const Reference& reference : references_of(analysis)) {
    nlohmann::ordered_json one{{"name", reference.name}, {"citation", reference.citation}};
    if (!reference.doi.empty()) one["doi"] = reference.doi;
    json["references"].push_back(std::move(one));
  }
  return json;
}

}  // namespace tactus::analysis
