// What the experiments on a GPU share: where results go, and how samples become numbers.
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

/// The time of day in UTC, as ISO 8601 writes it.
std::string utc_now();

/// {"count", "min", "median", "p99", "p99.9", "max"} in microseconds. Percentiles are nearest rank.
nlohmann::ordered_json summary_of(std::vector<std::int64_t> samples_ns);

/// SMs of the GPU that is used.
int sm_count();

/// Command line of an experiment: --samples FOLDER keeps every single sample, --quick takes few of them (to
/// see whether all works), --core N keeps the thread that acts on a core, other words choose the parts to
/// run.
struct Arguments {
  std::optional<int> core;
  std::optional<std::filesystem::path> samples;
  bool quick = false;
  std::vector<std::string> parts;

  [[nodiscard]] bool wants(const std::string& part) const;
};

/// While it lives the calling thread is on one core. Threads that are made meanwhile would stay there, too.
class OnCore {
 public:
  explicit OnCore(std::optional<int> core);
  ~OnCore();
  OnCore(const OnCore&) = delete;
  OnCore& operator=(const OnCore&) = delete;
  OnCore(OnCore&&) = delete;
  OnCore& operator=(OnCore&&) = delete;
};

/// The calling thread may be on any core again.
void leave_core();

/// Prints one line of JSON a result, and keeps samples.
class Results {
 public:
  Results(std::string experiment, Arguments arguments)
      : experiment_{std::move(experiment)}, arguments_{std::move(arguments)} {}

  [[nodiscard]] const Arguments& arguments() const { return arguments_; }
  /// Adds the experiment's name and the time of day.
  void print(const nlohmann::ordered_json& result) const;
  /// One number a line, in nanoseconds and in the order in which they were taken. The name may hold letters,
  /// digits, blanks and dashes.
  void keep(const std::string& name, std::span<const std::int64_t> samples_ns) const;
  /// Lines of text, for series with several columns.
  void keep_text(const std::string& name, const std::string& extension, const std::string& text) const;
  /// Runs a part. When it fails, the failure is a result and the next part goes on.
  void attempt(const nlohmann::ordered_json& labels, const std::function<void()>& part);
  /// 0, or 3 when a part failed.
  [[nodiscard]] int status() const { return failed_ ? 3 : 0; }

 private:
  std::string experiment_;
  Arguments arguments_;
  bool failed_ = false;
};

/// Reads the command line and runs the experiment; 2 for a bad command line, 3 without a GPU or when it
/// fails.
int run_experiment(const std::string& name, std::span<const std::string> known_parts, int argc, char** argv,
                   const std::function<void(Results&)>& experiment);

}  // namespace tactus::bench
