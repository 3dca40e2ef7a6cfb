// Limits on models that are read. Real ones stay far below; they keep a hostile one from using up time or
// memory.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace tactus::import::limits {

inline constexpr std::size_t bytes = std::size_t{64} << 20U;  // of one file, unpacked, and of all together
inline constexpr std::size_t files = 1'000;
inline constexpr std::size_t elements = 1'000'000;  // of all files together; real models have one in 90 bytes
inline constexpr std::size_t attributes = 4'000'000;  // likewise
inline constexpr std::size_t depth = 200;
inline constexpr std::size_t calls = 100;        // runnables that call runnables, triggers behind triggers
inline constexpr std::size_t sources = 100;      // of the jobs of a task, by several stimuli and triggers
inline constexpr std::size_t told = 1'000;       // of problems, and of findings of one kind
inline constexpr std::size_t steps = 1'000'000;  // of all activities together, with those of called runnables

inline constexpr std::size_t choices = 1'000'000;     // tasks times the units on which each may run
inline constexpr std::size_t jobs = 2'000'000;        // made of tasks, with those that work for others
inline constexpr std::size_t looked_at = 50'000'000;  // steps, for what others wait for
inline constexpr std::size_t rows = 1'000'000;        // runnables times kinds of processing units

}  // namespace tactus::import::limits

namespace tactus::import {

/// Thrown where a model asks for more than that; becomes a problem of the model.
struct TooLarge : std::runtime_error {
  TooLarge(const std::string& message, std::string what_to_do)
      : std::runtime_error{message}, hint{std::move(what_to_do)} {}

  std::string hint;
};

}  // namespace tactus::import
