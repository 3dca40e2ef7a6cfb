// The engine as a server, in virtual time: what it does when handling events and making submissions take
// time.
//
// It drains: everything that has become visible is handled, and it looks again, until nothing is left. Then
// it decides on one submission, the most urgent that any server can take, makes it, and begins anew. Events
// count as known, and jobs as complete, at the end of such a burst. A submission reaches its server when it
// has been made. Events of resident tasks do not concern it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"
#include "tactus/sched/command.hpp"
#include "tactus/sched/core.hpp"
#include "tactus/sched/draws.hpp"
#include "tactus/sched/event.hpp"

namespace tactus::sched {

class EngineClock {
 public:
  /// References must outlive the clock.
  EngineClock(const System& system, const Draws& draws) : system_{system}, draws_{draws} {}

  /// These events can be seen from now on.
  void hear(std::span<const Event> events) { visible_.insert(visible_.end(), events.begin(), events.end()); }
  /// How many events it has not told the core yet.
  [[nodiscard]] std::size_t unhandled() const { return visible_.size() + burst_.size(); }

  /// When it acts next; `never` while it waits for events.
  [[nodiscard]] Time next() const { return state_ == State::waiting ? never : until_; }

  /// Releases that it has not told the core yet.
  [[nodiscard]] std::vector<Released> unhandled_releases() const;

  /// Does what is due now. Appends the commands that take effect at this instant.
  void act(Time now, Core& core, Commands& commands);

 private:
  enum class State : std::uint8_t { waiting, handling, submitting };

  void pass_by(Time now, Core& core, Commands& commands);
  void handle_visible(Time now);
  bool decide(Time now, Core& core, Commands& commands);
  [[nodiscard]] std::optional<Duration> time_of(const Command& command, const JobTable& jobs) const;
  [[nodiscard]] Duration drawn(Duration bound) { return draws_.engine_time(actions_++, bound); }

  const System& system_;
  const Draws& draws_;
  State state_ = State::waiting;
  Time until_ = origin;
  Events visible_;  // and not handled yet
  Events burst_;    // handled since the last decision
  Events resident_;
  Commands decided_;
  std::optional<Command> submission_;  // that is being made
  std::uint64_t actions_ = 0;
};

}  // namespace tactus::sched
