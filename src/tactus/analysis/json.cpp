#include "tactus/analysis/json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "tactus/analysis/references.hpp"
#include "tactus/io/words.hpp"

namespace tactus::analysis {

using nlohmann::ordered_json;

namespace {

struct FactWriter {
  ordered_json operator()(std::monostate /*nothing*/) const { return nullptr; }
  ordered_json operator()(std::int64_t number) const { return number; }
  ordered_json operator()(Duration time) const { return time.count(); }
  ordered_json operator()(const std::string& text) const { return text; }
  ordered_json operator()(const Detail& detail) const { return to_json(detail); }
  ordered_json operator()(const std::vector<Detail>& list) const {
    ordered_json json = ordered_json::array();
    for (const Detail& entry : list) json.push_back(to_json(entry));
    return json;
  }
};

}  // namespace

ordered_json in_nanoseconds(const std::optional<Duration>& duration) {
  return duration ? ordered_json(duration->count()) : ordered_json(nullptr);
}

ordered_json to_json(const Detail& detail) {
  ordered_json json = ordered_json::object();
  for (const Fact& fact : detail) json[fact.name] = std::visit(FactWriter{}, fact.value);
  return json;
}

ordered_json to_json(const Analysis& analysis, const Result& result) {
  ordered_json json{
      {"id", analysis.id},       {"title", analysis.title},          {"source", analysis.source},
      {"sound", analysis.sound}, {"kind", to_string(analysis.kind)}, {"applies", result.applies()}};
  if (!analysis.run_time_model.empty()) json["run_time_model"] = analysis.run_time_model;
  if (!result.applies()) json["why_not"] = result.why_not;
  if (result.applies()) json["kind_here"] = to_string(kind_here(analysis, result));
  json["verdict"] = nullptr;
  if (result.verdict) json["verdict"] = to_string(*result.verdict);
  if (result.applies()) json["bounded"] = is_bounded(result);
  if (!result.reason.empty()) json["reason"] = result.reason;
  json["detail"] = to_json(result.detail);
  json["tasks"] = ordered_json::array();
  for (const TaskResult& task : result.tasks) {
    json["tasks"].push_back({{"name", task.name},
                             {"deadline_ns", in_nanoseconds(task.deadline)},
                             {"bound_ns", in_nanoseconds(task.bound)},
                             {"deadline_only", task.deadline_only},
                             {"ok", task.ok}});
  }
  return json;
}

ordered_json to_json(const Analysis& analysis) {
  ordered_json json{
      {"id", analysis.id},       {"title", analysis.title},          {"source", analysis.source},
      {"sound", analysis.sound}, {"kind", to_string(analysis.kind)}, {"needs", analysis.needs}};
  if (!analysis.run_time_model.empty()) json["run_time_model"] = analysis.run_time_model;
  json["references"] = ordered_json::array();
  for (const Reference& reference : references_of(analysis)) {
    ordered_json one{{"name", reference.name}, {"citation", reference.citation}};
    if (!reference.doi.empty()) one["doi"] = reference.doi;
    json["references"].push_back(std::move(one));
  }
  return json;
}

ordered_json to_json(const EffectResult& chain) {
  ordered_json json{{"name", chain.name},
                    {"communication", io::word_of(io::words::communications, chain.communication)},
                    {"reaction_limit_ns", in_nanoseconds(chain.reaction_limit)},
                    {"reaction_bound_ns", in_nanoseconds(chain.reaction_bound)},
                    {"age_limit_ns", in_nanoseconds(chain.age_limit)},
                    {"age_bound_ns", in_nanoseconds(chain.age_bound)},
                    {"ok", chain.ok()},
                    {"verdict", to_string(chain.verdict)}};
  if (chain.latency_bound) json["latency_bound_ns"] = chain.latency_bound->count();
  if (!chain.reason.empty()) json["reason"] = chain.reason;
  return json;
}

ordered_json to_json(const CheckResult& result) {
  ordered_json json{{"system", result.system}, {"verdict", to_string(result.verdict)}};
  json["analyses"] = ordered_json::array();
  for (const CheckedAnalysis& checked : result.analyses) {
    json["analyses"].push_back(to_json(checked.analysis, checked.result));
  }
  if (result.chains.empty()) return json;
  json["chains"] = ordered_json::array();
  for (const EffectResult& chain : result.chains) json["chains"].push_back(to_json(chain));
  return json;
}

}  // namespace tactus::analysis
