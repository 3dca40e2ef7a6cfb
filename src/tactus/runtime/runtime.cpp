#include "tactus/runtime/runtime.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "tactus/analysis/check.hpp"
#include "tactus/analysis/observed_chains.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/machine/real_time.hpp"
#include "tactus/runtime/engine_thread.hpp"
#include "tactus/runtime/executive.hpp"
#include "tactus/runtime/opaque_work.hpp"
#include "tactus/runtime/shared_statistics.hpp"
#include "tactus/trace/data_flow.hpp"
#include "tactus/trace/relay.hpp"

namespace tactus {

namespace {

Duration usual_watchdog(const System& system) {
  Duration longest{};
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    for (std::size_t i = 0; i < system.tasks[task].work.nodes.size(); ++i) {
      longest = std::max(longest, whole_time(system, task, i).worst);
    }
  }
  constexpr std::int64_t generous = 20;
  const Duration scaled = longest > Duration::max() / generous ? Duration::max() : longest * generous;
  return std::max<Duration>(std::chrono::seconds{5}, scaled);
}

TaskIndex index_of(const System& system, std::string_view task) {
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    if (system.tasks[i].name == task) return i;
  }
  throw InputError{"there is no task '" + std::string{task} + "'", runtime::known_tasks(system, task)};
}

void refuse_release(const Task& task, bool sporadic_by_call) {
  if (task.arrival != Arrival::sporadic) {
    throw InputError{"task '" + task.name + "' is released by the engine, not by call",
                     "`arrival: sporadic` makes it one that is called"};
  }
  if (!sporadic_by_call) {
    throw InputError{"task '" + task.name + "' is not released by call: its releases are drawn",
                     "leave RuntimeOptions::sporadic_by_call as it is, true"};
  }
}

struct Proof {
  std::vector<analysis::ProvenBound> bounds;
  std::vector<analysis::EffectResult> chains;
};

Proof proof_of(const runtime::BoundSystem& bound) {
  if (bound.keeps_windows) {
    analysis::CheckResult checked = analysis::check(bound.system);
    return {analysis::proven_bounds(bound.system, checked), std::move(checked.chains)};
  }
  const std::vector<std::optional<Duration>> nothing(bound.system.tasks.size());
  return {std::vector<analysis::ProvenBound>(bound.system.tasks.size()),
          analysis::judge_chains(bound.system, nothing)};
}

std::vector<std::optional<Duration>> bounds_of(const std::vector<analysis::ProvenBound>& proven) {
  std::vector<std::optional<Duration>> bounds;
  bounds.reserve(proven.size());
  for (const analysis::ProvenBound& one : proven) bounds.push_back(one.bound);
  return bounds;
}

void require_segment(std::string_view task, std::size_t segment, std::size_t segments) {
  if (segment < segments) return;
  throw InputError{"task '" + std::string{task} + "' has no segment " + std::to_string(segment),
                   "it has " + std::to_string(segments) + ", counted from 0"};
}

void refuse_wrong_kind(const Task& task, std::size_t segment, device::Binding::Kind kind) {
  const Segment& modelled = task.work.nodes[segment].segment;
  const std::string where = "task '" + task.name + "', segment " + std::to_string(segment) + ": ";
  if (kind == device::Binding::Kind::copy && !std::holds_alternative<CopySegment>(modelled)) {
    throw InputError{where + "only a `copy` segment moves bytes", "segments are counted from 0"};
  }
  if (kind == device::Binding::Kind::blocks && !std::holds_alternative<KernelSegment>(modelled)) {
    throw InputError{where + "only a `kernel` segment has blocks to be called one by one",
                     "segments are counted from 0; bind() takes a function for all of the work"};
  }
}

void refuse_nothing(const device::Binding& binding, std::string_view task) {
  if (!binding.is_empty()) return;
  throw InputError{"the function for task '" + std::string{task} + "' is null or empty",
                   "what is not bound takes the time that the model says"};
}

}  // namespace

/// The state of one run, from `start` to `finish`. It has a copy of the system, so later changes of the
/// runtime do not affect it.
struct Runtime::Run {
  Run(System own, device::Device& device, const RuntimeOptions& wishes, runtime::ExecutiveOptions options,
      device::Bindings bound, std::vector<trace::Observer*> wanted, std::unique_ptr<runtime::Results> told)
      : system{std::move(own)},
        bindings{std::move(bound)},
        statistics{system.tasks.size()},
        flow{system, std::chrono::seconds{1}},
        thread{make_thread(wishes, device)},
        relay{all_observers(std::move(wanted)), wishes.event_room},
        relays{&relay},
        executive{system, device, with_bindings(std::move(options)), relays},
        results{std::move(told)} {}

