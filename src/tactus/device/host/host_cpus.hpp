// The CPU cores of the host device: preemptive, the most urgent first.
//
// Cores that share their work have worker threads. Under SCHED_FIFO all work is started at once, and the
// operating system runs the most urgent. Without it only as much is started as there are cores, and what uses
// up CPU time gives way by itself when it is asked to; bound functions run to their end.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tactus/device/host/activity.hpp"
#include "tactus/device/host/worker.hpp"

namespace tactus::device::host {

/// SCHED_FIFO: the front end comes first, then CPU work. The first piece of work that a core gets has the
/// priority in the middle, so that what comes later fits above and below.
inline constexpr int front_end_priority = 80;
inline constexpr int max_cpu_priority = 70;
inline constexpr int middle_cpu_priority = 35;

class HostCpus {
 public:
  /// Idle workers, by lane of the setup's CPU work.
  HostCpus(const Setup& setup, ActivityTable& table,
           std::span<const std::vector<std::unique_ptr<Worker>>> workers, bool under_fifo);

  void submit(std::uint32_t index, Time now);
  void request_stop(std::uint32_t index, Time now);
  void worker_ended(Worker& worker, Time now);

  /// Nothing more starts, and what can gives way.
  void close(Time now);
  [[nodiscard]] std::size_t busy_workers() const { return busy_; }

 private:
  struct Piece {
    std::uint32_t activity = 0;
    sched::Urgency urgency;
    int priority = 0;          // under SCHED_FIFO
    Worker* worker = nullptr;  // that has it
    bool asked_to_give_way = false;
  };
  /// What a core is known to serve.
  struct Served {
    std::uint32_t activity = no_activity;
    Time since{};
  };
  /// Cores that share their work. The most urgent piece is the last; of equals, the first come.
  struct Pool {
    sched::Cores numbers;
    std::vector<Worker*> idle;
    std::vector<Piece> pieces;
    std::vector<Served> served;  // by core
  };

  /// Null when no workers were made for its cores.
  [[nodiscard]] Pool* find_pool(const sched::Cores& cores);
  [[nodiscard]] Pool& pool_of(const Activity& activity) { return *find_pool(activity.request.cores); }
  void schedule(Pool& pool, Time now);
  void start(Pool& pool, Piece& piece);
  void start_all(Pool& pool);
  void start_most_urgent(Pool& pool);
  void choose_priority(Pool& pool, std::size_t place);
  void note_served(Pool& pool, Time now);
  void tell_served(Pool& pool, std::size_t core, Time now);
  void end(Pool& pool, std::size_t place, ActivityTable::WorkEnd ending, Time now);
  [[nodiscard]] static std::size_t place_of(const Pool& pool, std::uint32_t activity);

  ActivityTable& table_;
  bool under_fifo_;
  bool closed_ = false;
  std::size_t busy_ = 0;
  std::vector<Pool> pools_;
};

}  // namespace tactus::device::host
