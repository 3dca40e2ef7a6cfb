#include "tactus/machine/system_text.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace tactus::machine {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

std::optional<std::string> system_text(const std::filesystem::path& file) {
  std::ifstream stream{file, std::ios::binary};
  if (!stream) return std::nullopt;
  std::ostringstream text;
  if (stream.peek() != std::ifstream::traits_type::eof()) text << stream.rdbuf();
  if (stream.bad()) return std::nullopt;
  return std::string{trimmed(text.str())};
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<int> cpu_list(std::string_view text) {
  constexpr std::int64_t most = 4096;
  std::vector<int> cpus;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = trimmed(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t dash = range.find('-');
    const auto first = whole_number(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : whole_number(range.substr(dash + 1));
    if (!first || !last || *first < 0) return {};
    for (std::int64_t cpu = *first; cpu <= std::min(*last, most - 1); ++cpu) {
      cpus.push_back(static_cast<int>(cpu));
    }
  }
  return cpus;
}

std::string cpu_list_text(const std::vector<int>& cpus) {
  if (cpus.empty()) return "none";
  std::string text;
  for (std::size_t begin = 0; begin < cpus.size();) {
    std::size_t end = begin + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[begin]);
    if (end - begin > 1) text += "-" + std::to_string(cpus[end - 1]);
    begin = end;
  }
  return text;
}

}  // namespace tactus::machine
