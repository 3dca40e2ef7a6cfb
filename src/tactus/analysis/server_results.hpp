// Combines the results of all servers into one; shared by the tests for whole GPU jobs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/analysis/gpu_tasks.hpp"
#include "tactus/base/ratio_sum.hpp"

namespace tactus::analysis {

/// Why a server fails: as a sentence, and as numbers.
struct Witness {
  std::string reason;
  Detail detail{};
  std::optional<Duration> excess{};      // by how much the demand exceeds the supply, where it is about these
  std::optional<Lateness> late_alone{};  // where it is about a task that is late by itself
};

/// Sets the verdict and its witness.
void set_answer(Result& result, Verdict verdict, Witness witness);

/// Collects the results, server by server. Tasks without a result are not ok; best-effort tasks always
/// are.
class ServerResults {
 public:
  explicit ServerResults(const System& system);

  /// The task keeps its deadline, with this bound.
  void keeps_deadline(const GpuTask& task, Duration bound);
  /// Every task of the server keeps its deadline; the bound is the deadline.
  void keep_deadlines(const GpuServer& server);
  /// The task may miss its deadline, but takes no longer than this.
  void may_be_late(const GpuTask& task, Duration bound);
  /// The test is exact for every server of this system: it is right both ways.
  void is_exact(bool exact) { result_.exact = exact; }

  /// A failure of a server: `verdict` is what it alone means for the system. Of several witnesses the
  /// deciding one is reported: unschedulable before unproven before gave-up.
  void fails(Verdict verdict, Witness witness);

  /// Gave up on a server at this limit.
  void gives_up(const GpuServer& server, const std::string& limit);

  /// Whether the tasks of the server need more than its supply; if so, that fails.
  bool fails_overloaded(const GpuServer& server);

  /// `holds` is the reason given when nothing failed.
  Result finish(std::string_view holds) &&;

 private:
  Result result_;
};

/// Judges every server by itself, unless the test does not apply; `holds` as for `finish`.
Result judge_servers(const System& system, const GpuServers& found, std::string_view holds,
                     const std::function<void(const GpuServer&, ServerResults&)>& judge);

/// Sums in words and JSON saturate at 64 bits; no verdict depends on them.
std::int64_t at_most_64_bits(Int128 value);

/// The name of a task, where there is one.
FactValue name_or_nothing(const System& system, const std::optional<TaskIndex>& task);

/// Why a test of one order does not apply; empty when the system has that order.
std::string find_other_order(const System& system, Order order);

/// Whether all periodic or sporadic tasks are sporadic: then any pattern of arrivals can occur.
bool all_are_sporadic(const System& system);

/// The witness against a resource whose tasks need more than all of its time; nothing where they do not.
std::optional<Witness> find_overload(const std::string& resource, const std::vector<Ratio>& shares);

/// The witness against a server whose tasks need more than its supply.
Witness overload_witness(const GpuServer& server);

/// In words: the scheduler may see a job of the task only after its deadline.
std::string seen_late(const std::string& task, Duration jitter, Duration deadline);

/// Adds a task that the scheduler may see only after its deadline.
void fails_late_release(const System& system, const GpuServer& server, const GpuTask& task,
                        ServerResults& results);

}  // namespace tactus::analysis