  std::vector<trace::Observer*> all_observers(std::vector<trace::Observer*> wanted) {
    wanted.push_back(&statistics);
    if (!system.chains.empty()) wanted.push_back(&flow);
    return wanted;
  }
  static std::unique_ptr<runtime::EngineThread> make_thread(const RuntimeOptions& wishes,
                                                            const device::Device& device) {
    if (!wishes.real_time) return nullptr;
    return std::make_unique<runtime::EngineThread>(
        runtime::EngineNeeds{.core = wishes.core, .waits_busily = device.waits_busily()});
  }
  runtime::ExecutiveOptions with_bindings(runtime::ExecutiveOptions options) {
    options.bindings = &bindings;
    return options;
  }

  System system;
  device::Bindings bindings;
  runtime::SharedStatistics statistics;
  trace::DataFlow flow;                           // releases may be told late, but not by a second
  std::unique_ptr<runtime::EngineThread> thread;  // null: the thread keeps its settings
  trace::Relay relay;
  std::array<trace::Observer*, 1> relays;
  runtime::Executive executive;
  std::unique_ptr<runtime::Results> results;  // null: nobody is told; its thread knows the executive
  std::vector<std::string> not_enforced;
  std::exception_ptr failed_result;  // what a function for results threw
};

/// Only one thread at a time may change the runtime, start a run or be in the engine; others are refused.
/// Blocking them instead would deadlock a callback or bound function that makes such a call.
class Runtime::Claim {
 public:
  /// To change the runtime or to start a run.
  Claim(Runtime& runtime, const std::string& what) : runtime_{runtime} {
    const std::lock_guard lock{runtime.run_mutex_};
    if (runtime.run_) {
      throw InputError{"cannot " + what + " while a run is on",
                       "end the run (stop, finish), change what is to change, and start again"};
    }
    if (runtime.claimed_by_) {
      throw InputError{"cannot " + what + " while another thread changes the runtime or starts a run",
                       "make these calls one after the other, from one thread"};
    }
    runtime.claimed_by_ = std::this_thread::get_id();
  }
  /// To enter the engine of the current run.
  explicit Claim(Runtime& runtime) : runtime_{runtime} {
    const std::lock_guard lock{runtime.run_mutex_};
    if (!runtime.run_) throw InputError{"no run is on", "call start() before step() and finish()"};
    if (runtime.claimed_by_) {
      throw InputError{"the engine is at work: who is called by it cannot call step() or finish()",
                       "call stop() instead; run_for() finishes by itself"};
    }
    runtime.claimed_by_ = std::this_thread::get_id();
  }
  ~Claim() {
    const std::lock_guard lock{runtime_.run_mutex_};
    runtime_.claimed_by_.reset();
    runtime_.unclaimed_.notify_all();  // under the lock: the destructor may be waiting
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

 private:
  Runtime& runtime_;
};

/// Marks the time from the call that starts a run until the run exists: a stop in between must be kept.
class Runtime::Starting {
 public:
  explicit Starting(Runtime& runtime) : runtime_{runtime} { set(true); }
  ~Starting() { set(false); }
  Starting(const Starting&) = delete;
  Starting& operator=(const Starting&) = delete;

 private:
  void set(bool is_starting) {
    const std::lock_guard lock{runtime_.run_mutex_};
    runtime_.is_starting_ = is_starting;
  }

