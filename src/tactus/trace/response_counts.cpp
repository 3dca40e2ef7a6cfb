#include "tactus/trace/response_counts.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tactus::trace {

namespace {

constexpr unsigned min_bits = 4;
constexpr unsigned significant_bits = 11;

}  // namespace

Duration ResponseCounts::round_up(Duration response) {
  if (response.count() <= 0) return response;
  const auto value = static_cast<std::uint64_t>(response.count());
  const auto width = static_cast<unsigned>(std::bit_width(value));
  if (width <= significant_bits) return response;
  const std::uint64_t step = std::uint64_t{1} << (width - significant_bits);
  const std::uint64_t rounded = (value + (step - 1)) & ~(step - 1);
  const auto largest = static_cast<std::uint64_t>(Duration::max().count());
  return Duration{static_cast<std::int64_t>(std::min(rounded, largest))};
}

void ResponseCounts::grow() { rebuild(table_.empty() ? min_bits : 64 - shift_ + 1); }

void ResponseCounts::rebuild(unsigned bits) {
  const std::vector<Entry> old = std::exchange(table_, std::vector<Entry>(std::size_t{1} << bits));
  shift_ = 64 - bits;
  for (const Entry& entry : old) {
    if (entry.count != 0) find(entry.response) = entry;
  }
}

void ResponseCounts::coarsen() {
  if (coarse_) return;
  coarse_ = true;
  const std::vector<Entry> old = std::exchange(table_, {});
  distinct_ = 0;
  for (const Entry& entry : old) {
    if (entry.count != 0) add(entry.response, entry.count);
  }
}

std::vector<ResponseCounts::Entry> ResponseCounts::entries() const {
  std::vector<Entry> used;
  used.reserve(distinct_);
  std::copy_if(table_.begin(), table_.end(), std::back_inserter(used),
               [](const Entry& entry) { return entry.count != 0; });
  return used;
}

}  // namespace tactus::trace
