#include "support/plain_strategies.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "support/plain_device.hpp"
#include "tactus/base/error.hpp"
#include "tactus/sched/draws.hpp"

namespace tactus::test {

namespace {

enum class Phase { unseen, ready, submitted, complete };  // as far as the scheduler knows

struct Job {
  trace::JobName name;
  Time release{};
  Time seen{};  // when the scheduler sees the release
  Time deadline = never;
  Phase phase = Phase::unseen;
  bool was_submitted = false;
  bool asked_to_stop = false;
  std::int32_t place = 0;  // its level, or its core; the gang is behind the last core
  Duration time{};         // of all exclusive work, or of one block
  Duration done{};         // exclusive
  std::int64_t parts = 0;  // blocks, or slices, done
  std::int64_t slices_known = 0;
  Time start = never;
};

/// Work of a job on its way to the device, or there.
struct Submission {
  std::size_t job = 0;
  std::size_t level = 0;  // larger = more urgent
  std::vector<std::int32_t> sms;
  bool whole = false;  // all of the job, not a slice
  std::int64_t slices = 1;
  Duration slice{};
  Time arrival{};
  std::size_t operation = 0;
  std::int64_t blocks = 0;
  Duration length{};
};

/// What the scheduler will know at `when`: the job has ended, or only its slice.
struct Notice {
  std::size_t job = 0;
  Time when{};
  bool complete = false;
};

struct Decision {
  std::vector<std::size_t> stops;
  std::vector<Submission> submissions;
};

class PlainStrategies {
 public:
  PlainStrategies(const System& system, const sim::SimulationOptions& options)
      : system_{system},
        policy_{system.policy},
        gpu_{system.platform.gpu},
        draws_{system, options.seed, options.execution},
        horizon_{options.horizon ? time_at(*options.horizon) : sim::default_horizon(system)},
        next_release_(system.tasks.size(), never),
        released_(system.tasks.size(), 0),
        rank_(system.tasks.size(), 0),
        device_{gpu_, [this](std::size_t operation, std::int64_t part, std::int32_t sm, Time start,
                             Time end) { record_part(operation, part, sm, start, end); }} {
    for (const Task& task : system.tasks) refuse_other_work(task);
    if (policy_.strategy == strategy_named("single-stream")) {
      levels_ = 1;
    } else if (policy_.strategy == strategy_named("multi-stream")) {
      levels_ = policy_.levels;
    } else if (policy_.strategy != strategy_named("sm-cores")) {
      throw InputError{"only single-stream, multi-stream and sm-cores"};
    }
    std::size_t rank = 0;
    for (const TaskIndex task : urgency_order(system)) rank_[task] = rank++;
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) plan_first_release(task);
  }

  PlainResult run() {
    // Work of no length, and a stop that is known at once, make the same instant come again.
    for (Time next = next_instant(); next != never && next <= horizon_; next = next_instant()) {
      now_ = next;
      bool awake = now_ == wake_;
      // At the horizon the scheduler is told to stop, so it looks at the clock.
      if (now_ == horizon_) awake = true;
      horizon_seen_ = horizon_seen_ || now_ == horizon_;
      end_parts();
      const bool completions = learn();
      release_jobs();
      const bool releases = see_releases();
      Decision decision;
      if (awake || completions || releases) decision = decide();
      if (is_lazy() && completions && !decision.submissions.empty()) device_.dispatch(now_);
      make_calls_due();
      for (const std::size_t job : decision.stops) stop(job);
      for (const Submission& submission : decision.submissions) launch(submission);
      make_calls_due();
      device_.dispatch(now_);
    }
    cut_off_the_rest();
    result_.horizon = horizon_ == never ? now_ : horizon_;
    result_.pending = result_.released - result_.completed;
    return std::move(result_);
  }

 private:
  // --- What the model says --------------------------------------------------------------------------------

