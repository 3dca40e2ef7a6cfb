// The engine that runs a system on a device: the scheduler core, driven by the device's clock.
//
// It releases jobs, passes the commands of the core to the device and the events of the device to the core,
// and monitors deadlines, budgets and completions. On a simulated device in virtual time it produces the same
// trace as the simulator.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tactus/base/agenda.hpp"
#include "tactus/base/time.hpp"
#include "tactus/device/assumptions.hpp"
#include "tactus/device/device.hpp"
#include "tactus/model/system.hpp"
#include "tactus/runtime/budgets.hpp"
#include "tactus/runtime/deadline_watch.hpp"
#include "tactus/runtime/free_places.hpp"
#include "tactus/runtime/in_flight.hpp"
#include "tactus/runtime/outcome.hpp"
#include "tactus/runtime/release_calls.hpp"
#include "tactus/runtime/release_guard.hpp"
#include "tactus/runtime/resident_jobs.hpp"
#include "tactus/runtime/results.hpp"
#include "tactus/sched/arrivals.hpp"
#include "tactus/sched/core.hpp"
#include "tactus/sched/draws.hpp"
#include "tactus/sched/engine_clock.hpp"
#include "tactus/trace/fanout.hpp"
#include "tactus/trace/guarded_observer.hpp"
#include "tactus/trace/job_tally.hpp"

namespace tactus::runtime {

struct ExecutiveOptions {
  /// When to end; nothing: only when stopped.
  std::optional<Duration> horizon;
  std::uint64_t seed = 1;
  Execution execution = Execution::worst;
  /// The largest number of jobs in the scheduler at once; a release beyond that is dropped.
  std::uint32_t max_pending = 4096;
  /// By task: so many of its jobs are in progress at once where the system has no limit; a release beyond
  /// that is dropped. 0, or no entry: as many as come.
  std::vector<std::uint32_t> max_jobs{};
  /// Who is told of completed jobs; may be null. Tasks that it wants have a limit.
  Results* results = nullptr;
  /// The run fails when a server that has work reports nothing for this long; 0: no watchdog.
  Duration watchdog{};
  /// Whether sporadic tasks are released by `release` only. Otherwise separations are drawn, as in a
  /// simulation.
  bool sporadic_by_call = false;
  /// Virtual time only: releases and timers are delayed by the overheads of the platform. A real machine has
  /// its own delays.
  bool plays_overheads = false;
  const device::Bindings* bindings = nullptr;
  /// The calling thread has a core that no thread of the device uses.
  bool engine_has_core = false;
  /// Within this time before a release no best-effort job starts (release_guard.hpp); 0: no restriction.
  Duration quiet_before_release{};
  /// Of a device that waits busily: so long before a release or timer the core is asked already, as of that
  /// instant, and its commands are carried out when it comes. Only while no real-time job is in progress and
  /// none can be released by a call; 0: never.
  Duration decides_ahead{};
  /// Set by a signal handler or another thread to end the run; may be null.
  const std::atomic<bool>* stop = nullptr;
  /// The longest wait between two checks of `stop`.
  Duration longest_wait = std::chrono::milliseconds{20};
  OnIncident on_miss;
  OnIncident on_overrun;
  /// Called with the current instant, about every `longest_wait`.
  OnProgress progress;
};

class Executive {
 public:
  /// Requires a valid, complete system. All references must outlive the executive. InputError when the device
  /// cannot enforce what the system needs.
  Executive(const System& system, device::Device& device, ExecutiveOptions options,
            std::span<trace::Observer* const> observers);

  /// Opens the device and starts the clock of the run.
  void start();
  /// Waits for the next event and handles everything due at that instant. False when the run is over.
  bool step();
  /// Closes the device and reports the jobs that are still pending.
  Outcome finish();

  /// start, all steps, finish.
  Outcome run() {
    start();
    while (step()) {
    }
    return finish();
  }

