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

/// A number of 128 bits as two of 64.
void append(nlohmann::json& list, UInt128 number) {
  list.push_back(static_cast<std::uint64_t>(number >> 64U));
  list.push_back(static_cast<std::uint64_t>(number));
}

nlohmann::json to_json(const Sums& sums) {
  nlohmann::json list = nlohmann::json::array();
  append(list, sums.weight);
  append(list, sums.accepted_weight);
  append(list, sums.bound_deadline.sum);
  append(list, sums.bound_observed.sum);
  for (const std::int64_t number : {sums.bound_deadline.tasks, sums.bound_observed.tasks, sums.broken}) {
    list.push_back(static_cast<std::uint64_t>(number));
  }
  return list;
}

std::optional<Sums> read_sums(const nlohmann::json& json) {
  constexpr std::size_t entries = 11;
  if (!json.is_array() || json.size() != entries) return std::nullopt;
  const bool plain =
      std::all_of(json.begin(), json.end(), [](const auto& entry) { return entry.is_number_unsigned(); });
  if (!plain) return std::nullopt;
  const auto wide = [&](std::size_t at) {
    return (static_cast<UInt128>(json[at].get<std::uint64_t>()) << 64U) | json[at + 1].get<std::uint64_t>();
  };
  Sums sums{.weight = wide(0),
            .accepted_weight = wide(2),
            .bound_deadline = {wide(4), json[8].get<std::int64_t>()},
            .bound_observed = {wide(6), json[9].get<std::int64_t>()},
            .broken = json[10].get<std::int64_t>()};
  const bool whole = sums.accepted_weight <= sums.weight && sums.bound_deadline.tasks >= 0 &&
                     sums.bound_observed.tasks >= 0 && sums.broken >= 0;
  return whole ? std::optional{sums} : std::nullopt;
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
    counts[i].sums.add(more.counts[i].sums);
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
    if (part.counts[i].sums != Sums{}) entry["sums"] = to_json(part.counts[i].sums);
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
    if (entry.contains("sums")) {
      const std::optional<Sums> sums = read_sums(entry["sums"]);
      if (!sums) return std::nullopt;
      part.counts[i].sums = *sums;
    }
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
