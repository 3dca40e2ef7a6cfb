// Finds the first deadline that was missed.
#pragma once

#include <optional>
#include <tuple>

#include "tactus/trace/observer.hpp"

namespace tactus::trace {

class FirstMiss final : public Observer {
 public:
  using Observer::on;

  [[nodiscard]] Interests interests() const override { return {.ends = true}; }

  void on(const JobEnded& event) override {
    if (!event.missed) return;
    if (!first_ || std::tie(event.deadline, event.job) < std::tie(first_->deadline, first_->job))
      first_ = event;
  }

  /// The missed job with the earliest deadline; nothing when none was missed.
  [[nodiscard]] const std::optional<JobEnded>& job() const { return first_; }

 private:
  std::optional<JobEnded> first_;
};

}  // namespace tactus::trace
