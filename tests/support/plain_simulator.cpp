#include "support/plain_simulator.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/sched/draws.hpp"

namespace tactus::test {

namespace {

enum class Kind { copy, kernel, exclusive };

/// A copy, a kernel or exclusive work of one job.
struct Operation {
  std::size_t job = 0;
  std::uint32_t segment = 0;
  Kind kind = Kind::copy;
  std::size_t level = 0;   // its EE queue; larger = more urgent
  Duration time{};         // of the copy, of one block, of all exclusive work
  BlockDemand demand;      // kernel: of one block
  std::int64_t parts = 1;  // kernel: blocks
  Duration slice{};        // exclusive: longest slice
  bool stoppable = false;  // exclusive: can be stopped anywhere

  std::size_t stream = 0;
  std::int64_t assigned = 0;  // blocks or slices assigned so far
  std::int64_t running = 0;   // blocks or slices running now
  Duration left{};            // exclusive: time not yet assigned to a slice
  bool finished = false;
  Time called = never;
  Time start = never;
  Time end = never;
};

struct Job {
  trace::JobName name;
  Time release{};
  Time seen{};  // when the scheduler sees the release
  Time deadline = never;
  std::vector<std::size_t> operations;  // in the order of their calls
  std::size_t unknown = 0;              // operations the scheduler does not know to have finished
  bool completed = false;
};

/// An operation on its way to its stream.
struct Call {
  std::size_t operation = 0;
  Time arrival{};
};

struct Stream {
  std::int32_t name = -1;         // index of the named stream; -1 for a job's own
  std::size_t job = 0;            // of a stream without a name
  std::deque<std::size_t> queue;  // operations; the head runs or waits in its EE or copy queue
};

struct Sm {
  std::int64_t threads = 0;  // in use, like the rest
  std::int64_t slots = 0;
  std::int64_t shared_memory = 0;
  std::int64_t registers = 0;
  bool exclusive = false;  // taken as a whole
};

/// A block on one SM, or a slice on all of them.
struct Part {
  std::size_t operation = 0;
  std::int64_t index = 0;
  std::int32_t sm = 0;
  Time start{};
  Time end{};
};

/// The end of an operation, known to the scheduler at `when`.
struct Knowledge {
  std::size_t job = 0;
  Time when{};
};

class PlainSimulator {
 public:
  PlainSimulator(const System& system, const sim::SimulationOptions& options)
      : system_{system},
        gpu_{system.platform.gpu},
        draws_{system, options.seed, options.execution},
        horizon_{options.horizon ? time_at(*options.horizon) : sim::default_horizon(system)},
        next_release_(system.tasks.size(), never),
        released_jobs_(system.tasks.size(), 0),
        engines_(static_cast<std::size_t>(gpu_.copy_engines)),
        ee_queues_(static_cast<std::size_t>(gpu_.priority_levels)),
        sms_(static_cast<std::size_t>(gpu_.sms)),
        last_sm_{sms_.size() - 1} {
    if (system.policy.strategy != strategy_named("as-submitted")) throw InputError{"only as-submitted"};
    name_streams();
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      plan_release(task, time_at(system_.tasks[task].offset));
    }
  }

  PlainResult run() {
    // Work of length zero ends at the instant at which it starts, so the same instant can come again.
    for (Time next = next_instant(); next != never && next <= horizon_; next = next_instant()) {
      now_ = next;
      end_parts();    // (1)
      pop_streams();  // (2)
      learn_completions();
      release_jobs();
      submit_seen_jobs();
      handle_calls();     // (3)
      dispatch_copies();  // (4) copy engines first
      dispatch_blocks();  // (4)
    }
    cut_off_the_rest();
    result_.horizon = horizon_ == never ? now_ : horizon_;
    result_.pending = result_.released - result_.completed;
    return std::move(result_);
  }

 private:
  // --- Releases -------------------------------------------------------------------------------------------

  /// Only releases before the horizon happen.
  void plan_release(TaskIndex task, Time when) { next_release_[task] = when < horizon_ ? when : never; }

  void release_jobs() {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (next_release_[task] != now_) continue;
      const Task& description = system_.tasks[task];
      const std::uint64_t number = released_jobs_[task]++;
      release_job(task, number);
      next_release_[task] = never;  // once: no more; best-effort: when this job has completed
      if (repeats(description)) {
        plan_release(task, checked_add(now_, draws_.separation(task, number, description)));
      }
    }
  }

