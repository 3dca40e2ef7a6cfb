#include "tactus/device/job.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tactus::device {

Binding bind_copy(CopyOfJob copy) {
  Binding binding{.kind = Binding::Kind::copy, .work = {}, .copy = std::move(copy)};
  if (!binding.copy) return binding;
  binding.work = [of_job = binding.copy](Job& job) {
    const MemoryCopy move = of_job(job);
    const std::size_t first = std::min(move.bytes, static_cast<std::size_t>(job.first_byte()));
    const std::size_t bytes = std::min(move.bytes - first, static_cast<std::size_t>(job.most_bytes()));
    if (bytes == 0) return;
    std::memcpy(static_cast<std::byte*>(move.to) + first, static_cast<const std::byte*>(move.from) + first,
                bytes);
  };
  return binding;
}

}  // namespace tactus::device
