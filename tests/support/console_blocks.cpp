#include "support/console_blocks.hpp"

#include <cstdlib>
#include <sstream>
#include <string_view>

namespace tactus::test {

std::string with_outputs(const std::string& page, const std::function<std::string(const std::string&)>& run) {
  constexpr std::string_view prompt = "$ tactus ";
  std::istringstream lines{page};
  std::string result;
  bool in_console = false;
  bool in_output = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      in_console = line == "```console";
      in_output = false;
    }
    if (in_console && line.starts_with(prompt)) {
      result += line + "\n" + run(line.substr(prompt.size()));
      in_output = true;
    } else if (!in_output) {
      result += line + "\n";
    }
  }
  return result;
}

bool rewrites_documents() { return std::getenv("TACTUS_REWRITE_DOCS") != nullptr; }

}  // namespace tactus::test
