// The library's entry point: tasks, the functions bound to them, and a device that runs them.
//
//   tactus::Runtime runtime{tactus::host_device(), tactus::load("robot.yaml")};
//   runtime.bind("lidar", [&](tactus::Job& job) { filter(scan); });
//   runtime.bind("detector", [&](tactus::Job& job) { detect(frame); });
//   const tactus::RunReport report = runtime.run_for(10s);
//   return report.holds() ? 0 : 1;
//
// Segments without a binding take the time that the model says.
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
#include <typeinfo>
#include <utility>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/device/device.hpp"
#include "tactus/device/job.hpp"
#include "tactus/model/system.hpp"
#include "tactus/runtime/admission.hpp"
#include "tactus/runtime/buffers.hpp"
#include "tactus/runtime/outcome.hpp"
#include "tactus/sched/execution.hpp"
#include "tactus/trace/chain_statistics.hpp"
#include "tactus/trace/observer.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus {

struct RuntimeOptions {
  std::uint64_t seed = 1;
  /// Which execution times segments without a binding take.
  Execution execution = Execution::worst;
  /// Whether sporadic tasks are released by `release`. Otherwise separations are drawn, as in a simulation.
  bool sporadic_by_call = true;
  /// Requests a real-time class, precise timers and locked memory for the engine's thread, where permitted.
  bool real_time = true;
  /// Within this time before a release no best-effort job starts: its launch would delay the release.
  Duration quiet_before_release = std::chrono::microseconds{20};
  /// So long before a release an engine that waits busily decides what to do then; 0: when it comes.
  Duration decides_ahead = std::chrono::microseconds{2};
  /// The core that the engine's thread is pinned to; nothing: any.
  std::optional<int> core{};
  /// See runtime::ExecutiveOptions. Nothing: 5 s, or 20 times the longest segment if that is longer.
  std::optional<Duration> watchdog{};
  std::uint32_t max_pending = 1024;
  /// Capacity of the buffer of events for observers.
  std::size_t event_room = std::size_t{1} << 16U;
};

/// What happened in a run, and what had been proven about it.
struct RunReport {
  System system;
  runtime::Outcome outcome;
  std::vector<trace::TaskStatistics> tasks;
  /// By task: the smallest bound that a sound analysis proves; nothing where none does. Opaque work counts as
  /// not preemptible (runtime/opaque_work.hpp).
  std::vector<std::optional<Duration>> bounds;
  /// By task: only the deadline is proven, so the bound is the deadline.
  std::vector<bool> deadline_only;
  /// The effect chains, with the bounds that follow from `bounds`, and what was seen of each.
  std::vector<analysis::EffectResult> chain_bounds;
  std::vector<trace::ChainStatistics> chains;
  std::uint64_t misses = 0;
  /// Events that observers missed because the buffer was full. `holds` does not depend on them, since the
  /// engine counts by itself; only the 99th percentile does, and it is marked as incomplete.
  std::uint64_t events_lost = 0;
  std::uint64_t job_events_lost = 0;  // of `events_lost`: releases and ends of jobs
  /// Observers that threw, in the order of `observe`. The run continued without them.
  std::vector<trace::ObserverFailure> observer_failures;

  /// `bounds` and `deadline_only` together.
  [[nodiscard]] std::vector<analysis::ProvenBound> proven_bounds() const;
  /// Tasks with a job that took longer than its bound, or is pending for longer than that.
  [[nodiscard]] std::vector<TaskIndex> exceeded_bounds() const;
  /// Whether the system declares overheads. Without them the bounds hold for an ideal machine only.
  [[nodiscard]] bool counts_overheads() const { return system.platform.overheads != Overheads{}; }
  /// Whether the run ended as asked, no job was dropped for lack of room, no deadline was missed, no limit of
  /// a chain was passed, and no bound was exceeded. Bounds count only if the system declares overheads.
  [[nodiscard]] bool holds() const;
};

/// A run is configured before it starts. While a run is on, or while another thread is in one of these calls,
/// `add`, `bind`, a second start and all other calls that return the runtime are refused (InputError). They
/// never block, and a refused call changes nothing.
class Runtime {
 public:
  /// InputError when the device is null or the system breaks a rule of the model. The deadlines need not be
  /// proven: `RunReport` has the bounds.
  Runtime(std::unique_ptr<device::Device> device, System system, RuntimeOptions options = {});

