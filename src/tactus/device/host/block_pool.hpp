// The threads that run bound blocks and functions for the SMs.
//
// A block that the rules have placed on an SM gets a thread at once. If all threads are busy, blocks wait for
// one in FIFO order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tactus/base/ring.hpp"
#include "tactus/device/host/activity.hpp"
#include "tactus/device/host/worker.hpp"

namespace tactus::device::host {

/// A block on an SM, or a function that occupies all its SMs.
struct Resident {
  std::uint32_t activity = 0;
  std::int32_t sm = -1;
  std::int64_t block = -1;  // -1: a function
};

class BlockPool {
 public:
  /// `max_resident`: how many may wait for a thread.
  BlockPool(ActivityTable& table, std::span<const std::unique_ptr<Worker>> workers, std::size_t max_resident)
      : table_{table}, workers_{workers.size()}, waiting_{workers.empty() ? 1 : max_resident} {
    idle_.reserve(workers.size());
    for (const std::unique_ptr<Worker>& worker : workers) idle_.push_back(worker.get());
  }

  void run(const Resident& resident) {
    if (idle_.empty()) {
      waiting_.push(resident);
      return;
    }
    Worker& worker = *idle_.back();
    idle_.pop_back();
    start(worker, resident);
  }

  /// The worker is idle again.
  void take_back(Worker& worker) {
    const Resident* next = waiting_.front();
    if (next == nullptr) {
      idle_.push_back(&worker);
      return;
    }
    start(worker, *next);
    waiting_.pop();
  }

  /// Drops those of an activity that still wait for a thread; calls `on_dropped(resident)` for each.
  template <class OnDropped>
  void drop_waiting(std::uint32_t activity, OnDropped&& on_dropped) {
    for (std::size_t left = waiting_.size(); left > 0; --left) {
      const Resident resident = *waiting_.front();
      waiting_.pop();
      if (resident.activity == activity) {
        on_dropped(resident);
      } else {
        waiting_.push(resident);
      }
    }
  }

  /// Blocks that still wait never get a thread.
  void close() {
    while (waiting_.front() != nullptr) waiting_.pop();
  }

  [[nodiscard]] std::size_t busy() const { return workers_ - idle_.size(); }

 private:
  void start(Worker& worker, const Resident& resident) {
    const Activity& activity = table_[resident.activity];
    WorkItem item{.activity = resident.activity,
                  .block = resident.block,
                  .place = resident.sm,
                  .function = resident.block >= 0 ? activity.plan->block : activity.plan->function,
                  .facts = table_.facts(activity)};
    if (resident.block >= 0) {
      item.facts.first_block = resident.block;
      item.facts.blocks = 1;
    }
    worker.start(item);
  }

  ActivityTable& table_;
  std::size_t workers_;
  std::vector<Worker*> idle_;
  Ring<Resident> waiting_;
};

}  // namespace tactus::device::host
