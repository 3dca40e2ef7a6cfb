// Assigns overlapping spans to lanes in which they do not overlap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::trace {

/// Gives every span the lowest lane that is free from its start on. In whatever order spans are added,
/// no two of one lane overlap; sorted by their start, they use as few lanes as possible.
class SpanLayout {
 public:
  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

  /// Nothing when `most` lanes are busy.
  std::optional<std::size_t> place(Time start, Time end, std::size_t most = no_limit) {
    const auto free = std::find_if(busy_until_.begin(), busy_until_.end(),
                                   [start](Time busy_until) { return busy_until <= start; });
    const auto lane = static_cast<std::size_t>(free - busy_until_.begin());
    if (lane >= most) return std::nullopt;
    if (free == busy_until_.end()) {
      busy_until_.push_back(end);
    } else {
      *free = end;
    }
    return lane;
  }

  [[nodiscard]] std::size_t size() const { return busy_until_.size(); }

 private:
  std::vector<Time> busy_until_;
};

}  // namespace tactus::trace
