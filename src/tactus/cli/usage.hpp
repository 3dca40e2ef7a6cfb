// What is wrong with a command line, and what was most likely meant.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::cli {

/// The sentences that tell it. `first`: the first word that is no option of the command itself; may be empty.
std::string usage_complaint(const CLI::App& app, const CLI::ParseError& error, std::string_view first);

/// For options that take one of a few words; a misspelt one gets the nearest.
CLI::Validator one_of(std::vector<std::string> words);

}  // namespace tactus::cli
