// A set of system numbers, kept as ranges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tactus::sweep {

/// Systems first, ..., end - 1.
struct SystemRange {
  std::int64_t first = 0;
  std::int64_t end = 0;

  [[nodiscard]] std::int64_t count() const { return end - first; }
  friend bool operator==(const SystemRange&, const SystemRange&) = default;
};

/// Systems are judged nearly in order, so there are few ranges whatever the number of systems.
class SystemRanges {
 public:
  /// Adds a range. False, and nothing changes, when it is empty or overlaps what is there.
  bool add(SystemRange range);

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// In order, none empty, no two that touch.
  [[nodiscard]] std::span<const SystemRange> ranges() const { return ranges_; }
  /// What is missing of [0, end), in order.
  [[nodiscard]] std::vector<SystemRange> gaps(std::int64_t end) const;

  friend bool operator==(const SystemRanges&, const SystemRanges&) = default;

 private:
  std::vector<SystemRange> ranges_;
  std::int64_t count_ = 0;
};

}  // namespace tactus::sweep
