// One system under every strategy that accepts it: what is proven, and what a simulation shows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/plan/ways.hpp"

namespace tactus::plan {

/// The simulation of a way, with worst-case times.
struct Simulated {
  Time horizon{};
  Time reached{};  // earlier where too many jobs were pending
  std::uint64_t misses = 0;
  /// By task: the longest response, or the age that a job had reached at the end without being done.
  std::vector<std::optional<Duration>> longest;
  std::vector<bool> unfinished;  // by task: the value is such an age, so the response is longer
};

struct ComparedWay {
  Trial trial;
  std::optional<Simulated> simulated;
};

struct Comparison {
  std::string system;
  std::vector<std::string> tasks;
  std::vector<std::optional<Duration>> deadlines;
  std::vector<ComparedWay> ways;
  bool interrupted = false;

  [[nodiscard]] bool some_holds() const;
};

struct CompareOptions {
  bool simulate = true;
  std::optional<Duration> horizon;  // nothing: the simulator's own (sim/horizon.hpp)
};

Comparison compare(const System& system, std::span<const Way> ways, const CompareOptions& options,
                   const Watch& watch);

/// The task with the greatest ratio of its value to its deadline, and that ratio in thousandths, rounded up.
struct WorstPart {
  std::size_t task = 0;
  std::int64_t thousandths = 0;
};
std::optional<WorstPart> worst_part(std::span<const std::optional<Duration>> values,
                                    std::span<const std::optional<Duration>> deadlines);

}  // namespace tactus::plan
