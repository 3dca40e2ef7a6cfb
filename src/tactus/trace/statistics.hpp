// Response times and misses of every task, counted while a schedule runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/trace/observer.hpp"
#include "tactus/trace/response_counts.hpp"

namespace tactus::trace {

/// Of completed jobs alone, from the nominal release to the completion.
struct ResponseTimes {
  Duration min{};
  Duration mean{};  // rounded to the nearest nanosecond
  Duration p99{};   // nearest rank: the ceil(0.99 n)-th smallest
  Duration max{};
  /// Otherwise p99 is too large by less than 1/1024 of itself, and never too small.
  bool p99_exact = true;

  friend bool operator==(const ResponseTimes&, const ResponseTimes&) = default;
};

struct TaskStatistics {
  std::uint64_t released = 0;
  std::uint64_t completed = 0;
  std::uint64_t misses = 0;
  std::uint64_t full = 0;                 // jobs that were turned away because `max_jobs` were in progress
  std::optional<ResponseTimes> response;  // nothing when no job completed

  friend bool operator==(const TaskStatistics&, const TaskStatistics&) = default;
};

/// The mean of so many response times, to the nearest nanosecond.
Duration rounded_mean(Int128 sum, std::uint64_t completed);

/// How many distinct response times are kept before the task with the most of them is rounded.
struct StatisticsLimits {
  std::size_t distinct_per_task = std::size_t{1} << 20U;
  std::size_t distinct_in_all = std::size_t{1} << 21U;
};

/// Sits on the hot path of a simulation: an event costs a few nanoseconds. Memory does not grow with the
/// length of the run.
class Statistics final : public Observer {
 public:
  using Observer::on;

  explicit Statistics(std::size_t tasks, StatisticsLimits limits = {});

  [[nodiscard]] Interests interests() const override { return {.releases = true, .ends = true}; }

  void on(const JobReleased& event) override { ++counters_[event.job.task].released; }

  void on(const JobEnded& event) override {
    Counters& counters = counters_[event.job.task];
    counters.misses += event.missed ? 1U : 0U;
    if (event.completion == never) {
      counters.full += event.fate == Fate::full ? 1U : 0U;
      return;
    }
    const Duration response = event.completion - event.release;
    // Equal responses come in runs; only the end of a run touches the table.
    if (response == counters.run_response) {
      ++counters.run_length;
    } else {
      end_run(event.job.task);
      counters.run_response = response;
      counters.run_length = 1;
    }
  }

  [[nodiscard]] TaskStatistics of(TaskIndex task) const;
  [[nodiscard]] std::vector<TaskStatistics> all() const;
  [[nodiscard]] std::uint64_t misses() const;

 private:
  struct Counters {
    std::uint64_t released = 0;
    std::uint64_t misses = 0;
    std::uint64_t full = 0;
    Duration run_response = Duration::min();
    std::uint64_t run_length = 0;
    // Of all runs but the current one:
    std::uint64_t completed = 0;
    Duration min = Duration::max();
    Duration max = Duration::min();
    Int128 sum = 0;
    ResponseCounts responses;
  };

  // A run on its way into a table that is too large for the cache.
  struct Waiting {
    TaskIndex task = 0;
    Duration response{};
    std::uint64_t count = 0;  // 0: nothing waits here
  };

  static void add_run(Counters& counters);
  void end_run(TaskIndex task);
  void count_response(ResponseCounts& responses, Duration response, std::uint64_t count);
  void save_memory(ResponseCounts& grown);

  std::vector<Counters> counters_;
  std::array<Waiting, 16> waiting_{};
  std::size_t next_waiting_ = 0;
  StatisticsLimits limits_;
  std::size_t distinct_ = 0;
  bool all_coarse_ = false;
};

}  // namespace tactus::trace
