#include "tactus/machine/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "tactus/machine/real_time.hpp"

namespace tactus::machine {

namespace {

class Pipe {
 public:
  Pipe() : open_{::pipe2(ends_.data(), O_CLOEXEC) == 0} {}
  ~Pipe() {
    close_writing();
    if (open_) ::close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  Pipe(Pipe&&) = delete;
  Pipe& operator=(Pipe&&) = delete;

  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] int reading() const { return ends_[0]; }
  [[nodiscard]] int writing() const { return ends_[1]; }
  void close_writing() {
    if (open_ && ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
  bool open_;  // after the ends: it is told by opening them
};

/// The process id; nothing when there is no such program. What it complains about is nobody's business.
std::optional<pid_t> start(const std::vector<std::string>& words, int output) {
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  arguments.reserve(copies.size() + 1);
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (::posix_spawn_file_actions_init(&actions) != 0) return std::nullopt;
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, arguments.front(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return std::nullopt;
  return process;
}

/// Whether the other side closed the pipe before the end.
bool read_all(int reading, SteadyTime end, std::string& text) {
  std::array<char, 4096> buffer{};
  while (true) {
    const Duration left = end - steady_now();
    if (left <= Duration::zero()) return false;
    pollfd entry{reading, POLLIN, 0};
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    const int ready = ::poll(&entry, 1, static_cast<int>(std::min<std::int64_t>(milliseconds, 60'000)));
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    const ssize_t count = ::read(reading, buffer.data(), buffer.size());
    if (count == 0) return true;
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) return false;
  }
}

/// Whether it ended well, and in time. It can close its output and go on, so it is killed at the end.
bool wait_for(pid_t process, SteadyTime end) {
  constexpr std::chrono::milliseconds look_every{1};
  int status = 0;
  while (true) {
    const bool late = steady_now() >= end;
    if (late) ::kill(process, SIGKILL);
    const pid_t ended = ::waitpid(process, &status, late ? 0 : WNOHANG);
    if (ended == process) return !late && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ended < 0 && errno != EINTR) return false;
    if (!late) sleep_until(steady_now() + look_every);
  }
}

}  // namespace

std::optional<std::string> output_of(const std::vector<std::string>& words, Duration limit) {
  Pipe pipe;
  if (words.empty() || !pipe.open()) return std::nullopt;
  const std::optional<pid_t> process = start(words, pipe.writing());
  pipe.close_writing();
  if (!process) return std::nullopt;
  std::string text;
  const SteadyTime end = steady_now() + limit;
  const bool complete = read_all(pipe.reading(), end, text);
  const bool well = wait_for(*process, complete ? end : steady_now());
  if (!complete || !well) return std::nullopt;
  return text;
}

}  // namespace tactus::machine