  static void refuse_other_work(const Task& task) {
    const Segment& segment = task.work.nodes.front().segment;
    if (task.work.nodes.size() != 1 || (!std::holds_alternative<KernelSegment>(segment) &&
                                        !std::holds_alternative<ExclusiveSegment>(segment))) {
      throw InputError{"only tasks of one kernel or one exclusive segment"};
    }
  }

  [[nodiscard]] const Task& task_of(const Job& job) const { return system_.tasks[job.name.task]; }
  [[nodiscard]] const KernelSegment* kernel_of(const Job& job) const {
    return std::get_if<KernelSegment>(&task_of(job).work.nodes.front().segment);
  }
  [[nodiscard]] Duration worst_time_of(const Job& job) const {
    return drawn_time(task_of(job).work.nodes.front().segment).worst;
  }
  [[nodiscard]] bool is_best_effort(const Job& job) const {
    return task_of(job).arrival == Arrival::best_effort;
  }
  [[nodiscard]] bool is_ideal(const Job& job) const {
    return kernel_of(job) == nullptr && task_of(job).longest_block == Duration{};
  }
  [[nodiscard]] bool is_preemptible(const Job& job) const {
    return task_of(job).preemptible && policy_.strategy != strategy_named("sm-cores");
  }
  [[nodiscard]] bool is_lazy() const { return levels_ > 1 && policy_.refill == Refill::lazy; }
  [[nodiscard]] std::int32_t cores() const { return gpu_.sms / policy_.sm_group; }

  [[nodiscard]] Duration launch_of(const Job& job) const {
    return draws_.overhead(Purpose::launch_delay, job.name.task, job.name.number, 0,
                           system_.platform.overheads.launch);
  }
  [[nodiscard]] Duration completion_of(const Job& job) const {
    return draws_.overhead(Purpose::completion_delay, job.name.task, job.name.number, 0,
                           system_.platform.overheads.completion);
  }

  /// EDF: the absolute deadline; if equal the job already submitted, then the strict task order, then the
  /// earlier job. FP: the strict task order. Best-effort jobs come behind all others.
  [[nodiscard]] bool better(const Job& a, const Job& b) const {
    const auto key = [&](const Job& job) {
      const bool edf = policy_.order == Order::edf;
      return std::tuple{is_best_effort(job), edf ? job.deadline : origin, edf && !job.was_submitted,
                        rank_[job.name.task], job.name.number};
    };
    return key(a) < key(b);
  }

  // --- Releases -------------------------------------------------------------------------------------------

  void plan_release(TaskIndex task, Time when) { next_release_[task] = when < horizon_ ? when : never; }

  void plan_first_release(TaskIndex task) {
    const Task& description = system_.tasks[task];
    const bool scripted = has_scripted_releases(description);
    plan_release(task, scripted ? *description.jobs.front().release : time_at(description.offset));
  }

  void plan_next_release(TaskIndex task, std::uint64_t number) {
    const Task& description = system_.tasks[task];
    next_release_[task] = never;
    if (has_scripted_releases(description)) {
      if (number + 1 < description.jobs.size()) plan_release(task, *description.jobs[number + 1].release);
    } else if (repeats(description)) {
      plan_release(task, checked_add(now_, draws_.separation(task, number, description)));
    }
  }

  void release_jobs() {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (next_release_[task] != now_) continue;
      const Task& description = system_.tasks[task];
      const std::uint64_t number = released_[task]++;
      Job job;
      job.name = {.task = task, .number = number};
      job.release = now_;
      const bool follows = description.arrival == Arrival::best_effort && number > 0;
      const Duration bound = checked_add(description.jitter, system_.platform.overheads.release);
      job.seen = follows ? now_ : checked_add(now_, draws_.release_delay(task, number, bound));
      if (description.deadline) job.deadline = checked_add(now_, *description.deadline);
      job.time = draws_.execution(task, number, 0, drawn_time(description.work.nodes.front().segment));
      result_.events.releases.push_back({.job = job.name, .release = now_, .deadline = job.deadline});
      ++result_.released;
      jobs_.push_back(job);
      plan_next_release(task, number);
    }
  }