  Runtime& runtime_;
};

Runtime::Runtime(std::unique_ptr<device::Device> device, System system, RuntimeOptions options)
    : device_{std::move(device)}, system_{std::move(system)}, options_{options} {
  if (!device_) {
    throw InputError{"a runtime needs a device, and the pointer to it is null",
                     "give it one, for instance tactus::host_device()"};
  }
  if (options_.max_pending == 0) {
    throw InputError{"a runtime with RuntimeOptions::max_pending = 0 has no room for any job",
                     "give it 1 or more"};
  }
  if (!system_.tasks.empty()) runtime::require_valid(system_);  // no tasks yet: they are added later
  for (const Task& task : system_.tasks) make_room_for(task);
}

Runtime::~Runtime() {
  {
    std::unique_lock lock{run_mutex_};
    // A callback destroys the runtime that called it. This cannot end well.
    if (claimed_by_ == std::this_thread::get_id()) std::terminate();
    if (run_) {
      run_->executive.stop();
    } else {
      stop_asked_ = true;  // for a run that another thread is about to start
    }
    unclaimed_.wait(lock, [this] { return !claimed_by_; });
  }
  try {
    abandon();
  } catch (...) {
    device_.reset();  // ends all work in flight before the bindings are destroyed
  }
}

std::size_t Runtime::segment_named(std::string_view task, std::string_view node) const {
  const std::vector<Node>& nodes = system_.tasks[index_of(system_, task)].work.nodes;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name == node && !node.empty()) return i;
    if (!nodes[i].name.empty()) names.emplace_back(nodes[i].name);
  }
  const std::string_view near = nearest_name(node, names);
  throw InputError{"task '" + std::string{task} + "' has no node '" + std::string{node} + "'",
                   names.empty()  ? "its segments have no names; they are counted from 0"
                   : near.empty() ? "its first node is '" + std::string{names.front()} + "'"
                                  : "did you mean '" + std::string{near} + "'?"};
}

Runtime& Runtime::bind_all(std::string_view task, device::Binding binding) {
  const Claim claim{*this, "bind task '" + std::string{task} + "'"};
  device::Binding& place = whole_[index_of(system_, task)];
  refuse_nothing(binding, task);
  place = std::move(binding);
  return *this;
}

Runtime& Runtime::bind_one(std::string_view task, std::size_t segment, device::Binding binding) {
  const Claim claim{*this, "bind task '" + std::string{task} + "'"};
  std::vector<device::Binding>& segments = own_[index_of(system_, task)];
  require_segment(task, segment, segments.size());
  refuse_wrong_kind(system_.tasks[index_of(system_, task)], segment, binding.kind);
  refuse_nothing(binding, task);
  segments[segment] = std::move(binding);
  return *this;
}

void Runtime::make_room_for(const Task& task) {
  own_.emplace_back(task.work.nodes.size());
  whole_.emplace_back();
  buffers_.emplace_back(task.work.nodes.size());
  results_.emplace_back();
}

Runtime& Runtime::declare_buffer(std::string_view task, std::size_t segment, device::BufferPlan plan) {
  const Claim claim{*this, "declare a buffer of task '" + std::string{task} + "'"};
  std::vector<device::BufferPlan>& plans = buffers_[index_of(system_, task)];
  require_segment(task, segment, plans.size());
  plans[segment] = std::move(plan);
  return *this;
}

/// The binding of a segment takes precedence over that of its task, in whichever order they were made.
device::Bindings Runtime::bindings() const {
  device::Bindings all = own_;
  for (TaskIndex task = 0; task < all.size(); ++task) {
    for (device::Binding& binding : all[task]) {
      if (binding.kind == device::Binding::Kind::built_in) binding = whole_[task];
    }
  }
  return all;
}

Runtime& Runtime::bind_blocks(std::string_view task, WorkOfJob block, std::size_t segment) {
  return bind_one(task, segment, {.kind = device::Binding::Kind::blocks, .work = std::move(block)});
}

Runtime& Runtime::bind_copy(std::string_view task, std::size_t segment, const MemoryCopy& copy) {
  const std::vector<Node>& nodes = system_.tasks[index_of(system_, task)].work.nodes;
  const auto* modelled = segment < nodes.size() ? std::get_if<CopySegment>(&nodes[segment].segment) : nullptr;
  if (modelled != nullptr && modelled->bytes && std::cmp_greater(copy.bytes, *modelled->bytes)) {
    throw InputError{"task '" + std::string{task} + "', segment " + std::to_string(segment) + " copies " +
                     std::to_string(*modelled->bytes) + " bytes, not " + std::to_string(copy.bytes)};
  }
  if (const std::string_view missing = device::missing_place(copy); !missing.empty()) {
    throw InputError{"task '" + std::string{task} + "', segment " + std::to_string(segment) + ": a copy of " +
                     std::to_string(copy.bytes) + " bytes without a " + std::string{missing} +
                     ": the pointer is null"};
  }
  return bind_copy(task, segment,
                   [copy](const Job&) { return copy; });  // refuses a segment that is not there
}

Runtime& Runtime::bind_copy(std::string_view task, std::size_t segment, CopyOfJob copy) {
  return bind_one(task, segment, device::bind_copy(std::move(copy)));
}

System Runtime::as_run(const device::Bindings& bound) const {
  return runtime::as_enforced(system_, bound, device_->capabilities(system_));
}

