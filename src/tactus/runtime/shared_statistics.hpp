// Statistics of a run that can be read while it is on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "tactus/trace/observer.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::runtime {

/// Thread-safe: may be read while events arrive.
class SharedStatistics final : public trace::Observer {
 public:
  using Observer::on;

  explicit SharedStatistics(std::size_t tasks) : statistics_{tasks} {}

  [[nodiscard]] trace::Interests interests() const override { return {.releases = true, .ends = true}; }
  void on(const trace::JobReleased& event) override {
    const std::lock_guard lock{mutex_};
    statistics_.on(event);
  }
  void on(const trace::JobEnded& event) override {
    const std::lock_guard lock{mutex_};
    statistics_.on(event);
  }
  [[nodiscard]] std::vector<trace::TaskStatistics> all() const {
    const std::lock_guard lock{mutex_};
    return statistics_.all();
  }

 private:
  mutable std::mutex mutex_;
  trace::Statistics statistics_;
};

}  // namespace tactus::runtime
