#include "tactus/generate/read_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/io/problems.hpp"
#include "tactus/model/presets.hpp"

namespace tactus::generate {

namespace {

/// "0 to 4096", "1 or more"; for durations "1ns or more"; for ratios "1 to 9 on both sides".
std::string allowed_text(const Parameter& parameter) {
  const bool duration =
      parameter.kind == ParameterKind::duration || parameter.kind == ParameterKind::durations;
  const auto text = [&](std::int64_t bound) {
    return duration ? to_text(Duration{bound}) : std::to_string(bound);
  };
  if (parameter.allowed.max == std::numeric_limits<std::int64_t>::max()) {
    return fmt::format("allowed: {} or more", text(parameter.allowed.min));
  }
  return fmt::format("allowed: {} to {}{}", text(parameter.allowed.min), text(parameter.allowed.max),
                     parameter.kind == ParameterKind::ratio ? " on both sides" : "");
}

bool is_within(const Range& range, const Rational& value) {
  return Rational{range.min} <= value && value <= Rational{range.max};
}

/// The value if it is within the bounds.
template <typename T>
std::optional<ParameterValue> bounded(const Parameter& parameter, const io::Value& value,
                                      std::optional<T> read, bool within, io::Reader& reader) {
  if (!read) return std::nullopt;
  if (!within) {
    reader.reject(value, fmt::format("{} is {}", parameter.key, printable(value.text)),
                  allowed_text(parameter));
    return std::nullopt;
  }
  return ParameterValue{*read};
}

std::optional<ParameterValue> read_integer(const Parameter& parameter, const io::Value& value,
                                           io::Reader& reader) {
  const std::optional<std::int64_t> read = reader.integer(value, parameter.key);
  return bounded(parameter, value, read, read && parameter.allowed.contains(*read), reader);
}

std::optional<ParameterValue> read_decimal(const Parameter& parameter, const io::Value& value,
                                           io::Reader& reader) {
  const std::optional<Rational> read = reader.decimal(value, parameter.key);
  return bounded(parameter, value, read, read && is_within(parameter.allowed, *read), reader);
}

std::optional<ParameterValue> read_duration(const Parameter& parameter, const io::Value& value,
                                            io::Reader& reader) {
  const std::optional<Duration> read = reader.duration(value, parameter.key);
  return bounded(parameter, value, read, read && parameter.allowed.contains(read->count()), reader);
}

/// A list of what `read_item` reads, at least one.
template <typename T, typename ReadItem>
std::optional<ParameterValue> read_list(const Parameter& parameter, const io::Value& value,
                                        std::string_view example, const ReadItem& read_item,
                                        io::Reader& reader) {
  if (!reader.is_list(value, parameter.key, example)) return std::nullopt;
  if (value.items.empty()) {
    reader.reject(value, fmt::format("{} is an empty list", parameter.key),
                  fmt::format("write at least one value, for instance {}", example));
    return std::nullopt;
  }
  std::vector<T> list;
  for (const io::Value& item : value.items) {
    const std::optional<ParameterValue> read = read_item(parameter, item, reader);
    if (read) list.push_back(std::get<T>(*read));
  }
  if (list.size() == value.items.size()) return ParameterValue{std::move(list)};
  reader.silence(value);
  return std::nullopt;
}

/// Digits only, as many as fit 64 bits.
std::optional<std::int64_t> read_term(std::string_view digits) {
  std::int64_t term = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), term);
  const bool whole = failed == std::errc{} && end == digits.data() + digits.size();
  return whole && digits.front() != '-' ? std::optional{term} : std::nullopt;
}

std::optional<ParameterValue> read_ratio(const Parameter& parameter, const io::Value& value,
                                         io::Reader& reader) {
  const std::optional<std::string> text = reader.name(value, parameter.key);
  if (!text) return std::nullopt;
  const std::size_t colon = text->find(':');
  const std::string_view all = *text;
  const auto first = read_term(all.substr(0, std::min(colon, all.size())));
  const auto second = colon == std::string::npos ? std::nullopt : read_term(all.substr(colon + 1));
  if (!first || !second) {
    reader.reject(value, fmt::format("{} {} is not a ratio", parameter.key, in_backticks(*text)),
                  "write two whole numbers with a colon between, for instance 1:8");
    return std::nullopt;
  }
  const bool within = parameter.allowed.contains(*first) && parameter.allowed.contains(*second);
  return bounded(parameter, value, std::optional{Ratio{*first, *second}}, within, reader);
}

std::optional<ParameterValue> read_word(const Parameter& parameter, const io::Value& value,
                                        io::Reader& reader) {
  const std::optional<std::string> read = reader.name(value, parameter.key);
  if (!read) return std::nullopt;
  if (std::find(parameter.words.begin(), parameter.words.end(), *read) != parameter.words.end()) {
    return ParameterValue{*read};
  }
  std::string message = fmt::format("{} {} is not known", parameter.key, in_backticks(*read));
  if (parameter.key == "platform") {
    reader.reject(value, std::move(message), preset_hint(*read));
  } else {
    reader.reject_word(value, std::move(message), parameter.words);
  }
  return std::nullopt;
}

}  // namespace

std::optional<ParameterValue> read_value(const Parameter& parameter, const io::Value& value,
                                         io::Reader& reader) {
  switch (parameter.kind) {
    case ParameterKind::integer:
      return read_integer(parameter, value, reader);
    case ParameterKind::decimal:
      return read_decimal(parameter, value, reader);
    case ParameterKind::decimals:
      return read_list<Rational>(parameter, value, "[1.5, 2]", read_decimal, reader);
    case ParameterKind::ratio:
      return read_ratio(parameter, value, reader);
    case ParameterKind::boolean:
      return bounded(parameter, value, reader.boolean(value, parameter.key), true, reader);
    case ParameterKind::word:
      return read_word(parameter, value, reader);
    case ParameterKind::duration:
      return read_duration(parameter, value, reader);
    case ParameterKind::durations:
      return read_list<Duration>(parameter, value, "[10ms, 20ms]", read_duration, reader);
  }
  return std::nullopt;
}

ParameterValue parse_value(const Parameter& parameter, std::string_view text, const std::string& origin) {
  const io::TextPositions places{text};
  io::ProblemList problems;
  const io::DocumentKind kind{.noun = "a value", .beginning = parameter.key, .page = "docs/experiments.md"};
  std::optional<ParameterValue> result;
  if (const std::optional<io::Value> value = io::parse_document(text, places, problems, kind)) {
    io::Reader reader{problems, io::Reader::Subject::other};
    result = read_value(parameter, *value, reader);
  }
  if (!result) throw InputError{std::move(problems).in_file_order(places, origin)};
  return *std::move(result);
}

Parameters read_parameters(const Generator& generator, const io::Value& map, io::Reader& reader) {
  Parameters parameters{generator.parameters};
  for (const io::Value::Entry& entry : map.entries) {
    const Parameter* parameter = parameters.find_specification(entry.key);
    if (parameter == nullptr) continue;
    std::optional<ParameterValue> value = read_value(*parameter, entry.value, reader);
    if (value) parameters.set(entry.key, *std::move(value));
  }
  return parameters;
}

}  // namespace tactus::generate
