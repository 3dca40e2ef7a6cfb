// Shared by the experiments on a GPU: output of results, and statistics of samples.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::bench {

/// Nanoseconds on the host's steady clock.
std::int64_t now_ns();

constexpr double microseconds_of(std::int64_t ns) { return static_cast<double>(ns) / 1000.0; }
constexpr double microseconds_of(Duration duration) { return microseconds_of(in_ns(duration)); }

/// The current time in UTC, in ISO 8601.
std::string utc_now();

/// {"count", "min", "median", "p99", "p99.9", "max"} in microseconds. Percentiles are nearest rank.
nlohmann::ordered_json summary_of(std::vector<std::int64_t> samples_ns);

/// The number of SMs of the GPU in use.
int sm_count();

/// The command line of an experiment: --samples FOLDER stores every sample, --quick takes few of them (a
/// smoke test), --core N pins the acting thread to a core, --overheads "release: 10us, ..." says what the
/// platform adds (where an experiment asks for bounds), other words select the parts to run.
struct Arguments {
  std::optional<int> core;
  std::optional<std::filesystem::path> samples;
  std::optional<std::string> overheads;  // of the platform, as in a system file
  bool quick = false;
  std::vector<std::string> parts;

  [[nodiscard]] bool wants(const std::string& part) const;
};

/// While it lives, the calling thread is pinned to one core. Threads created meanwhile inherit that.
class OnCore {
 public:
  explicit OnCore(std::optional<int> core);
  ~OnCore();
  OnCore(const OnCore&) = delete;
  OnCore& operator=(const OnCore&) = delete;
};

/// The calling thread may run on any core again.
void leave_core();

/// Prints one line of JSON per result, and stores samples.
class Results {
 public:
  Results(std::string experiment, Arguments arguments)
      : experiment_{std::move(experiment)}, arguments_{std::move(arguments)} {}

  [[nodiscard]] const Arguments& arguments() const { return arguments_; }
  /// Adds the name of the experiment and the time.
  void print(const nlohmann::ordered_json& result) const;
  /// One number per line, in nanoseconds, in the order of measurement. The name may contain letters, digits,
  /// blanks and dashes.
  void keep(const std::string& name, std::span<const std::int64_t> samples_ns) const;
  /// Lines of text, for series with several columns.
  void keep_text(const std::string& name, const std::string& extension, const std::string& text) const;
  /// Runs a part. A failure is reported as a result, and the next part continues.
  void attempt(const nlohmann::ordered_json& labels, const std::function<void()>& part);
  /// 0, or 3 when a part failed.
  [[nodiscard]] int status() const { return failed_ ? 3 : 0; }

 private:
  std::string experiment_;
  Arguments arguments_;
  bool failed_ = false;
};

/// Parses the command line and runs the experiment; returns 2 for a wrong command line, 3 without a GPU or on
/// failure.
int run_experiment(const std::string& name, std::span<const std::string> known_parts, int argc, char** argv,
                   const std::function<void(Results&)>& experiment);

}  // namespace tactus::bench
