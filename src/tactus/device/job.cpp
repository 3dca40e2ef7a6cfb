#include "tactus/device/job.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "tactus/base/error.hpp"

namespace tactus::device {

Binding bind_copy(CopyOfJob copy) {
  return {.kind = Binding::Kind::copy, .work = {}, .copy = std::move(copy)};
}

std::string_view missing_place(const MemoryCopy& copy) {
  if (copy.bytes == 0) return {};
  if (copy.from == nullptr) return "source";
  return copy.to == nullptr ? "destination" : "";
}

MemoryCopy ask_for_copy(const CopyOfJob& copy, const Job& job, std::optional<std::int64_t> segment_bytes) {
  const MemoryCopy answer = copy(job);
  const std::int64_t most = segment_bytes.value_or(std::numeric_limits<std::int64_t>::max());
  if (std::cmp_greater(answer.bytes, most)) {
    throw FailureError{"its copy has " + std::to_string(most) + " bytes, but the bound function asks for " +
                       std::to_string(answer.bytes)};
  }
  if (const std::string_view missing = missing_place(answer); !missing.empty()) {
    throw FailureError{"the bound function answers a copy without a " + std::string{missing} +
                       ": the pointer is null"};
  }
  return answer;
}

void move_piece(const MemoryCopy& copy, std::int64_t first, std::int64_t most) {
  const std::size_t begin = std::min(copy.bytes, static_cast<std::size_t>(first));
  const std::size_t bytes = std::min(copy.bytes - begin, static_cast<std::size_t>(most));
  if (bytes == 0) return;
  std::memcpy(static_cast<std::byte*>(copy.to) + begin, static_cast<const std::byte*>(copy.from) + begin,
              bytes);
}

const Binding* find_binding(const Bindings* bindings, std::size_t task, std::size_t segment) {
  if (bindings == nullptr || task >= bindings->size() || segment >= (*bindings)[task].size()) return nullptr;
  const Binding& binding = (*bindings)[task][segment];
  return binding.kind == Binding::Kind::built_in ? nullptr : &binding;
}

}  // namespace tactus::device
