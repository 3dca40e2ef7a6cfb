#include "support/command.hpp"
#include "support/source_folder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tactus::test {

namespace fs = std::filesystem;

namespace {

/// Test programs lie in <build>/tests, the command in <build>/bin.
fs::path command_path() {
  return fs::canonical("/proc/self/exe").parent_path().parent_path() / "bin" / "tactus";
}

fs::path temporary_folder() {
  static const fs::path folder = [] {
    std::string name = (fs::temp_directory_path() / "tactus-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{"no temporary folder"};
    return fs::path{name};
  }();
  return folder;
}

std::string slurp(const fs::path& path) {
  std::ifstream stream{path, std::ios::binary};
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

namespace {

std::string answer_path() {
  static int calls = 0;
  return temporary_path("answer-" + std::to_string(++calls));
}

/// Runs a line that leaves what it says in BASE.out and BASE.err.
Answer run(const std::string& line, const std::string& base) {
  // Whoever runs the tests may have chosen a width or colours. Behind a pipe the command goes by its name.
  const std::string surroundings = "unset COLUMNS NO_COLOR CLICOLOR_FORCE; PATH='" +
                                   command_path().parent_path().string() + "':\"$PATH\"; ";
  const int status = std::system((surroundings + line).c_str());
  Answer answer{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(base + ".out"),
                slurp(base + ".err")};
  fs::remove(base + ".out");
  fs::remove(base + ".err");
  return answer;
}

/// `prefix` comes before the command, `suffix` behind everything.
Answer call(const std::string& folder, const std::string& prefix, const std::string& arguments,
            const std::string& suffix = "", const std::string& input = "/dev/null") {
  const std::string base = answer_path();
  // Behind a pipe, what is printed is the last command's, and what is read is the first one's.
  return run("cd '" + folder + "' && " + prefix + "<'" + input + "' '" + command_path().string() + "' " +
                 arguments + " >'" + base + ".out' 2>'" + base + ".err'" + suffix,
             base);
}

}  // namespace

Answer in_shell(const std::string& line) {
  const std::string base = answer_path();
  return run("exec >'" + base + ".out' 2>'" + base + ".err' </dev/null; cd '" + in_repository() +
                 "'; TACTUS='" + command_path().string() + "'; " + line,
             base);
}

Answer tactus(const std::string& arguments) { return tactus_in(in_repository(), arguments); }

Answer tactus_in(const std::string& folder, const std::string& arguments) {
  return call(folder, "", arguments);
}

Answer tactus_interrupted(const std::string& arguments, const std::string& file) {
  const std::string interrupt = " & i=0; while [ ! -e '" + file +
                                "' ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done; "
                                "kill -INT $!; wait $!";
  // A shell without job control lets its background processes ignore SIGINT.
  return call(in_repository(), "env --default-signal=INT ", arguments, interrupt);
}

Answer tactus_where(const std::string& variables, const std::string& arguments) {
  return call(in_repository(), variables + " ", arguments);
}

Answer tactus_fed(const std::string& text, const std::string& arguments) {
  return call(in_repository(), "", arguments, "", write_temporary("standard-input", text));
}

Answer tactus_alone(const std::string& arguments) { return tactus_where("PATH=/nowhere", arguments); }

std::string temporary_path(const std::string& name) { return (temporary_folder() / name).string(); }

std::string write_temporary(const std::string& name, const std::string& text) {
  const std::string path = temporary_path(name);
  std::ofstream{path, std::ios::binary} << text;
  return path;
}

}  // namespace tactus::test
