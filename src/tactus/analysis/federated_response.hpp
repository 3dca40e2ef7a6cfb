// Response times of chains on preemptive cores, one copy engine and SMs of their own: R1 to R4 of `rtgpu`
// (docs/analyses.md).
//
// A job of task k is a chain of stages. From the instant it is seen until it is done, every instant belongs
// to one of its stages, which runs or waits. GPU stages never wait. The parts of the rest:
//   CR_j    one CPU stage, from its start to its end. The core works for it or for more urgent tasks of the
//           core all the time: least r = CLhi_j + sum CWmax(r).
//   MR_j    one copy stage, from its request to its end. At most one less urgent chunk delays it: the one
//           that is running when the stage is requested; it takes at most B, the longest of all. No other
//           can start between two chunks of the stage: the next one is requested at the instant at which the
//           one before it ends, and is more urgent. Chunks are not interrupted.
//           rtgpu: let L_j be the last chunk of the stage (the whole stage if it is not cut). Until L_j
//           starts, the engine is busy with that less urgent chunk, with the chunks before L_j, or with more
//           urgent copies. Busy through [0, s + 1) would need s + 1 <= B + MLhi_j - L_j + sum MWmax(s + 1),
//           so it starts no later than the least s with B + MLhi_j - L_j + sum MWmax(s + 1) <= s, and
//           MR_j = s + L_j.
//           rtgpu-paper: least r = MLhi_j + B + sum MWmax(r), which is no less.
//           MLhi_j counts the overhead of every chunk, and so does MWmax of the more urgent tasks. That their
//           copies may be interrupted between chunks moves work out of an interval, never into it.
//   CPU     all CPU stages together wait for no more than more urgent tasks of the core do within the whole
//           response r: sum CLhi + sum CWmax(r).
//   copies  all copies together: sum MLhi + B for each of the nc requests + sum MWmax(r).
// Either way for CPU and for copies gives the four sums:
//   R1 = sum GRhi + sum MR + sum CR
//   R2 = least r = sum GRhi + sum MR + sum CLhi + sum CWmax(r)
//   R3 = least r = sum GRhi + sum MLhi + nc B + sum CR + sum MWmax(r)
//   R4 = least r = sum GRhi + sum MLhi + nc B + sum CLhi + sum (MWmax + CWmax)(r)
// rtgpu takes the least of them with X = the proven response of the more urgent task, rtgpu-paper the lesser
// of R1 and R2 with X = its deadline.
//
// A job is seen up to J after its nominal release, so R + J is the response. It must be within D <= T: then
// the job before it is always done, and jobs of one task never wait for each other. A bound beyond D is still
// valid, but beyond T it is not: the next job would start late.
//
// Where no task leaves its CPU, there is no carry-in, as in the textbook: an interval may begin when nothing
// more urgent is pending, which only makes it longer. (So may it with chains above; rtgpu-tight uses that.)
//
// Stages that take no time are not issued; they have no CR and no MR. Without copies of its own, R1 and R2
// do not depend on the engine. CPU stages compete with the tasks of their core only, copies with all.
//
// Where the engine that makes the submissions needs time, the four forms are those of federated_engine.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/analysis/chain_workload.hpp"
#include "tactus/analysis/federated_engine.hpp"
#include "tactus/analysis/federated_tasks.hpp"

namespace tactus::analysis {

enum class FederatedTest : std::uint8_t { rtgpu, rtgpu_paper };

/// The interference of a task on less urgent ones: its work on its core and on the copy engine.
struct MoreUrgent {
  /// Gaps and X of which `cpu` and `copies` are made.
  struct Pattern {
    const Stages* stages = nullptr;
    Duration carry_in{};
  };

  std::int32_t core = 0;
  Duration period{};
  ChainWorkload cpu;
  ChainWorkload copies;
  ChainWorkload engine;           // EW, where the engine needs time
  std::vector<Pattern> patterns;  // then, too: the least of these counts

  /// A task with these stages for which the test has proven `response` (R, without J).
  MoreUrgent(FederatedTest test, const FederatedTask& task, const Stages& stages, Duration response);
  /// With these gaps and this X.
  static MoreUrgent with_carry_in(const FederatedTask& task, const Stages& stages, Duration carry_in);
  /// The least work of several.
  static MoreUrgent min_of(std::vector<MoreUrgent> several);

  /// MW5: each copy with a submission of this length behind it.
  [[nodiscard]] ChainWorkload copies_and(Duration submission) const;

