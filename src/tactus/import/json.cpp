#include "tactus/import/json.hpp"

#include <nlohmann/json.hpp>

#include "tactus/import/quantity.hpp"
#include "tactus/io/write_system.hpp"

namespace tactus::import {

namespace {

using nlohmann::ordered_json;

ordered_json place_of(const Place& place) {
  if (place.line == 0) return nullptr;
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

ordered_json problems_of(const std::vector<Problem>& problems) {
  ordered_json list = ordered_json::array();
  for (const Problem& one : problems) {
    list.push_back({{"id", to_string(one.id)},
                    {"file", one.file},
                    {"line", one.line},
                    {"column", one.column},
                    {"message", one.message},
                    {"hint", one.hint}});
  }
  return list;
}

/// Parts in a million, rounded up.
std::int64_t in_ppm(const Rational& share) { return ceiling(share * Rational{1'000'000}); }

/// The nearest, of averages, which are no bounds.
std::int64_t in_nearest_ppm(const Rational& share) {
  return rounded_down(share * Rational{1'000'000} + Rational{1, 2}).count();
}

ordered_json span_of(const Span& span) {
  return {{"best_ns", rounded_down(span.best).count()},
          {"average_ns", rounded_up(span.average).count()},
          {"worst_ns", rounded_up(span.worst).count()}};
}

ordered_json loads_json(const std::vector<Load>& loads) {
  ordered_json list = ordered_json::array();
  for (const Load& one : loads) {
    list.push_back({{"unit", one.unit},
                    {"definition", one.definition},
                    {"kind", one.kind == UnitKind::gpu   ? "gpu"
                             : one.kind == UnitKind::cpu ? "cpu"
                                                         : "accelerator"},
                    {"tasks", one.tasks},
                    {"average_ppm", in_nearest_ppm(one.average)},
                    {"worst_ppm", in_ppm(one.worst)},
                    {"worst_with_waiting_ppm", in_ppm(one.worst_with_waiting)}});
  }
  return list;
}

}  // namespace

ordered_json to_json(const Imported& imported) {
  ordered_json classes = ordered_json::object();
  for (const ClassCount& one : imported.census.classes) classes[one.name] = one.count;
  ordered_json ignored = ordered_json::array();
  for (const Ignored& one : imported.census.ignored) {
    ignored.push_back({{"class", one.name},
                       {"count", one.count},
                       {"effect", to_string(one.effect)},
                       {"meaning", one.meaning},
                       {"first", place_of(one.first)}});
  }
  ordered_json findings = ordered_json::array();
  for (const Finding& one : imported.findings) {
    findings.push_back({{"severity", to_string(one.severity)},
                        {"kind", one.kind},
                        {"message", one.message},
                        {"hint", one.hint},
                        {"open", one.is_open},
                        {"place", place_of(one.place)}});
  }
  ordered_json times = ordered_json::array();
  for (const RunnableTime& one : imported.times) {
    ordered_json row{{"runnable", one.runnable}, {"definition", one.definition}};
    row.update(span_of(one.time));
    times.push_back(std::move(row));
  }
  ordered_json json{{"name", imported.name},
                    {"source", imported.source},
                    {"version", imported.version},
                    {"classes", std::move(classes)},
                    {"references", imported.census.references},
                    {"unresolved", problems_of(imported.census.unresolved)},
                    {"ambiguous", problems_of(imported.census.ambiguous)},
                    {"ignored", std::move(ignored)},
                    {"findings", std::move(findings)},
                    {"problems", problems_of(imported.problems)},
                    {"times", std::move(times)},
                    {"units", nullptr},
                    {"system", nullptr}};
  if (imported.converted) {
    json["units"] = loads_json(imported.converted->loads);
    json["system"] = to_system_file(imported.converted->system);
  }
  return json;
}

}  // namespace tactus::import
