// Reads `analyses` and `policies` of an experiment file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "tactus/analysis/registry.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/io/read_parts.hpp"
#include "tactus/io/words.hpp"
#include "tactus/model/strategy_text.hpp"
#include "tactus/sweep/read_parts.hpp"

namespace tactus::sweep {

namespace {

using io::Fields;
using io::Reader;
using io::Value;

constexpr std::array<std::string_view, 3> entry_keys{"name", "policy", "analyses"};
constexpr std::string_view policies_example =
    "[{policy: {strategy: multi-stream, order: fp}, analyses: [ms-fp]}]";
constexpr std::string_view policy_example = "{strategy: multi-stream, order: fp}";

/// Keys of a policy that experiments may not set.
void refuse_keys(const Value& policy, Reader& reader) {
  for (const Value::Entry& entry : policy.entries) {
    if (entry.key == "virtual_sms") {
      reader.add(entry.key_offset, "`virtual_sms` names tasks, but every system has others",
                 "leave it out: the analyses of " + strategies_text(has_own_sms) + " find them");
    } else if (entry.key == "clusters" || entry.key == "early_release" || entry.key == "parallel_jobs") {
      reader.add(entry.key_offset,
                 fmt::format("{} belongs to the strategy `graph`, which no analysis judges",
                             in_backticks(entry.key)),
                 "leave it out");
    }
  }
}

template <typename T>
std::optional<T> where(bool mentioned, const T& value) {
  return mentioned ? std::optional{value} : std::nullopt;
}

PolicyVariant read_variant(const Value& policy, Reader& reader) {
  // The limits depend on the system, so `validate` checks them later.
  const Policy read = io::read_policy(policy, Gpu{}, reader);
  const auto given = [&](std::string_view key) { return policy.find(key) != nullptr; };
  PolicyVariant variant;
  variant.strategy = where(given("strategy"), read.strategy);
  const bool only_one = read.strategy->orders.size() == 1;
  variant.order = where(given("order") || only_one, read.order);
  variant.levels = where(given("levels"), read.levels);
  variant.refill = where(given("refill"), read.refill);
  variant.sm_group = where(given("sm_group"), read.sm_group);
  variant.reservations = read.reservations;
  refuse_keys(policy, reader);
  return variant;
}

/// The default name of a policy: "multi-stream fp", "order fp", "multi-stream levels 2".
std::string default_name(const Value& policy) {
  const bool has_strategy = policy.find("strategy") != nullptr;
  std::string name;
  for (const std::string_view key : {"strategy", "order", "levels", "refill", "sm_group"}) {
    const Value* value = policy.find(key);
    if (value == nullptr) continue;
    if (!name.empty()) name += ' ';
    const bool tells_itself = key == "strategy" || (key == "order" && has_strategy);
    name += tells_itself ? value->text : fmt::format("{} {}", key, value->text);
  }
  return name.empty() ? "as generated" : name;
}

std::optional<ReadPolicy> read_entry(const Value& value, Reader& reader) {
  constexpr std::string_view owner = "an entry of `policies`";
  if (!reader.is_map(value, owner, "{policy: {strategy: multi-stream}, analyses: [ms-edf]}")) {
    return std::nullopt;
  }
  Fields fields{reader, value, entry_keys};
  ReadPolicy entry;
  const Value* policy = fields.require("policy", owner, fmt::format("policy: {}", policy_example));
  const Value* analyses = fields.require("analyses", owner, "analyses: [ms-fp]");
  if (analyses != nullptr) entry.analyses = read_analyses(*analyses, reader);
  if (policy == nullptr || !reader.is_map(*policy, "policy", policy_example)) return std::nullopt;
  entry.written = policy;
  entry.variant = read_variant(*policy, reader);
  entry.variant.name = default_name(*policy);
  if (const Value* name = fields.find("name")) {
    entry.variant.name = reader.name(*name, "name").value_or(entry.variant.name);
  }
  return entry;
}

}  // namespace

std::vector<analysis::Analysis> read_analyses(const Value& value, Reader& reader) {
  std::vector<analysis::Analysis> analyses;
  if (!reader.is_list(value, "analyses", "[np-edf, np-fp]")) return analyses;
  if (value.items.empty()) {
    reader.reject(value, "analyses is an empty list", "name at least one; `tactus analyses` lists them");
  }
  std::vector<std::string_view> known;
  for (const analysis::Analysis& entry : analysis::registry()) known.push_back(entry.id);
  std::unordered_set<std::string> seen;
  for (const Value& item : value.items) {
    const std::optional<std::string> id = reader.name(item, "an analysis");
    if (!id) continue;
    const analysis::Analysis* found = analysis::find(*id);
    if (found == nullptr) {
      reader.reject_word(item, fmt::format("the analysis {} is not known", in_backticks(*id)), known);
    } else if (!seen.insert(*id).second) {
      reader.reject(item, fmt::format("the analysis {} is named twice", in_backticks(*id)),
                    "remove one of them");
    } else {
      analyses.push_back(*found);
    }
  }
  return analyses;
}

std::vector<ReadPolicy> read_policies(const Value& value, Reader& reader) {
  std::vector<ReadPolicy> all;
  if (!reader.is_list(value, "policies", policies_example)) return all;
  if (value.items.empty()) {
    reader.reject(value, "policies is an empty list",
                  fmt::format("leave it out, or write {}", policies_example));
  }
  for (const Value& item : value.items) {
    std::optional<ReadPolicy> entry = read_entry(item, reader);
    if (!entry) continue;
    const auto same = std::find_if(all.begin(), all.end(), [&](const ReadPolicy& other) {
      return other.variant.name == entry->variant.name;
    });
    if (same != all.end()) {
      reader.add(item.offset, fmt::format("two policies have the name {}", in_backticks(entry->variant.name)),
                 "give each a `name` of its own, or put all analyses of a policy into one list");
      continue;
    }
    all.push_back(*std::move(entry));
  }
  return all;
}

}  // namespace tactus::sweep
