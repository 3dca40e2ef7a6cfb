// The adversary: looks for a system that an analysis accepts and a schedule of it that breaks a bound.
//
// For an analysis of your own: make an `analysis::Analysis` value (it needs no registration), say what family
// of systems it is about, and call `falsify`. Everything is decided by the seed; threads only make it faster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tactus/analysis/analysis.hpp"
#include "tactus/base/watch.hpp"
#include "tactus/falsify/family.hpp"
#include "tactus/falsify/play.hpp"

namespace tactus::falsify {

struct CampaignOptions {
  std::uint64_t systems = 1000;  // to attack; systems that are not of the wanted kind do not count
  std::uint64_t schedules = 50;  // of each
  std::uint64_t seed = 1;
  unsigned threads = 0;  // 0: as many as there are cores
  /// `rejected`: systems that the analysis calls unschedulable, each of which must miss a deadline.
  Wanted wanted = Wanted::accepted;
  Watch watch{};
};

/// A system with a schedule that contradicts the analysis, shrunk as far as possible.
struct Counterexample {
  System system;
  Closest job;
  Execution execution = Execution::worst;
  std::optional<Duration> horizon;
};

struct Summary {
  std::uint64_t tried = 0;     // systems generated
  std::uint64_t attacked = 0;  // of the wanted kind
  std::uint64_t schedules = 0;
  std::uint64_t jobs = 0;
  std::optional<Closest> closest;
  std::optional<Counterexample> broken;
  /// Of rejected systems: how many missed a deadline, and one that did not.
  std::uint64_t confirmed = 0;
  std::uint64_t too_close =
      0;  // did not miss, but exceed their supply by nanoseconds that no schedule can show
  std::optional<System> unconfirmed;
  bool interrupted = false;
  unsigned threads = 1;  // actually used
  /// Why there are fewer threads than requested. The answer does not depend on it.
  std::optional<std::string> fewer_threads{};
};

/// Ends at the first broken bound, or when all systems have been attacked, or when stopped. FailureError when
/// the analysis throws.
Summary falsify(const analysis::Analysis& analysis, const Family& family, const CampaignOptions& options);

/// A smaller system that still is accepted and still breaks its bound; the smallest so far when stopped.
Counterexample shrink(const analysis::Analysis& analysis, Counterexample example, const Watch& watch = {});

/// The option of `tactus sim` that plays it; empty for worst cases.
std::string_view execution_option(Execution execution);

/// The counterexample as a system file that `tactus sim` replays; comments in front say how and what to see.
std::string replay_file(const analysis::Analysis& analysis, const Counterexample& example);

/// A rejected system for which no miss was found, as a system file.
std::string system_file(const analysis::Analysis& analysis, const System& system);

}  // namespace tactus::falsify
