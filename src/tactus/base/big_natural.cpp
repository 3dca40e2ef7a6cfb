#include "tactus/base/big_natural.hpp"

#include <algorithm>

namespace tactus {

namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

BigNatural::BigNatural(std::uint64_t value) {
  if (value != 0) digits_.push_back(value);
}

BigNatural& BigNatural::operator*=(std::uint64_t factor) {
  if (factor == 0) digits_.clear();
  std::uint64_t carry = 0;
  for (std::uint64_t& digit : digits_) {
    const Wide product = static_cast<Wide>(digit) * factor + carry;
    digit = static_cast<std::uint64_t>(product);
    carry = static_cast<std::uint64_t>(product >> 64U);
  }
  if (carry != 0) digits_.push_back(carry);
  return *this;
}

BigNatural& BigNatural::operator+=(const BigNatural& other) {
  if (digits_.size() < other.digits_.size()) digits_.resize(other.digits_.size(), 0);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < digits_.size(); ++i) {
    if (i >= other.digits_.size() && carry == 0) break;
    const Wide sum =
        static_cast<Wide>(digits_[i]) + (i < other.digits_.size() ? other.digits_[i] : 0) + carry;
    digits_[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64U);
  }
  if (carry != 0) digits_.push_back(carry);
  return *this;
}

std::strong_ordering operator<=>(const BigNatural& a, const BigNatural& b) {
  if (a.digits_.size() != b.digits_.size()) return a.digits_.size() <=> b.digits_.size();
  return std::lexicographical_compare_three_way(a.digits_.rbegin(), a.digits_.rend(), b.digits_.rbegin(),
                                                b.digits_.rend());
}

}  // namespace tactus
