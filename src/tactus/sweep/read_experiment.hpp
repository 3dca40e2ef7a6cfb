// Experiment files, version 1 (docs/experiments.md): YAML in, an experiment out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/sweep/experiment.hpp"

namespace tactus::sweep {

/// The experiment, or every problem of the text: exactly one of the two.
struct ReadExperimentResult {
  std::optional<Experiment> experiment;
  std::vector<Problem> problems;
};

/// Reads the text of an experiment file; `file` is the name that problems carry. Never throws on bad input.
ReadExperimentResult read_experiment(std::string_view text, const std::string& file);

/// The experiment of a file. InputError with all problems when there is none.
Experiment load_experiment(const std::filesystem::path& path);

}  // namespace tactus::sweep
