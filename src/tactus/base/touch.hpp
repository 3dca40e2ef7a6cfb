// Memory that is there before it is needed.
//
// What a program asks for, the operating system gives at its first use: a page fault, in the middle of
// whatever uses it. Locked memory is no exception, unless it was touched before.
#pragma once

#include <cstddef>
#include <vector>

namespace tactus {

/// Writes to every page what it holds.
void touch(void* begin, std::size_t bytes) noexcept;

/// The same with all that a vector has room for.
template <class Item>
void touch(std::vector<Item>& items) noexcept {
  touch(items.data(), items.capacity() * sizeof(Item));
}

/// Room for so many, touched.
template <class Item>
void reserve_touched(std::vector<Item>& items, std::size_t wanted) {
  items.reserve(wanted);
  touch(items);
}

/// The next 64 KiB of the calling thread's stack, deeper than its real-time work goes.
void touch_stack() noexcept;

/// The program and its libraries: their first instructions are read from files like any other data.
void touch_program() noexcept;

}  // namespace tactus
