// The front end of the host device: one thread that decides what starts, as the hardware of a GPU does.
//
// It proceeds from instant to instant: completed work releases its SMs, streams advance, requests are taken,
// and all work that can start is started. Work timed by the clock ends at its exact instant even if the
// thread handles it late, so that delays do not add up.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "tactus/base/ring.hpp"
#include "tactus/device/host/activity.hpp"
#include "tactus/device/host/clock.hpp"
#include "tactus/device/host/doorbell.hpp"
#include "tactus/device/host/host_cpus.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/device/host/host_gpu.hpp"
#include "tactus/device/host/reports.hpp"
#include "tactus/device/host/resident_pace.hpp"
#include "tactus/device/host/worker_threads.hpp"

namespace tactus::device::host {

/// A request and the time when it was made.
struct FrontEndRequest {
  enum class Kind : std::uint8_t { submit, stop, hold, release };
  Kind kind = Kind::submit;
  Time made{};
  Request request;  // of a stop and of a release: only the id
};

class FrontEnd {
 public:
  /// Prepares everything and starts the thread. References must outlive the front end.
  FrontEnd(const Setup& setup, const HostOptions& options, const SegmentPlans& plans,
           const WorkerPlan& workers, Reports& reports, const std::shared_ptr<FunctionContext>& context);
  FrontEnd(const FrontEnd&) = delete;
  FrontEnd& operator=(const FrontEnd&) = delete;
  ~FrontEnd() { close(); }

  [[nodiscard]] const Clock& clock() const { return context_->clock; }

  /// Must be called from one thread only, like `close`.
  void put(const FrontEndRequest& order) noexcept;
  /// Ends all work, then the thread. A function that does not return is abandoned with its thread, and counts
  /// as a failure. May be called again.
  void close();

  /// To be used after `close` only.
  [[nodiscard]] ActivityTable& activities() { return table_; }
  [[nodiscard]] std::string failure() const { return table_.failure(); }
  /// Functions that had not returned when `close` gave up.
  [[nodiscard]] std::size_t left_behind() const { return left_behind_; }
  /// How often the thread lagged so much that work timed by the clock was extended.
  [[nodiscard]] std::uint64_t times_late() const { return times_late_.load(std::memory_order_relaxed); }

 private:
  void run() noexcept;  // NOLINT(bugprone-exception-escape): all memory is taken before
  void take_done_workers();
  bool handle_next(Time real);
  void handle_ends(Time now);
  void take_orders(Time now);
  void take(const FrontEndRequest& order, Time now);
  void submit(const Request& request, Time now);
  void wait(std::uint32_t heard);
  void end_all();
  void leave_the_rest_behind();
  void worker_ended(Worker& worker, Time now);

  std::shared_ptr<FunctionContext> context_;
  Duration patience_;
  Doorbell bell_;
  DoneList done_;
  ActivityTable table_;
  WorkerThreads workers_;
  HostGpu gpu_;
  HostCpus cpus_;
  ResidentPace resident_;
  Ring<FrontEndRequest> orders_;
  std::vector<Worker*> ended_;  // sorted by the instant of their end, the earliest last
  Time now_{};                  // the last instant handled
  std::atomic<bool> closing_{false};
  std::atomic<std::uint64_t> times_late_{0};
  std::size_t left_behind_ = 0;
  bool under_fifo_;
  bool waits_busily_;
  std::thread thread_;  // last member: it uses the others
};

}  // namespace tactus::device::host
