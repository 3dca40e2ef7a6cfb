// The CPU cores of the host device: preemptive fixed priority.
//
// Every task with `cpu` segments has a thread. Under SCHED_FIFO the operating system runs the most urgent of
// a core; all of them are started at once. Without it only the most urgent one is started, and what uses up
// CPU time gives way by itself when it is asked to; bound functions run to their end.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tactus/device/host/activity.hpp"
#include "tactus/device/host/worker.hpp"

namespace tactus::device::host {

/// SCHED_FIFO: the front end comes first, then CPU segments by rank.
inline constexpr int front_end_priority = 80;
inline constexpr int most_urgent_cpu_priority = 70;

class HostCpus {
 public:
  /// Idle workers, by task; null for tasks that have none.
  HostCpus(const Setup& setup, ActivityTable& table, std::span<const std::unique_ptr<Worker>> workers,
           bool under_fifo);

  void submit(std::uint32_t index, Time now);
  void request_stop(std::uint32_t index, Time now);
  void worker_ended(Worker& worker, Time now);

  /// Nothing more starts, and what can gives way.
  void close(Time now);
  [[nodiscard]] std::size_t busy_workers() const { return busy_; }

 private:
  struct Piece {
    std::uint32_t activity = 0;
    std::uint32_t rank = 0;
    bool on_worker = false;
    bool asked_to_give_way = false;
  };
  /// The most urgent piece is the last; of equals, the first come.
  struct Core {
    std::int32_t number = 0;
    std::vector<Piece> pieces;
    std::uint32_t served = no_activity;  // under SCHED_FIFO: what the operating system runs
    Time since{};
  };

  Core& core_of(const Activity& activity);
  void schedule(Core& core, Time now);
  void start(Piece& piece);
  void start_all(Core& core);
  void start_most_urgent(Core& core);
  void note_served(Core& core, Time now);
  void end(Core& core, std::size_t place, ActivityTable::Ending ending, Time now);
  [[nodiscard]] Worker& worker_of(const Activity& activity) const { return *workers_[activity.request.task]; }
  [[nodiscard]] bool has_free_worker(const Core& core, const Piece& piece);

  ActivityTable& table_;
  std::span<const std::unique_ptr<Worker>> workers_;
  bool under_fifo_;
  bool closed_ = false;
  std::size_t busy_ = 0;
  std::vector<Core> cores_;
  std::vector<std::uint32_t> core_of_task_;  // index into `cores_`
};

}  // namespace tactus::device::host
