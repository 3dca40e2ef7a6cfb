// Tactus in your program: tasks, what they do, and a device that runs them.
//
//   tactus::Runtime runtime{tactus::host_device(), tactus::load("robot.yaml")};
//   runtime.bind("lidar", [&](tactus::Job& job) { filter(scan); });
//   runtime.bind("detector", [&](tactus::Job& job) { detect(frame); });
//   const tactus::RunReport report = runtime.run_for(10s);
//   return report.holds() ? 0 : 1;
//
// What is not bound takes the time that the model says.
#pragma once

#include <atomic>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/device/device.hpp"
#include "tactus/device/job.hpp"
#include "tactus/model/system.hpp"
#include "tactus/runtime/admission.hpp"
#include "tactus/runtime/outcome.hpp"
#include "tactus/sched/execution.hpp"
#include "tactus/trace/observer.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus {

struct RuntimeOptions {
  std::uint64_t seed = 1;
  /// How long built-in work takes.
  Execution execution = Execution::worst;
  /// Sporadic tasks are released by `release`; else at drawn separations, like in a simulation.
  bool sporadic_by_call = true;
  /// A real-time class, punctual timers and locked memory for the engine's thread, where they are granted.
  bool real_time = true;
  /// So long before a release the engine begins no best-effort job: to launch one would make the release
  /// late.
  Duration quiet_before_release = std::chrono::microseconds{20};
  /// The core the engine's thread stays on; nothing: any.
  std::optional<int> core{};
  /// Ends the run as failed when nothing is heard of a server for so long while it has work; 0: never.
  /// Nothing: 5 s, or 20 times the longest segment if that is more.
  std::optional<Duration> watchdog{};
  std::uint32_t max_pending = 1024;
  /// Events that may wait to be written.
  std::size_t event_room = std::size_t{1} << 16U;
};

/// What happened beside what was promised.
struct RunReport {
  System system;
  runtime::Outcome outcome;
  std::vector<trace::TaskStatistics> tasks;
  /// The smallest bound that a sound analysis proves; nothing where none does. Opaque work counts as one
  /// block as long as all of it (runtime/opaque_work.hpp).
  std::vector<std::optional<Duration>> bounds;
  /// By task: the bound is the deadline, which is proven; no response time is.
  std::vector<bool> deadline_only;
  std::uint64_t misses = 0;
  /// For want of room on their way to the observers. What `holds` looks at is counted by the engine, so only
  /// the 99th percentile suffers, and says so; observers miss them.
  std::uint64_t events_lost = 0;
  std::uint64_t job_events_lost = 0;  // of those, releases and ends of jobs
  /// Observers that threw, in the order of `observe`. The run went on without them.
  std::vector<trace::ObserverFailure> observer_failures;

  /// `bounds` and `deadline_only` together.
  [[nodiscard]] std::vector<analysis::ProvenBound> proven_bounds() const;
  /// Tasks with a job that took longer than was proven, or was not done after that time.
  [[nodiscard]] std::vector<TaskIndex> exceeded_bounds() const;
  /// Whether the system names any overheads. If not, bounds are those of a machine that adds nothing.
  [[nodiscard]] bool counts_overheads() const { return system.platform.overheads != Overheads{}; }
  /// It ran as asked, no job found no room, no deadline was missed, and no bound exceeded that counts
  /// overheads.
  [[nodiscard]] bool holds() const;
};

/// What belongs to a run is set before it starts: `add`, `bind`, another start and all that answers with the
/// runtime are refused (InputError) while one is on, and while another thread is in one of these calls:
/// nothing waits, and nothing is half done.
class Runtime {
 public:
  /// InputError when there is no device, or the system breaks a rule of the model. Whether its deadlines are
  /// proven to hold is not asked: `RunReport` shows the bounds.
  Runtime(std::unique_ptr<device::Device> device, System system, RuntimeOptions options = {});

  /// What a task does, instead of taking its time: all segments that have no function of their own, or one
  /// segment, in whichever order that is said. A function that
  /// takes a `Job&` runs on the CPU (host device: opaque GPU work is called once and has all its SMs). One
  /// that takes a job of a device, such as `cuda::Job&`, enqueues work there. Whatever can be called is fine;
  /// what it returns is ignored, so a call that can fail throws. It is kept once and never copied: a function
  /// of several segments or blocks has one state, which these may touch at the same time. InputError for
  /// unknown names and for a function that is null or empty.
  template <class Function>
  Runtime& bind(std::string_view task, Function function) {
    return bind_all(task, make_binding(std::move(function)));
  }
  template <class Function>
  Runtime& bind(std::string_view task, std::size_t segment, Function function) {
    return bind_one(task, segment, make_binding(std::move(function)));
  }
  /// A kernel in C++: called once for each block, `job.first_block()` says which.
  Runtime& bind_blocks(std::string_view task, WorkOfJob block, std::size_t segment = 0);

  /// What a `copy` segment moves. The device does it by itself: by priority, and in chunks where a more
  /// urgent copy may come. For a GPU the host's side is locked memory. InputError when there are more bytes
  /// than the segment says, or a pointer is null.
  Runtime& bind_copy(std::string_view task, std::size_t segment, const MemoryCopy& copy);
  /// The same for buffers that change from job to job. The function is called when the copy begins.
  Runtime& bind_copy(std::string_view task, std::size_t segment, CopyOfJob copy);

