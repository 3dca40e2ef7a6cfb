// The executive's part in jobs that the device releases itself: it tells of them, and nothing waits for it.
#pragma once

#include <span>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/device/assumptions.hpp"
#include "tactus/device/device.hpp"
#include "tactus/model/system.hpp"
#include "tactus/runtime/ending.hpp"
#include "tactus/runtime/job_book.hpp"
#include "tactus/runtime/resident_jobs.hpp"
#include "tactus/trace/event.hpp"

namespace tactus::runtime {

class ResidentBook {
 public:
  /// References must outlive it.
  ResidentBook(const System& system, device::Device& device, Time horizon, JobBook& book, Ending& ending,
               device::AssumptionWatch& assumptions);

  [[nodiscard]] const ResidentJobs& jobs() const noexcept { return jobs_; }
  [[nodiscard]] bool any() const noexcept { return jobs_.any(); }

  /// Books one release, or one job of those that are over, so that no event waits for more. True when more
  /// may be left.
  bool hear(Time now);
  /// A task is lost when nothing was heard of a job for longer than the watchdog allows.
  void watch(Time now, Duration watchdog);
  /// At the end of the run: ends that were not heard yet count. Returns the jobs that are not over.
  std::vector<trace::JobEnded> close(Time reached);

 private:
  void release(Time until);
  void end(const device::ResidentJob& job, Time now);
  void give_up(const sched::Release& release, trace::Fate fate, Time now);

  const System& system_;
  device::Device& device_;
  Time horizon_;
  JobBook& book_;
  Ending& ending_;
  device::AssumptionWatch& assumptions_;
  ResidentJobs jobs_;
};

}  // namespace tactus::runtime
