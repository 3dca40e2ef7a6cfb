// What the rules of all parts of the model share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/model/limits.hpp"
#include "tactus/model/system.hpp"
#include "tactus/model/violation.hpp"

namespace tactus {

/// "2 SMs", "1 SM".
std::string counted(std::int64_t number, std::string_view one, std::string_view many);

/// "allowed: 1 to 8".
std::string allowed(Range range);

/// Collects the rules that a system breaks. The rules of each part of the model derive from it.
class Rules {
 public:
  Rules(const System& system, std::vector<Violation>& violations)
      : system_{system}, gpu_{system.platform.gpu}, violations_{violations} {}

  void check_name(const std::string& path, const std::string& owner, std::string_view name);

 protected:
  void add(std::string path, std::string message, std::string hint) {
    add(ProblemId::invalid_value, std::move(path), std::move(message), std::move(hint));
  }
  void add(ProblemId id, std::string path, std::string message, std::string hint, std::string related = {}) {
    violations_.push_back({std::move(path), std::move(message), std::move(hint), std::move(related), id});
  }

  void check_range(const std::string& path, std::string_view what, std::int64_t value, Range range);
  void check_not_negative(const std::string& path, const std::string& what, Duration value);
  void check_positive(const std::string& path, const std::string& what, Duration value,
                      std::string_view advice = {});
  void check_interval(const std::string& path, const std::string& what, Interval time);
  /// The CPU core of a task or node.
  void check_core(const std::string& path, std::int32_t core);

  // Values that other rules depend on. If one is wrong, that is reported once and dependent rules are
  // skipped.
  [[nodiscard]] bool sms_are_known() const { return limits::sms.contains(gpu_.sms); }
  [[nodiscard]] bool levels_are_known() const {
    return limits::priority_levels.contains(gpu_.priority_levels);
  }

  const System& system_;
  const Gpu& gpu_;
  std::vector<Violation>& violations_;
};

void check_platform(const System& system, std::vector<Violation>& violations);
void check_policy(const System& system, std::vector<Violation>& violations);
void check_tasks(const System& system, std::vector<Violation>& violations);
void check_chains(const System& system, std::vector<Violation>& violations);
/// Where a part of a task's work with several variants stands in a system file.
std::string choice_path(const std::string& task_path, const Task& task, std::size_t choice);

/// The work and the scripted jobs of the task at a path.
void check_work(const System& system, const std::string& path, const Task& task,
                std::vector<Violation>& violations);
void check_jobs(const System& system, const std::string& path, const Task& task,
                std::vector<Violation>& violations);

}  // namespace tactus
