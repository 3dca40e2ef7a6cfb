// Completion scripts for shells.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>

namespace tactus::cli {

/// For "bash", "zsh" or "fish".
std::string completion_script(const CLI::App& app, std::string_view shell);

}  // namespace tactus::cli