std::optional<std::string> Runtime::add(Task task, const AddOptions& options) {
  const Claim claim{*this, "add task '" + task.name + "'"};
  runtime::Admitted admitted = runtime::admit(system_, bindings(), std::move(task), options);
  if (!admitted.refusal.empty()) return admitted.refusal;
  make_room_for(admitted.system.tasks.back());
  system_ = std::move(admitted.system);
  promises_proof_ = options.admission == Admission::proven;
  return std::nullopt;
}

std::vector<std::optional<Duration>> Runtime::bounds() const { return bounds_of(proven_bounds()); }

std::vector<analysis::ProvenBound> Runtime::proven_bounds() const {
  if (system_.tasks.empty()) return {};
  const device::Bindings bound = bindings();
  return proof_of(runtime::as_bound(as_run(bound), bound)).bounds;
}

Runtime& Runtime::observe(trace::Observer& observer) {
  const Claim claim{*this, "add an observer"};
  observers_.push_back(&observer);
  return *this;
}

Runtime& Runtime::on_result(std::string_view task, OnResult function, ResultOrder order) {
  const Claim claim{*this, "set a callback"};
  results_[index_of(system_, task)] = {std::move(function), order};
  return *this;
}

Runtime& Runtime::on_miss(runtime::OnIncident callback) {
  const Claim claim{*this, "set a callback"};
  on_miss_ = std::move(callback);
  return *this;
}

Runtime& Runtime::on_overrun(runtime::OnIncident callback) {
  const Claim claim{*this, "set a callback"};
  on_overrun_ = std::move(callback);
  return *this;
}

Runtime& Runtime::on_progress(runtime::OnProgress callback) {
  const Claim claim{*this, "set a callback"};
  on_progress_ = std::move(callback);
  return *this;
}

Runtime& Runtime::stop_when(const std::atomic<bool>& flag) {
  const Claim claim{*this, "set the flag that stops it"};
  stop_flag_ = &flag;
  return *this;
}

RunReport Runtime::run_for(Duration length) { return run(length); }

RunReport Runtime::run_until_stopped() { return run(std::nullopt); }

RunReport Runtime::run(std::optional<Duration> length) {
  const Claim claim{*this, "start another run"};
  begin_run(length);
  try {
    while (run_->executive.step()) {
    }
    return report_end();
  } catch (...) {
    abandon();
    throw;
  }
}

void Runtime::start(std::optional<Duration> length) {
  const Claim claim{*this, "start another run"};
  begin_run(length);
}

void Runtime::begin_run(std::optional<Duration> length) {
  const Starting starting{*this};
  runtime::require_valid(system_);
  if (length && *length < Duration{}) throw InputError{"a run cannot last less than no time"};
  require_promised_proof();
  runtime::ExecutiveOptions options;
  options.horizon = length;
  options.seed = options_.seed;
  options.execution = options_.execution;
  options.max_pending = options_.max_pending;
  options.watchdog = options_.watchdog.value_or(usual_watchdog(system_));
  options.sporadic_by_call = options_.sporadic_by_call;
  options.stop = stop_flag_;
  options.quiet_before_release = options_.quiet_before_release;
  options.decides_ahead = options_.decides_ahead;
  options.engine_has_core = options_.real_time && options_.core.has_value();
  options.on_miss = on_miss_;
  options.on_overrun = on_overrun_;
  options.progress = on_progress_;
  device::Bindings bound = bindings();
  runtime::refuse_captured_with_launcher(system_, bound);
  System as_it_runs = as_run(bound);
  const runtime::Places places = runtime::make_places(as_it_runs, buffers_, results_, [&] {
    return bounds_of(proof_of(runtime::as_bound(as_it_runs, bound)).bounds);
  });
  runtime::give_buffers(places, bound);
  options.max_jobs = places.jobs;
  std::unique_ptr<runtime::Results> results = runtime::make_results(as_it_runs, results_, places);
  options.results = results.get();
  const bool is_preemptive = cpu_policy(as_it_runs.policy).preemptive;
  auto run = std::make_shared<Run>(std::move(as_it_runs), *device_, options_, std::move(options),
                                   std::move(bound), observers_, std::move(results));
  {
    const std::lock_guard lock{run_mutex_};
    run_ = run;
    has_run_ = true;
    if (std::exchange(stop_asked_, false)) run->executive.stop();
  }
  try {
    // Locking memory takes long, so it is done before the clock starts.
    if (options_.real_time) static_cast<void>(machine::lock_memory());
    run->executive.start();
  } catch (...) {
    forget_run();
    throw;
  }
  if (run->thread) run->not_enforced = run->thread->take();
  if (!is_preemptive && cpu_policy(system_.policy).preemptive) {
    run->not_enforced.emplace_back(
        "preemption of CPU nodes: bound functions run to their end, and so do all CPU nodes; releases and "
        "bounds are those of `cpu: {preemptive: false}`");
  }
}

