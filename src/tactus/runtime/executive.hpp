// The engine that runs a system on a device: the scheduler core, driven by the device's clock.
//
// It releases jobs, passes the commands of the core to the device and the events of the device to the core,
// and monitors deadlines, budgets and completions. On a simulated device in virtual time it produces the same
// trace as the simulator.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/device/assumptions.hpp"
#include "tactus/device/device.hpp"
#include "tactus/model/system.hpp"
#include "tactus/runtime/budgets.hpp"
#include "tactus/runtime/callers.hpp"
#include "tactus/runtime/ending.hpp"
#include "tactus/runtime/in_flight.hpp"
#include "tactus/runtime/job_book.hpp"
#include "tactus/runtime/outcome.hpp"
#include "tactus/runtime/release_guard.hpp"
#include "tactus/runtime/release_queue.hpp"
#include "tactus/runtime/resident_book.hpp"
#include "tactus/runtime/results.hpp"
#include "tactus/runtime/timers.hpp"
#include "tactus/sched/core.hpp"
#include "tactus/sched/draws.hpp"
#include "tactus/sched/engine_clock.hpp"

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
  bool take_place(TaskIndex task, bool may_wait) noexcept { return callers_.take_place(task, may_wait); }
  [[nodiscard]] bool blocks_callers(TaskIndex task) const noexcept { return callers_.waits(task); }
  /// Ends the run soon. Any thread may call this.
  void stop() noexcept;

 private:
  void touch_memory();
  [[nodiscard]] bool may_decide_ahead(Time until) const noexcept;
  Time collect_ahead(Time until);
  Time collect();
  void hear(Time now);
  void note_run(const Submission& submission, Time now) noexcept;
  [[nodiscard]] bool is_release_near(Time now) const noexcept;
  [[nodiscard]] bool can_wait(const sched::Event& event) const noexcept;
  [[nodiscard]] bool is_urgent_work_in_progress() const noexcept;
  void handle_what_waited(Time now);
  Time handle_all(Time now);
  void ask_core(Time now);
  void carry_out(Time now);
  void take_back_places() noexcept;
  void tell_results() noexcept;
  void collect_used_up_budgets(Time now);
  void tell_of_late_releases(Time now);
  void watch_completions(Time now);
  [[nodiscard]] bool is_over(Time now);
  void end_unfinished_jobs(std::vector<trace::JobEnded> unfinished);

  void apply(const sched::Submit& submit, Time now);
  void apply(const sched::Done& done, Time now);
  void apply(const sched::Repeat& repeat, Time now);
  void apply(const sched::DropJob& drop, Time now);
  void apply(const sched::ArmTimer& arm, Time now);
  void apply(const sched::CancelTimer& cancel, Time now);
  void apply(const sched::RequestStop& stop, Time now);
  void apply(const sched::HoldCore& hold, Time now);
  [[nodiscard]] Time next_instant() const noexcept;
  [[nodiscard]] Time next_release_or_timer() const noexcept;

  const System& system_;
  device::Device& device_;
  ExecutiveOptions options_;
  sched::Draws draws_;
  Time horizon_;
  Ending ending_;
  JobBook book_;
  sched::Core core_;
  device::AssumptionWatch assumptions_;
  ResidentBook resident_;
  Callers callers_;
  ReleaseQueue releases_;
  Timers timers_;
  std::vector<Duration> launch_;  // by task: until its GPU work arrives in the stream
  InFlight in_flight_;
  Budgets budgets_;
  ReleaseGuard guard_;
  std::vector<std::vector<Duration>> longest_blocks_;  // by task and segment
  std::vector<bool> has_ended_jobs_;                   // by task: since its results were told last
  sched::Events events_;
  sched::Commands commands_;
  Outcome outcome_;
  std::optional<sched::EngineClock> engine_;  // virtual time only, where the engine needs time
  bool may_submit_more_ = false;
  bool has_more_resident_ = false;  // jobs that the device releases may be over
  std::atomic<bool> stop_{false};
  std::atomic<bool> running_{false};
  bool stop_sent_ = false;
  bool one_at_a_time_;  // a step makes one submission; others may be left
  bool one_by_one_;     // a segment is submitted when the one before it is done
  Time next_progress_ = origin;
};

}  // namespace tactus::runtime
