#include "tactus/import/stimuli.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/import/distribution.hpp"
#include "tactus/import/properties.hpp"
#include "tactus/import/quantity.hpp"

namespace tactus::import {

namespace {

/// Without a unit only 0 says something.
std::optional<Rational> read_time(const Element& time, Notes& notes) {
  if (const std::optional<Rational> read = nanoseconds_of(time)) return read;
  if (parse_number(time.attribute("value")) == Rational{}) return Rational{};
  notes.refuse_quantity(time, "write a `value` and a `unit` such as ms");
  return std::nullopt;
}

std::optional<Rational> time_of(const Element& stimulus, std::string_view role, Notes& notes) {
  const Element* time = stimulus.child(role);
  return time == nullptr ? std::nullopt : read_time(*time, notes);
}

/// A shorter period is the safe side.
std::optional<Duration> period_of(const Element& stimulus, std::string_view role, Notes& notes) {
  const std::optional<Rational> time = time_of(stimulus, role, notes);
  if (!time || *time < Rational{1}) return std::nullopt;
  return rounded_down(*time);
}

Duration offset_of(const Element& stimulus, std::string_view role, Notes& notes) {
  const std::optional<Rational> time = time_of(stimulus, role, notes);
  if (time && *time < Rational{})
    notes.refuse_quantity(*stimulus.child(role), "write a time that is not negative");
  return time && *time > Rational{} ? rounded_down(*time) : Duration{};
}

Arrivals sporadic(std::optional<Duration> distance) {
  return {.arrival = Arrival::sporadic, .period = distance, .offset = {}, .jitter = {}};
}

/// Its jitter, or null. Old models write a deviation also where there is none.
const Element* jitter_element(const Element& stimulus) {
  if (const Element* jitter = stimulus.child("jitter")) return jitter;
  const Element* deviation = stimulus.child("stimulusDeviation");  // until version 0.8.2
  return deviation == nullptr || deviation->children.empty() ? nullptr : deviation;
}

Duration jitter_of(const Element& stimulus, Notes& notes) {
  const Element* jitter = jitter_element(stimulus);
  if (jitter == nullptr) return {};
  const std::optional<Distribution> read = read_distribution(*jitter);
  if (!read) {
    notes.refuse_quantity(*jitter, "give its times a `value` and a `unit` such as ms");
    return {};
  }
  if (!read->worst) {
    notes.refuse(*jitter, ProblemId::incomplete_model, "this jitter has no upper bound",
                 "give it bounds in the model");
    return {};
  }
  if (read->best && *read->best < Rational{}) {
    notes.assume(
        "negative-jitter", jitter,
        "activations before their nominal time are taken as later ones: only the width of the jitter counts");
    return rounded_up(*read->worst - *read->best);
  }
  return rounded_up(std::max(Rational{}, *read->worst));
}

Arrivals periodic(const Element& stimulus, Notes& notes) {
  // Until version 0.8.2: its rate is that of a clock, which varies.
  if (stimulus.has("clock") || stimulus.child("clock") != nullptr) return sporadic(std::nullopt);
  return {.arrival = Arrival::periodic,
          .period = period_of(stimulus, "recurrence", notes),
          .offset = offset_of(stimulus, "offset", notes),
          .jitter = jitter_of(stimulus, notes)};
}

/// The class without the ending that it did not have until 0.8.0.
std::string_view stimulus_kind(const Element& stimulus) {
  std::string_view type = class_of(stimulus);
  constexpr std::string_view ending = "Stimulus";
  if (type.ends_with(ending)) type.remove_suffix(ending.size());
  return type;
}

Arrivals relative(const Element& stimulus) {
  const Element* next = stimulus.child(distance_role(stimulus));
  const std::optional<Distribution> read = next == nullptr ? std::nullopt : read_distribution(*next);
  if (!read || !read->best || *read->best < Rational{1}) return sporadic(std::nullopt);
  return sporadic(rounded_down(*read->best));
}

/// The closest two arrivals of a pattern that repeats.
Arrivals synthetic(const Element& stimulus, Notes& notes) {
  std::optional<Rational> recurrence = time_of(stimulus, "recurrence", notes);
  if (!recurrence) recurrence = time_of(stimulus, "period", notes);  // until version 0.8.2
  std::vector<Rational> times;
  const auto read = [&](const Element& holder, const auto& self) -> void {
    for (const Element& child : holder.children) {
      if (child.name == "occurrenceTimes" || child.name == "triggerTimes" || child.name == "timestamps") {
        const bool is_list = child.child("timestamps") != nullptr;
        const std::optional<Rational> time = is_list ? std::nullopt : read_time(child, notes);
        if (time) times.push_back(*time);
        self(child, self);
      }
    }
  };
  read(stimulus, read);
  if (!recurrence || times.empty()) return sporadic(std::nullopt);
  std::sort(times.begin(), times.end());
  Rational closest = times.front() + *recurrence - times.back();
  for (std::size_t i = 1; i < times.size(); ++i) closest = std::min(closest, times[i] - times[i - 1]);
  if (closest < Rational{1}) return sporadic(std::nullopt);
  notes.assume_more(
      "pattern", &stimulus,
      fmt::format(
          "{} repeats a pattern of {} activations; they are taken to come {} apart at least, at any time",
          in_backticks(name_of(stimulus)), times.size(), to_text(rounded_down(closest))));
  Arrivals arrivals = sporadic(rounded_down(closest));
  arrivals.jitter = jitter_of(stimulus, notes);
  return arrivals;
}

/// Within a burst activations keep their least distance; the last of one and the first of the next may lie as
/// close as the bursts themselves.
Arrivals burst(const Element& stimulus, Notes& notes) {
  const std::optional<Duration> recurrence = period_of(stimulus, "recurrence", notes);
  const std::optional<Duration> length = period_of(stimulus, "burstLength", notes);
  const bool is_single = parse_whole(stimulus.attribute("occurrenceCount")) == 1;
  std::optional<Duration> distance = period_of(stimulus, "occurrenceMinDistance", notes);
  if (recurrence && (length || is_single)) {
    const Duration between = *recurrence - length.value_or(Duration{});
    distance = is_single ? between : std::min(distance.value_or(Duration{}), between);
  } else {
    distance.reset();
  }
  if (distance && *distance <= Duration{}) distance.reset();
  if (distance) {
    notes.assume_more(
        "burst", &stimulus,
        fmt::format("activations of {} are taken to come {} apart all the time, not in bursts only",
                    in_backticks(name_of(stimulus)), to_text(*distance)));
  }
  return sporadic(distance);
}

/// Two activations are never closer than the curve says for two of them.
Arrivals curve(const Element& stimulus, Notes& notes) {
  std::optional<Duration> distance;
  for (const Element& entry : stimulus.children) {
    const std::int64_t count = parse_whole(entry.attribute("numberOfOccurrences"))
                                   .value_or(parse_whole(entry.attribute("numberOfEvents")).value_or(0));
    if (entry.name != "entries" || count != 2) continue;
    const std::optional<Duration> one = period_of(entry, "lowerTimeBorder", notes);
    distance = one ? std::min(distance.value_or(*one), *one) : distance;
  }
  Arrivals arrivals = sporadic(distance);
  arrivals.jitter = jitter_of(stimulus, notes);
  return arrivals;
}

std::int64_t counter_of(const Element& stimulus) {
  const Element* counter = stimulus.child("counter");
  return counter == nullptr
             ? 1
             : std::max<std::int64_t>(1, parse_whole(counter->attribute("prescaler")).value_or(1));
}

}  // namespace

std::string_view distance_role(const Element& stimulus) {
  const std::string_view kind = stimulus_kind(stimulus);
  if (kind != "RelativePeriodic" && kind != "Sporadic") return {};
  const bool is_old = stimulus.child("stimulusDeviation") != nullptr || kind == "Sporadic";
  return is_old && stimulus.child("nextOccurrence") == nullptr ? "stimulusDeviation" : "nextOccurrence";
}

Arrivals read_arrivals(const Element& stimulus, Notes& notes) {
  const std::string_view type = stimulus_kind(stimulus);
  if (type == "Periodic") return periodic(stimulus, notes);
  if (type == "RelativePeriodic" || type == "Sporadic") return relative(stimulus);
  if (type == "PeriodicSynthetic" || type == "Synthetic") return synthetic(stimulus, notes);
  if (type == "PeriodicBurst") return burst(stimulus, notes);
  if (type == "ArrivalCurve") return curve(stimulus, notes);
  if (type == "Single") {
    const bool is_old = stimulus.child("occurrence") == nullptr;  // until version 0.8.2
    return {.arrival = Arrival::once,
            .period = {},
            .offset = offset_of(stimulus, is_old ? "activation" : "occurrence", notes),
            .jitter = {}};
  }
  if (type == "InterProcess") {
    return {.arrival = Arrival::periodic,
            .period = {},
            .offset = {},
            .jitter = {},
            .is_triggered = true,
            .every = counter_of(stimulus)};
  }
  return sporadic(std::nullopt);
}

}  // namespace tactus::import
