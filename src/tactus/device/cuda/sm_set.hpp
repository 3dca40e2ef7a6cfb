// A set of SMs, small enough to be a kernel argument.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <vector>

#ifdef __CUDACC__
#define TACTUS_HOST_DEVICE __host__ __device__
#else
#define TACTUS_HOST_DEVICE
#endif

namespace tactus::cuda {

/// The ids are the values of %smid.
struct SmSet {
  static constexpr unsigned capacity = 512;
  static constexpr unsigned words = capacity / 32;
  // Not std::array, whose functions device code cannot call.
  std::uint32_t bits[words] = {};  // NOLINT(modernize-avoid-c-arrays)

  [[nodiscard]] TACTUS_HOST_DEVICE bool contains(unsigned sm) const {
    return sm < capacity && ((bits[sm / 32] >> (sm % 32)) & 1U) != 0;
  }
  /// `sm` must be below the capacity.
  void insert(unsigned sm) { bits[sm / 32] |= 1U << (sm % 32); }
  [[nodiscard]] int size() const {
    int count = 0;
    for (const std::uint32_t word : bits) count += std::popcount(word);
    return count;
  }
  /// The lowest and the highest id of a set that is not empty.
  [[nodiscard]] unsigned lowest() const {
    unsigned word = 0;
    while (bits[word] == 0) ++word;
    return 32 * word + static_cast<unsigned>(std::countr_zero(bits[word]));
  }
  [[nodiscard]] unsigned highest() const {
    unsigned word = words - 1;
    while (bits[word] == 0) --word;
    return 32 * word + 31 - static_cast<unsigned>(std::countl_zero(bits[word]));
  }
  /// In ascending order.
  [[nodiscard]] std::vector<unsigned> ids() const {
    std::vector<unsigned> result;
    for (unsigned sm = 0; sm < capacity; ++sm) {
      if (contains(sm)) result.push_back(sm);
    }
    return result;
  }
  friend bool operator==(const SmSet&, const SmSet&) = default;
};

inline SmSet all_sms() {
  SmSet set;
  for (std::uint32_t& word : set.bits) word = ~std::uint32_t{0};
  return set;
}

inline SmSet sm_set_of(std::initializer_list<unsigned> ids) {
  SmSet set;
  for (const unsigned sm : ids) set.insert(sm);
  return set;
}

}  // namespace tactus::cuda
