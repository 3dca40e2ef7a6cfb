#include "tactus/cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "tactus/report/wrap.hpp"

namespace tactus::cli {

namespace {

// Narrower terminals are treated as this wide: less is not readable.
constexpr std::size_t narrowest = 40;
constexpr std::size_t usual_picture_width = 100;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

std::string& colour_choice() {
  static std::string when = "auto";
  return when;
}

}  // namespace

std::optional<std::size_t> columns_of(int file) {
  const std::string_view said = variable("COLUMNS");
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), columns);
  if (error == std::errc{} && end == said.data() + said.size() && columns > 0) {
    return std::max(columns, narrowest);
  }
  winsize size{};
  if (::isatty(file) != 1 || ::ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return std::max<std::size_t>(size.ws_col, narrowest);
}

std::size_t text_width() { return columns_of(STDOUT_FILENO).value_or(report::any_width); }

std::size_t picture_width() { return columns_of(STDOUT_FILENO).value_or(usual_picture_width); }

void choose_colour(std::string_view when) { colour_choice() = when; }

bool wants_colour() {
  if (colour_choice() != "auto") return colour_choice() == "always";
  if (!variable("NO_COLOR").empty()) return false;
  if (const std::string_view force = variable("CLICOLOR_FORCE"); !force.empty() && force != "0") return true;
  return ::isatty(STDOUT_FILENO) == 1 && variable("TERM") != "dumb";
}

}  // namespace tactus::cli
