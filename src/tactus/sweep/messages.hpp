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
struct Assignment {
  Batch batch;
};

/// The result of a chunk.
struct Answer {
  Batch batch;
  PartCounts part;
  std::chrono::duration<double> took{};
};

/// A rank failed.
struct Trouble {
  std::string what;
};

using RankMessage = std::variant<Hello, Assignment, Answer, Trouble>;

std::string to_text(const RankMessage& rank_message);

/// FailureError when the text is no message. `analyses`: their number in an answer.
RankMessage read_rank_message(const std::string& text, std::size_t analyses);

}  // namespace tactus::sweep
