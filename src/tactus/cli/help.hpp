// Help texts, as wide as the terminal.
#pragma once

#include <CLI/App.hpp>
#include <CLI/FormatterFwd.hpp>
#include <cstddef>
#include <string>

namespace tactus::cli {

/// What `--help` of this verb shows.
std::string help_text(const CLI::App& app, std::size_t width, bool colour);

/// Makes the parser show it.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace tactus::cli
