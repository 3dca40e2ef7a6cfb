// Shared by the verbs of `tactus measure`.
#pragma once

#include <string>

#include "tactus/cli/input.hpp"
#include "tactus/measure/measurements.hpp"

namespace tactus::cli {

struct MeasureOptions {
  std::string samples;
  std::string margin = "max*1.2";
  std::string output;
  bool json = false;
};

/// --samples, --margin, --output and --json.
void add_measure_options(Verb verb, MeasureOptions& options, const char* samples);

/// `usual` if nothing was given. InputError for other text.
int samples_of(const std::string& text, int usual);

/// The file for an entry. InputError for standard output.
class EntryFile {
 public:
  explicit EntryFile(const std::string& path);
  void finish(const std::string& entry);

 private:
  std::string path_;
  OutputFile file_;
};

/// InputError in a build without CUDA.
const measure::Measurements& gpu_measurements();

[[nodiscard]] bool is_interrupted();
/// Ends a measurement for which partial samples are not useful. Returns the exit status.
int end_interrupted();

void show(const MeasureOptions& options, const std::string& json, const std::string& text);

void add_measure_overheads(Verb measure);
void add_measure_kernel(Verb measure);
void add_measure_copy(Verb measure);

}  // namespace tactus::cli