 private:
  MoreUrgent() = default;
};

/// A job's own stages in their worst case.
struct OwnWork {
  Duration gpu{};
  Duration cpu{};
  Duration copies{};
  std::vector<Duration> cpu_stages;  // those issued
  std::int64_t requests = 0;         // copies issued
  std::int64_t operations = 0;       // N: what the engine submits
  Duration submissions{};            // sum e_s

  explicit OwnWork(const Stages& stages);
};

/// R1 to R4 without J, where they are found; `least` of those that the test looks at.
struct FederatedBounds {
  std::array<std::optional<Duration>, 4> forms;
  std::optional<Duration> least;
  bool gave_up = false;  // some fixed point was not found in a million rounds
};

/// The bounds of one task below given ones, for any time on the GPU: all that does not depend on its own SMs
/// is computed once.
class FederatedResponse {
 public:
  /// `more_urgent` must outlive it. The fixed points end at D - J, which must not be negative.
  FederatedResponse(FederatedTest test, const FederatedTask& task,
                    std::span<const MoreUrgent* const> more_urgent, Duration blocking,
                    const EngineBelow& engine);
  FederatedResponse(const FederatedResponse&) = delete;
  FederatedResponse& operator=(const FederatedResponse&) = delete;
  ~FederatedResponse() = default;

  /// With so much time on the GPU, in the worst case.
  [[nodiscard]] FederatedBounds bounds(Duration gpu) const;
  /// Whether the least of them is within D - J.
  [[nodiscard]] bool holds(Duration gpu) const;

  [[nodiscard]] const OwnWork& own() const { return own_; }
  /// D - J.
  [[nodiscard]] Duration limit() const { return limit_; }

 private:
  using Chains = std::vector<const ChainWorkload*>;

  std::optional<Duration> found(const FixedPoint& point, bool& gave_up) const;
  std::optional<Duration> latest_copy_start(Duration before);
  void find_copy_responses(FederatedTest test, const Stages& stages);
  void find_cpu_responses();
  void count_engine(const FederatedTask& task, std::span<const MoreUrgent* const> more_urgent,
                    const EngineBelow& engine);
  [[nodiscard]] std::optional<Duration> before_next_release(const std::optional<Duration>& length) const;
  [[nodiscard]] std::optional<Duration> form(std::size_t index, Duration gpu, bool& gave_up) const;
  [[nodiscard]] std::size_t last_form() const { return test_ == FederatedTest::rtgpu ? 4 : 2; }

  FederatedTest test_;
  OwnWork own_;
  Duration limit_{};
  Duration blocking_{};
  Chains cpu_chains_;
  Chains copy_chains_;
  Chains all_chains_;
  std::vector<ChainWorkload> longer_copies_;  // MW5
  /// sum MR, and all that the engine adds; nothing where a copy may wait beyond the limit.
  std::optional<Duration> copies_;
  std::optional<Duration> cpu_;  // sum CR
  /// sum ML + nc B, and what the engine adds; nothing where there is no end of events.
  std::optional<Duration> blocked_copies_;
  std::optional<Duration> next_release_;  // T - J: with engine time a job must be over before
  bool gave_up_ = false;
};

/// B of every task, in the order of urgency: the longest chunk of a copy of a less urgent task.
/// No name where it is a best-effort task's.
std::vector<Blocking> copy_blocking(const FederatedTasks& tasks);

/// By place in the order of urgency.
struct FederatedAnswer {
  /// R + J, as far as it is proven: also beyond the deadline, but not beyond the period. Nothing after the
  /// first task that fails: its interference on the others is not known.
  std::vector<std::optional<Duration>> bounds;
  std::optional<std::size_t> fails;  // the first task that does not keep its deadline
  bool gave_up = false;              // it fails because a fixed point was not found in a million rounds
  FederatedBounds failed;            // R1 to R4 of the task that fails
  std::vector<MoreUrgent> proven;    // the tasks before it

  [[nodiscard]] bool holds() const { return !fails; }
};

/// `sms`: physical SMs of each task, most urgent first; the tasks need the stages for them.
FederatedAnswer bound_responses(const FederatedTasks& tasks, FederatedTest test,
                                std::span<const std::int64_t> sms);

/// The SMs that the system gives; it must be complete.
std::vector<std::int64_t> given_sms(const FederatedTasks& tasks);

}  // namespace tactus::analysis
