// Follows data through the effect chains of a system while a schedule runs: how long inputs took to the first
// output that reflects them, and how old the inputs behind outputs were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tactus/model/system.hpp"
#include "tactus/trace/chain_statistics.hpp"
#include "tactus/trace/observer.hpp"

namespace tactus::trace {

/// Number of steps of one chain that may wait until it is certain what came before them.
inline constexpr std::size_t max_flow_steps = std::size_t{1} << 20U;

/// The start of a job is told at its end. So what a job read and published waits until no pending job of the
/// chain can have read or published before it; then it is handled in the order of time. At one instant a task
/// reads after its predecessor has published. Memory does not grow with the length of the schedule.
class DataFlow final : public Observer {
 public:
  using Observer::on;

  /// `margin`: how late events may be told. A simulation tells them in time.
  explicit DataFlow(const System& system, Duration margin = {}, std::size_t max_steps = max_flow_steps);

  [[nodiscard]] Interests interests() const override { return {.releases = true, .ends = true}; }
  void on(const JobReleased& event) override;
  void on(const JobEnded& event) override;
  /// The schedule is known up to here. Where events were lost (not `complete`), nothing that was seen counts.
  void finish(Time reached, bool complete = true);

  [[nodiscard]] std::vector<ChainStatistics> all() const;

 private:
  /// Where a value comes from: the job of the first task that sampled it.
  struct Source {
    Time sample{};
    Time release{};
  };
  enum class Kind : std::uint8_t { read, publish };
  struct Step {
    Time time{};
    std::size_t position = 0;  // of the task in the chain
    Kind kind = Kind::read;
    std::uint64_t number = 0;
    Time release{};

    /// Reversed: the first step is the top of a heap.
    friend bool operator<(const Step& a, const Step& b) {
      return std::tie(b.time, b.position, b.kind, b.number) < std::tie(a.time, a.position, a.kind, a.number);
    }
  };
  /// A task of a chain, and what waits behind it.
  struct Stage {
    std::unordered_map<std::uint64_t, Source> held;  // by jobs that have read and not published
    std::optional<std::pair<std::uint64_t, Source>> latest;
    std::deque<Source> queue;
  };
  struct Flow {
    const EffectChain* chain = nullptr;
    bool by_event = false;  // the first task is sporadic: its releases are the inputs
    Time begin{};           // each of its tasks may have had a release
    std::vector<Stage> stages;
    std::priority_queue<Step> steps;
    Time reflected = Time::min();  // inputs up to here have reached an output
    std::deque<Time> inputs;       // by_event: releases that no output has reflected
    ChainStatistics statistics;
  };
  struct Place {
    std::size_t flow = 0;
    std::size_t position = 0;
  };

  void settle(Flow& flow, Time now);
  void handle(Flow& flow, const Step& step);
  static void output(Flow& flow, Time now, const Source& source);
  static void count(FlowTimes& times, Duration time, const std::optional<Duration>& limit);
  static void count_open(FlowTimes& times, Duration time, const std::optional<Duration>& limit);

  const std::vector<Task>& tasks_;
  Duration margin_;
  std::size_t max_steps_;
  std::vector<Flow> flows_;
  std::vector<std::vector<Place>> places_;  // by task
  std::vector<std::map<std::uint64_t, Time>>
      pending_;  // by task: the releases of its jobs that have not ended
};

}  // namespace tactus::trace