  void release_job(TaskIndex task, std::uint64_t number) {
    const Task& description = system_.tasks[task];
    Job job;
    job.name = {.task = task, .number = number};
    job.release = now_;
    // A best-effort job that follows another starts on the scheduler's own account: nothing delays it.
    const bool follows = description.arrival == Arrival::best_effort && number > 0;
    const Duration bound = checked_add(description.jitter, system_.platform.overheads.release);
    job.seen = follows ? now_ : checked_add(now_, draws_.release_delay(task, number, bound));
    if (description.deadline) job.deadline = checked_add(now_, *description.deadline);
    result_.events.releases.push_back({.job = job.name, .release = job.release, .deadline = job.deadline});
    ++result_.released;
    unseen_.push_back(jobs_.size());
    jobs_.push_back(job);
  }

  // --- Submission -----------------------------------------------------------------------------------------

  /// As-submitted: all segments of a job are called when its release is seen. Simultaneous calls: in file
  /// order of tasks, within a task in job order.
  void submit_seen_jobs() {
    std::vector<std::size_t> seen;
    for (const std::size_t job : unseen_) {
      if (jobs_[job].seen == now_) seen.push_back(job);
    }
    std::erase_if(unseen_, [&](std::size_t job) { return jobs_[job].seen == now_; });
    std::sort(seen.begin(), seen.end(),
              [&](std::size_t a, std::size_t b) { return jobs_[a].name < jobs_[b].name; });
    for (const std::size_t job : seen) submit(job);
  }

  void submit(std::size_t index) {
    Job& job = jobs_[index];
    const Task& task = system_.tasks[job.name.task];
    Time arrival = now_;
    for (const std::size_t node : topological_order(task.work)) {
      const Operation operation = make_operation(index, static_cast<std::uint32_t>(node));
      // Calls of one job arrive in order. GPU work needs its launch; a copy comes along with the call before.
      if (operation.kind != Kind::copy) {
        arrival = checked_add(arrival, draws_.overhead(Purpose::launch_delay, job.name.task, job.name.number,
                                                       node, system_.platform.overheads.launch));
      }
      calls_.push_back({.operation = operations_.size(), .arrival = arrival});
      job.operations.push_back(operations_.size());
      operations_.push_back(operation);
    }
    job.unknown = job.operations.size();
  }

  Operation make_operation(std::size_t job, std::uint32_t node) const {
    const trace::JobName name = jobs_[job].name;
    const Task& task = system_.tasks[name.task];
    const Segment& segment = task.work.nodes[node].segment;
    Operation operation;
    operation.job = job;
    operation.segment = node;
    operation.level = static_cast<std::size_t>(-task.stream_priority);  // A1: one EE queue a priority
    const auto drawn = [&](Interval time) { return draws_.execution(name.task, name.number, node, time); };
    if (const auto* copy = std::get_if<CopySegment>(&segment)) {
      operation.kind = Kind::copy;
      operation.time =
          checked_add(drawn(copy->time), draws_.overhead(Purpose::copy_delay, name.task, name.number, node,
                                                         system_.platform.overheads.copy));
    } else if (const auto* kernel = std::get_if<KernelSegment>(&segment)) {
      operation.kind = Kind::kernel;
      operation.time = drawn(kernel->block_time);
      operation.parts = kernel->blocks();
      operation.demand = block_demand(*kernel, gpu_);
    } else if (const auto* exclusive = std::get_if<ExclusiveSegment>(&segment)) {
      operation.kind = Kind::exclusive;
      operation.time = drawn(exclusive->time);
      operation.left = operation.time;
      operation.stoppable = task.longest_block == Duration{};
      operation.slice = operation.stoppable ? operation.time : task.longest_block.value_or(operation.time);
    } else {
      throw InputError{std::string{"as-submitted has no "} + kind_name(segment) + " segments"};
    }
    return operation;
  }

  // --- Streams and queues ---------------------------------------------------------------------------------

  void name_streams() {
    for (const Task& task : system_.tasks) {
      if (task.stream && index_of(*task.stream) < 0) stream_names_.push_back(*task.stream);
    }
  }

  [[nodiscard]] std::int32_t index_of(const std::string& stream) const {
    for (std::size_t i = 0; i < stream_names_.size(); ++i) {
      if (stream_names_[i] == stream) return static_cast<std::int32_t>(i);
    }
    return -1;
  }

