#include "tactus/device/cuda/failure_note.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tactus::cuda {

void FailureNote::keep(std::string_view task, std::uint64_t job, std::uint32_t segment,
                       std::string_view what) {
  if (!empty()) return;
  const auto written = fmt::format_to_n(text_.data(), text_.size(), "task '{}', job {}, segment {}: {}", task,
                                        job, segment, what);
  length_ = std::min(text_.size(), static_cast<std::size_t>(written.size));
}

}  // namespace tactus::cuda