  /// Binds a function to a task (all segments without a binding of their own) or to one segment; the order of
  /// the calls does not matter. A function that takes a `Job&` runs on the CPU (on the host device, opaque
  /// GPU work is called once and occupies all its SMs). One that takes a job of a device, such as
  /// `cuda::Job&`, enqueues work there. Any callable is accepted. Its return value is ignored, so a function
  /// reports failure by an exception. It is stored once and never copied: segments and blocks share its state
  /// and may use it concurrently. InputError for unknown names and for a null or empty function.
  template <class Function>
  Runtime& bind(std::string_view task, Function function) {
    return bind_all(task, make_binding(std::move(function)));
  }
  template <class Function>
  Runtime& bind(std::string_view task, std::size_t segment, Function function) {
    return bind_one(task, segment, make_binding(std::move(function)));
  }
  /// The same for a node of a graph, by its name.
  template <class Function>
  Runtime& bind(std::string_view task, std::string_view node, Function function) {
    return bind_one(task, segment_named(task, node), make_binding(std::move(function)));
  }
  /// Binds a function that enqueues GPU work and is called only before the run: what it enqueues is captured
  /// (CUDA: a graph) once for each set of SMs on which the segment may run, and a job is then one launch,
  /// however many kernels there are. The function takes a device's job, such as `cuda::Job&`. Its arguments
  /// stay the same for all jobs: what changes from job to job is in memory that the kernels read. The start
  /// of a run refuses what cannot be captured (InputError).
  template <class Function>
  Runtime& bind_captured(std::string_view task, Function function) {
    return bind_all(task, make_captured(std::move(function)));
  }
  template <class Function>
  Runtime& bind_captured(std::string_view task, std::size_t segment, Function function) {
    return bind_one(task, segment, make_captured(std::move(function)));
  }
  template <class Function>
  Runtime& bind_captured(std::string_view task, std::string_view node, Function function) {
    return bind_one(task, segment_named(task, node), make_captured(std::move(function)));
  }
  /// A kernel in C++: called once for each block; `job.first_block()` is its index.
  Runtime& bind_blocks(std::string_view task, WorkOfJob block, std::size_t segment = 0);
  Runtime& bind_blocks(std::string_view task, std::string_view node, WorkOfJob block) {
    return bind_blocks(task, std::move(block), segment_named(task, node));
  }

  /// The buffers of a `copy` segment. The device makes the copy, by priority, and in chunks where a more
  /// urgent copy may arrive. On a GPU the host buffer must be pinned memory. InputError when the copy is
  /// larger than the segment says, or a pointer is null.
  Runtime& bind_copy(std::string_view task, std::size_t segment, const MemoryCopy& copy);
  /// The same for buffers that change from job to job. The function is called when the copy starts.
  Runtime& bind_copy(std::string_view task, std::size_t segment, CopyOfJob copy);

  Runtime& bind_copy(std::string_view task, std::string_view node, CopyOfJob copy) {
    return bind_copy(task, segment_named(task, node), std::move(copy));
  }

  /// Declares the buffer that a node fills in every job: `job.output<T>()` there, `job.input<T>("node")` in
  /// the nodes behind it. `initial` is a value that is copied, or a function that returns a T; without it, T
  /// is value-initialised. The start of a run makes one for each job that can be in progress at once:
  /// `max_jobs` of the task, else as many as its proven bound allows, and one more. A job has the same ones
  /// from its release to its end, and finds in them what the job before it left there. InputError for unknown
  /// names; at the start when it is not known how many are needed, or the work of the task stays on its SMs
  /// (`dispatch`).
  template <class T, class Initial = T>
  Runtime& buffer(std::string_view task, std::string_view node, Initial initial = T()) {
    return declare_buffer(task, segment_named(task, node), plan_of<T>(std::move(initial)));
  }
  template <class T, class Initial = T>
  Runtime& buffer(std::string_view task, std::size_t segment, Initial initial = T()) {
    return declare_buffer(task, segment, plan_of<T>(std::move(initial)));
  }

  /// Adds a task. If the system with it is not proven, the task is refused and the reason is returned, unless
  /// the options admit it anyway. InputError when the task breaks a rule of the model.
  std::optional<std::string> add(Task task, const AddOptions& options = {});
  std::optional<std::string> add(Task task, Admission admission) {
    return add(std::move(task), AddOptions{.admission = admission, .virtual_sms = {}});
  }

  /// By task: the smallest bound that a sound analysis proves with the current bindings; nothing where none
  /// does. The report has the same bounds. An exporter that is given them marks them in its trace.
  [[nodiscard]] std::vector<std::optional<Duration>> bounds() const;
  /// The same with the kind of proof (analysis/check.hpp).
  [[nodiscard]] std::vector<analysis::ProvenBound> proven_bounds() const;

