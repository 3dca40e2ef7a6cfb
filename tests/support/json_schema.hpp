// Just enough of JSON schema (draft 07) to hold a value against the schema of system files.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::test {

/// What is wrong with the value, each with its path; empty when it is valid. Throws std::runtime_error for a
/// keyword that this validator does not know, so that none is passed over.
std::vector<std::string> schema_errors(const nlohmann::json& schema, const nlohmann::json& value);

/// A YAML text as a JSON value: plain scalars become numbers, booleans and null as YAML 1.2 says.
nlohmann::json json_from_yaml(std::string_view text);

}  // namespace tactus::test
