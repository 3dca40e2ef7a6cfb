// The engine that runs a system on a device: the scheduler core, driven by the device's clock.
//
// It releases jobs at their instants, hands the core's commands to the device, tells the core what became of
// them, and watches deadlines, budgets and completions. The same engine runs on a simulated device in virtual
// time, where it leaves the trace that the simulator leaves.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tactus/base/agenda.hpp"
#include "tactus/base/time.hpp"
#include "tactus/device/device.hpp"
#include "tactus/model/system.hpp"
#include "tactus/runtime/budgets.hpp"
#include "tactus/runtime/deadline_watch.hpp"
#include "tactus/runtime/in_flight.hpp"
#include "tactus/runtime/outcome.hpp"
#include "tactus/runtime/release_calls.hpp"
#include "tactus/runtime/release_guard.hpp"
#include "tactus/sched/arrivals.hpp"
#include "tactus/sched/core.hpp"
#include "tactus/sched/draws.hpp"
#include "tactus/trace/fanout.hpp"
#include "tactus/trace/guarded_observer.hpp"
#include "tactus/trace/job_tally.hpp"

namespace tactus::runtime {

struct ExecutiveOptions {
  /// Where to end; nothing: when stopped.
  std::optional<Duration> horizon;
  std::uint64_t seed = 1;
  Execution execution = Execution::worst;
  /// Jobs that the scheduler may have at once; a release that it sees beyond that is dropped.
  std::uint32_t max_pending = 4096;
  /// Ends the run as failed when nothing is heard of a server for so long while it has work; 0: never.
  Duration watchdog{};
  /// Sporadic tasks: released by `release` alone, or at drawn separations like a simulation.
  bool sporadic_by_call = false;
  /// Virtual time: releases and timers are late as the platform's overheads say. A real machine is late by
  /// itself.
  bool plays_overheads = false;
  const device::Bindings* bindings = nullptr;
  /// The thread that calls has a core that no thread of the device uses.
  bool engine_has_core = false;
  /// So long before a release it begins no best-effort job (release_guard.hpp); 0: at any time.
  Duration quiet_before_release{};
  /// Set from outside (a signal, another thread) to end the run; may be null.
  const std::atomic<bool>* stop = nullptr;
  /// How long it may wait without looking at `stop`.
  Duration longest_wait = std::chrono::milliseconds{20};
  OnIncident on_miss;
  OnIncident on_overrun;
  /// Called with the instant reached, about every `longest_wait`.
  OnProgress progress;
};

class Executive {
 public:
  /// For a valid, complete system; what is referred to outlives the executive. InputError when the device
  /// cannot enforce what the system needs.
  Executive(const System& system, device::Device& device, ExecutiveOptions options,
            std::span<trace::Observer* const> observers);

  /// Opens the device. Time begins.
  void start();
  /// Waits for the next instant at which something happens, and handles it. False when the run is over.
  bool step();
  /// Closes the device and tells what became of the jobs that are not done.
  Outcome finish();

  /// All of it.
  Outcome run() {
    start();
    while (step()) {
    }
    return finish();
  }

  /// Releases a job of a sporadic task now. Any thread may call, also several at once. False when the minimum
  /// separation has not passed since the release before, the engine has not seen the last 256 of them yet, or
  /// no run is under way.
  bool release(TaskIndex task) noexcept;
  /// Ends the run soon. Any thread may call.
  void stop() noexcept;

 private:
  using Release = sched::Release;

  void touch_memory();
  Time collect();
  void hear(Time now);
  [[nodiscard]] bool is_release_near(Time now) const noexcept;
  [[nodiscard]] bool can_wait(const sched::Event& event) const noexcept;
  [[nodiscard]] bool is_urgent_work_in_progress() const noexcept;
  void handle_what_waited(Time now);
  void ask_core(Time now);
  void collect_releases(Time now);
  void collect_calls(Time now);
  [[nodiscard]] bool has_room_for(Time next, Time now) const;
  void release_nominally(const Release& release, Time now);
  void collect_timers(Time now);
  void collect_used_up_budgets(Time now);
  void watch_deadlines(Time now);
  void note_miss(const trace::JobName& job, Time release, Time now);
  void watch_completions(Time now);
  void note_failure_at_close();
  void release_what_was_not_looked_at();
  void count_untold(const Release& first);
  void tell(const trace::JobReleased& event) {
    tally_.on(event);
    trace_.tell(event);
  }
  void tell(const trace::JobEnded& event, Time now) {
    if (watches_deadlines_) static_cast<void>(deadlines_.remove(event.job));
    tally_.on(event, now);
    trace_.tell(event);
  }
  [[nodiscard]] bool is_over(Time now);
  void end(RunEnd ending) {
    if (!ending_) ending_ = ending;
  }

  void apply(const sched::Submit& submit, Time now);
  void apply(const sched::Done& done, Time now);
  void apply(const sched::Repeat& repeat, Time now);
  void apply(const sched::DropJob& drop, Time now);
  void apply(const sched::ArmTimer& arm, Time now);
  void apply(const sched::CancelTimer& cancel, Time now);
  void apply(const sched::RequestStop& stop, Time now);
  [[nodiscard]] Time next_instant() const noexcept;
  [[nodiscard]] Time next_timer() const noexcept;
  [[nodiscard]] Time deadline_of(TaskIndex task, Time release) const {
    const std::optional<Duration>& deadline = system_.tasks[task].deadline;
    return deadline ? saturating_add(release, *deadline) : never;
  }

  const System& system_;
  device::Device& device_;
  ExecutiveOptions options_;
  std::vector<trace::GuardedObserver> observers_;
  trace::Fanout trace_;
  trace::JobTally tally_;
  sched::Draws draws_;
  Time horizon_;
  sched::Core core_;
  sched::Arrivals arrivals_;
  std::vector<Duration> release_delay_;  // by task: how late the scheduler may see a release
  Agenda<Release> unseen_;
  std::size_t max_unseen_ = 0;
  DeadlineWatch deadlines_;   // only where somebody wants to know of a miss at once
  std::vector<Time> timers_;  // by id; `never`: not armed
  InFlight in_flight_;
  Budgets budgets_;
  ReleaseGuard guard_;
  std::vector<std::vector<Duration>> longest_blocks_;  // by task and segment
  std::vector<std::unique_ptr<ReleaseCalls>> calls_;   // by task; null: not released by call
  std::vector<Release> seen_;                          // at this instant
  Time collected_ = Time::min();  // releases up to here were looked at, as far as there was room
  std::size_t max_seen_;          // in one step: more, after a delay, wait for the next
  sched::Events events_;
  sched::Commands commands_;
  Outcome outcome_;
  std::optional<RunEnd> ending_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> running_{false};
  bool stop_sent_ = false;
  bool watches_deadlines_ = false;
  Time next_progress_ = origin;
};

}  // namespace tactus::runtime
