#include "support/allocation_count.hpp"

#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

std::optional<std::uint64_t> tactus::test::allocations_of_this_thread() { return std::nullopt; }

#else

namespace {

thread_local std::uint64_t allocations = 0;

}  // namespace

std::optional<std::uint64_t> tactus::test::allocations_of_this_thread() { return allocations; }

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

#endif
