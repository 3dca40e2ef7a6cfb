#include "support/json_schema.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <stdexcept>

#include "tactus/base/utf8.hpp"
#include "tactus/io/document.hpp"

namespace tactus::test {

using nlohmann::json;

namespace {

class Validator {
 public:
  explicit Validator(const json& root) : root_{root} {}

  [[nodiscard]] std::vector<std::string> check(const json& schema, const json& value,
                                               const std::string& path) const {
    std::vector<std::string> errors;
    const auto fail = [&](const std::string& what) { errors.push_back(path + ": " + what); };
    const auto add = [&](const std::vector<std::string>& more) {
      errors.insert(errors.end(), more.begin(), more.end());
    };
    const auto holds = [&](const json& part) { return check(part, value, path).empty(); };
    for (const auto& [key, rule] : schema.items()) {
      static const std::set<std::string> silent{"$schema", "title", "description", "default",
                                                "then",    "else",  "definitions", "additionalProperties"};
      if (silent.contains(key)) continue;
      if (key == "$ref") {
        add(check(root_.at(json::json_pointer{rule.get<std::string>().substr(1)}), value, path));
      } else if (key == "type") {
        const json types = rule.is_array() ? rule : json::array({rule});
        if (std::none_of(types.begin(), types.end(), [&](const json& type) { return is_of(type, value); })) {
          fail("is not " + rule.dump());
        }
      } else if (key == "const") {
        if (value != rule) fail("is not " + rule.dump());
      } else if (key == "enum") {
        if (std::find(rule.begin(), rule.end(), value) == rule.end()) fail("is none of " + rule.dump());
      } else if (key == "pattern") {
        if (value.is_string() &&
            !std::regex_search(value.get<std::string>(), std::regex{rule.get<std::string>()}))
          fail("does not match " + rule.dump());
      } else if (key == "minLength") {
        if (value.is_string() && count_characters(value.get<std::string>()) < rule) fail("is too short");
      } else if (key == "maxLength") {
        if (value.is_string() && count_characters(value.get<std::string>()) > rule) fail("is too long");
      } else if (key == "minimum") {
        if (value.is_number() && value < rule) fail("is less than " + rule.dump());
      } else if (key == "maximum") {
        if (value.is_number() && value > rule) fail("is more than " + rule.dump());
      } else if (key == "minItems") {
        if (value.is_array() && value.size() < rule) fail("has too few items");
      } else if (key == "maxItems") {
        if (value.is_array() && value.size() > rule) fail("has too many items");
      } else if (key == "minProperties") {
        if (value.is_object() && value.size() < rule) fail("has too few keys");
      } else if (key == "maxProperties") {
        if (value.is_object() && value.size() > rule) fail("has too many keys");
      } else if (key == "items") {
        // A list of schemas: one for each place.
        const std::size_t places = rule.is_array() ? rule.size() : value.size();
        for (std::size_t i = 0; value.is_array() && i < std::min(value.size(), places); ++i) {
          add(check(rule.is_array() ? rule[i] : rule, value[i], path + "[" + std::to_string(i) + "]"));
        }
      } else if (key == "additionalItems") {
        if (rule == false && value.is_array() && value.size() > schema.at("items").size())
          fail("has too many items");
      } else if (key == "propertyNames") {
        if (!value.is_object()) continue;
        for (const auto& [name, member] : value.items()) add(check(rule, json(name), path + "." + name));
      } else if (key == "properties") {
        add(check_properties(schema, value, path));
      } else if (key == "required") {
        for (const json& name : rule) {
          if (value.is_object() && !value.contains(name.get<std::string>())) fail("lacks " + name.dump());
        }
      } else if (key == "allOf") {
        for (const json& part : rule) add(check(part, value, path));
      } else if (key == "anyOf") {
        if (std::none_of(rule.begin(), rule.end(), holds)) fail("is none of the alternatives");
      } else if (key == "oneOf") {
        if (std::count_if(rule.begin(), rule.end(), holds) != 1)
          fail("is not exactly one of the alternatives");
      } else if (key == "not") {
        if (holds(rule)) fail("is what it must not be");
      } else if (key == "if") {
        const char* branch = holds(rule) ? "then" : "else";
        if (schema.contains(branch)) add(check(schema[branch], value, path));
      } else {
        throw std::runtime_error{"the validator does not know the keyword " + key};
      }
    }
    if (!schema.contains("properties") && schema.contains("additionalProperties")) {
      add(check_properties(schema, value, path));
    }
    return errors;
  }

 private:
  static bool is_of(const json& type, const json& value) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "boolean") return value.is_boolean();
    throw std::runtime_error{"the validator does not know the type " + type.dump()};
  }

  [[nodiscard]] std::vector<std::string> check_properties(const json& schema, const json& value,
                                                          const std::string& path) const {
    std::vector<std::string> errors;
    if (!value.is_object()) return errors;
    const json known = schema.value("properties", json::object());
    const json others = schema.value("additionalProperties", json(true));
    for (const auto& [name, member] : value.items()) {
      const std::string where = path + "." + name;
      if (known.contains(name)) {
        const std::vector<std::string> more = check(known[name], member, where);
        errors.insert(errors.end(), more.begin(), more.end());
      } else if (others == json(false)) {
        errors.push_back(where + ": is not known");
      } else if (others.is_object()) {
        const std::vector<std::string> more = check(others, member, where);
        errors.insert(errors.end(), more.begin(), more.end());
      }
    }
    return errors;
  }

  const json& root_;
};

json from_value(const io::Value& value) {
  switch (value.kind) {
    case io::Value::Kind::null:
      return nullptr;
    case io::Value::Kind::list: {
      json list = json::array();
      for (const io::Value& item : value.items) list.push_back(from_value(item));
      return list;
    }
    case io::Value::Kind::map: {
      json map = json::object();
      for (const io::Value::Entry& entry : value.entries) map[entry.key] = from_value(entry.value);
      return map;
    }
    case io::Value::Kind::scalar:
      break;
  }
  if (value.quoted) return value.text;
  if (value.text == "true" || value.text == "false") return value.text == "true";
  if (std::regex_match(value.text, std::regex{"[-+]?[0-9]{1,18}"})) return std::stoll(value.text);
  if (std::regex_match(value.text, std::regex{"[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?"}))
    return std::stod(value.text);
  return value.text;
}

}  // namespace

std::vector<std::string> schema_errors(const json& schema, const json& value) {
  return Validator{schema}.check(schema, value, "$");
}

json json_from_yaml(std::string_view text) {
  const io::TextPositions places{text};
  io::ProblemList problems;
  const std::optional<io::Value> root = io::parse_document(text, places, problems);
  if (!root) throw std::runtime_error{"not YAML"};
  return from_value(*root);
}

}  // namespace tactus::test
