#include "support/plain_federated.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/sched/draws.hpp"

namespace tactus::test {

namespace {

enum class Stage {
  unseen,   // by the scheduler
  queued,   // behind an earlier job of its task, or between two segments
  on_core,  // running or preempted
  wants_copy,
  copying,
  launching,  // on its way to the SMs
  on_sms,
  telling,  // done on the SMs; the scheduler does not know
  done,
};

struct Job {
  trace::JobName name;
  Time release{};
  Time deadline = never;
  Time start = never;
  Stage stage = Stage::unseen;
  std::size_t segment = 0;  // the one it is at
  Time until = never;       // when its stage ends, where that is known
  Time called{};            // when its segment reached its server
  Time segment_start = never;
  bool holds_engine = false;  // a further copy of its request is to come
  std::int64_t copied = 0;    // bytes of its copy, with the piece that runs
  // On a core
  Duration left{};
  Time since = never;  // running from then on; never: it waits
  Time started_before = never;
  Time segment_started_before = never;
  // On SMs
  std::int64_t parts = 0;  // blocks or slices begun
  Duration begun{};        // of exclusive work
};

class PlainFederated {
 public:
  PlainFederated(const System& system, const sim::SimulationOptions& options)
      : system_{system},
        overheads_{system.platform.overheads},
        draws_{system, options.seed, options.execution},
        horizon_{options.horizon ? time_at(*options.horizon) : sim::default_horizon(system)},
        next_release_(system.tasks.size(), never),
        released_(system.tasks.size(), 0),
        sms_(system.tasks.size()),
        order_{urgency_order(system)},
        last_sm_{system.platform.gpu.sms - 1} {
    std::int32_t next_sm = 0;
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      const Task& description = system.tasks[task];
      if (description.work.form == WorkForm::graph) throw InputError{"only chains"};
      const std::int64_t own = virtual_sms(task) / system.platform.gpu.virtual_sms_per_sm;
      for (std::int64_t i = 0; i < own; ++i) sms_[task].push_back(next_sm++);
      const bool scripted = has_scripted_releases(description);
      plan_release(task, scripted ? *description.jobs.front().release : time_at(description.offset));
    }
  }

  PlainResult run() {
    // What takes no time makes the same instant come again.
    for (Time next = next_instant(); next != never && next <= horizon_; next = next_instant()) {
      now_ = next;
      end_on_cores();
      end_copy();
      end_on_sms();
      learn();
      release_jobs();
      issue_segments();
      choose_copy();
      start_on_sms();
      serve_cores();
      std::erase_if(jobs_, [](const Job& job) { return job.stage == Stage::done; });
    }
    cut_off_the_rest();
    result_.horizon = horizon_ == never ? now_ : horizon_;
    result_.pending = result_.released - result_.completed;
    return std::move(result_);
  }

 private:
  // --- What the model says --------------------------------------------------------------------------------

  [[nodiscard]] std::int64_t virtual_sms(TaskIndex task) const {
    return task < system_.virtual_sms.size() ? system_.virtual_sms[task].value_or(0) : 0;
  }
  [[nodiscard]] const Task& task_of(const Job& job) const { return system_.tasks[job.name.task]; }
  [[nodiscard]] const Segment& segment_of(const Job& job) const {
    return task_of(job).work.nodes[job.segment].segment;
  }
  [[nodiscard]] static bool is_cpu(const Segment& segment) {
    return std::holds_alternative<CpuSegment>(segment);
  }
  [[nodiscard]] static bool is_copy(const Segment& segment) {
    return std::holds_alternative<CopySegment>(segment);
  }
  /// CPU segments and copies that can only take no time are not issued.
  [[nodiscard]] static bool is_issued(const Segment& segment) {
    return !(is_cpu(segment) || is_copy(segment)) || drawn_time(segment).worst > Duration{};
  }

