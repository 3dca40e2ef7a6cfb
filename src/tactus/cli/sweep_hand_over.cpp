// `tactus sweep` in the program `tactus`: executes tactus-sweep.
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/cli/sweep.hpp"

namespace tactus::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view program = "tactus-sweep";

/// Beside this program, in the build tree or where it is installed.
fs::path program_path() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& path : {here / program, here.parent_path() / TACTUS_LIBEXEC / program}) {
    std::error_code ignored;
    if (fs::exists(path, ignored)) return path;
  }
  throw FailureError{
      "`tactus sweep` is a program of its own, tactus-sweep, and it is not there: install the package "
      "tactus-sweep, or build with TACTUS_SWEEP=ON (scripts/test does)"};
}

/// The command line of this process.
std::vector<std::string> own_arguments() {
  std::istringstream text{read_file("/proc/self/cmdline")};
  std::vector<std::string> words;
  for (std::string word; std::getline(text, word, '\0');) words.push_back(word);
  return words;
}

}  // namespace

int run_sweep(const SweepOptions& /*options*/) {
  const fs::path path = program_path();
  std::vector<std::string> words = own_arguments();
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(path.c_str(), arguments.data());
  throw FailureError{path.string() + ": cannot be started: " + error_text(errno)};
}

}  // namespace tactus::cli
