// Slow, obvious twins of what the library does about windows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "analysis/chunk_list.hpp"
#include "support/dice.hpp"
#include "tactus/analysis/chunks.hpp"
#include "tactus/analysis/window_schedule.hpp"

namespace tactus::test {

inline analysis::Supply supply_of(std::int64_t offset, std::int64_t budget, std::int64_t period) {
  return {nanoseconds(offset), nanoseconds(budget), nanoseconds(period)};
}

inline bool open_at(const analysis::Supply& supply, std::int64_t time) {
  const std::int64_t phase = time % in_ns(supply.period);
  return in_ns(supply.offset) <= phase && phase < in_ns(supply.offset + supply.budget);
}

/// One nanosecond at a time: the pending job of the earliest deadline runs if the window is open. Of equal
/// deadlines the one that was chosen before goes first, then the first task.
inline std::optional<analysis::MissedJob> play_step_by_step(const std::vector<analysis::PeriodicTask>& tasks,
                                                            const analysis::Supply& supply,
                                                            std::int64_t horizon) {
  struct Pending {
    analysis::MissedJob job;
    bool chosen = false;
    [[nodiscard]] auto rank() const { return std::tuple{job.deadline, !chosen, job.task}; }
  };
  std::vector<Pending> pending;
  for (std::int64_t now = 0; now <= horizon; ++now) {
    const auto best = [&] {
      return std::min_element(pending.begin(), pending.end(),
                              [](const Pending& a, const Pending& b) { return a.rank() < b.rank(); });
    };
    if (!pending.empty() && in_ns(best()->job.deadline) == now) return best()->job;
    for (std::size_t i = 0; i < tasks.size() && now < horizon; ++i) {
      const std::int64_t since = now - in_ns(tasks[i].offset);
      if (since < 0 || since % in_ns(tasks[i].period) != 0) continue;
      const Time release = time_at(nanoseconds(now));
      const std::int64_t number = since / in_ns(tasks[i].period);
      pending.push_back({{i, number, release, release + tasks[i].deadline, tasks[i].cost}});
    }
    if (pending.empty()) continue;
    const auto runs = best();
    for (Pending& other : pending) other.chosen = false;
    runs->chosen = true;
    if (open_at(supply, now)) runs->job.left -= nanoseconds(1);
    if (runs->job.left == Duration{}) pending.erase(runs);
  }
  return std::nullopt;
}

/// Every nanosecond between release and deadline that lies in a window, gathered into chunks.
inline std::vector<WindowChunk> chunks_step_by_step(const analysis::GpuTask& task,
                                                    const analysis::Supply& supply) {
  std::vector<WindowChunk> list;
  const std::int64_t cycle = *checked_lcm(in_ns(task.period), in_ns(supply.period));
  for (std::int64_t job = 0; job < cycle / in_ns(task.period); ++job) {
    const std::int64_t release = job * in_ns(task.period);
    bool open = false;
    for (std::int64_t now = release; now < release + in_ns(task.deadline); ++now) {
      if (!open_at(supply, now)) {
        open = false;
        continue;
      }
      // Windows that touch are one only where they cover the whole period.
      if (!open || (now % in_ns(supply.period) == 0 && supply.budget != supply.period))
        list.push_back({job, time_at(nanoseconds(now)), Duration{}});
      open = true;
      list.back().length += nanoseconds(1);
    }
  }
  return list;
}

}  // namespace tactus::test
