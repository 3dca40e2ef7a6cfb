#include "tactus/sweep/progress_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/sweep/json.hpp"

namespace tactus::sweep {

using nlohmann::json;
using nlohmann::ordered_json;
using std::chrono::system_clock;

namespace {

constexpr int format_version = 1;
constexpr const char* way_out =
    "choose another folder with -o, or add --restart to begin anew (what is there is lost)";

json to_json(const PointLedger& point) {
  json ranges = json::array();
  for (const SystemRange& range : point.judged.ranges()) ranges.push_back({range.first, range.end});
  return {{"judged", std::move(ranges)}, {"analyses", to_json(point.sum)}};
}

std::optional<SystemRanges> read_ranges(const json& list, std::int64_t systems) {
  if (!list.is_array()) return std::nullopt;
  SystemRanges ranges;
  for (const json& item : list) {
    const bool is_pair =
        item.is_array() && item.size() == 2 && item[0].is_number_integer() && item[1].is_number_integer();
    if (!is_pair) return std::nullopt;
    const SystemRange range{item[0].get<std::int64_t>(), item[1].get<std::int64_t>()};
    if (range.end > systems || !ranges.add(range)) return std::nullopt;
  }
  return ranges;
}

/// A point whose numbers do not add up means that the file is damaged.
std::optional<PointLedger> read_point(const json& entry, const Experiment& experiment) {
  if (!entry.is_object() || !entry.contains("judged") || !entry.contains("analyses")) return std::nullopt;
  const std::optional<SystemRanges> ranges = read_ranges(entry["judged"], experiment.systems);
  std::optional<PartCounts> sum = read_part_counts(entry["analyses"], experiment.analyses.size());
  if (!ranges || !sum) return std::nullopt;
  for (const Counts& counts : sum->counts) {
    if (counts.total() != ranges->count() || counts.contradicted > counts.schedulable) return std::nullopt;
  }
  return PointLedger{*ranges, *std::move(sum)};
}

std::optional<Ledger> read_ledger(const json& root, const Experiment& experiment) {
  if (!root.contains("points")) return std::nullopt;
  const json& points = root["points"];
  if (!points.is_array() || points.size() != experiment.points.size()) return std::nullopt;
  Ledger ledger{experiment};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].is_null()) continue;
    std::optional<PointLedger> point = read_point(points[i], experiment);
    if (!point) return std::nullopt;
    ledger.restore(i, *std::move(point));
  }
  return ledger;
}

std::optional<History> read_history(const json& root) {
  if (!root.contains("begun") || !root["begun"].is_number_integer()) return std::nullopt;
  if (!root.contains("seconds") || !root["seconds"].is_number()) return std::nullopt;
  if (!root.contains("runs") || !root["runs"].is_number_integer()) return std::nullopt;
  return History{.begun = system_clock::from_time_t(root["begun"].get<std::time_t>()),
                 .took = std::chrono::duration<double>{root["seconds"].get<double>()},
                 .runs = root["runs"].get<std::int64_t>()};
}

constexpr std::string_view checksum_key = ",\"checksum\":\"";
constexpr std::string_view end_of_file = "\"}\n";
constexpr std::size_t checksum_digits = 16;

/// FNV-1a: changes with every change of one byte.
std::string checksum(std::string_view text) {
  std::uint64_t sum = 0xcbf2'9ce4'8422'2325U;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3U;
  return fmt::format("{:0{}x}", sum, checksum_digits);
}

/// Whether the file ends with the checksum of its other contents. Nothing where there is no checksum.
std::optional<bool> is_whole(std::string_view text) {
  constexpr std::size_t length = checksum_key.size() + checksum_digits + end_of_file.size();
  if (text.size() < length || !text.ends_with(end_of_file)) return std::nullopt;
  const std::string_view before = text.substr(0, text.size() - length);
  const std::string_view rest = text.substr(before.size());
  if (!rest.starts_with(checksum_key)) return std::nullopt;
  return rest.substr(checksum_key.size(), checksum_digits) == checksum(before);
}

InputError damaged(const std::string& folder) {
  return InputError{fmt::format("{}: progress.json is damaged", folder), way_out};
}

}  // namespace

std::string to_text(const Experiment& experiment, const SweepProgress& progress) {
  json points = json::array();
  for (const PointLedger& point : progress.ledger.points()) {
    points.push_back(point.judged.count() == 0 ? json(nullptr) : to_json(point));
  }
  const ordered_json root{{"tactus-progress", format_version},
                          {"experiment", identity(experiment)},
                          {"begun", system_clock::to_time_t(progress.history.begun)},
                          {"seconds", progress.history.took.count()},
                          {"runs", progress.history.runs},
                          {"points", std::move(points)}};
  std::string text = root.dump();
  text.pop_back();  // the brace: the checksum is the last entry
  const std::string sum = checksum(text);
  return fmt::format("{}{}{}{}", text, checksum_key, sum, end_of_file);
}

bool is_progress(std::string_view text) { return text.find("\"tactus-progress\"") != std::string_view::npos; }

SweepProgress read_progress(std::string_view text, const Experiment& experiment, const std::string& folder) {
  const ordered_json root = ordered_json::parse(text, nullptr, false);
  const std::optional<bool> whole = is_whole(text);
  if (!root.is_object() || !root.contains("tactus-progress") || !root.contains("experiment") ||
      whole == false) {
    throw damaged(folder);
  }
  std::vector<std::string> others = differences(root["experiment"], identity(experiment));
  if (root["tactus-progress"] != format_version) others.emplace_back("its format is that of another version");
  if (!others.empty()) {
    throw InputError{
        fmt::format("{} holds the results of another experiment: {}", folder, fmt::join(others, "; ")),
        way_out};
  }
  if (!whole) throw damaged(folder);
  const json plain = json::parse(text);
  std::optional<Ledger> ledger = read_ledger(plain, experiment);
  const std::optional<History> history = read_history(plain);
  if (!ledger || !history) throw damaged(folder);
  return {*std::move(ledger), *history};
}

}  // namespace tactus::sweep