/// Bindings made after a task was admitted may invalidate the proof: opaque work is not preemptible.
void Runtime::require_promised_proof() const {
  if (!promises_proof_) return;
  const device::Bindings bound = bindings();
  const std::string reason = runtime::reason_against(as_run(bound), bound);
  if (reason.empty()) return;
  throw InputError{
      "the tasks were admitted because the deadlines were proven, but with what is bound now: " + reason,
      "bind kernels block by block, give their work more room, or add with Admission::anyway"};
}

bool Runtime::step() {
  const Claim claim{*this};
  return run_->executive.step();
}

/// Closes the device first: it may still use the observers and bindings.
runtime::Outcome Runtime::close_run() {
  runtime::Outcome outcome = run_->executive.finish();
  if (run_->results) run_->failed_result = run_->results->finish();
  run_->thread.reset();
  run_->relay.finish();
  return outcome;
}

void Runtime::forget_run() {
  std::shared_ptr<Run> gone;  // destroyed after the lock is released
  const std::lock_guard lock{run_mutex_};
  gone.swap(run_);
}

void Runtime::abandon() {
  if (!run_) return;
  try {
    static_cast<void>(close_run());
  } catch (...) {
    forget_run();
    throw;
  }
  forget_run();
}

RunReport Runtime::finish() {
  const Claim claim{*this};
  return report_end();
}

RunReport Runtime::report_end() {
  RunReport report;
  report.outcome = close_run();
  const std::shared_ptr<Run> run = run_;
  forget_run();
  if (run->failed_result) std::rethrow_exception(run->failed_result);
  report.outcome.not_enforced.insert(report.outcome.not_enforced.begin(), run->not_enforced.begin(),
                                     run->not_enforced.end());
  report.system = run->system;
  report.tasks = run->statistics.all();
  for (TaskIndex task = 0; task < report.tasks.size(); ++task) {
    trace::correct(report.tasks[task], report.outcome.tasks[task]);
  }
  report.misses = report.outcome.misses;
  report.events_lost = run->relay.lost();
  report.job_events_lost = run->relay.lost_of_jobs();
  report.observer_failures = run->relay.failures();
  const runtime::BoundSystem bound = runtime::as_bound(run->system, run->bindings);
  Proof proof = proof_of(bound);
  for (const analysis::ProvenBound& proven : proof.bounds) {
    report.bounds.push_back(proven.bound);
    report.deadline_only.push_back(proven.deadline_only);
  }
  run->flow.finish(report.outcome.reached, report.job_events_lost == 0);
  report.chains = run->flow.all();
  report.chain_bounds = std::move(proof.chains);
  report.outcome.not_enforced.insert(report.outcome.not_enforced.end(), bound.opaque.begin(),
                                     bound.opaque.end());
  return report;
}

void Runtime::stop() {
  const std::lock_guard lock{run_mutex_};
  if (run_) {
    run_->executive.stop();
  } else {
    stop_asked_ = stop_asked_ || !has_run_ || is_starting_;  // a stop just after a run is ignored
  }
}

bool Runtime::release(std::string_view task) {
  std::unique_lock lock{run_mutex_};
  const System& system = run_ ? run_->system : system_;
  const TaskIndex index = index_of(system, task);
  refuse_release(system.tasks[index], options_.sporadic_by_call);
  const std::shared_ptr<Run> run = run_;
  if (!run) return false;
  if (run->executive.blocks_callers(index)) {
    const bool is_engine = claimed_by_ == std::this_thread::get_id();
    lock.unlock();  // others may stop the run, and this wait with it
    if (!run->executive.take_place(index, !is_engine)) return false;
    lock.lock();
    if (run_ != run) return false;
  }
  return run->executive.release(index);
}

std::vector<trace::TaskStatistics> Runtime::statistics() const {
  const std::shared_ptr<Run> run = [&] {
    const std::lock_guard lock{run_mutex_};  // held briefly: `release` must not wait for the sums
    return run_;
  }();
  return run ? run->statistics.all() : std::vector<trace::TaskStatistics>{};
}

}  // namespace tactus
