// The front end of the host device: one thread that decides what starts, as the hardware of a GPU does.
//
// It goes from instant to instant: what ended gives back its place, streams go on, requests are taken, and
// all that may start does. What the clock ends counts as ended at its very instant, even when the thread gets
// there a little late, so lateness does not add up.
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
#include "tactus/device/host/worker_threads.hpp"

namespace tactus::device::host {

/// A request, and when it was made.
struct FrontEndRequest {
  enum class Kind : std::uint8_t { submit, stop };
  Kind kind = Kind::submit;
  Time made{};
  Request request;  // of a stop: the operation alone
};

class FrontEnd {
 public:
  /// Everything is made ready and the thread is started. What is referred to outlives the front end.
  FrontEnd(const Setup& setup, const HostOptions& options, const SegmentPlans& plans,
           const WorkerPlan& workers, Reports& reports, const std::shared_ptr<FunctionContext>& context);
  FrontEnd(const FrontEnd&) = delete;
  FrontEnd& operator=(const FrontEnd&) = delete;
  FrontEnd(FrontEnd&&) = delete;
  FrontEnd& operator=(FrontEnd&&) = delete;
  ~FrontEnd() { close(); }

  [[nodiscard]] const Clock& clock() const { return context_->clock; }

  /// Both may be called from one thread only.
  void put(const FrontEndRequest& order) noexcept;
  /// Whatever runs ends, and the thread with it. A function that does not return is left behind, and that is
  /// a failure. May be called again.
  void close();

  /// To be looked at when closed.
  [[nodiscard]] ActivityTable& activities() { return table_; }
  [[nodiscard]] std::string failure() const { return table_.failure(); }
  /// Functions that have not returned when the run was over.
  [[nodiscard]] std::size_t left_behind() const { return left_behind_; }
  /// How often the thread was so late that what the clock ends lasted longer.
  [[nodiscard]] std::uint64_t times_late() const { return times_late_.load(std::memory_order_relaxed); }

 private:
  void run() noexcept;  // NOLINT(bugprone-exception-escape): all memory is taken before
  void take_done_workers();
  bool handle_next(Time real);
  void handle_ends(Time now);
  void take_orders(Time now);
  void take(const FrontEndRequest& order, Time now);
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
  Ring<FrontEndRequest> orders_;
  std::vector<Worker*> ended_;  // by the instant of their end, the earliest last
  Time now_ = origin;           // the instant that was handled last
  std::atomic<bool> closing_{false};
  std::atomic<std::uint64_t> times_late_{0};
  std::size_t left_behind_ = 0;
  bool under_fifo_;
  bool waits_busily_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace tactus::device::host
