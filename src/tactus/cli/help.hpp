// Help texts, wrapped to the width of the terminal.
#pragma once

#include <CLI/App.hpp>
#include <CLI/FormatterFwd.hpp>
#include <cstddef>
#include <string>

namespace tactus::cli {

/// The output of `--help` for this verb.
std::string help_text(const CLI::App& app, std::size_t width, bool colour);

/// Makes the parser use `help_text`.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace tactus::cli
