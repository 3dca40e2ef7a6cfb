// The jobs of resident tasks that are over, from the thread that hears of their ends to whoever takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/base/ring.hpp"
#include "tactus/device/device.hpp"

namespace tactus::device::host {

/// Whoever does not take them in time loses some, but not the first that failed: it ends the run.
class ResidentEnds {
 public:
  ResidentEnds(std::size_t tasks, std::size_t capacity) : lost_(tasks), jobs_{capacity + 1} {}

  /// Sets `lost_before`: of each task on its own, as the numbers of its jobs are.
  void note(ResidentJob job) noexcept {
    std::uint64_t& lost = lost_[job.task];
    job.lost_before = lost;
    lost = jobs_.push(job, job.failed ? 0 : 1) ? 0 : lost + 1;
  }

  [[nodiscard]] std::optional<ResidentJob> take() noexcept {
    const ResidentJob* oldest = jobs_.front();
    if (oldest == nullptr) return std::nullopt;
    const ResidentJob job = *oldest;
    jobs_.pop();
    return job;
  }

 private:
  std::vector<std::uint64_t> lost_;  // of each task, since its last job that found room
  Ring<ResidentJob> jobs_;
};

}  // namespace tactus::device::host
