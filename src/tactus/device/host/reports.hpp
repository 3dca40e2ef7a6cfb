// Messages of the front end to the thread that uses the device.
//
// Ends of jobs that the device releases itself go apart: nothing bounds how many come while that thread is
// away, and nobody waits for them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "tactus/base/ring.hpp"
#include "tactus/base/time.hpp"
#include "tactus/device/host/doorbell.hpp"
#include "tactus/device/host/resident_ends.hpp"
#include "tactus/device/host/resident_pace.hpp"
#include "tactus/sched/job_table.hpp"
#include "tactus/trace/event.hpp"

namespace tactus::device::host {

struct Report {
  enum class Kind : std::uint8_t { finished, stopped, failed, block_ran, copy_ran, cpu_ran };
  Kind kind = Kind::finished;
  sched::SubmissionId id;
  trace::JobName job;
  std::int32_t place = -1;  // SM, engine or core; at the end of a submission, its named stream
  std::int64_t block = 0;
  Time called{};
  Time start{};
  Time end{};
  sched::SegmentProgress progress{};
};

class Reports {
 public:
  /// Room for the ends of `max_operations` submissions is reserved; trace events get what is left.
  Reports(const Setup& setup, std::size_t max_operations, std::size_t max_events)
      : max_operations_{max_operations},
        first_resident_{ResidentPace::first_slot(setup)},
        ring_{max_operations + max_events},
        resident_{setup.system.tasks.size(), setup.resident.empty() ? 1 : max_resident} {}

  // --- Called by the front end
  void tell_end(const Report& report) noexcept {
    if (report.id.job.slot >= first_resident_) {
      tell_resident(report);
      return;
    }
    ring_.push(report);
    bell_.ring();
  }
  void tell_event(const Report& report) noexcept {
    if (ring_.room() <= max_operations_ || !ring_.push(report)) {
      lost_.fetch_add(1, std::memory_order_relaxed);
    } else if (ring_.room() * 2 < ring_.capacity()) {
      bell_.ring();  // before the buffer is full
    }
  }

  // --- Called by the other thread
  [[nodiscard]] const Report* front() const noexcept { return ring_.front(); }
  void pop() noexcept { ring_.pop(); }
  [[nodiscard]] std::optional<ResidentJob> take_resident() noexcept { return resident_.take(); }
  [[nodiscard]] Doorbell& bell() noexcept { return bell_; }
  [[nodiscard]] std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

  /// Whether trace events of a kind have observers. Both threads may call this.
  [[nodiscard]] std::atomic<bool>& wanted(Report::Kind kind) noexcept {
    return wanted_[static_cast<std::size_t>(kind)];
  }

 private:
  static constexpr std::size_t max_resident = 4095;

  void tell_resident(const Report& report) noexcept {
    if (report.kind == Report::Kind::stopped) return;  // the run is over
    const bool has_failed = report.kind == Report::Kind::failed;
    resident_.note({.task = report.job.task,
                    .number = report.job.number,
                    .start = report.start,
                    .end = report.end,
                    .failed = has_failed});
    if (has_failed) bell_.ring();
  }

  std::size_t max_operations_;
  std::uint32_t first_resident_;  // row of a job
  Ring<Report> ring_;
  ResidentEnds resident_;
  std::array<std::atomic<bool>, 6> wanted_{};  // by kind
  Doorbell bell_;
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace tactus::device::host
