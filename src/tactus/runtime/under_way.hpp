// What was handed to a device and not heard of yet.
#pragma once

#include <algorithm>
#include <cstdint>
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
  void reserve(std::size_t submissions, std::size_t servers) {
    all_.reserve(submissions);
    servers_.reserve(servers);
  }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] const std::vector<Submission>& all() const { return all_; }

  void add(const Submission& submission) {
    all_.push_back(submission);
    state_of(submission.server);
  }

  /// Something was heard of a submission. False when it is not here: it was heard of before.
  bool take(sched::Operation operation, Time now) {
    const auto place = std::find_if(all_.begin(), all_.end(), [&](const Submission& submission) {
      const sched::Operation& other = submission.operation;
      return other.job == operation.job && other.segment == operation.segment &&
             (operation.part == 0 || operation.part == other.part);
    });
    if (place == all_.end()) return false;
    state_of(place->server).heard = now;
    all_.erase(place);
    return true;
  }

  /// Calls `visit(submission)` for what has its server while nothing more urgent is there.
  template <class Visit>
  void for_each_served(Visit&& visit) {
    for (State& state : servers_) state.best_rank = ~std::uint32_t{0};
    for (const Submission& submission : all_) {
      State& state = state_of(submission.server);
      state.best_rank = std::min(state.best_rank, submission.rank);
    }
    for (const Submission& submission : all_) {
      if (best_rank(submission.server) >= submission.rank) visit(submission);
    }
  }

  /// When `find_quiet` would find something if nothing is heard until then.
  [[nodiscard]] Time next_quiet(Duration limit) const {
    Time next = never;
    for (const Submission& submission : all_) {
      next = std::min(next, saturating_add(saturating_add(quiet_since(submission), limit), nanoseconds(1)));
    }
    return next;
  }

  /// A submission of which nothing, and nothing of its server either, was heard for longer than `limit`.
  [[nodiscard]] const Submission* find_quiet(Time now, Duration limit) const {
    const auto place = std::find_if(all_.begin(), all_.end(), [&](const Submission& submission) {
      return now - quiet_since(submission) > limit;
    });
    return place == all_.end() ? nullptr : &*place;
  }

 private:
  struct State {
    Server server;
    Time heard = origin;
    std::uint32_t best_rank = 0;
  };

  State& state_of(const Server& server) {
    const auto place = std::find_if(servers_.begin(), servers_.end(),
                                    [&](const State& state) { return state.server == server; });
    if (place != servers_.end()) return *place;
    return servers_.emplace_back(State{.server = server});
  }
  [[nodiscard]] std::uint32_t best_rank(const Server& server) const {
    std::uint32_t best = ~std::uint32_t{0};
    for (const State& state : servers_) {
      if (state.server.meets(server)) best = std::min(best, state.best_rank);
    }
    return best;
  }
  [[nodiscard]] Time quiet_since(const Submission& submission) const {
    Time since = submission.since;
    for (const State& state : servers_) {
      if (state.server.meets(submission.server)) since = std::max(since, state.heard);
    }
    return since;
  }

  std::vector<Submission> all_;
  std::vector<State> servers_;  // those that were ever used
};

}  // namespace tactus::runtime
