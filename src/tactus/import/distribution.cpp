#include "tactus/import/distribution.hpp"

#include <algorithm>
#include <string_view>

#include "tactus/import/quantity.hpp"

namespace tactus::import {

namespace {

/// A number that is an attribute, or an element with `value` and perhaps a unit of time.
std::optional<Rational> number_of(const Element& element, std::string_view key) {
  if (element.has(key)) return parse_number(element.attribute(key));
  const Element* child = element.child(key);
  if (child == nullptr) return std::nullopt;
  if (child->has("unit")) return nanoseconds_of(*child);
  // Objects are written without a value that is 0.
  const std::optional<Rational> number = child->type.ends_with("Object") && !child->has("value")
                                             ? Rational{}
                                             : parse_number(child->attribute("value"));
  // A time without a unit says nothing, unless it is 0.
  const bool is_time = child->type == "Time" || child->type == "SignedTime";
  return is_time && number != Rational{} ? std::nullopt : number;
}

/// Whether it is there.
bool has_number(const Element& element, std::string_view key) {
  return element.has(key) || element.child(key) != nullptr;
}

std::optional<Rational> middle(const std::optional<Rational>& low, const std::optional<Rational>& high) {
  return low && high ? std::optional{(*low + *high) / Rational{2}} : std::nullopt;
}

/// Alpha and beta say where between the bounds the average lies.
std::optional<Rational> beta_average(const Element& element, const Distribution& bounds) {
  const std::optional<Rational> alpha = number_of(element, "alpha");
  const std::optional<Rational> beta = number_of(element, "beta");
  if (!alpha || !beta || !bounds.best || !bounds.worst || *alpha + *beta <= Rational{}) return std::nullopt;
  return *bounds.best + (*bounds.worst - *bounds.best) * (*alpha / (*alpha + *beta));
}

std::optional<Distribution> read_histogram(const Element& element) {
  Distribution all;
  Rational weights;
  Rational sum;
  for (const Element& entry : element.children) {
    if (entry.name != "entries") continue;
    const std::optional<Rational> low = number_of(entry, "lowerBound");
    const std::optional<Rational> high = number_of(entry, "upperBound");
    if (!low || !high) return std::nullopt;  // its part of the time is not known
    all.best = all.best ? std::min(*all.best, *low) : *low;
    all.worst = all.worst ? std::max(*all.worst, *high) : *high;
    const Rational weight = number_of(entry, "occurrences").value_or(Rational{1});
    weights = weights + weight;
    sum = sum + weight * *middle(low, high);
  }
  if (!all.best) return std::nullopt;
  if (weights > Rational{}) all.average = sum / weights;
  return all;
}

/// Until version 0.9.2 bounds and distribution stand in an element of their own, and that of a need in the
/// value of its entry.
const Element& innermost(const Element& element) {
  if (const Element* inner = element.child("deviation")) return *inner;
  const Element* value = element.child("value");
  const bool holds_another = value != nullptr && !value->has("value") && !element.has("value");
  return holds_another ? innermost(*value) : element;
}

}  // namespace

Distribution with_bounds(const Distribution& distribution, const Rational& deviations) {
  Distribution bounded = distribution;
  if (!distribution.average || !distribution.deviation) return bounded;
  const Rational reach = *distribution.deviation * deviations;
  if (!bounded.worst) bounded.worst = *distribution.average + reach;
  return bounded;
}

std::optional<Distribution> read_distribution(const Element& element) {
  const Element& inner = innermost(element);
  if (inner.child("entries") != nullptr) return read_histogram(inner);
  // A constant, or an element with a unit that is one by itself.
  const std::optional<Rational> value = inner.has("unit") ? nanoseconds_of(inner) : number_of(inner, "value");
  if (value) return Distribution::constant(*value);
  // A bound that is not understood is none that is missing.
  for (const std::string_view bound : {"lowerBound", "upperBound"}) {
    if (has_number(inner, bound) && !number_of(inner, bound)) return std::nullopt;
  }
  Distribution read{.best = number_of(inner, "lowerBound"),
                    .average = {},
                    .worst = number_of(inner, "upperBound"),
                    .deviation = {}};
  const Element* shape = inner.child("distribution");
  const Element& from = shape == nullptr ? inner : *shape;
  read.average = number_of(from, "average");
  if (!read.average) read.average = number_of(from, "mean");
  if (!read.average) read.average = beta_average(from, read);
  if (!read.average) read.average = middle(read.best, read.worst);
  read.deviation = number_of(from, "sd");
  const bool says_something = read.best || read.worst || read.average;
  return says_something ? std::optional{read} : std::nullopt;
}

}  // namespace tactus::import
