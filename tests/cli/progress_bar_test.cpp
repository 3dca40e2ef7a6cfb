#include "tactus/cli/progress_bar.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "support/no_threads.hpp"
#include "tactus/report/display_text.hpp"

namespace tactus::cli {
namespace {

/// A terminal that nobody reads from is stderr while it lives.
class TerminalAsStderr {
 public:
  TerminalAsStderr() {
    if (::openpty(&reader_, &terminal_, nullptr, nullptr, nullptr) != 0) return;
    before_ = ::dup(STDERR_FILENO);
    ::dup2(terminal_, STDERR_FILENO);
  }
  TerminalAsStderr(const TerminalAsStderr&) = delete;
  TerminalAsStderr& operator=(const TerminalAsStderr&) = delete;
  ~TerminalAsStderr() {
    if (before_ < 0) return;
    ::dup2(before_, STDERR_FILENO);
    for (const int file : {before_, terminal_, reader_}) ::close(file);
  }
  [[nodiscard]] bool exists() const { return before_ >= 0; }

  /// Until a write would wait.
  void fill() const {
    const int flags = ::fcntl(terminal_, F_GETFL);
    ::fcntl(terminal_, F_SETFL, flags | O_NONBLOCK);
    const std::string text(1024, '.');
    while (::write(terminal_, text.data(), text.size()) > 0) {
    }
    ::fcntl(terminal_, F_SETFL, flags);
  }
  /// What comes within a moment.
  [[nodiscard]] std::string read() const {
    constexpr int patience_ms = 50;
    std::string all;
    std::array<char, 4096> part{};
    pollfd waiting{.fd = reader_, .events = POLLIN, .revents = 0};
    while (::poll(&waiting, 1, patience_ms) > 0) {
      const ssize_t got = ::read(reader_, part.data(), part.size());
      if (got <= 0) break;
      all.append(part.data(), static_cast<std::size_t>(got));
    }
    return all;
  }

 private:
  int reader_ = -1;
  int terminal_ = -1;
  int before_ = -1;
};

TEST(ProgressBar, DrawsOnATerminalAndTakesItAway) {
  const TerminalAsStderr terminal;
  if (!terminal.exists()) GTEST_SKIP() << "there are no pseudo terminals here";
  ProgressBar progress{"counting"};
  progress.show(0.5);
  std::string bar;
  for (int i = 0; i < 200 && bar.find("50 %") == std::string::npos; ++i) bar += terminal.read();
  EXPECT_NE(bar.find("counting  [###############...............]  50 %"), std::string::npos) << bar;
  progress.end();
  EXPECT_TRUE(terminal.read().ends_with("\r\033[K"));
}

TEST(ProgressBar, FitsTheTerminalAndSoCanBeTakenAway) {
  ::unsetenv("COLUMNS");
  const TerminalAsStderr terminal;
  if (!terminal.exists()) GTEST_SKIP() << "there are no pseudo terminals here";
  const winsize size{.ws_row = 24, .ws_col = 60, .ws_xpixel = 0, .ws_ypixel = 0};
  ASSERT_EQ(::ioctl(STDERR_FILENO, TIOCSWINSZ, &size), 0);
  ProgressBar progress{"simulating a system with a name that is longer than this\x1b[2J terminal is wide"};
  progress.show(0.5);
  std::string drawn;
  for (int i = 0; i < 200 && drawn.find("s left\033[K") == std::string::npos; ++i) drawn += terminal.read();
  const std::string line = drawn.substr(0, drawn.find("\033[K"));
  EXPECT_LT(report::shown_width(line.substr(1)), 60U) << line;
  EXPECT_NE(line.find("50 %"), std::string::npos) << line;
  EXPECT_EQ(line.find('\x1b'), std::string::npos) << "names are harmless";
}

TEST(ProgressBar, ATerminalThatTakesNothingHoldsNobodyUp) {
  const TerminalAsStderr terminal;
  if (!terminal.exists()) GTEST_SKIP() << "there are no pseudo terminals here";
  terminal.fill();
  ProgressBar progress{"counting"};
  progress.show(0.1);
  std::this_thread::sleep_for(
      std::chrono::milliseconds{800});  // by now the thread that draws waits for the terminal
  constexpr int often = 1000;
  for (int i = 0; i < often; ++i) progress.show(static_cast<double>(i) / often);
  std::atomic<bool> over{false};
  std::thread reader{[&] {
    while (!over) static_cast<void>(terminal.read());
  }};
  progress.end();
  over = true;
  reader.join();
}

TEST(ProgressBar, WithoutAThreadThereIsNoBar) {
  const TerminalAsStderr terminal;
  if (!terminal.exists()) GTEST_SKIP() << "there are no pseudo terminals here";
  const test::NoThreads limit;
  ProgressBar progress{"counting"};
  progress.show(0.5);
  progress.end();
  EXPECT_EQ(terminal.read(), "");
}

}  // namespace
}  // namespace tactus::cli
