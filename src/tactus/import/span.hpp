// How long something takes: at least, on average, at most.
#pragma once

#include "tactus/base/exact.hpp"

namespace tactus::import {

/// In nanoseconds. Exact as long as the fractions fit; else the best case is a little smaller and the worst a
/// little larger than they are.
struct Span {
  Rational best;
  Rational average;
  Rational worst;

  friend Span operator+(const Span& a, const Span& b);
  friend bool operator==(const Span&, const Span&) = default;
};

/// From the shorter to the longer of two.
Span envelope(const Span& a, const Span& b);

/// So many times the span.
Span scaled(const Span& span, const Rational& factor);

}  // namespace tactus::import
