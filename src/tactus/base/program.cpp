#include "tactus/base/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

namespace tactus {

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

using Clock = std::chrono::steady_clock;
using Instant = std::chrono::time_point<Clock, Duration>;

/// What started; 0 and the error when nothing did.
struct Started {
  pid_t process = 0;
  int error = 0;
};

Started start(const std::vector<std::string>& words, int output) {
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  arguments.reserve(copies.size() + 1);
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (const int error = ::posix_spawn_file_actions_init(&actions); error != 0) return {.error = error};
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, arguments.front(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return {.error = error};
  return {.process = process};
}

/// Whether the other side closed the pipe before the end.
bool read_all(int reading, Instant end, std::string& text) {
  std::array<char, 4096> buffer{};
  while (true) {
    const Duration left = end - Clock::now();
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

/// Its exit status if it ended by itself, and in time. It can close its output and go on, so it is killed at
/// the end.
std::optional<int> wait_for(pid_t process, Instant end) {
  constexpr std::chrono::milliseconds look_every{1};
  int status = 0;
  while (true) {
    const bool late = Clock::now() >= end;
    if (late) ::kill(process, SIGKILL);
    const pid_t ended = ::waitpid(process, &status, late ? 0 : WNOHANG);
    if (ended == process) {
      return !late && WIFEXITED(status) ? std::optional{WEXITSTATUS(status)} : std::nullopt;
    }
    if (ended < 0 && errno != EINTR) return std::nullopt;
    if (!late) std::this_thread::sleep_for(look_every);
  }
}

}  // namespace

std::optional<ProgramEnd> run_program(const std::vector<std::string>& words, Duration limit) {
  if (words.empty()) return std::nullopt;
  ProgramEnd end;
  Pipe pipe;
  if (!pipe.open()) return end;
  const Started started = start(words, pipe.writing());
  pipe.close_writing();
  if (started.error == ENOENT) return std::nullopt;
  if (started.error != 0) return end;  // no room for another process, say
  const Instant begin = Clock::now();
  const Instant latest = limit > Instant::max() - begin ? Instant::max() : begin + limit;
  const bool complete = read_all(pipe.reading(), latest, end.output);
  const std::optional<int> status = wait_for(started.process, complete ? latest : Clock::now());
  if (complete) end.status = status;
  return end;
}

std::optional<std::string> output_of(const std::vector<std::string>& words, Duration limit) {
  std::optional<ProgramEnd> end = run_program(words, limit);
  if (!end || end->status != 0) return std::nullopt;
  return std::move(end->output);
}

}  // namespace tactus
