// What an analysis is, and its result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/analysis/detail.hpp"
#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"

namespace tactus::analysis {

/// What a test's answer means: exact tests are right both ways, sufficient ones when they accept, necessary
/// ones when they reject.
enum class Kind : std::uint8_t { exact, sufficient, necessary };

enum class Verdict : std::uint8_t { schedulable, unschedulable, unproven, gave_up };

struct TaskResult {
  std::string name;
  std::optional<Duration> deadline;
  std::optional<Duration> bound;  // a proven response time; given also where it exceeds the deadline
  bool ok = false;
  bool deadline_only = false;  // the bound is the deadline: only that it is met is proven
};

struct Lateness {
  TaskIndex task = 0;
  Duration by{};
};

/// An answer with its reason. `why_not` is empty where the analysis applies; then there is a verdict.
struct Result {
  std::string why_not;
  std::optional<Verdict> verdict;
  std::string reason;  // one sentence: what was proven, or the witness against it
  Detail detail;
  std::vector<TaskResult> tasks;
  /// It threw something: it gave up, and `reason` says what that was.
  bool threw = false;
  /// An exact analysis may be exact for some systems only: whether it is for this one.
  bool exact = false;
  /// By how much the deciding demand exceeds its supply, where that is known.
  std::optional<Duration> excess;
  /// A task that misses its deadline even when it runs alone, and by how much.
  std::optional<Lateness> late_alone;
  /// By task: the SMs that it found or was given; empty where SMs are not divided.
  std::vector<std::optional<std::int64_t>> virtual_sms;

  [[nodiscard]] bool applies() const { return why_not.empty(); }
};

Result does_not_apply(std::string why_not);

/// No verdict, and no task has a bound. Best-effort tasks have nothing to miss.
Result unjudged(const System& system);

/// One entry of the registry. Anyone may make one: an analysis of your own needs no registration to be run.
struct Analysis {
  std::string_view id;
  std::string_view title;
  std::string_view source;
  std::string_view strategy{};  // the only one it applies to; empty: `run` decides
  std::string_view needs;       // the model it needs, in one sentence
  Kind kind = Kind::sufficient;
  bool sound;  // false for a published formula that is known to break: never part of a verdict
  std::function<Result(const System&)> run;
  /// Empty where the answer is about the system as its strategy runs it. Else in one phrase how tasks would
  /// have to share the machine instead: such a test is for comparison and never part of a verdict.
  std::string_view run_time_model{};
  bool searches_sms = false;  // finds virtual SMs itself where the system gives none
  /// Looks at how each server serves (`policy.cpu`, `policy.copies`, `wait`), and at the cores and SMs of
  /// single nodes. Otherwise it applies to no system in which these are others than it was made for.
  bool reads_servers = false;
  /// About systems whose nodes go to servers of their own, and no others; reads servers.
  bool by_node = false;
  /// It counts the time of the engine (EngineTime), or holds whatever that is. Otherwise it applies to no
  /// system in which the engine needs time.
  bool counts_engine = false;
  /// Id of a test whose bounds are never larger; its objections say all. Empty: there is none.
  std::string_view dominated_by{};
};

/// Whether its answer counts for the system as it is: sound, and for the strategy's own run-time model.
bool counts_for_verdict(const Analysis& analysis);

/// Whether no job is ever later than a proven time, which may lie beyond its deadline: every task with a
/// deadline has a bound.
bool is_bounded(const Result& result);

/// The kind of its result for this system: an exact test may be only sufficient for some.
Kind kind_here(const Analysis& analysis, const Result& result);

/// Whether it is about another strategy than the system's, or about nodes where jobs are served whole.
bool is_for_other_strategy(const Analysis& analysis, const System& system);

std::string_view to_string(Kind kind);
std::string_view to_string(Verdict verdict);

}  // namespace tactus::analysis
