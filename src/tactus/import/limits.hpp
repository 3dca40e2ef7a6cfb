// Limits on models that are read. Real ones stay far below; they keep a hostile one from using up time or
// memory.
#pragma once

#include <cstddef>

namespace tactus::import::limits {

inline constexpr std::size_t bytes = std::size_t{64} << 20U;  // of one file, unpacked, and of all together
inline constexpr std::size_t files = 1'000;
inline constexpr std::size_t elements = 4'000'000;
inline constexpr std::size_t depth = 200;
inline constexpr std::size_t calls = 100;        // runnables that call runnables, triggers behind triggers
inline constexpr std::size_t sources = 100;      // of the jobs of a task, by several stimuli and triggers
inline constexpr std::size_t told = 1'000;       // of problems, and of findings of one kind
inline constexpr std::size_t steps = 1'000'000;  // of all activities together, with those of called runnables

}  // namespace tactus::import::limits
