// What was handed to a device and not heard of yet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/sched/job_table.hpp"

namespace tactus::runtime {

/// Who serves a submission: an SM set, the copy engines, or a CPU core.
struct Server {
  enum class Kind : std::uint8_t { sms, copies, cpu };
  Kind kind = Kind::sms;
  std::uint32_t index = 0;  // SM set (0: all SMs) or core
  friend bool operator==(const Server&, const Server&) = default;

  /// Whether work for one may hold up work for the other.
  [[nodiscard]] bool meets(const Server& other) const {
    return kind == other.kind &&
           (index == other.index || (kind == Kind::sms && (index == 0 || other.index == 0)));
  }
};

struct Submission {
  sched::Operation operation;
  TaskIndex task = 0;
  Server server;
  std::uint32_t rank = 0;
  Time since{};
};

/// Bounded; nothing is allocated once `reserve` has been called.
class UnderWay {
 public:
  void reserve(std::size_t submissions) { all_.reserve(submissions); }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] const std::vector<Submission>& all() const { return all_; }

  void add(const Submission& submission) { all_.push_back(submission); }

  /// Something was heard of a submission. Nothing when it is not here: it was heard of before.
  std::optional<Submission> take(sched::Operation operation, Time now) {
    const auto place = std::find_if(all_.begin(), all_.end(), [&](const Submission& submission) {
      const sched::Operation& other = submission.operation;
      return other.job == operation.job && other.segment == operation.segment &&
             (operation.part == 0 || operation.part == other.part);
    });
    if (place == all_.end()) return std::nullopt;
    const Submission taken = *place;
    all_.erase(place);
    // What waits behind it has a new chance from here on.
    for (Submission& submission : all_) {
      if (submission.server.meets(taken.server)) submission.since = std::max(submission.since, now);
    }
    return taken;
  }

  /// Whether a job has something on a server while nothing more urgent is there.
  [[nodiscard]] bool is_served(sched::JobId job) const {
    return std::any_of(all_.begin(), all_.end(),
                       [&](const Submission& own) { return own.operation.job == job && !gives_way(own); });
  }

  /// When `find_quiet` would find something if nothing is heard until then.
  [[nodiscard]] Time next_quiet(Duration limit) const {
    Time next = never;
    for (const Submission& submission : all_) {
      next = std::min(next, saturating_add(saturating_add(submission.since, limit), nanoseconds(1)));
    }
    return next;
  }

  /// A submission of which nothing, and nothing of its server either, was heard for longer than `limit`.
  [[nodiscard]] const Submission* find_quiet(Time now, Duration limit) const {
    const auto place = std::find_if(all_.begin(), all_.end(), [&](const Submission& submission) {
      return now - submission.since > limit;
    });
    return place == all_.end() ? nullptr : &*place;
  }

 private:
  [[nodiscard]] bool gives_way(const Submission& own) const {
    return std::any_of(all_.begin(), all_.end(), [&](const Submission& other) {
      return !(other.operation.job == own.operation.job) && other.rank < own.rank &&
             other.server.meets(own.server);
    });
  }

  std::vector<Submission> all_;
};

}  // namespace tactus::runtime
