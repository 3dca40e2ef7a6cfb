// What the verbs of `tactus measure` share.
#pragma once

#include <optional>
#include <string>

#include "tactus/base/file.hpp"
#include "tactus/cli/verb.hpp"
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

/// `usual` where nothing was said. InputError.
int samples_of(const std::string& text, int usual);

/// The file for the entry. It is opened first: a path that cannot be written is better said before the work
/// than after.
class EntryFile {
 public:
  explicit EntryFile(const std::string& path);
  void finish(const std::string& entry);

 private:
  std::string path_;
  std::optional<AtomicFile> file_;
};

/// InputError in a build without CUDA.
const measure::Measurements& gpu_measurements();

[[nodiscard]] bool is_interrupted();
/// Where half of the samples would tell too little. The exit status.
int end_interrupted();

void show(const MeasureOptions& options, const std::string& json, const std::string& text);

void add_measure_overheads(Verb measure, Action& action);
void add_measure_kernel(Verb measure, Action& action);
void add_measure_copy(Verb measure, Action& action);

}  // namespace tactus::cli
