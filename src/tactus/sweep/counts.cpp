#include "tactus/sweep/counts.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace tactus::sweep {

namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

/// The numbers of `Counts`, in the order in which JSON lists them.
constexpr std::array numbers{&Counts::schedulable, &Counts::unschedulable,  &Counts::unproven,
                             &Counts::gave_up,     &Counts::not_applicable, &Counts::contradicted};

std::optional<Counts> read_numbers(const nlohmann::json& json) {
  if (!json.is_array() || json.size() != numbers.size()) return std::nullopt;
  Counts counts;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!json[i].is_number_unsigned()) return std::nullopt;
    counts.*numbers.at(i) = json[i].get<std::int64_t>();
    if (counts.*numbers.at(i) < 0 || counts.*numbers.at(i) > none / 8) return std::nullopt;
  }
  return counts;
}

}  // namespace

bool SweepResult::complete() const { return finished() == points.size(); }

std::size_t SweepResult::finished() const {
  return static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(), [](const auto& point) { return point.has_value(); }));
}

std::int64_t accepted(const Counts& counts, analysis::Kind kind) {
  return kind == analysis::Kind::necessary ? counts.schedulable + counts.unproven : counts.schedulable;
}

PartCounts::PartCounts(std::size_t analyses) : counts(analyses), first_why_not(analyses, none) {}

void PartCounts::add(const PartCounts& more) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (const auto number : numbers) counts[i].*number += more.counts[i].*number;
    if (more.first_why_not[i] < first_why_not[i]) {
      first_why_not[i] = more.first_why_not[i];
      counts[i].why_not = more.counts[i].why_not;
    }
  }
}

nlohmann::json to_json(const PartCounts& part) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = 0; i < part.counts.size(); ++i) {
    nlohmann::json values = nlohmann::json::array();
    for (const auto number : numbers) values.push_back(static_cast<std::uint64_t>(part.counts[i].*number));
    nlohmann::json entry{{"counts", std::move(values)}};
    if (part.first_why_not[i] != none) {
      entry["first"] = static_cast<std::uint64_t>(part.first_why_not[i]);
      entry["why_not"] = part.counts[i].why_not;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::optional<PartCounts> read_part_counts(const nlohmann::json& json, std::size_t analyses) {
  if (!json.is_array() || json.size() != analyses) return std::nullopt;
  PartCounts part{analyses};
  for (std::size_t i = 0; i < analyses; ++i) {
    const nlohmann::json& entry = json[i];
    if (!entry.is_object() || !entry.contains("counts")) return std::nullopt;
    const std::optional<Counts> counts = read_numbers(entry["counts"]);
    if (!counts) return std::nullopt;
    part.counts[i] = *counts;
    if (!entry.contains("first")) continue;
    if (!entry["first"].is_number_unsigned() || !entry.contains("why_not") || !entry["why_not"].is_string()) {
      return std::nullopt;
    }
    part.first_why_not[i] = entry["first"].get<std::int64_t>();
    part.counts[i].why_not = entry["why_not"].get<std::string>();
  }
  return part;
}

}  // namespace tactus::sweep
