// Error messages for a wrong command line, with what was most likely meant.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::cli {

/// `first`: the first word that is not an option of the command itself; may be empty.
std::string usage_complaint(const CLI::App& app, const CLI::ParseError& error, std::string_view first);

/// For options with a fixed set of values; a misspelt one is answered with the nearest.
CLI::Validator one_of(std::vector<std::string> words);

}  // namespace tactus::cli
