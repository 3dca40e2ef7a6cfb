// Periods and deadlines of generated tasks. All draws are integers, the same on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "tactus/base/exact.hpp"
#include "tactus/base/time.hpp"

namespace tactus::generate {

/// One of the list, each as likely. The list is not empty.
Duration pick_from(std::span<const Duration> list, std::uint64_t bits);

/// Log-uniform over [least, most]: every factor of two gets the same share. Rounded down to a multiple of
/// `granularity`, but never below `least`. Needs 0 < least <= most and granularity > 0.
Duration log_uniform(Duration least, Duration most, Duration granularity, std::uint64_t bits);

/// Uniform over the whole nanoseconds of [ceil(min_share * period), period], for a share of at most 1; at
/// least 1 ns.
Duration uniform_deadline(Duration period, const Rational& min_share, std::uint64_t bits);

}  // namespace tactus::generate