  /// The stream of a job, made by its first call: `streams_` keeps the order of first calls.
  std::size_t stream_of(std::size_t job) {
    const Task& task = system_.tasks[jobs_[job].name.task];
    const std::int32_t name = task.stream ? index_of(*task.stream) : -1;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (streams_[i].name == name && (name >= 0 || streams_[i].job == job)) return i;
    }
    streams_.push_back({.name = name, .job = job, .queue = {}});
    return streams_.size() - 1;
  }

  /// Rule (3). Calls are kept in the order of their submission. G1, C1: a call joins its stream's queue.
  void handle_calls() {
    for (const Call& call : calls_) {
      if (call.arrival != now_) continue;
      Operation& operation = operations_[call.operation];
      operation.called = now_;
      operation.stream = stream_of(operation.job);
      Stream& stream = streams_[operation.stream];
      stream.queue.push_back(call.operation);
      if (stream.queue.size() == 1) join_queue(call.operation);
    }
    std::erase_if(calls_, [&](const Call& call) { return call.arrival == now_; });
  }

  /// G2, C2: what is at the head of its stream joins its EE queue, or the copy queue.
  void join_queue(std::size_t index) {
    const Operation& operation = operations_[index];
    if (operation.kind == Kind::copy) {
      copy_queue_.push_back(index);
    } else {
      ee_queues_[operation.level].push_back(index);
    }
  }

  /// Rule (2). G4, C4: what has ended leaves its stream, and the next in the stream joins its queue.
  void pop_streams() {
    for (Stream& stream : streams_) {
      if (stream.queue.empty() || !operations_[stream.queue.front()].finished) continue;
      const Operation& operation = operations_[stream.queue.front()];
      const Job& job = jobs_[operation.job];
      result_.events.operations.push_back({.job = job.name,
                                           .segment = operation.segment,
                                           .stream = stream.name,
                                           .called = operation.called,
                                           .start = operation.start,
                                           .end = operation.end});
      // The scheduler knows of a copy at once, of GPU work after its completion overhead.
      Duration delay{};
      if (operation.kind != Kind::copy) {
        delay = draws_.overhead(Purpose::completion_delay, job.name.task, job.name.number, operation.segment,
                                system_.platform.overheads.completion);
      }
      knowledge_.push_back({.job = operation.job, .when = checked_add(now_, delay)});
      stream.queue.pop_front();
      if (!stream.queue.empty()) join_queue(stream.queue.front());
    }
  }

  // --- Ends -----------------------------------------------------------------------------------------------

  /// Rule (1): blocks and copies that end now free their resources.
  void end_parts() {
    for (const Part& part : parts_) {
      if (part.end != now_) continue;
      Operation& operation = operations_[part.operation];
      free_sms(part);
      if (operation.stoppable) record(part);  // its end was not certain before
      --operation.running;
      if (operation.running == 0 && all_assigned(operation)) finish(operation);
    }
    std::erase_if(parts_, [&](const Part& part) { return part.end == now_; });
    for (std::optional<Part>& engine : engines_) {
      if (!engine || engine->end != now_) continue;
      finish(operations_[engine->operation]);
      engine.reset();
    }
  }

  void finish(Operation& operation) const {
    operation.finished = true;
    operation.end = now_;
  }

  /// A job completes when the scheduler knows that the last of its segments has finished.
  void learn_completions() {
    for (const Knowledge& known : knowledge_) {
      if (known.when != now_) continue;
      Job& job = jobs_[known.job];
      if (--job.unknown > 0) continue;
      job.completed = true;
      ++result_.completed;
      result_.events.ends.push_back({.job = job.name,
                                     .release = job.release,
                                     .start = start_of(job),
                                     .completion = now_,
                                     .deadline = job.deadline,
                                     .missed = now_ > job.deadline});
      // Best-effort: again as soon as the scheduler knows. Released below, among this instant's releases.
      if (system_.tasks[job.name.task].arrival == Arrival::best_effort) plan_release(job.name.task, now_);
    }
    std::erase_if(knowledge_, [&](const Knowledge& known) { return known.when == now_; });
  }

  /// At the horizon: a job that has not completed is missed if its deadline has passed.
  void cut_off_the_rest() {
    for (const Job& job : jobs_) {
      if (job.completed) continue;
      result_.events.ends.push_back({.job = job.name,
                                     .release = job.release,
                                     .start = start_of(job),
                                     .completion = never,
                                     .deadline = job.deadline,
                                     .missed = job.deadline <= horizon_});
    }
  }

  [[nodiscard]] Time start_of(const Job& job) const {
    Time start = never;
    for (const std::size_t operation : job.operations) start = std::min(start, operations_[operation].start);
    return start;
  }

  // --- Dispatch -------------------------------------------------------------------------------------------

  /// C3: copies in FIFO order, one at a time on each engine, the free engine with the least number first.
  void dispatch_copies() {
    for (std::size_t engine = 0; engine < engines_.size() && !copy_queue_.empty(); ++engine) {
      if (engines_[engine]) continue;
      const std::size_t index = copy_queue_.front();
      copy_queue_.pop_front();
      Operation& operation = operations_[index];
      operation.start = now_;
      engines_[engine] = Part{
          .operation = index, .index = 0, .sm = 0, .start = now_, .end = checked_add(now_, operation.time)};
      result_.events.copies.push_back({.job = jobs_[operation.job].name,
                                       .segment = operation.segment,
                                       .engine = static_cast<std::int32_t>(engine),
                                       .start = now_,
                                       .end = engines_[engine]->end});
    }
  }

  /// X1, A2: only the head of the most urgent non-empty EE queue is tried. G3: it leaves when its last block
  /// has been assigned, and the next head is tried at once, until one does not fit.
  void dispatch_blocks() {
    stop_for_more_urgent();
    while (const std::optional<std::size_t> level = most_urgent_level()) {
      std::deque<std::size_t>& queue = ee_queues_[*level];
      const std::size_t head = queue.front();
      const bool fits = operations_[head].kind == Kind::kernel ? assign_block(head) : assign_slice(head);
      if (!fits) return;
      if (all_assigned(operations_[head])) queue.pop_front();
    }
  }

  [[nodiscard]] std::optional<std::size_t> most_urgent_level() const {
    for (std::size_t level = ee_queues_.size(); level-- > 0;) {
      if (!ee_queues_[level].empty()) return level;
    }
    return std::nullopt;
  }

  [[nodiscard]] static bool all_assigned(const Operation& operation) {
    if (operation.kind == Kind::kernel) return operation.assigned == operation.parts;
    // Exclusive work of no time at all still has one slice.
    return operation.left == Duration{} && operation.assigned > 0;
  }

  /// R1-R3: the block needs one SM with enough of everything.
  [[nodiscard]] bool fits(const Sm& sm, const BlockDemand& demand) const {
    return !sm.exclusive && sm.threads + demand.threads <= gpu_.threads_per_sm &&
           sm.slots + 1 <= gpu_.blocks_per_sm &&
           sm.shared_memory + demand.shared_memory <= gpu_.shared_memory_per_sm &&
           sm.registers + demand.registers <= gpu_.registers_per_sm;
  }

  [[nodiscard]] std::optional<std::size_t> choose_sm(const BlockDemand& demand) const {
    std::optional<std::size_t> best;
    for (std::size_t step = 0; step < sms_.size(); ++step) {
      // Round-robin looks at the SM after the last used one first, the other rules at SM 0.
      const bool round_robin = gpu_.sm_choice == SmChoice::round_robin;
      const std::size_t sm = round_robin ? (last_sm_ + 1 + step) % sms_.size() : step;
      if (!fits(sms_[sm], demand)) continue;
      if (!best) {
        best = sm;
      } else if (gpu_.sm_choice == SmChoice::most_free && sms_[sm].threads < sms_[*best].threads) {
        best = sm;
      } else if (gpu_.sm_choice == SmChoice::best_fit && sms_[sm].threads > sms_[*best].threads) {
        best = sm;
      }
    }
    return best;
  }

  /// Assigns the next block of a kernel; false when no SM has room for it.
  bool assign_block(std::size_t index) {
    Operation& operation = operations_[index];
    const std::optional<std::size_t> sm = choose_sm(operation.demand);
    if (!sm) return false;
    last_sm_ = *sm;
    sms_[*sm].threads += operation.demand.threads;
    sms_[*sm].slots += 1;
    sms_[*sm].shared_memory += operation.demand.shared_memory;
    sms_[*sm].registers += operation.demand.registers;
    start_part(index, static_cast<std::int32_t>(*sm), operation.time);
    return true;
  }

  /// Assigns the next slice of exclusive work; false unless all SMs are idle.
  bool assign_slice(std::size_t index) {
    Operation& operation = operations_[index];
    if (std::any_of(sms_.begin(), sms_.end(), [](const Sm& sm) { return sm.exclusive || sm.slots > 0; })) {
      return false;
    }
    for (Sm& sm : sms_) sm.exclusive = true;
    const Duration length = std::min(operation.slice, operation.left);
    operation.left -= length;
    start_part(index, 0, length);
    return true;
  }

  void start_part(std::size_t index, std::int32_t sm, Duration length) {
    Operation& operation = operations_[index];
    if (operation.start == never) operation.start = now_;
    const Part part{.operation = index,
                    .index = operation.assigned,
                    .sm = sm,
                    .start = now_,
                    .end = checked_add(now_, length)};
    ++operation.assigned;
    ++operation.running;
    if (!operation.stoppable) record(part);
    parts_.push_back(part);
  }

  void free_sms(const Part& part) {
    const Operation& operation = operations_[part.operation];
    if (operation.kind == Kind::exclusive) {
      for (Sm& sm : sms_) sm.exclusive = false;
      return;
    }
    Sm& sm = sms_[static_cast<std::size_t>(part.sm)];
    sm.threads -= operation.demand.threads;
    sm.slots -= 1;
    sm.shared_memory -= operation.demand.shared_memory;
    sm.registers -= operation.demand.registers;
  }

  void record(const Part& part) {
    const Operation& operation = operations_[part.operation];
    const bool slice = operation.kind == Kind::exclusive;
    const std::int32_t first = slice ? 0 : part.sm;
    const std::int32_t last = slice ? gpu_.sms - 1 : part.sm;
    for (std::int32_t sm = first; sm <= last; ++sm) {
      result_.events.blocks.push_back({.job = jobs_[operation.job].name,
                                       .segment = operation.segment,
                                       .block = part.index,
                                       .sm = sm,
                                       .start = part.start,
                                       .end = part.end});
    }
  }

  /// Exclusive work with `longest_block` 0 makes room at once when anything more urgent waits. It goes back
  /// to the front of its EE queue with the time it has left. A slice that was stopped where it began never
  /// was.
  void stop_for_more_urgent() {
    const std::optional<std::size_t> level = most_urgent_level();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Part part = parts_[i];
      Operation& operation = operations_[part.operation];
      if (!operation.stoppable || !level || *level <= operation.level) continue;
      parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(i));
      free_sms(part);
      operation.left += part.end - now_;
      --operation.running;
      if (part.start < now_) {
        part.end = now_;
        record(part);
      } else {
        --operation.assigned;
        if (operation.assigned == 0) operation.start = never;
      }
      ee_queues_[operation.level].push_front(part.operation);
      return;  // it had all SMs, so there is no other
    }
  }

  // --- The next instant -----------------------------------------------------------------------------------

  [[nodiscard]] Time next_instant() const {
    Time next = never;
    for (const Time release : next_release_) next = std::min(next, release);
    for (const std::size_t job : unseen_) next = std::min(next, jobs_[job].seen);
    for (const Call& call : calls_) next = std::min(next, call.arrival);
    for (const Part& part : parts_) next = std::min(next, part.end);
    for (const std::optional<Part>& engine : engines_) {
      if (engine) next = std::min(next, engine->end);
    }
    for (const Knowledge& known : knowledge_) next = std::min(next, known.when);
    return next;
  }

  const System& system_;
  const Gpu& gpu_;
  sched::Draws draws_;
  Time horizon_;
  Time now_{};

  std::vector<Time> next_release_;            // by task; never: none planned
  std::vector<std::uint64_t> released_jobs_;  // by task
  std::vector<Job> jobs_;
  std::vector<std::size_t> unseen_;  // jobs whose release the scheduler has not seen yet
  std::vector<Operation> operations_;
  std::vector<Call> calls_;           // not arrived yet, in the order of their submission
  std::vector<Knowledge> knowledge_;  // not known yet

  std::vector<std::string> stream_names_;
  std::vector<Stream> streams_;  // in the order of their first calls
  std::deque<std::size_t> copy_queue_;
  std::vector<std::optional<Part>> engines_;
  std::vector<std::deque<std::size_t>> ee_queues_;  // by level
  std::vector<Sm> sms_;
  std::size_t last_sm_;  // round-robin: the SM used last; at first the one before SM 0
  std::vector<Part> parts_;

  PlainResult result_;
};

}  // namespace

PlainResult simulate_plainly(const System& system, const sim::SimulationOptions& options) {
  return PlainSimulator{system, options}.run();
}

}  // namespace tactus::test