  /// Sends events to the observer, on a thread other than the engine's. The observer must outlive the run.
  /// One that throws gets no further events; the run continues, and the report has the message.
  Runtime& observe(trace::Observer& observer);
  /// Called with every completed job of a task, on a thread of its own, so that it may take its time. The
  /// buffers of the job stay as they are until it returns: `job.input<T>("node")` gives what any node left.
  /// Jobs may complete out of order; unless told otherwise, a result waits until no earlier job is in
  /// progress. Until the function has returned, the job counts as one of `max_jobs`. What it throws ends the
  /// run in order and is rethrown by `run_for` and `finish`, which wait for it. InputError for an unknown
  /// name; at the start for tasks that are best-effort or resident, or when it is not known how many jobs can
  /// be in progress.
  Runtime& on_result(std::string_view task, OnResult function, ResultOrder order = ResultOrder::of_jobs);
  /// Called on the engine's thread: be short, do not block, do not throw.
  Runtime& on_miss(runtime::OnIncident callback);
  Runtime& on_overrun(runtime::OnIncident callback);
  /// Called periodically on the engine's thread.
  Runtime& on_progress(runtime::OnProgress callback);
  /// The run ends soon after the flag becomes true. The flag must outlive the run.
  Runtime& stop_when(const std::atomic<bool>& flag);
  Runtime& stop_when(const std::atomic<bool>&& flag) = delete;

  /// Runs in the calling thread. If a callback throws, the run is closed and the exception is rethrown.
  RunReport run_for(Duration length);
  RunReport run_until_stopped();

  /// The same in steps: each waits for the next event and handles everything due then. `step` and `finish`
  /// are refused (InputError) without a run, and from callbacks and bound functions, which call `stop`
  /// instead.
  void start(std::optional<Duration> length = std::nullopt);
  bool step();
  RunReport finish();

  /// Any thread may call these, before and during a run.
  ///
  /// Ends the run soon. If none is on, the next one ends as soon as it has started, so a stop that comes
  /// slightly too early is not lost.
  void stop();
  /// Releases a job of a sporadic task. False, and nothing is released, before the first instant of the run,
  /// when its minimum separation has not passed, or when 256 earlier releases have not been handled yet.
  /// Where the task says `on_full: block`, it waits while `max_jobs` are in progress; false when the run ends
  /// meanwhile, and on the engine's thread, which does not wait. InputError for a task that is not sporadic,
  /// and where `sporadic_by_call` is false.
  bool release(std::string_view task);
  [[nodiscard]] std::vector<trace::TaskStatistics> statistics() const;

  [[nodiscard]] const System& system() const { return system_; }
  [[nodiscard]] device::Device& device() { return *device_; }

 private:
  struct Run;
  class Claim;
  class Starting;

  /// Deduces the type of the job that a function takes.
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

  template <class Function>
  static device::Binding make_captured(Function function) {
    static_assert(!std::is_invocable_v<Function&, Job&>,
                  "bind_captured takes a function that enqueues work, of a device's job such as cuda::Job&");
    device::Binding binding = make_binding(std::move(function));
    binding.captured = true;
    return binding;
  }

  template <class T, class Initial>
  static device::BufferPlan plan_of(Initial initial) {
    if constexpr (std::is_invocable_r_v<T, Initial&>) {
      return {.type = &typeid(T), .make = [make = std::move(initial)]() mutable -> std::shared_ptr<void> {
                return std::make_shared<T>(make());
              }};
    } else {
      static_assert(std::is_convertible_v<const Initial&, T>,
                    "a buffer begins as a copy of a T, or as what a function without arguments returns");
      return {.type = &typeid(T), .make = [value = T(std::move(initial))]() -> std::shared_ptr<void> {
                return std::make_shared<T>(value);
              }};
    }
  }
  Runtime& declare_buffer(std::string_view task, std::size_t segment, device::BufferPlan plan);

  /// The segment that is the named node of a graph; InputError when there is none.
  [[nodiscard]] std::size_t segment_named(std::string_view task, std::string_view node) const;
  Runtime& bind_all(std::string_view task, device::Binding binding);
  Runtime& bind_one(std::string_view task, std::size_t segment, device::Binding binding);
  [[nodiscard]] device::Bindings bindings() const;
  /// The system with what the device enforces of it.
  [[nodiscard]] System as_run(const device::Bindings& bound) const;
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
  std::vector<device::Binding> whole_;  // by task: for segments without a binding of their own
  runtime::BufferPlans buffers_;
  runtime::ResultPlans results_;
  std::vector<trace::Observer*> observers_;
  runtime::OnIncident on_miss_;
  runtime::OnIncident on_overrun_;
  runtime::OnProgress on_progress_;
  const std::atomic<bool>* stop_flag_ = nullptr;
  mutable std::mutex run_mutex_;  // calls of other threads against start and finish; not taken by the engine
  std::shared_ptr<Run> run_;      // changed by the thread that has the claim, under the lock
  std::optional<std::thread::id> claimed_by_;  // the thread that changes the runtime or is in the engine
  std::condition_variable unclaimed_;
  bool promises_proof_ = false;  // the last task was admitted because all deadlines were proven
  bool has_run_ = false;
  bool is_starting_ = false;
  bool stop_asked_ = false;  // a stop was requested before the run existed

 public:
  /// Ends the current run; if another thread is in it, stops it and waits for that thread to leave. Must not
  /// be called from a callback or bound function, which would deadlock.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
};

}  // namespace tactus
