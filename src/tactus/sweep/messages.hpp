// What ranks tell each other, as text.
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
  std::string experiment;  // its identity: rank 0 has the same, or work must not be shared
};

/// Rank 0 hands out work.
struct Order {
  Chunk chunk;
};

/// What came of it.
struct Answer {
  Chunk chunk;
  PartCounts part;
  std::chrono::duration<double> took{};
};

/// A rank cannot go on.
struct Trouble {
  std::string what;
};

using Letter = std::variant<Hello, Order, Answer, Trouble>;

std::string to_text(const Letter& letter);

/// FailureError when the text is no letter. Answers are about that many analyses.
Letter read_letter(const std::string& text, std::size_t analyses);

}  // namespace tactus::sweep
