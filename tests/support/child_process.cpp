#include "support/child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "tactus/base/temporary_name.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace tactus::test {

namespace fs = std::filesystem;

namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

pid_t start(const std::string& program, const std::vector<std::string>& arguments,
            const std::vector<std::string>& environment, const std::string& output) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> settings = environment;
  for (char** entry = environ; *entry != nullptr; ++entry) settings.emplace_back(*entry);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, program.c_str(), &actions, nullptr, pointers(words).data(),
                                   pointers(settings).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error{program + " cannot be started"};
  return child;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments)
    : ChildProcess{tactus_program(), arguments, {}, "/dev/null"} {}

ChildProcess::ChildProcess(const std::string& program, const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment, const std::string& output)
    : id_{start(program, arguments, environment, output)} {}

ChildProcess::~ChildProcess() {
  if (is_over_) return;
  signal(SIGKILL);
  wait();
}

void ChildProcess::signal(int number) const {
  if (!is_over_) ::kill(id_, number);
}

int ChildProcess::wait() {
  while (!is_over_) {
    int status = 0;
    if (::waitpid(id_, &status, 0) == -1) {
      if (errno == EINTR) continue;
      throw std::runtime_error{"a child was lost"};
    }
    is_over_ = true;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return status_;
}

std::string tactus_program() {
  // Test programs lie in <build>/tests, the command in <build>/bin.
  return (fs::canonical("/proc/self/exe").parent_path().parent_path() / "bin" / "tactus").string();
}

namespace {

bool wait_until(const std::function<bool()>& is_there) {
  using std::chrono::steady_clock;
  const steady_clock::time_point end = steady_clock::now() + std::chrono::minutes{1};
  while (!is_there()) {
    if (steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return true;
}

}  // namespace

bool wait_for_file(const std::string& path) {
  return wait_until([&] { return fs::exists(path); });
}

bool wait_for_temporary_file(const std::string& path) {
  const fs::path file{path};
  return wait_until([&] {
    const fs::directory_iterator folder{file.parent_path()};
    return std::any_of(begin(folder), end(folder), [&](const fs::directory_entry& entry) {
      return is_temporary_name(entry.path().filename().string(), file.filename().string());
    });
  });
}

bool wait_for_threads(const ChildProcess& process) {
  return wait_until([&] {
    std::ifstream status{"/proc/" + std::to_string(process.id()) + "/status"};
    std::string line;
    while (std::getline(status, line)) {
      if (line.starts_with("Threads:")) return std::stoi(line.substr(line.find_first_not_of(" \t", 8))) > 1;
    }
    return false;
  });
}

}  // namespace tactus::test
