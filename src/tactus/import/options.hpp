// The choices that a model leaves to whoever imports it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tactus/base/time.hpp"

namespace tactus::import {

/// Which execution times the system gets.
enum class Times : std::uint8_t { bounds, worst, average, best };

/// How long accesses to labels take.
enum class AccessTime : std::uint8_t {
  latency,  // lines times the unit's latency
  rate,     // bytes by the unit's data rate; by latency where it has none
  copies,   // copies between host and device by latency, all others nothing
  none,     // nothing
};

/// How bytes become lines.
enum class Lines : std::uint8_t {
  label,  // every label begins a line of its own
  sum,    // those of a runnable lie together
};

/// What counts when a task's affinity lies outside its scheduler's responsibility.
enum class Conflict : std::uint8_t {
  both,       // the core of the affinity, and times that hold by the ticks of either
  affinity,   // the affinity alone
  scheduler,  // the scheduler's responsibility alone
};

/// How the GPU is shared.
enum class Sharing : std::uint8_t {
  automatic,    // as the model says: by time slices, or in one process where it gives grids
  processes,    // every task is a process of its own
  one_process,  // all kernels come from one process, block by block
};

struct Options {
  Times times = Times::bounds;
  AccessTime access = AccessTime::latency;
  Lines lines = Lines::label;
  std::optional<std::int64_t> line_size;  // bytes; else the model's, else 64
  Conflict conflict = Conflict::both;
  Sharing sharing = Sharing::automatic;
  std::optional<Rational> deviations;  // bounds of normal distributions that have none
  std::optional<std::int64_t> loops;   // how often a loop is run at most
  std::optional<Rational> hertz;       // of a core, for models without processing units
  /// How often tasks come at most, whatever their stimuli say; nothing: never.
  std::map<std::string, std::optional<Duration>> periods;
  /// In the variant on a core, nothing but accesses is left of what prepares and ends the work of the GPU.
  bool kernel_alone = false;
  bool ignore_waits = false;  // of waits for what the waiting task does not cause
  bool open = false;          // leave cores and variants to `plan`
};

}  // namespace tactus::import