  /// Adds a task. Refused, with the reason as answer, when the system with it is not proven to hold, unless
  /// it is to join anyway. InputError when it breaks a rule of the model.
  std::optional<std::string> add(Task task, const AddOptions& options = {});
  std::optional<std::string> add(Task task, Admission admission) {
    return add(std::move(task), AddOptions{.admission = admission, .virtual_sms = {}});
  }

  /// The smallest bound that a sound analysis proves of every task with what is bound now; nothing where none
  /// does. The report shows the same. An exporter that is given them marks them in its trace.
  [[nodiscard]] std::vector<std::optional<Duration>> bounds() const;
  /// The same with what kind of proof it is (analysis/check.hpp).
  [[nodiscard]] std::vector<analysis::ProvenBound> proven_bounds() const;

  /// Events go to the observer, from another thread than the engine's; it outlives the run. One that throws
  /// gets nothing more; the run goes on, and its report has what was thrown.
  Runtime& observe(trace::Observer& observer);
  /// Called from the engine's thread: be short, do not wait, do not throw.
  Runtime& on_miss(runtime::OnIncident callback);
  Runtime& on_overrun(runtime::OnIncident callback);
  /// Now and then, from the engine's thread.
  Runtime& on_progress(runtime::OnProgress callback);
  /// The run ends soon after this becomes true; it outlives the run.
  Runtime& stop_when(const std::atomic<bool>& flag);
  Runtime& stop_when(const std::atomic<bool>&& flag) = delete;

  /// Runs in the calling thread. When a callback throws, the run is ended in order and the exception goes on.
  RunReport run_for(Duration length);
  RunReport run_until_stopped();

  /// The same step by step: each waits for the next instant at which something happens, and handles it.
  /// `step` and `finish` are refused (InputError) without a run, and while the engine is at work: callbacks
  /// and bound functions call `stop`.
  void start(std::optional<Duration> length = std::nullopt);
  bool step();
  RunReport finish();

  /// Any thread may call these, while it runs and before.
  ///
  /// Ends the run soon. Where none is on, the next one ends as soon as it has started: a stop that comes a
  /// little too early is not lost.
  void stop();
  /// Releases a job of a sporadic task. False, and nothing is released, when its minimum separation has not
  /// passed or 256 releases of it have not been seen yet.
  bool release(std::string_view task);
  [[nodiscard]] std::vector<trace::TaskStatistics> statistics() const;

  [[nodiscard]] const System& system() const { return system_; }
  [[nodiscard]] device::Device& device() { return *device_; }

 private:
  struct Run;
  class Claim;
  class Starting;

  /// The type of the job that a function takes.
  template <class Answer, class Argument>
  static std::remove_reference_t<Argument> argument_of(const std::function<Answer(Argument)>&);

  template <class Function>
  static device::Binding make_binding(Function function) {
    if constexpr (std::is_invocable_v<Function&, Job&>) {
      return {.kind = device::Binding::Kind::function, .work = std::move(function)};
    } else {
      using Special = decltype(argument_of(std::function{std::declval<Function>()}));
      static_assert(std::derived_from<Special, Job>, "bind takes a function of a Job&, or of a device's job");
      SharedFunction<void(Special&)> call{std::move(function)};
      if (!call) return {.kind = device::Binding::Kind::calls, .work = {}};
      return {.kind = device::Binding::Kind::calls,
              .work = [work = std::move(call)](Job& job) { work(static_cast<Special&>(job)); }};
    }
  }

  Runtime& bind_all(std::string_view task, device::Binding binding);
  Runtime& bind_one(std::string_view task, std::size_t segment, device::Binding binding);
  [[nodiscard]] device::Bindings bindings() const;
  void make_room_for(const Task& task);
  void require_promised_proof() const;
  RunReport run(std::optional<Duration> length);
  void begin_run(std::optional<Duration> length);
  runtime::Outcome close_run();
  RunReport report_end();
  void forget_run();
  void abandon();

  std::unique_ptr<device::Device> device_;
  System system_;
  RuntimeOptions options_;
  device::Bindings own_;                // by task and segment
  std::vector<device::Binding> whole_;  // by task: for segments that have none of their own
  std::vector<trace::Observer*> observers_;
  runtime::OnIncident on_miss_;
  runtime::OnIncident on_overrun_;
  runtime::OnProgress on_progress_;
  const std::atomic<bool>* stop_flag_ = nullptr;
  mutable std::mutex run_mutex_;  // not on the engine's path: who asks from outside against start and finish
  std::shared_ptr<Run> run_;      // changed by who has the claim, under the lock
  std::optional<std::thread::id> claimed_by_;  // the one thread that changes the runtime or is in the engine
  std::condition_variable unclaimed_;
  bool promises_proof_ = false;  // the last task was admitted because all deadlines were proven
  bool has_run_ = false;
  bool is_starting_ = false;
  bool stop_asked_ = false;  // before there was a run to be stopped

 public:
  /// Ends a run that is on; where another thread is in it, stops that one and waits until it has left. Not
  /// from a callback or a bound function: these would wait for themselves.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  Runtime(Runtime&&) = delete;
  Runtime& operator=(Runtime&&) = delete;
};

}  // namespace tactus
