// From the answers for each server to one result: what all tests for whole GPU jobs share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tactus/analysis/analysis.hpp"
#include "tactus/analysis/gpu_tasks.hpp"

namespace tactus::analysis {

/// Why a server fails: a sentence, and the same as numbers.
struct Witness {
  std::string reason;
  Detail detail{};
  std::optional<Duration> excess{};      // by how much the demand exceeds the supply, where it is about these
  std::optional<Lateness> late_alone{};  // where it is about a task that is late by itself
};

/// The verdict that a witness is for.
void set_answer(Result& result, Verdict verdict, Witness witness);

/// Collects what is found, server by server. Tasks without a finding are not ok; best-effort tasks always
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

  /// Something about a server: `verdict` is what it alone would mean for the system. Of several witnesses the
  /// one that decides is told: unschedulable before unproven before gave-up.
  void fails(Verdict verdict, Witness witness);

  /// `holds` is the reason given when nothing failed.
  Result finish(std::string_view holds) &&;

 private:
  Result result_;
};

/// Sums in words and JSON are cut at 64 bits; no verdict rests on them.
std::int64_t at_most_64_bits(Int128 value);

/// The name of a task, where there is one.
FactValue name_or_nothing(const System& system, const std::optional<TaskIndex>& task);

/// Why a test of one order does not apply; empty when the system has that order.
std::string find_other_order(const System& system, Order order);

/// Whether all periodic or sporadic tasks are sporadic: then any pattern of arrivals can occur.
bool all_are_sporadic(const System& system);

/// The witness against a server whose tasks alone need more than there is.
Witness overload_witness(const GpuServer& server);

/// Files a task that the scheduler may see only after its deadline.
void fails_late_release(const System& system, const GpuServer& server, const GpuTask& task,
                        ServerResults& results);

}  // namespace tactus::analysis
