#include "tactus/device/failure_note.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tactus::device {

void FailureNote::keep(const System& system, const Request& request, std::string_view what) {
  if (length_.load(std::memory_order_relaxed) > 0) return;
  const auto written = fmt::format_to_n(text_.data(), text_.size(), "task '{}', job {}, segment {}: {}",
                                        std::string_view{system.tasks[request.task].name}, request.number,
                                        request.id.segment, what);
  length_.store(std::min(text_.size(), static_cast<std::size_t>(written.size)), std::memory_order_release);
}

}  // namespace tactus::device
