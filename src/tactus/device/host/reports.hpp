// Messages of the front end to the thread that uses the device.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "tactus/base/ring.hpp"
#include "tactus/base/time.hpp"
#include "tactus/device/host/doorbell.hpp"
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
  Reports(std::size_t max_operations, std::size_t max_events)
      : max_operations_{max_operations}, ring_{max_operations + max_events} {}

  // --- Called by the front end
  void tell_end(const Report& report) noexcept {
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
  [[nodiscard]] Doorbell& bell() noexcept { return bell_; }
  [[nodiscard]] std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

  /// Whether trace events of a kind have observers. Both threads may call this.
  [[nodiscard]] std::atomic<bool>& wanted(Report::Kind kind) noexcept {
    return wanted_[static_cast<std::size_t>(kind)];
  }

 private:
  std::size_t max_operations_;
  Ring<Report> ring_;
  std::array<std::atomic<bool>, 6> wanted_{};  // by kind
  Doorbell bell_;
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace tactus::device::host
