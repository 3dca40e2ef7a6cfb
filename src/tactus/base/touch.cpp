#include "tactus/base/touch.hpp"

#include <link.h>

#include <array>
#include <cstdint>

namespace tactus {

namespace {

/// No page is smaller.
constexpr std::size_t page = 4096;

/// Read for its page alone, so sanitizers need not know whose it is. Not thrown out for want of effect.
__attribute__((no_sanitize("address", "thread"))) unsigned char look_at(
    const volatile unsigned char& byte) noexcept {
  return byte;
}

/// Reading is enough: what is written there was written by the loader.
__attribute__((no_sanitize("address", "thread"))) int touch_object(dl_phdr_info* object, std::size_t /*size*/,
                                                                   void* /*data*/) noexcept {
  for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
    // NOLINTBEGIN(*-pointer-arithmetic, *-no-int-to-ptr, *-reinterpret-cast): the loader tells addresses
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_R) == 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    for (std::uintptr_t place = begin / page * page; place < begin + part.p_memsz; place += page) {
      look_at(*reinterpret_cast<const volatile unsigned char*>(place));
    }
    // NOLINTEND(*-pointer-arithmetic, *-no-int-to-ptr, *-reinterpret-cast)
  }
  return 0;
}

}  // namespace

void touch(void* begin, std::size_t bytes) noexcept {
  auto* const place = static_cast<volatile unsigned char*>(begin);
  // NOLINTBEGIN(*-pointer-arithmetic)
  for (std::size_t i = 0; i < bytes; i += page) place[i] = look_at(place[i]);
  if (bytes > 0) place[bytes - 1] = look_at(place[bytes - 1]);
  // NOLINTEND(*-pointer-arithmetic)
}

void touch_stack() noexcept {
  std::array<unsigned char, 64 * 1024> deep;  // NOLINT(*-member-init): only its pages matter
  for (std::size_t i = 0; i < deep.size(); i += page) {
    volatile unsigned char& byte = deep[i];
    byte = 0;
  }
}

void touch_program() noexcept { dl_iterate_phdr(touch_object, nullptr); }

}  // namespace tactus