  /// The time its segment takes, of a kernel that of a block.
  [[nodiscard]] Duration time_of(const Job& job) const {
    Interval range = drawn_time(segment_of(job));
    if (const auto* gpu = std::get_if<GpuSegment>(&segment_of(job))) {
      const std::int64_t v = virtual_sms(job.name.task);
      const std::int64_t overhead = gpu->overhead.worst.count();
      const std::int64_t share = gpu->interleave.denominator() * v;
      const std::int64_t rest =
          gpu->work.worst.count() * gpu->interleave.numerator() - overhead * gpu->interleave.denominator();
      range.best = Duration{gpu->work.best.count() / v};
      range.worst = Duration{(rest + share - 1) / share + overhead};
    }
    return draws_.execution(job.name.task, job.name.number, job.segment, range);
  }
  [[nodiscard]] Duration overhead_of(const Job& job, Purpose purpose, Duration bound) const {
    return draws_.overhead(purpose, job.name.task, job.name.number, job.segment, bound);
  }

  // --- Releases -------------------------------------------------------------------------------------------

  void plan_release(TaskIndex task, Time when) { next_release_[task] = when < horizon_ ? when : never; }

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
      Job job;
      job.name = {.task = task, .number = released_[task]++};
      job.release = now_;
      if (description.deadline) job.deadline = checked_add(now_, *description.deadline);
      const bool follows = description.arrival == Arrival::best_effort && job.name.number > 0;
      const Duration bound = checked_add(description.jitter, overheads_.release);
      job.until = follows ? now_ : checked_add(now_, draws_.release_delay(task, job.name.number, bound));
      result_.events.releases.push_back({.job = job.name, .release = now_, .deadline = job.deadline});
      ++result_.released;
      jobs_.push_back(job);
      plan_next_release(task, job.name.number);
    }
    for (Job& job : jobs_) {
      if (job.stage == Stage::unseen && job.until == now_) job.stage = Stage::queued;
    }
  }

  // --- From segment to segment ----------------------------------------------------------------------------

  /// Jobs of a task go one after the other.
  [[nodiscard]] bool is_its_turn(const Job& job) const {
    return std::none_of(jobs_.begin(), jobs_.end(), [&](const Job& other) {
      return other.name.task == job.name.task && other.name.number < job.name.number &&
             other.stage != Stage::done;
    });
  }

  /// Hands what can go on to its server.
  void issue_segments() {
    for (Job& job : jobs_) {
      if (job.stage != Stage::queued || !is_its_turn(job)) continue;
      job.called = now_;
      job.segment_start = never;
      if (pass_empty_segments(job)) continue;
      const Segment& segment = segment_of(job);
      if (is_cpu(segment)) {
        job.stage = Stage::on_core;
        job.left = checked_add(time_of(job), overhead_of(job, Purpose::cpu_delay, overheads_.cpu));
        job.since = never;
        job.until = never;
      } else if (is_copy(segment)) {
        job.stage = Stage::wants_copy;
      } else {
        job.stage = Stage::launching;
        job.until = checked_add(now_, overhead_of(job, Purpose::launch_delay, overheads_.launch));
        job.called = job.until;
        job.parts = 0;
        job.begun = {};
      }
    }
  }

  void begin_segment(Job& job) {
    job.start = std::min(job.start, now_);
    job.segment_start = std::min(job.segment_start, now_);
  }

  void end_segment(Job& job) {
    job.stage = Stage::queued;
    job.until = never;
    ++job.segment;
    pass_empty_segments(job);
  }

  /// Segments that are not issued are over before they begin; true when the job is, too.
  bool pass_empty_segments(Job& job) {
    const std::vector<Node>& nodes = task_of(job).work.nodes;
    while (job.segment < nodes.size() && !is_issued(nodes[job.segment].segment)) ++job.segment;
    if (job.segment < nodes.size()) return false;
    finish(job);
    return true;
  }

  void finish(Job& job) {
    job.stage = Stage::done;
    job.start = std::min(job.start, now_);  // a job of which nothing was issued starts where it ends
    ++result_.completed;
    end_job(job, now_, now_ > job.deadline);
    if (task_of(job).arrival == Arrival::best_effort) plan_release(job.name.task, now_);
  }

  void record_operation(const Job& job) {
    result_.events.operations.push_back({.job = job.name,
                                         .segment = static_cast<std::uint32_t>(job.segment),
                                         .stream = -1,
                                         .called = job.called,
                                         .start = job.segment_start,
                                         .end = now_});
  }

  // --- Cores ----------------------------------------------------------------------------------------------

  [[nodiscard]] Job* most_urgent(auto wanted) {
    for (const TaskIndex task : order_) {
      for (Job& job : jobs_) {
        if (job.name.task == task && wanted(job)) return &job;
      }
    }
    return nullptr;
  }

  void end_on_cores() {
    for (Job& job : jobs_) {
      if (job.stage != Stage::on_core || job.since == never || job.until != now_) continue;
      record_cpu(job);
      record_operation(job);
      end_segment(job);
    }
  }

  void serve_cores() {
    for (std::int32_t core = 0; core < system_.platform.cpus(); ++core) {
      const Job* best = most_urgent(
          [&](const Job& job) { return job.stage == Stage::on_core && task_of(job).core == core; });
      for (Job& job : jobs_) {
        if (job.stage != Stage::on_core || task_of(job).core != core) continue;
        if (&job == best && job.since == never) {
          job.started_before = job.start;
          job.segment_started_before = job.segment_start;
          begin_segment(job);
          job.since = now_;
          job.until = checked_add(now_, job.left);
        } else if (&job != best && job.since != never) {
          record_cpu(job);
          if (job.since == now_) {  // what is stopped where it began never was
            job.start = job.started_before;
            job.segment_start = job.segment_started_before;
          }
          job.left -= now_ - job.since;
          job.since = never;
          job.until = never;
        }
      }
    }
  }

  void record_cpu(const Job& job) {
    if (job.since == now_) return;
    result_.events.cpus.push_back({.job = job.name,
                                   .segment = static_cast<std::uint32_t>(job.segment),
                                   .core = task_of(job).core,
                                   .start = job.since,
                                   .end = now_});
  }

  // --- The copy engine ------------------------------------------------------------------------------------

  void end_copy() {
    for (Job& job : jobs_) {
      if (job.stage != Stage::copying || job.until != now_) continue;
      record_operation(job);
      if (piece_behind(job) > 0) {
        job.stage = Stage::wants_copy;
        job.until = never;
        job.segment_start = never;
      } else if (!in_pieces() && has_more_copies(job)) {
        const std::vector<Node>& nodes = task_of(job).work.nodes;
        do ++job.segment;
        while (!is_issued(nodes[job.segment].segment));
        job.segment_start = never;
        start_copy(job);
      } else {
        job.copied = 0;
        end_segment(job);
      }
    }
  }

  [[nodiscard]] bool in_pieces() const { return system_.platform.gpu.copy_chunk.has_value(); }

  /// Bytes of the next piece of a copy that is cut; 0 where nothing is left or nothing is cut.
  [[nodiscard]] std::int64_t piece_behind(const Job& job) const {
    const auto& copy = std::get<CopySegment>(segment_of(job));
    if (!in_pieces() || !copy.bytes) return 0;
    return std::min(*system_.platform.gpu.copy_chunk, *copy.bytes - job.copied);
  }

  /// Of so many bytes, rounded up.
  [[nodiscard]] Duration time_of_bytes(std::int64_t bytes) const {
    const std::int64_t bandwidth = *system_.platform.gpu.copy_bandwidth;
    return Duration{(bytes * 1'000'000'000 + bandwidth - 1) / bandwidth};
  }

  /// What the engine does in one go.
  Duration copy_at_once(Job& job) {
    const std::int64_t piece = piece_behind(job);
    if (piece == 0) return time_of(job);
    job.copied += piece;
    return time_of_bytes(job.copied) - time_of_bytes(job.copied - piece);
  }

  /// Whether the copies behind its segment, with no other kind between them, hold one that is issued.
  [[nodiscard]] bool has_more_copies(const Job& job) const {
    const std::vector<Node>& nodes = task_of(job).work.nodes;
    for (std::size_t next = job.segment + 1; next < nodes.size(); ++next) {
      if (!is_copy(nodes[next].segment)) return false;
      if (is_issued(nodes[next].segment)) return true;
    }
    return false;
  }

  /// Neighbouring copies keep the engine.
  void choose_copy() {
    for (Job& job : jobs_) {
      if (job.stage == Stage::copying) return;
      if (!job.holds_engine) continue;
      if (job.stage == Stage::wants_copy) give_engine(job);
      return;
    }
    Job* best = most_urgent([](const Job& job) { return job.stage == Stage::wants_copy; });
    if (best != nullptr) give_engine(*best);
  }

  void give_engine(Job& job) {
    job.called = now_;
    start_copy(job);
  }

  void start_copy(Job& job) {
    job.stage = Stage::copying;
    job.holds_engine = !in_pieces() && has_more_copies(job);
    begin_segment(job);
    job.until = checked_add(
        now_, checked_add(copy_at_once(job), overhead_of(job, Purpose::copy_delay, overheads_.copy)));
    result_.events.copies.push_back({.job = job.name,
                                     .segment = static_cast<std::uint32_t>(job.segment),
                                     .engine = 0,
                                     .start = now_,
                                     .end = job.until});
  }

  // --- SMs ------------------------------------------------------------------------------------------------

  void start_on_sms() {
    for (Job& job : jobs_) {
      if (job.stage == Stage::launching && job.until == now_) {
        job.stage = Stage::on_sms;
        begin_segment(job);
        job.until = never;
      }
      if (job.stage == Stage::on_sms && job.until == never) start_parts(job);
    }
  }

  /// A wave of blocks, or a slice.
  void start_parts(Job& job) {
    const Duration time = time_of(job);
    if (const auto* kernel = std::get_if<KernelSegment>(&segment_of(job))) {
      job.until = checked_add(now_, time);
      start_wave(job, *kernel);
      return;
    }
    Duration slice = time;
    if (std::holds_alternative<ExclusiveSegment>(segment_of(job))) {
      const Duration longest = task_of(job).longest_block.value_or(Duration{});
      if (longest > Duration{}) slice = std::min(longest, time - job.begun);
    }
    job.begun += slice;
    job.until = checked_add(now_, slice);
    if (!is_told_at_end(job)) {
      for (const std::int32_t sm : sms_[job.name.task]) record_part(job, job.parts, sm, now_, job.until);
    }
    ++job.parts;
  }

  /// What could be stopped anywhere is told when it has ended.
  [[nodiscard]] bool is_told_at_end(const Job& job) const {
    return std::holds_alternative<ExclusiveSegment>(segment_of(job)) &&
           task_of(job).longest_block == Duration{};
  }

  void start_wave(Job& job, const KernelSegment& kernel) {
    const Gpu& gpu = system_.platform.gpu;
    const std::int64_t threads = (kernel.block + gpu.warp - 1) / gpu.warp * gpu.warp;
    const auto fits = [&](std::int64_t blocks) {
      return blocks <= gpu.blocks_per_sm && blocks * threads <= gpu.threads_per_sm &&
             blocks * kernel.shared_memory <= gpu.shared_memory_per_sm &&
             blocks * kernel.registers <= gpu.registers_per_sm;
    };
    std::vector<std::int64_t> resident(static_cast<std::size_t>(gpu.sms), 0);
    const std::vector<std::int32_t>& own = sms_[job.name.task];
    for (; job.parts < kernel.blocks(); ++job.parts) {
      std::optional<std::int32_t> chosen;
      for (std::int32_t step = 0; step < gpu.sms; ++step) {
        const bool round_robin = gpu.sm_choice == SmChoice::round_robin;
        const std::int32_t sm = round_robin ? (last_sm_ + 1 + step) % gpu.sms : step;
        const std::int64_t here = resident[static_cast<std::size_t>(sm)];
        if (std::find(own.begin(), own.end(), sm) == own.end() || !fits(here + 1)) continue;
        const std::int64_t there = chosen ? resident[static_cast<std::size_t>(*chosen)] : 0;
        if (!chosen || (gpu.sm_choice == SmChoice::most_free && here < there) ||
            (gpu.sm_choice == SmChoice::best_fit && here > there)) {
          chosen = sm;
        }
      }
      if (!chosen) return;
      last_sm_ = *chosen;
      ++resident[static_cast<std::size_t>(*chosen)];
      record_part(job, job.parts, *chosen, now_, job.until);
    }
  }

  void record_part(const Job& job, std::int64_t part, std::int32_t sm, Time start, Time end) {
    result_.events.blocks.push_back({.job = job.name,
                                     .segment = static_cast<std::uint32_t>(job.segment),
                                     .block = part,
                                     .sm = sm,
                                     .start = start,
                                     .end = end});
  }

  void end_on_sms() {
    for (Job& job : jobs_) {
      if (job.stage != Stage::on_sms || job.until != now_) continue;
      const auto* kernel = std::get_if<KernelSegment>(&segment_of(job));
      const bool more = kernel != nullptr ? job.parts < kernel->blocks() : job.begun < time_of(job);
      if (more) {
        job.until = never;
        continue;
      }
      if (is_told_at_end(job)) {
        for (const std::int32_t sm : sms_[job.name.task]) record_part(job, 0, sm, job.segment_start, now_);
      }
      record_operation(job);
      job.stage = Stage::telling;
      job.until = checked_add(now_, overhead_of(job, Purpose::completion_delay, overheads_.completion));
    }
  }

  void learn() {
    for (Job& job : jobs_) {
      const bool waits = job.stage == Stage::telling;
      if (waits && job.until == now_) end_segment(job);
    }
  }

  // --- The end --------------------------------------------------------------------------------------------

  void end_job(const Job& job, Time completion, bool missed) {
    result_.events.ends.push_back({.job = job.name,
                                   .release = job.release,
                                   .start = job.start,
                                   .completion = completion,
                                   .deadline = job.deadline,
                                   .missed = missed});
  }

  /// What a core has done of a segment by then is told.
  void cut_off_the_rest() {
    now_ = horizon_ == never ? now_ : horizon_;
    for (const Job& job : jobs_) {
      if (job.stage == Stage::on_core && job.since != never) record_cpu(job);
      if (job.stage != Stage::done) end_job(job, never, job.deadline <= horizon_);
    }
  }

  [[nodiscard]] Time next_instant() const {
    Time next = never;
    for (const Time release : next_release_) next = std::min(next, release);
    for (const Job& job : jobs_) {
      const bool waits =
          job.stage == Stage::queued || job.stage == Stage::wants_copy || job.stage == Stage::done;
      if (!waits) next = std::min(next, job.until);
    }
    return next;
  }

  const System& system_;
  const Overheads& overheads_;
  sched::Draws draws_;
  Time horizon_;
  Time now_{};
  std::vector<Time> next_release_;              // by task; never: none planned
  std::vector<std::uint64_t> released_;         // by task
  std::vector<std::vector<std::int32_t>> sms_;  // by task
  std::vector<TaskIndex> order_;                // most urgent first
  std::int32_t last_sm_;                        // round-robin: the SM used last
  std::vector<Job> jobs_;                       // by release
  PlainResult result_;
};

}  // namespace

PlainResult simulate_federated_plainly(const System& system, const sim::SimulationOptions& options) {
  return PlainFederated{system, options}.run();
}

}  // namespace tactus::test
