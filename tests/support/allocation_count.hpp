// Counts what a thread allocates. Programs that use this have an operator new that counts.
#pragma once

#include <cstdint>
#include <optional>

namespace tactus::test {

/// By `new`, in the calling thread, so far; nothing where a sanitizer has the allocator.
std::optional<std::uint64_t> allocations_of_this_thread();

}  // namespace tactus::test
