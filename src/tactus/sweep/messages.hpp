// The messages between ranks, as text.
#pragma once

#include <chrono>
#include <string>
#include <variant>

#include "tactus/sweep/counts.hpp"
#include "tactus/sweep/judge.hpp"

namespace tactus::sweep {

/// A rank is ready.
struct Hello {
  unsigned threads = 1;
  std::string experiment;  // its identity, which must equal that of rank 0
};

/// Rank 0 assigns work.
struct Order {
  Chunk chunk;
};

/// The result of a chunk.
struct Answer {
  Chunk chunk;
  PartCounts part;
  std::chrono::duration<double> took{};
};

/// A rank failed.
struct Trouble {
  std::string what;
};

using Letter = std::variant<Hello, Order, Answer, Trouble>;

std::string to_text(const Letter& letter);

/// FailureError when the text is no message. `analyses`: their number in an answer.
Letter read_letter(const std::string& text, std::size_t analyses);

}  // namespace tactus::sweep