  bool see_releases() {
    bool any = false;
    for (Job& job : jobs_) {
      if (job.phase != Phase::unseen || job.seen != now_) continue;
      job.phase = Phase::ready;
      any = true;
    }
    return any;
  }

  // --- The scheduling pass --------------------------------------------------------------------------------

  Decision decide() {
    Decision decision;
    if (policy_.strategy == strategy_named("sm-cores")) {
      decide_cores(decision);
      wait_for_edge();
    } else {
      decide_streams(decision);
    }
    return decision;
  }

  template <class Wanted>
  [[nodiscard]] std::optional<std::size_t> best_ready(Wanted wanted) const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (jobs_[i].phase != Phase::ready || !wanted(jobs_[i])) continue;
      if (!best || better(jobs_[i], jobs_[*best])) best = i;
    }
    return best;
  }

  [[nodiscard]] std::optional<std::size_t> submitted_at(std::int32_t place) const {
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (jobs_[i].phase == Phase::submitted && jobs_[i].place == place) return i;
    }
    return std::nullopt;
  }

  void submit(std::size_t index, std::int32_t place, std::size_t level, std::vector<std::int32_t> sms,
              bool whole, Decision& decision) {
    Job& job = jobs_[index];
    job.phase = Phase::submitted;
    job.was_submitted = true;
    job.asked_to_stop = false;
    job.place = place;
    decision.submissions.push_back({.job = index, .level = level, .sms = std::move(sms), .whole = whole});
  }

  void decide_streams(Decision& decision) {
    const auto anyone = [](const Job&) { return true; };
    while (const std::optional<std::size_t> best = best_ready(anyone)) {
      std::optional<std::size_t> top;  // the job in the highest occupied level
      for (std::int32_t level = 0; level < levels_; ++level) {
        if (const std::optional<std::size_t> job = submitted_at(level)) top = job;
      }
      if (!top) {
        submit_to_level(*best, 0, decision);
      } else if (is_best_effort(jobs_[*best]) || !better(jobs_[*best], jobs_[*top])) {
        return;
      } else if (jobs_[*top].place < levels_ - 1) {
        if (is_preemptible(jobs_[*top])) ask_to_stop(*top, decision);
        submit_to_level(*best, jobs_[*top].place + 1, decision);
      } else {
        // No level is left. Only best-effort work that can be stopped makes room.
        if (is_best_effort(jobs_[*top])) ask_to_stop(*top, decision);
        return;
      }
    }
  }

  void submit_to_level(std::size_t job, std::int32_t level, Decision& decision) {
    // Level 0 is the least urgent of the levels in use, level PL-1 the device's most urgent.
    const std::int32_t queue = gpu_.priority_levels - levels_ + level;
    const bool whole = !is_best_effort(jobs_[job]) || is_preemptible(jobs_[job]);
    submit(job, level, static_cast<std::size_t>(queue), all_sms(), whole, decision);
  }

  void ask_to_stop(std::size_t index, Decision& decision) {
    Job& job = jobs_[index];
    if ((!is_ideal(job) && !is_preemptible(job)) || job.asked_to_stop) return;
    job.asked_to_stop = true;
    decision.stops.push_back(index);
  }

  void decide_cores(Decision& decision) {
    const std::int32_t gang = cores();
    for (std::int32_t place = 0; place <= gang; ++place) stop_on(place, decision);
    if (window_end(gang - 1) && !submitted_at(gang)) {
      for (std::int32_t core = 0; core < gang; ++core) start_on(core, decision);
    }
    bool cores_idle = true;
    for (std::int32_t core = 0; core < gang; ++core) cores_idle = cores_idle && !submitted_at(core);
    if (window_end(gang) && cores_idle) start_on(gang, decision);
  }

  [[nodiscard]] std::int32_t core_of(const Job& job) const {
    const SmAffinity& sm = task_of(job).sm;
    return sm.kind == SmAffinity::Kind::one ? sm.core : cores();
  }
  [[nodiscard]] std::optional<std::size_t> best_on(std::int32_t place) const {
    return best_ready([&](const Job& job) { return core_of(job) == place; });
  }

  void stop_on(std::int32_t place, Decision& decision) {
    const std::optional<std::size_t> running = submitted_at(place);
    if (!running) return;
    const std::optional<std::size_t> best = best_on(place);
    if (!window_end(place) || (best && better(jobs_[*best], jobs_[*running]))) {
      ask_to_stop(*running, decision);
    }
  }

  void start_on(std::int32_t place, Decision& decision) {
    if (submitted_at(place)) return;
    const std::optional<std::size_t> best = best_on(place);
    if (!best || !fits_window(jobs_[*best], *window_end(place))) return;
    const std::size_t level =
        is_best_effort(jobs_[*best]) ? 0 : static_cast<std::size_t>(gpu_.priority_levels) - 1;
    submit(*best, place, level, sms_of(place), false, decision);
  }

  /// Whether the next slice or wave ends inside the window, whatever it draws. What can be stopped anywhere
  /// needs only to begin inside.
  [[nodiscard]] bool fits_window(const Job& job, Time end) const {
    if (end == never) return true;
    const Time begin = checked_add(now_, system_.platform.overheads.launch);
    if (is_ideal(job)) return begin < end;
    const Duration worst = worst_time_of(job);
    if (kernel_of(job) != nullptr) return checked_add(begin, worst) <= end;
    const Duration block = task_of(job).longest_block.value_or(worst);
    const Duration left = worst - block * job.slices_known;  // if it takes its worst case
    return checked_add(begin, std::min(block, left)) <= end;
  }

  [[nodiscard]] std::vector<std::int32_t> all_sms() const {
    std::vector<std::int32_t> sms(static_cast<std::size_t>(gpu_.sms));
    std::iota(sms.begin(), sms.end(), 0);
    return sms;
  }
  [[nodiscard]] std::vector<std::int32_t> sms_of(std::int32_t place) const {
    if (place == cores()) return all_sms();
    std::vector<std::int32_t> sms(static_cast<std::size_t>(policy_.sm_group));
    std::iota(sms.begin(), sms.end(), place * policy_.sm_group);
    return sms;
  }

  // --- Windows --------------------------------------------------------------------------------------------

  [[nodiscard]] const std::optional<Window>& window_of(std::int32_t place) const {
    return place == cores() ? policy_.reservations->all : policy_.reservations->local;
  }

  /// The end of the window of a place that is open now; nothing when it is closed.
  [[nodiscard]] std::optional<Time> window_end(std::int32_t place) const {
    const std::optional<Window>& window = window_of(place);
    if (!window) return std::nullopt;
    const Duration period = policy_.reservations->period;
    if (window->budget == period) return never;
    for (Time cycle = origin; cycle <= now_; cycle += period) {
      const Time begin = cycle + window->offset;
      if (begin <= now_ && now_ < begin + window->budget) return begin + window->budget;
    }
    return std::nullopt;
  }

  [[nodiscard]] Time next_edge() const {
    Time next = never;
    const Duration period = policy_.reservations->period;
    for (const std::optional<Window>& window : {policy_.reservations->local, policy_.reservations->all}) {
      if (!window || window->budget == period) continue;
      for (Time cycle = origin; cycle <= now_ + period; cycle += period) {
        for (const Time edge : {cycle + window->offset, cycle + window->offset + window->budget}) {
          if (edge > now_) next = std::min(next, edge);
        }
      }
    }
    return next;
  }

  /// While there are jobs the scheduler wakes at the next edge, or a little late.
  void wait_for_edge() {
    const bool jobs = std::any_of(jobs_.begin(), jobs_.end(), [](const Job& job) {
      return job.phase == Phase::ready || job.phase == Phase::submitted;
    });
    const Time edge = jobs ? next_edge() : never;
    wake_ = edge == never
                ? never
                : checked_add(edge, draws_.timer_delay(0, edge, system_.platform.overheads.release));
  }

  // --- Calls and ends -------------------------------------------------------------------------------------

  void launch(Submission submission) {
    submission.arrival = checked_add(now_, launch_of(jobs_[submission.job]));
    calls_.push_back(submission);
  }

  /// Calls arrive in the order of their submission.
  void make_calls_due() {
    for (Submission& call : calls_) {
      if (call.arrival == now_) this->call(call);
    }
    std::erase_if(calls_, [&](const Submission& call) { return call.arrival == now_; });
  }

  void call(Submission& call) {
    const Job& job = jobs_[call.job];
    const Task& task = task_of(job);
    PlainOperation operation;
    operation.level = call.level;
    operation.sms = call.sms;
    operation.first_part = job.parts;
    if (const KernelSegment* kernel = kernel_of(job)) {
      operation.demand = block_demand(*kernel, gpu_);
      const std::int64_t wave =
          blocks_per_sm(operation.demand, gpu_) * static_cast<std::int64_t>(call.sms.size());
      const std::int64_t left = kernel->blocks() - job.parts;
      call.blocks = call.whole ? left : std::min(wave, left);
      operation.blocks = call.blocks;
      operation.block_time = job.time;
    } else {
      const Duration left = job.time - job.done;
      const bool ideal = is_ideal(job);
      const Duration block = ideal ? left : task.longest_block.value_or(left);
      call.length = call.whole ? left : std::min(block, left);
      operation.exclusive = true;
      operation.left = call.length;
      operation.slice = block;
      operation.stoppable = ideal;
      call.slice = block;
      call.slices =
          block == Duration{} ? 1 : std::max<std::int64_t>(1, ceil_div(in_ns(call.length), in_ns(block)));
    }
    call.operation = device_.call(operation);
    by_operation_.push_back(call.job);
    on_device_.push_back(call);
  }

  void end_parts() {
    for (const std::size_t operation : device_.end_parts(now_)) {
      const auto place =
          std::find_if(on_device_.begin(), on_device_.end(),
                       [&](const Submission& submission) { return submission.operation == operation; });
      const Submission submission = *place;
      on_device_.erase(place);
      Job& job = jobs_[submission.job];
      job.done += submission.length;
      job.parts += kernel_of(job) != nullptr ? submission.blocks : submission.slices;
      off_device(submission);
      const KernelSegment* kernel = kernel_of(job);
      const bool complete = kernel != nullptr ? job.parts == kernel->blocks() : job.done == job.time;
      notices_.push_back({submission.job, checked_add(now_, completion_of(job)), complete});
    }
  }

  /// What can be stopped anywhere is off the device, or the way to it, at once.
  void stop(std::size_t index) {
    Job& job = jobs_[index];
    const auto same_job = [&](const Submission& submission) { return submission.job == index; };
    const auto running = std::find_if(on_device_.begin(), on_device_.end(), same_job);
    if (running != on_device_.end() && !is_ideal(job)) {
      // It ends with the blocks that run now.
      const std::int64_t rest = device_.withdraw_rest(running->operation);
      if (rest == 0) return;
      running->blocks -= rest;
      running->slices -= rest;
      if (kernel_of(job) == nullptr) running->length = running->slice * running->slices;
      if (device_.runs(running->operation)) return;
      const Submission submission = *running;
      on_device_.erase(running);
      job.done += submission.length;
      job.parts += kernel_of(job) != nullptr ? submission.blocks : submission.slices;
      if (device_.start_of(submission.operation) != never) off_device(submission);
    } else if (running != on_device_.end()) {
      const Submission submission = *running;
      on_device_.erase(running);
      job.done += submission.length - device_.withdraw(submission.operation, now_);
      if (device_.start_of(submission.operation) != never) {
        ++job.parts;
        off_device(submission);
      }
    } else if (std::erase_if(calls_, same_job) == 0) {
      return;  // it has ended by itself, and that will be known
    }
    notices_.push_back({index, checked_add(now_, completion_of(job)), false});
  }

  void off_device(const Submission& submission) {
    Job& job = jobs_[submission.job];
    const Time start = device_.start_of(submission.operation);
    job.start = std::min(job.start, start);
    result_.events.operations.push_back({.job = job.name,
                                         .segment = 0,
                                         .stream = job.place,
                                         .called = submission.arrival,
                                         .start = start,
                                         .end = now_});
  }

  bool learn() {
    bool any = false;
    for (const Notice& notice : notices_) {
      if (notice.when != now_) continue;
      any = true;
      Job& job = jobs_[notice.job];
      job.phase = notice.complete ? Phase::complete : Phase::ready;
      ++job.slices_known;
      if (!notice.complete) continue;
      ++result_.completed;
      end_job(job, now_, now_ > job.deadline);
      if (is_best_effort(job)) plan_release(job.name.task, now_);
    }
    std::erase_if(notices_, [&](const Notice& notice) { return notice.when == now_; });
    return any;
  }

  void cut_off_the_rest() {
    for (const Submission& submission : on_device_) {
      Job& job = jobs_[submission.job];
      job.start = std::min(job.start, device_.start_of(submission.operation));
    }
    for (const Job& job : jobs_) {
      if (job.phase != Phase::complete) end_job(job, never, job.deadline <= horizon_);
    }
  }

  // --- Records --------------------------------------------------------------------------------------------

  void end_job(const Job& job, Time completion, bool missed) {
    result_.events.ends.push_back({.job = job.name,
                                   .release = job.release,
                                   .start = job.start,
                                   .completion = completion,
                                   .deadline = job.deadline,
                                   .missed = missed});
  }

  void record_part(std::size_t operation, std::int64_t part, std::int32_t sm, Time start, Time end) {
    result_.events.blocks.push_back({.job = jobs_[by_operation_[operation]].name,
                                     .segment = 0,
                                     .block = part,
                                     .sm = sm,
                                     .start = start,
                                     .end = end});
  }

  [[nodiscard]] Time next_instant() const {
    Time next = std::min(device_.next_end(), wake_);
    if (!horizon_seen_) next = std::min(next, horizon_);
    for (const Time release : next_release_) next = std::min(next, release);
    for (const Job& job : jobs_) {
      if (job.phase == Phase::unseen) next = std::min(next, job.seen);
    }
    for (const Submission& call : calls_) next = std::min(next, call.arrival);
    for (const Notice& notice : notices_) next = std::min(next, notice.when);
    return next;
  }

  const System& system_;
  const Policy& policy_;
  const Gpu& gpu_;
  sched::Draws draws_;
  Time horizon_;
  bool horizon_seen_ = false;
  std::int32_t levels_ = 0;  // streams: how many
  Time now_{};
  Time wake_ = never;  // sm-cores: when the scheduler notices the next edge

  std::vector<Time> next_release_;       // by task; never: none planned
  std::vector<std::uint64_t> released_;  // by task
  std::vector<std::size_t> rank_;        // by task: its place in the strict order
  std::vector<Job> jobs_;
  std::vector<Submission> calls_;  // not arrived yet, in the order of their submission
  std::vector<Submission> on_device_;
  std::vector<std::size_t> by_operation_;  // the job of each operation
  std::vector<Notice> notices_;
  PlainDevice device_;
  PlainResult result_;
};

}  // namespace

PlainResult simulate_strategy_plainly(const System& system, const sim::SimulationOptions& options) {
  return PlainStrategies{system, options}.run();
}

}  // namespace tactus::test
