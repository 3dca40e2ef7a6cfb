// Schedules worked out by hand from the rules, block by block. Every simulator must give exactly these.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "support/random_systems.hpp"
#include "support/recording.hpp"

namespace tactus::test {

struct WorkedExample {
  std::string name;
  Scenario scenario;
  /// What ran on each SM: "task/job.segment#block@start-end" in order of start, then of task. Job and segment
  /// are left out where they are 0.
  std::vector<std::string> sms;
  /// The same for each copy engine, without blocks.
  std::vector<std::string> copy_engines;
  /// "task/job=completion" in file order; "cut" for a job the horizon cut off, "!" behind a missed deadline.
  std::string completions;
};

/// Every example of the published analysis of equal blocks, and the anomaly of unequal ones.
std::vector<WorkedExample> published_examples();

/// One small system for each rule of the simulated GPU and each definition where the rules are silent.
std::vector<WorkedExample> rule_examples();

/// What a recording shows, in the notation of an example.
std::vector<std::string> sm_lines(const Recording& recording, const System& system);
std::vector<std::string> copy_engine_lines(const Recording& recording, const System& system);
std::string completion_line(const Recording& recording, const System& system);

inline void PrintTo(const WorkedExample& example, std::ostream* out) { *out << example.name; }

}  // namespace tactus::test
