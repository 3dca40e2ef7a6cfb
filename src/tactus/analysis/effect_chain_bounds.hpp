// How long data takes through an effect chain, from what is known of each of its tasks.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "tactus/base/time.hpp"
#include "tactus/model/effect_chain.hpp"

namespace tactus::analysis {

/// A task of a chain. Every job publishes at most `publication` after its nominal release: its proven
/// response time, or with LET its deadline (exactly then).
struct EffectStage {
  std::string name;
  Duration period{};
  Duration offset{};
  Duration publication{};
  bool sporadic = false;
};

/// One of the two bounds, or why there is none.
struct EffectBound {
  std::optional<Duration> bound;
  std::string why_none;
  /// No bound: some schedule that the model allows exceeds every length of time.
  bool unbounded = false;
  /// No smaller value holds for all schedules in which each job publishes exactly `publication` after its
  /// release and reads at its release, as with LET.
  bool tight = false;
};

struct EffectBounds {
  EffectBound reaction;
  EffectBound age;
};

/// How many jobs of a hyperperiod are followed through a chain, counted once for each of its tasks. Where
/// there are more, the waits between neighbours are bounded one by one.
inline constexpr std::int64_t max_followed = 200'000;

/// OverflowError where sums leave 64 bits.
EffectBounds effect_bounds(std::span<const EffectStage> stages, Communication communication,
                           std::int64_t followed = max_followed);

}  // namespace tactus::analysis
