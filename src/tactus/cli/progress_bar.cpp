#include "tactus/cli/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <system_error>

#include "tactus/base/utf8.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/report/display_text.hpp"

namespace tactus::cli {

namespace {

using std::chrono::steady_clock;
constexpr std::chrono::milliseconds first_after{500};
constexpr std::chrono::milliseconds then_every{100};
constexpr std::size_t usual_columns = 80;

/// Errors are ignored: the bar is not essential.
void put(const std::string& text) { static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr)); }

}  // namespace

ProgressBar::ProgressBar(const std::string& what, double part_at_start)
    : what_{shown(what)}, part_at_start_{part_at_start}, begun_{steady_clock::now()} {
  if (::isatty(STDERR_FILENO) != 1) return;
  try {
    drawer_ = std::jthread{[this](const std::stop_token& stop) { draw_now_and_then(stop); }};
  } catch (const std::system_error&) {
    return;  // no thread could be started: continue without a bar
  }
}

ProgressBar::~ProgressBar() { end(); }

Watch ProgressBar::watch() {
  return {.stop = &InterruptGuard::flag(), .progress = [this](double part) { show(part); }};
}

void ProgressBar::end() {
  if (!drawer_.joinable()) return;
  drawer_.request_stop();
  drawer_.join();
}

void ProgressBar::draw_now_and_then(const std::stop_token& stop) {
  bool drawn = false;
  std::unique_lock lock{mutex_};
  while (!stop.stop_requested()) {
    ended_.wait_for(lock, stop, drawn ? then_every : first_after, [] { return false; });
    const double part = part_.load(std::memory_order_relaxed);
    if (stop.stop_requested() || part == nothing_yet) continue;
    draw(part);
    drawn = true;
  }
  if (drawn) put("\r\033[K");
}

void ProgressBar::draw(double part) const {
  const double seconds = std::chrono::duration<double>(steady_clock::now() - begun_).count();
  std::string text;
  if (part < 0) {
    text = fmt::format("  {:.0f} s", seconds);
  } else {
    constexpr int width = 30;
    const int filled = static_cast<int>(std::clamp(part, 0.0, 1.0) * width);
    const double done_now = part - part_at_start_;
    const double left = done_now > 0 ? seconds / done_now * (1 - part) : 0;
    text = fmt::format("  [{:#<{}}{:.<{}}] {:3.0f} %  {:.0f} s left", "", filled, "", width - filled,
                       part * 100, left);
  }
  // A line that the terminal wraps could not be erased, so the name is shortened first, then the rest.
  const std::size_t room = columns_of(STDERR_FILENO).value_or(usual_columns) - 1;
  const std::string name = report::shortened(what_, room - std::min(room, text.size()));
  put(fmt::format("\r{}\033[K", report::shortened(name + text, room)));
}

}  // namespace tactus::cli
