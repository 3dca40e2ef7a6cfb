#include "tactus/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tactus::cli {

namespace {

using std::chrono::steady_clock;
constexpr std::chrono::milliseconds first_after{500};
constexpr std::chrono::milliseconds then_every{100};

}  // namespace

Progress::Progress(std::string what, double part_at_start)
    : what_{std::move(what)},
      part_at_start_{part_at_start},
      terminal_{::isatty(STDERR_FILENO) == 1},
      begun_{steady_clock::now()},
      shown_{begun_} {}

Progress::~Progress() { end(); }

void Progress::show(double part) {
  if (!terminal_) return;
  const steady_clock::time_point now = steady_clock::now();
  if (now - shown_ < (drawn_ ? then_every : first_after)) return;
  shown_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  if (part < 0) {
    fmt::print(stderr, "\r{}  {:.0f} s\033[K", what_, seconds);
  } else {
    constexpr int width = 30;
    const int filled = static_cast<int>(std::clamp(part, 0.0, 1.0) * width);
    const double done_now = part - part_at_start_;
    const double left = done_now > 0 ? seconds / done_now * (1 - part) : 0;
    fmt::print(stderr, "\r{}  [{:#<{}}{:.<{}}] {:3.0f} %  {:.0f} s left\033[K", what_, "", filled, "",
               width - filled, part * 100, left);
  }
  std::fflush(stderr);
}

void Progress::end() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

}  // namespace tactus::cli