  /// Releases a job of a sporadic task now. Safe to call from any thread, concurrently. False when the
  /// minimum separation has not passed since the previous release, 256 earlier calls have not been handled
  /// yet, or no run is on.
  bool release(TaskIndex task) noexcept;
  /// To be called before `release`: of a task that blocks callers (`on_full`), takes a place for the job, and
  /// waits for it if that is allowed. False when there is none, or the run is over. Other tasks need none.
  bool take_place(TaskIndex task, bool may_wait) noexcept {
    return free_places_[task] == nullptr || free_places_[task]->take(may_wait);
  }
  [[nodiscard]] bool blocks_callers(TaskIndex task) const noexcept { return free_places_[task] != nullptr; }
  /// Ends the run soon. Any thread may call this.
  void stop() noexcept;

 private:
  using Release = sched::Release;

  void touch_memory();
  [[nodiscard]] bool may_decide_ahead(Time until) const noexcept;
  Time collect_ahead(Time until);
  Time collect();
  void hear(Time now);
  void note_failure();
  void note_run(const Submission& submission, Time now) noexcept;
  [[nodiscard]] bool is_release_near(Time now) const noexcept;
  [[nodiscard]] bool can_wait(const sched::Event& event) const noexcept;
  [[nodiscard]] bool is_urgent_work_in_progress() const noexcept;
  void handle_what_waited(Time now);
  void ask_core(Time now);
  void take_back_places() noexcept;
  void tell_results() noexcept;
  void give_back_place(TaskIndex task) noexcept {
    if (free_places_[task] != nullptr) free_places_[task]->give_back();
  }
  void collect_releases(Time now);
  void collect_calls(Time now);
  [[nodiscard]] bool has_room_for(Time next, Time now) const;
  void release_nominally(const Release& release, Time now);
  void collect_timers(Time now);
  void collect_used_up_budgets(Time now);
  void watch_deadlines(Time now);
  void note_miss(const trace::JobName& job, Time release, Time now);
  void watch_completions(Time now);
  void watch_resident(Time now);
  void release_resident(Time until);
  void add_pending_resident(std::vector<trace::JobEnded>& unfinished);
  bool hear_resident(Time now);
  void end_resident(const device::ResidentJob& job, Time now);
  void give_up_resident(const sched::Release& release, trace::Fate fate, Time now);
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
  void apply(const sched::HoldCore& hold, Time now);
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
  std::vector<Duration> launch_;         // by task: until its GPU work arrives in the stream
  Agenda<Release> unseen_;
  std::size_t max_unseen_ = 0;
  DeadlineWatch deadlines_;   // only if a miss must be known at once
  std::vector<Time> timers_;  // by id; `never`: not armed
  InFlight in_flight_;
  Budgets budgets_;
  device::AssumptionWatch assumptions_;
  ReleaseGuard guard_;
  std::vector<std::vector<Duration>> longest_blocks_;     // by task and segment
  std::vector<std::unique_ptr<ReleaseCalls>> calls_;      // by task; null: not released by call
  std::vector<std::unique_ptr<FreePlaces>> free_places_;  // by task; null: its callers do not wait
  std::vector<bool> has_ended_jobs_;                      // by task: since its results were told last
  ResidentJobs resident_;                                 // those that the device releases
  bool has_more_resident_ = false;                        // more of them may be over
  std::vector<Release> seen_;                             // releases handled at this instant
  Time collected_ = Time::min();  // releases up to here were collected, as far as there was room
  std::size_t max_seen_;          // per step: after a delay, further ones wait for the next step
  sched::Events events_;
  sched::Commands commands_;
  Outcome outcome_;
  std::optional<RunEnd> ending_;
  std::optional<sched::EngineClock> engine_;  // virtual time only, where the engine needs time
  bool may_submit_more_ = false;
  std::atomic<bool> stop_{false};
  std::atomic<bool> running_{false};
  bool stop_sent_ = false;
  bool one_at_a_time_;  // a step makes one submission; others may be left
  bool one_by_one_;     // a segment is submitted when the one before it is done
  bool watches_deadlines_ = false;
  bool hears_calls_ = false;  // some task is released by calls
  Time next_progress_ = origin;
};

}  // namespace tactus::runtime
