#include "tactus/io/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus::io {

namespace {

constexpr std::string_view duration_expected = "a duration, for instance 10ms";
constexpr std::string_view integer_expected = "a whole number, for instance 4";

std::string shape(const Value& value) {
  constexpr std::array shapes{"empty", "a single value", "a list", "a map"};  // in the order of the kinds
  return shapes.at(static_cast<std::size_t>(value.kind));
}

std::string join(std::span<const std::string_view> words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

/// The map that a key belongs into which was written in another.
struct Home {
  std::string_view map;
  std::vector<std::string_view> keys;
};

const std::vector<Home>& homes() {
  static const std::vector<Home> all{
      {"the top level", {"platform", "policy", "tasks", "chains"}},
      {"`platform`", {"cpus", "overheads"}},
      {"`gpu` of the platform",
       {"sms", "threads_per_sm", "blocks_per_sm", "registers_per_sm", "shared_memory_per_sm", "warp",
        "register_unit", "register_files", "shared_memory_unit", "shared_memory_reserved", "priority_levels",
        "copy_bandwidth", "copy_chunk"}},
      {"`policy`", {"strategy", "order", "levels", "reservations", "virtual_sms"}},
      {"a task", {"period", "deadline", "priority", "longest_block"}},
      {"a chain", {"communication", "reaction", "age"}},
      {"a task or a segment", {"exclusive", "kernel"}},
      {"a segment", {"cpu", "copy"}},
      {"`kernel`", {"grid", "block", "block_time"}},
      {"`gpu` of a segment", {"work", "interleave"}},
      {"`graph`", {"nodes", "edges"}},
  };
  return all;
}

/// The hint for an unknown key.
std::string advice(std::string_view key, std::string_view near, std::span<const std::string_view> known,
                   Reader::Subject subject) {
  if (key == "<<") return "maps are not merged: write the keys out";
  if (!near.empty()) return fmt::format("did you mean `{}`?", near);
  for (const auto& [map, keys] : homes()) {
    const bool is_home = std::find(keys.begin(), keys.end(), key) != keys.end();
    if (!is_home || subject != Reader::Subject::system) continue;
    return fmt::format("it belongs into {}; known here: {}", map, join(known));
  }
  return "known here: " + join(known);
}

}  // namespace

void Reader::reject(ProblemId id, const Value& value, std::string message, std::string hint) {
  add(id, value.offset, std::move(message), std::move(hint));
  silence(value);
}

bool Reader::is_scalar(const Value& value, std::string_view label, std::string_view expected) {
  if (value.kind == Value::Kind::scalar) return true;
  reject(ProblemId::wrong_shape, value, fmt::format("{} is {}", label, shape(value)),
         fmt::format("write {}", expected));
  return false;
}

bool Reader::is_plain_scalar(const Value& value, std::string_view label, std::string_view expected) {
  if (!is_scalar(value, label, expected)) return false;
  if (!value.quoted) return true;
  reject(ProblemId::wrong_shape, value,
         fmt::format("{} is the text {} in quotes", label, in_backticks(value.text)),
         fmt::format("write {}, without quotes", expected));
  return false;
}

bool Reader::is_kind(Value::Kind kind, const Value& value, std::string_view label, std::string_view example) {
  if (value.kind == kind) return true;
  const std::string_view noun = kind == Value::Kind::list ? "list" : "map";
  reject(ProblemId::wrong_shape, value,
         fmt::format("{} is {}, but must be a {}", label,
                     value.kind == Value::Kind::scalar ? in_backticks(value.text) : shape(value), noun),
         fmt::format("write a {}, for instance {}", noun, example));
  return false;
}

template <typename T>
std::optional<T> Reader::parsed(const Value& value, std::string_view label, std::string_view expected,
                                Parsed<T> (*parse)(std::string_view), bool plain) {
  if (!(plain ? is_plain_scalar(value, label, expected) : is_scalar(value, label, expected))) return {};
  Parsed<T> result = parse(value.text);
  if (!result.value) {
    reject(result.id, value, fmt::format("{} {} {}", label, in_backticks(value.text), result.message),
           std::move(result.hint));
  }
  return result.value;
}

std::optional<Duration> Reader::duration(const Value& value, std::string_view label) {
  return parsed(value, label, duration_expected, parse_duration);
}

std::optional<Interval> Reader::interval(const Value& value, std::string_view label) {
  if (value.kind != Value::Kind::list) {
    const std::optional<Duration> both =
        parsed(value, label, "a duration such as 10ms, or [best, worst]", parse_duration);
    if (!both) return std::nullopt;
    return Interval::exactly(*both);
  }
  if (value.items.size() != 2) {
    reject(ProblemId::wrong_shape, value,
           fmt::format("{} is a list of {} instead of two times", label, value.items.size()),
           "write [best, worst], for instance [8ms, 12ms], or one duration");
    return std::nullopt;
  }
  const std::optional<Duration> best = duration(value.items[0], label);
  const std::optional<Duration> worst = duration(value.items[1], label);
  if (!best || !worst) {
    silence(value);
    return std::nullopt;
  }
  return Interval{*best, *worst};
}

std::optional<Duration> Reader::rate(const Value& value, std::string_view label) {
  return parsed(value, label, "a rate, for instance 30Hz", parse_rate);
}

std::optional<std::int64_t> Reader::size(const Value& value, std::string_view label) {
  return parsed(value, label, "a size, for instance 64KiB", parse_size);
}

std::optional<std::int64_t> Reader::bandwidth(const Value& value, std::string_view label) {
  return parsed(value, label, "a bandwidth, for instance 12GB/s", parse_bandwidth);
}

std::optional<std::int64_t> Reader::integer(const Value& value, std::string_view label) {
  return parsed(value, label, integer_expected, parse_integer, true);
}

std::optional<std::int32_t> Reader::small_integer(const Value& value, std::string_view label, Range allowed) {
  const std::optional<std::int64_t> number = integer(value, label);
  if (!number) return std::nullopt;
  const Range fits{std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
  if (!fits.contains(*number)) {
    reject(ProblemId::out_of_range, value,
           fmt::format("{} {} is too {}", label, in_backticks(value.text), *number < 0 ? "small" : "large"),
           fmt::format("allowed: {} to {}", allowed.min, allowed.max));
    return std::nullopt;
  }
  return static_cast<std::int32_t>(*number);
}

std::optional<Rational> Reader::factor(const Value& value, std::string_view label) {
  return parsed(value, label, "a number, for instance 1.5", parse_factor, true);
}

std::optional<Rational> Reader::decimal(const Value& value, std::string_view label) {
  return parsed(value, label, "a number, for instance 0.5", parse_decimal_number, true);
}

std::optional<bool> Reader::boolean(const Value& value, std::string_view label) {
  if (!is_plain_scalar(value, label, "true or false")) return std::nullopt;
  if (value.text == "true") return true;
  if (value.text == "false") return false;
  reject(ProblemId::unknown_word, value,
         fmt::format("{} {} is neither true nor false", label, in_backticks(value.text)),
         "write true or false");
  return std::nullopt;
}

std::optional<std::string> Reader::name(const Value& value, std::string_view label) {
  if (!is_scalar(value, label, "a name")) return std::nullopt;
  if (value.text.empty()) {
    reject(ProblemId::bad_name, value, fmt::format("{} is empty", label), "write at least one character");
    return std::nullopt;
  }
  return value.text;
}

std::optional<std::size_t> Reader::choose(const Value& value, std::string_view label,
                                          std::span<const std::string_view> words) {
  if (!is_scalar(value, label, "one of " + join(words))) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), value.text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  reject_word(value, fmt::format("{} {} is not known", label, in_backticks(value.text)), words);
  return std::nullopt;
}

void Reader::reject_word(const Value& value, std::string message, std::span<const std::string_view> known) {
  const std::string_view near = suggest(value.text, known);
  reject(ProblemId::unknown_word, value, std::move(message),
         near.empty() ? "known: " + join(known)
                      : fmt::format("did you mean `{}`? Known: {}", near, join(known)));
}

std::string_view Reader::suggest(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t max_compared = 100'000;
  if (compared_ + known.size() > max_compared) return {};
  compared_ += known.size();
  return nearest_name(word, known);
}

void Reader::note_misspelt(const Value& map, std::string_view key, const Value& written) {
  misspelt_[&map].emplace_back(key, &written);
  silence(written);
}

const Value* Reader::find_misspelt(const Value& map, std::string_view key) const {
  const auto found = misspelt_.find(&map);
  if (found == misspelt_.end()) return nullptr;
  for (const auto& [meant, written] : found->second) {
    if (meant == key) return written;
  }
  return nullptr;
}

Fields::Fields(Reader& reader, const Value& map, std::span<const std::string_view> known)
    : reader_{&reader}, map_{&map} {
  for (const Value::Entry& entry : map.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const std::string_view near = reader.suggest(entry.key, known);
    reader.add(ProblemId::unknown_key, entry.key_offset, "unknown key " + in_backticks(entry.key),
               advice(entry.key, near, known, reader.subject()));
    if (!near.empty() && map.find(near) == nullptr) reader.note_misspelt(map, near, entry.value);
  }
}

const Value* Fields::require(std::string_view key, std::string_view owner, std::string_view example) {
  const Value* value = find(key);
  if (value == nullptr && !mentions(key)) {
    reader_->add(ProblemId::missing_key, map_->offset, fmt::format("{} has no `{}`", owner, key),
                 fmt::format("add it, for instance `{}`", example));
  }
  return value;
}

void Fields::require_version(std::string_view key, std::string_view what) {
  constexpr std::int64_t version = 1;
  const Value* value = require(key, "the file", fmt::format("{}: {}", key, version));
  if (value == nullptr) return;
  const std::optional<std::int64_t> given = reader_->integer(*value, key);
  if (!given || *given == version) return;
  reader_->reject(ProblemId::unknown_version, *value,
                  fmt::format("version {} of {} is not known", *given, what),
                  fmt::format("this program reads version {1}: write `{0}: {1}`", key, version));
}

bool Fields::mentions(std::string_view key) const {
  return find(key) != nullptr || reader_->find_misspelt(*map_, key) != nullptr;
}

std::size_t Fields::key_offset(std::string_view key) const {
  const auto found = std::find_if(map_->entries.begin(), map_->entries.end(),
                                  [&](const Value::Entry& entry) { return entry.key == key; });
  return found == map_->entries.end() ? map_->offset : found->key_offset;
}

}  // namespace tactus::io
