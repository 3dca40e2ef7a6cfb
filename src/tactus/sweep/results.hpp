// The results of an experiment as files: a table for programs, JSON, and what is needed to repeat it.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "tactus/sweep/experiment.hpp"
#include "tactus/sweep/run.hpp"

namespace tactus::sweep {

/// 934000 as "0.934000".
std::string ratio_text(std::int64_t parts_of_a_million);

/// One line for every finished point and analysis, with the names of the columns first. It depends on the
/// experiment alone: not on threads, time or machine.
std::string to_csv(const Experiment& experiment, const SweepResult& result);

/// The same as JSON.
nlohmann::ordered_json to_json(const Experiment& experiment, const SweepResult& result);

/// How a result came about.
struct Provenance {
  std::string command;
  std::string experiment_file;
  std::chrono::system_clock::time_point begun;
  std::chrono::duration<double> took{};
  unsigned threads = 1;
};

/// The manifest: version, seed, command, date, duration, and whether all points are there.
nlohmann::ordered_json manifest(const Experiment& experiment, const SweepResult& result,
                                const Provenance& provenance);

}  // namespace tactus::sweep
