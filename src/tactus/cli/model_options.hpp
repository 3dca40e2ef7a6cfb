// What a user may choose where an AMALTHEA model leaves a choice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/cli/verb.hpp"
#include "tactus/import/import.hpp"

namespace tactus::cli {

struct ModelOptions {
  bool worst = false;
  bool average = false;
  bool best = false;
  std::string access = "latency";
  std::string lines = "label";
  std::string line_size;
  std::string conflict = "both";
  std::string gpu = "auto";
  std::string deviations;
  std::string loops;
  std::string frequency;
  std::vector<std::string> periods;
  bool ignore_waits = false;
  bool kernel_alone = false;
  bool open = false;

  /// InputError with what is wrong with a value.
  [[nodiscard]] import::Options options() const;
};

void add_model_options(Verb verb, ModelOptions& options);

/// The model at that path; `-` is standard input. InputError when it cannot be read.
[[nodiscard]] import::Imported import_input(const std::string& path, const import::Options& options);

}  // namespace tactus::cli
