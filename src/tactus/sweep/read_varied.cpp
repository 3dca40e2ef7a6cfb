// The values that a parameter of an experiment takes: a list, or a range in steps.
#include <fmt/format.h>

#include <limits>
#include <string>
#include <unordered_set>
#include <utility>

#include "tactus/base/utf8.hpp"
#include "tactus/generate/read_parameters.hpp"
#include "tactus/sweep/experiment.hpp"
#include "tactus/sweep/read_parts.hpp"

namespace tactus::sweep {

namespace {

using generate::Parameter;
using generate::ParameterKind;
using generate::ParameterValue;
using io::Fields;
using io::Reader;
using io::Value;

constexpr std::size_t max_points = 10'000;

std::optional<std::vector<Varied>> read_list(const Value& values, const Parameter& parameter,
                                             Reader& reader) {
  constexpr std::string_view example = "[0.2, 0.4]";
  if (!reader.is_list(values, "values", example)) return std::nullopt;
  if (values.items.empty()) {
    reader.reject(values, "values is an empty list", fmt::format("for instance {}", example));
    return std::nullopt;
  }
  std::vector<Varied> result;
  for (const Value& item : values.items) {
    std::optional<ParameterValue> value = generate::read_value(parameter, item, reader);
    if (value) result.push_back({*std::move(value), item.offset});
  }
  if (result.size() < values.items.size()) return std::nullopt;
  return result;
}

ParameterValue value_of(const Rational& number, ParameterKind kind) {
  if (kind == ParameterKind::integer) return number.numerator();
  if (kind == ParameterKind::duration) return Duration{number.numerator()};
  return number;
}

/// A range as written, each end with its position.
struct Span {
  Varied from;
  Varied to;
  Rational step;
};

std::optional<Span> read_span(Fields& fields, const Value& vary, const Parameter& parameter, Reader& reader) {
  constexpr std::string_view owner = "`vary` without `values`";
  const Value* from = fields.require("from", owner, "from: 0.2");
  const Value* to = fields.require("to", owner, "to: 0.8");
  const Value* step = fields.require("step", owner, "step: 0.1");
  if (from == nullptr || to == nullptr || step == nullptr) return std::nullopt;
  const bool countable = parameter.kind == ParameterKind::integer ||
                         parameter.kind == ParameterKind::decimal ||
                         parameter.kind == ParameterKind::duration;
  if (!countable) {
    reader.add(vary.offset, fmt::format("{} cannot be counted in steps", in_backticks(parameter.key)),
               "list its values: `values: [...]`");
    return std::nullopt;
  }
  Parameter width = parameter;
  width.allowed = {0, std::numeric_limits<std::int64_t>::max()};
  const std::optional<ParameterValue> first = generate::read_value(parameter, *from, reader);
  const std::optional<ParameterValue> last = generate::read_value(parameter, *to, reader);
  const std::optional<ParameterValue> each = generate::read_value(width, *step, reader);
  if (!first || !last || !each) return std::nullopt;
  if (number_of(*each) == Rational{0}) {
    reader.reject(*step, "step is 0", "it must be more than 0");
    return std::nullopt;
  }
  if (number_of(*first) > number_of(*last)) {
    reader.reject(*to,
                  fmt::format("the range ends before it begins: {} to {}", generate::to_text(*first),
                              generate::to_text(*last)),
                  "swap `from` and `to`");
    return std::nullopt;
  }
  return Span{{*first, from->offset}, {*last, to->offset}, number_of(*each)};
}

std::optional<std::vector<Varied>> read_range(Fields& fields, const Value& vary, const Parameter& parameter,
                                              Reader& reader) {
  const std::optional<Span> span = read_span(fields, vary, parameter, reader);
  if (!span) return std::nullopt;
  std::vector<Varied> result;
  const Rational end = number_of(span->to.value);
  for (Rational number = number_of(span->from.value); number <= end && result.size() <= max_points;
       number = number + span->step) {
    result.push_back({value_of(number, parameter.kind), span->from.offset});
  }
  return result;
}

}  // namespace

std::optional<std::vector<Varied>> read_varied(Fields& fields, const Value& vary, const Parameter& parameter,
                                               Reader& reader) {
  const Value* values = fields.find("values");
  const bool range = fields.mentions("from") || fields.mentions("to") || fields.mentions("step");
  if (values != nullptr && range) {
    reader.add(fields.key_offset("values"), "both `values` and a range are given",
               "keep one: values, or from, to and step");
    return std::nullopt;
  }
  if (values == nullptr && fields.mentions("values")) return std::nullopt;
  if (values == nullptr && !range) {
    reader.add(vary.offset, "`vary` gives no values",
               "add `values: [0.2, 0.4]`, or `from: 0.2`, `to: 0.8` and `step: 0.1`");
    return std::nullopt;
  }
  std::optional<std::vector<Varied>> result =
      values != nullptr ? read_list(*values, parameter, reader) : read_range(fields, vary, parameter, reader);
  if (!result) return std::nullopt;
  if (result->size() > max_points) {
    reader.add(vary.offset, fmt::format("`vary` gives more than {} points", max_points),
               "use a larger step or fewer values");
    return std::nullopt;
  }
  std::unordered_set<std::string> seen;
  for (const Varied& varied : *result) {
    const std::string text = generate::to_text(varied.value);
    if (seen.insert(text).second) continue;
    reader.add(varied.offset, fmt::format("the value {} is given twice", text), "remove one of them");
    return std::nullopt;
  }
  return result;
}

}  // namespace tactus::sweep
