#include "tactus/device/job.hpp"

#include <cstring>
#include <utility>

namespace tactus::device {

Binding bind_copy(CopyOfJob copy) {
  Binding binding{.kind = Binding::Kind::copy, .work = {}, .copy = std::move(copy)};
  if (!binding.copy) return binding;
  binding.work = [of_job = binding.copy](Job& job) {
    const MemoryCopy move = of_job(job);
    if (move.bytes > 0) std::memcpy(move.to, move.from, move.bytes);
  };
  return binding;
}

}  // namespace tactus::device
