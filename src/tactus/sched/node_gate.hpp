// When nodes of graphs go to their servers, beyond being ready: at their releases, in the order of jobs, at
// least a period apart, or one job after the other (analysis/graph_timing.hpp says why).
//
// - Without early release a node waits for its release.
// - Kernels and copies come in the order of jobs, at least a period apart. What counts is when a node could
//   have come, so that a late timer delays no later job.
// - A node with a history edge waits for a node of an earlier job, and so does a CPU node whose jobs may not
//   overlap: for its own. A job that is given up is waited for until nothing of it is on a server.
// All other CPU nodes go when they are ready.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/analysis/graph_timing.hpp"
#include "tactus/model/system.hpp"
#include "tactus/sched/command.hpp"
#include "tactus/sched/job_fifo.hpp"
#include "tactus/sched/job_table.hpp"

namespace tactus::sched {

class NodeGate {
 public:
  /// For a system whose strategy times nodes; otherwise nothing waits.
  explicit NodeGate(const System& system);

  [[nodiscard]] bool is_used() const { return !tasks_.empty(); }
  void reserve(std::size_t jobs);

  void on_released(JobId id, TaskIndex task);
  /// Whether the node has to wait here; if not, it may go to its server.
  [[nodiscard]] bool takes(TaskIndex task, std::uint32_t segment) const {
    return is_used() && tasks_[task].gates[segment].is_used;
  }
  void on_ready(SubmissionId submission, TaskIndex task) { look_at({task, submission.segment}); }
  void on_finished(SubmissionId submission, TaskIndex task);
  void forget(JobId id, TaskIndex task);
  /// Nothing of the job is on a server any more, or will be.
  void on_job_over(JobId id, TaskIndex task);

  /// Calls `go` with each node that need not wait any longer, and sets a timer for the others.
  template <class Go>
  void open(Time now, const JobTable& jobs, Commands& commands, Go&& go) {
    take_due(now);
    for (const Place& place : changed_) {
      gate_of(place).has_changed = false;
      while (const std::optional<SubmissionId> next = take_next(place, now, jobs)) go(*next);
    }
    changed_.clear();
    set_timer(commands);
  }

  /// So many jobs of a task are in progress at once, if bounds hold; where there is none, a guess.
  [[nodiscard]] std::uint32_t jobs_at_once(TaskIndex task) const {
    return is_used() ? tasks_[task].jobs_at_once : 1;
  }

  /// Of a CPU node, after the release of the job.
  [[nodiscard]] Duration point_of(TaskIndex task, std::uint32_t segment) const {
    return tasks_[task].points[segment];
  }

 private:
  struct Place {
    TaskIndex task = 0;
    std::uint32_t segment = 0;
  };
  /// A node of the job that is so many before.
  struct Earlier {
    std::uint32_t segment = 0;
    std::uint64_t delay = 1;
  };
  struct Gate {
    bool is_used = false;
    bool waits_for_release = false;
    bool is_spaced = false;    // a period apart
    bool has_changed = false;  // it is among those to look at
    Duration offset{};
    /// How long after the job's release a node that waits for its turn counts as ready at the latest: a wait
    /// for the engine must not delay the turns of later jobs.
    Duration latest = Duration::max();
    Time next{};         // for the next job: a period after the last one
    Time since = never;  // when the first in line was found ready
    Time due = never;    // of the first in line, while it waits for that
    JobFifo jobs;        // whose node has not gone, in order
    std::vector<Earlier> waits_for;
    std::vector<std::uint32_t> waiters;  // nodes that wait for this one of earlier jobs
    JobFifo not_done;                    // whose node is not done, in order; where there are waiters
  };
  struct Due {
    Time at{};
    Place place;
    /// For a heap with the earliest first.
    friend bool operator<(const Due& a, const Due& b) { return a.at > b.at; }
  };
  struct OfTask {
    Duration period{};
    std::uint32_t jobs_at_once = 1;
    std::vector<Gate> gates;
    std::vector<Duration> points;
  };

  [[nodiscard]] Gate& gate_of(const Place& place) { return tasks_[place.task].gates[place.segment]; }
  void add_wait(OfTask& task, std::uint32_t from, std::uint32_t to, std::int64_t delay);
  [[nodiscard]] bool waits_for_earlier(const Place& place, JobId job, const JobTable& jobs) const;
  void look_at(const Place& place);
  void take_due(Time now);
  std::optional<SubmissionId> take_next(const Place& place, Time now, const JobTable& jobs);
  void set_timer(Commands& commands);

  std::vector<OfTask> tasks_;
  std::vector<Place> changed_;
  std::vector<Due> waiting_;  // a heap; an entry whose gate has another `due` is out of date
  Time armed_ = never;
};

}  // namespace tactus::sched
