// The results of an experiment as files: a CSV table, JSON, and a manifest to reproduce it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "tactus/sweep/counts.hpp"
#include "tactus/sweep/experiment.hpp"

namespace tactus::sweep {

/// The name of the policy that an analysis judges under, where policies are compared.
const std::string& policy_name(const Experiment& experiment, std::size_t analysis);

/// 934000 as "0.934000".
std::string ratio_text(std::int64_t parts_of_a_million);

/// One line for every finished point and analysis, with the names of the columns first. It depends on the
/// experiment alone: not on threads, time or machine.
std::string to_csv(const Experiment& experiment, const SweepResult& result);

/// Weighted schedulability of every analysis over all values of the first parameter; one line for every
/// value of the second whose points are all finished. Empty where it is not measured.
std::string weighted_csv(const Experiment& experiment, const SweepResult& result);

bool is_finished(const SweepResult& result, const Panel& panel);

/// Weighted schedulability over the points of a panel that is finished, in parts of a million. Nothing where
/// the analysis applies to none of its systems, or it was not measured.
std::optional<std::int64_t> weighted_of(const Experiment& experiment, const SweepResult& result,
                                        const Panel& panel, std::size_t analysis);

/// How a result came about.
struct Provenance {
  std::string command{};  // of the last run
  std::string experiment_file{};
  std::chrono::system_clock::time_point begun{};  // by the first run
  std::chrono::duration<double> took{};           // all runs together
  std::int64_t runs = 1;
  unsigned threads = 1;  // on all ranks together
  int ranks = 1;
  std::int64_t verdicts = 0;  // systems times analyses that were judged in that time
};

}  // namespace tactus::sweep
