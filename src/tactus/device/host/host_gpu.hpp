// The GPU of the host device: the block rules in real time.
//
// Work without a binding is timed by the clock; bound blocks and functions run on worker threads. Used by the
// front end only, which passes the instants: they never decrease.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tactus/device/host/activity.hpp"
#include "tactus/device/host/block_pool.hpp"
#include "tactus/device/host/worker.hpp"
#include "tactus/device/rules/block_rules.hpp"

namespace tactus::device::host {

class HostGpu {
 public:
  /// Idle workers: for blocks, and one for each copy engine (none if no copy is bound).
  HostGpu(const Setup& setup, const SegmentPlans& plans, ActivityTable& table,
          std::span<const std::unique_ptr<Worker>> block_workers,
          std::span<const std::unique_ptr<Worker>> copy_workers);

  /// An activity joins its stream.
  void submit(std::uint32_t index, Time now);
  void request_stop(std::uint32_t index, Time now);

  /// The next end that the clock determines; `never` when there is none.
  [[nodiscard]] Time next_end() const { return ends_.empty() ? never : ends_.front().at; }
  void end_due(Time now);
  void worker_ended(Worker& worker);

  /// Reports what has finished, and lets the streams advance.
  void pop_finished(Time now);
  /// Starts everything that can start.
  void dispatch(Time now);

  /// Nothing more starts, and work timed by the clock ends now.
  void close(Time now);
  [[nodiscard]] std::size_t busy_workers() const { return pool_.busy() + busy_copies_; }

 private:
  /// An end timed by the clock: of blocks on one SM, a slice, or a copy.
  struct End {
    Time at{};
    Time start{};
    std::uint32_t activity = 0;
    std::int32_t place = 0;   // SM or copy engine
    std::int32_t blocks = 1;  // on that SM
    std::int64_t block = -1;  // -1: several blocks, or not recorded
  };
  struct Later {
    bool operator()(const End& a, const End& b) const { return a.at > b.at; }
  };
  struct OwnStream {
    StreamIndex index = no_index;
  };
  struct Sink;

  StreamIndex stream_for(const Request& request);
  [[nodiscard]] Call call_for(const Activity& activity) const;
  /// Something of the activity starts and takes this long.
  void plan_end(std::uint32_t index, Time now, Duration length, End end);
  void end_one(const End& end, Time now);
  void tell_slice(const Activity& activity, Time start, Time end);
  void interrupt(std::uint32_t index, Time now);
  void withdraw_rest(std::uint32_t index);
  void vacate(OperationIndex operation, std::int32_t sm, std::int64_t block);
  void conclude(std::uint32_t index, Time now);

  const Gpu& gpu_;
  ActivityTable& table_;
  BlockRules rules_;
  std::span<const std::unique_ptr<Worker>> copy_workers_;
  BlockPool pool_;
  std::size_t busy_copies_ = 0;
  bool has_bound_blocks_ = false;
  bool closed_ = false;
  std::vector<StreamIndex> named_streams_;
  sched::JobMap<OwnStream> own_streams_;
  std::vector<std::uint32_t> activity_of_;   // by operation index
  std::vector<End> ends_;                    // a heap
  std::vector<OperationIndex> preemptible_;  // running and preemptible anywhere
};

}  // namespace tactus::device::host
