#include "tactus/cli/input.hpp"

#include <unistd.h>

#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/cli/verb.hpp"

namespace tactus::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view stdin_name = "stdin";

[[noreturn]] void refuse_stdin(const std::string& why, const std::string& hint) {
  throw InputError{{Problem{.file = std::string{stdin_name},
                            .line = 1,
                            .column = 1,
                            .message = why,
                            .hint = hint,
                            .id = ProblemId::unreadable_file}}};
}

std::string read_stdin() {
  static bool was_read = false;
  if (std::exchange(was_read, true)) refuse_stdin("standard input was read before", "name `-` once");
  return read_open_file(STDIN_FILENO, stdin_name);
}

}  // namespace

InputText read_input(const std::string& path) {
  if (is_standard_stream(path)) return {.name = std::string{stdin_name}, .text = read_stdin()};
  return {.name = path, .text = read_file(path)};
}

System load_input(const std::string& path, Completeness completeness, std::span<const Override> overrides) {
  const InputText input = read_input(path);
  ReadResult result = read_system(input.text, input.name, completeness, overrides);
  if (!result.system) throw InputError{std::move(result.problems)};
  return *std::move(result.system);
}

void refuse_to_mix(const std::vector<StdoutClaim>& claims) {
  const StdoutClaim* first = nullptr;
  for (const StdoutClaim& one : claims) {
    if (!one.there) continue;
    if (first != nullptr) {
      throw InputError{first->option + " and " + one.option + " both write to standard output",
                       "name a file for one of them"};
    }
    first = &one;
  }
}

void print_beside(bool standard_output_is_taken, const std::string& text) {
  if (!standard_output_is_taken) {
    print_text(text);
  } else if (text.ends_with('\n')) {
    say(std::string_view{text}.substr(0, text.size() - 1));
  } else {
    say(text);
  }
}

fs::path output_path(const std::string& path) { return is_standard_stream(path) ? "/dev/stdout" : path; }

}  // namespace tactus::cli
