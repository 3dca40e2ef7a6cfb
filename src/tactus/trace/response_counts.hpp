// How often each response time was seen, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::trace {

/// A multiset of response times: an open-addressing table from value to count. It is exact until `coarsen` is
/// called; from then on values are rounded up to 11 significant bits, by less than 1/1024 of themselves, so
/// that every factor of two holds at most 1024 of them.
class ResponseCounts {
 public:
  struct Entry {
    Duration response{};
    std::uint64_t count = 0;  // 0 marks a free place of the table
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  void add(Duration response, std::uint64_t count) {
    if (coarse_) response = round_up(response);
    if (4 * (distinct_ + 1) > 3 * table_.size()) grow();
    Entry& entry = find(response);
    if (entry.count == 0) {
      entry.response = response;
      ++distinct_;
    }
    entry.count += count;
  }

  /// Prefetches the memory that `add` will need for this value. Always inlined: a compiler drops a call whose
  /// only effect is on the cache.
  [[gnu::always_inline]] void prefetch(Duration response) const {
    if (!table_.empty()) __builtin_prefetch(&table_[place_of(coarse_ ? round_up(response) : response)], 1);
  }
  [[nodiscard]] bool fits_cache() const { return table_.size() <= 1024; }

  /// Rounds all present and future values, to save memory.
  void coarsen();

  [[nodiscard]] bool coarse() const { return coarse_; }
  [[nodiscard]] std::size_t distinct() const { return distinct_; }
  [[nodiscard]] std::vector<Entry> entries() const;  // in no particular order

  /// The least duration of at most 11 significant bits that is not smaller; the largest one where there is
  /// none. Values of 0 or less stay as they are.
  static Duration round_up(Duration response);

 private:
  [[nodiscard]] std::size_t place_of(Duration response) const {
    return (static_cast<std::uint64_t>(response.count()) * 0x9e3779b97f4a7c15U) >> shift_;
  }

  // The place of a value, or the free one where it belongs. The table is never full.
  Entry& find(Duration response) {
    const std::size_t mask = table_.size() - 1;
    std::size_t place = place_of(response);
    while (table_[place].count != 0 && table_[place].response != response) place = (place + 1) & mask;
    return table_[place];
  }

  void grow();
  void rebuild(unsigned bits);

  std::vector<Entry> table_;  // its size is 0 or 2^(64 - shift_)
  unsigned shift_ = 64;
  std::size_t distinct_ = 0;
  bool coarse_ = false;
};

}  // namespace tactus::trace
