// The CPU cores of the host device: preemptive, the most urgent first.
//
// Cores that share a ready queue have worker threads. Under SCHED_FIFO all work is started at once (with very
// much work: the most urgent), and the operating system runs the most urgent. Otherwise only as many are
// started as there are cores; work without a binding yields when it is asked to, bound functions run to their
// end.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tactus/device/host/activity.hpp"
#include "tactus/device/host/worker.hpp"

namespace tactus::device::host {

/// SCHED_FIFO: the front end comes first, then CPU work by urgency.
inline constexpr int front_end_priority = 80;
inline constexpr int max_cpu_priority = 70;

class HostCpus {
 public:
  /// Idle workers, by CPU lane of the setup.
  HostCpus(const Setup& setup, ActivityTable& table,
           std::span<const std::vector<std::unique_ptr<Worker>>> workers, bool under_fifo);

  void submit(std::uint32_t index, Time now);
  void request_stop(std::uint32_t index, Time now);
  /// Holds a core for a job: a thread spins there whenever nothing more urgent runs.
  void hold(const Request& request, Time now);
  void release(sched::JobId job, Time now);
  void worker_ended(Worker& worker, Time now);

  /// Nothing more starts, and running work is asked to yield.
  void close(Time now);
  [[nodiscard]] std::size_t busy_workers() const { return busy_; }

 private:
  struct Piece {
    std::uint32_t activity = 0;
    sched::Urgency urgency;
    int priority = 0;          // under SCHED_FIFO
    Worker* worker = nullptr;  // null: not running
    bool asked_to_give_way = false;
  };
  /// The work that a core serves, as far as is known.
  struct Served {
    std::uint32_t activity = no_activity;
    Time since{};
  };
  /// Cores that share a ready queue. The most urgent piece is last; ties in the order of arrival.
  struct Pool {
    Cores numbers;
    bool starts_all = true;  // under SCHED_FIFO: there is a thread for each submission
    std::vector<Worker*> idle;
    std::vector<Piece> pieces;
    std::vector<Served> served;  // by core
  };

  /// Null when there are no workers for these cores.
  [[nodiscard]] Pool* find_pool(const Cores& cores);
  [[nodiscard]] Pool& pool_of(const Activity& activity) { return *find_pool(activity.request.cores); }
  void add(std::uint32_t index, Time now);
  void schedule(Pool& pool, Time now);
  void start(Pool& pool, Piece& piece);
  void start_under_fifo(Pool& pool);
  void start_most_urgent(Pool& pool);
  void choose_priority(Piece& chosen);
  void note_served(Pool& pool, Time now);
  void tell_served(Pool& pool, std::size_t core, Time now);
  void end(Pool& pool, std::size_t place, ActivityTable::WorkEnd ending, Time now);
  [[nodiscard]] static std::size_t place_of(const Pool& pool, std::uint32_t activity);

  ActivityTable& table_;
  bool under_fifo_;
  bool closed_ = false;
  std::size_t busy_ = 0;
  std::vector<Pool> pools_;
  std::vector<Piece*> by_urgency_;
};

}  // namespace tactus::device::host
