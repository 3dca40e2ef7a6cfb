#include "tactus/generate/parameters.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tactus/base/text.hpp"
#include "tactus/generate/read_parameters.hpp"

namespace tactus::generate {

namespace {

struct ToText {
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(const Rational& value) const { return to_decimal(value).value_or(to_string(value)); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(Duration value) const { return tactus::to_text(value); }
  std::string operator()(const Ratio& value) const {
    return std::to_string(value.first) + ":" + std::to_string(value.second);
  }
  template <typename T>
  std::string operator()(const std::vector<T>& values) const {
    std::string text = "[";
    for (const T& value : values) text += (text.size() > 1 ? ", " : "") + (*this)(value);
    return text + "]";
  }
};

}  // namespace

std::string to_text(const ParameterValue& value) { return std::visit(ToText{}, value); }

Parameters::Parameters(std::span<const Parameter> specification)
    : specification_{specification}, values_(specification.size()) {
  for (std::size_t i = 0; i < specification.size(); ++i) {
    if (specification[i].fallback.empty()) continue;
    values_[i] = parse_value(specification[i], specification[i].fallback, "default");
  }
}

const Parameter* Parameters::find_specification(std::string_view key) const {
  const auto found = std::find_if(specification_.begin(), specification_.end(),
                                  [&](const Parameter& parameter) { return parameter.key == key; });
  return found == specification_.end() ? nullptr : &*found;
}

std::size_t Parameters::index_of(std::string_view key) const {
  const Parameter* parameter = find_specification(key);
  if (parameter == nullptr) throw std::logic_error{"no parameter " + std::string{key}};
  return static_cast<std::size_t>(parameter - specification_.data());
}

void Parameters::set(std::string_view key, ParameterValue value) {
  values_[index_of(key)] = std::move(value);
}

const std::optional<ParameterValue>& Parameters::value_of(std::string_view key) const {
  return values_[index_of(key)];
}

}  // namespace tactus::generate
