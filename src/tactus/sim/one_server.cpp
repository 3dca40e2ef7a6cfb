#include "tactus/sim/one_server.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/model/dispatch.hpp"
#include "tactus/sched/arrivals.hpp"
#include "tactus/sched/urgency.hpp"

namespace tactus::sim {

namespace {

/// A released job. `urgency` is its place among those that wait.
struct WaitingJob {
  sched::Urgency urgency;
  Time release{};
  Time deadline = never;
  TaskIndex task = 0;
};

bool less_urgent(const WaitingJob& a, const WaitingJob& b) { return b.urgency < a.urgency; }

bool has_overheads(const System& system) {
  const Overheads& overheads = system.platform.overheads;
  const auto has_jitter = [](const Task& task) { return task.jitter > Duration{}; };
  return overheads.release > Duration{} || longest_launch(system) > Duration{} ||
         overheads.completion > Duration{} || has_engine_time(system) ||
         std::any_of(system.tasks.begin(), system.tasks.end(), has_jitter);
}

/// Whether `usual_max_pending` jobs are never pending at once. Of a utilisation of at most 1, the work that
/// is pending never exceeds one longest job of every task, and each job has at least the shortest time.
bool stays_small(const System& system, const std::vector<std::int64_t>& waves) {
  constexpr Int128 one = Int128{1} << 40U;
  Int128 sum = 0;
  Int128 utilisation = 0;
  Int128 shortest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (!task.jobs.empty()) return false;  // a script may release at any rate
    const Interval time = drawn_time(task.work.nodes.front().segment);
    const Int128 worst = Int128{time.worst.count()} * waves[i];
    if (worst >= one) return false;
    sum += worst;
    shortest = std::min(shortest, Int128{time.best.count()} * waves[i]);
    if (repeats(task)) utilisation += (worst * one) / task.period->count() + 1;  // rounded up
  }
  return shortest > 0 && utilisation <= one &&
         sum / shortest + static_cast<std::int64_t>(system.tasks.size()) < usual_max_pending;
}

class OneServerRun {
 public:
  OneServerRun(const System& system, const SimulationOptions& options, trace::Fanout& trace, Time horizon,
               OneServer order, std::vector<std::int64_t> waves)
      : system_{system},
        options_{options},
        trace_{trace},
        draws_{system, options.seed, options.execution},
        order_{system},
        first_come_{order == OneServer::first_come},
        waves_{std::move(waves)},
        arrivals_{system, draws_, horizon},
        outcome_{.horizon = horizon} {}

  Outcome run() {
    while (keep_going()) {
      const Time now = std::min({arrivals_.next(), end_, outcome_.horizon});
      outcome_.reached = now;
      while (arrivals_.next() == now) release(arrivals_.take());
      if (end_ == now) complete(now);
      if (end_ == never && !waiting_.empty()) start(now);
      if (now == outcome_.horizon && end_ != now) {
        outcome_.reached = outcome_.horizon;
        break;
      }
    }
    end_unfinished_jobs();
    return outcome_;
  }

 private:
  bool keep_going() {
    constexpr std::uint64_t rounds_between_looks = 1U << 14U;
    if (++rounds_ % rounds_between_looks != 0) return true;
    if (options_.watch.stopped()) {
      outcome_.ending = SimulationEnd::interrupted;
      return false;
    }
    options_.watch.show(static_cast<double>(in_ns(outcome_.reached)) /
                        static_cast<double>(in_ns(outcome_.horizon)));
    trace_.ask();
    return true;
  }

  void release(const sched::Release& release) {
    sched::JobRow job;
    job.release = release.nominal;
    job.number = release.number;
    job.task = release.task;
    if (const std::optional<Duration>& deadline = system_.tasks[release.task].deadline) {
      job.deadline = saturating_add(release.nominal, *deadline);
    }
    ++outcome_.released;
    trace_.tell(trace::JobReleased{{job.task, job.number}, job.release, job.deadline});
    WaitingJob& waiting = waiting_.emplace_back();
    waiting.urgency = first_come_
                          ? sched::Urgency{.deadline = job.release, .rank = job.task, .number = job.number}
                          : order_.of_waiting(job);
    waiting.release = job.release;
    waiting.deadline = job.deadline;
    waiting.task = job.task;
    std::push_heap(waiting_.begin(), waiting_.end(), less_urgent);
  }

  void start(Time now) {
    std::pop_heap(waiting_.begin(), waiting_.end(), less_urgent);
    served_ = waiting_.back();
    waiting_.pop_back();
    start_ = now;
    const Interval time = drawn_time(system_.tasks[served_.task].work.nodes.front().segment);
    const Duration drawn = draws_.execution(served_.task, served_.urgency.number, 0, time);
    end_ = checked_add(now, drawn * waves_[served_.task]);
  }

  void complete(Time now) {
    ++outcome_.completed;
    trace_.tell(trace::JobEnded{.job = {served_.task, served_.urgency.number},
                                .release = served_.release,
                                .start = start_,
                                .completion = now,
                                .deadline = served_.deadline,
                                .missed = now > served_.deadline});
    end_ = never;
  }

  void end_unfinished_jobs() {
    std::vector<trace::JobEnded> unfinished;
    const auto add = [&](const WaitingJob& job, Time start) {
      unfinished.push_back({.job = {job.task, job.urgency.number},
                            .release = job.release,
                            .start = start,
                            .deadline = job.deadline,
                            .missed = job.deadline <= outcome_.reached});
    };
    if (end_ != never) add(served_, start_);
    for (const WaitingJob& job : waiting_) add(job, never);
    std::sort(unfinished.begin(), unfinished.end(),
              [](const trace::JobEnded& a, const trace::JobEnded& b) { return a.job < b.job; });
    outcome_.pending = unfinished.size();
    for (const trace::JobEnded& job : unfinished) trace_.tell(job);
  }

  const System& system_;
  const SimulationOptions& options_;
  trace::Fanout& trace_;
  sched::Draws draws_;
  sched::JobOrder order_;
  bool first_come_;
  std::vector<std::int64_t> waves_;  // by task; 1 for exclusive work
  sched::Arrivals arrivals_;
  Outcome outcome_;
  std::vector<WaitingJob> waiting_;  // a heap
  WaitingJob served_;
  Time start_{};
  Time end_ = never;  // of the job in service
  std::uint64_t rounds_ = 0;
};

}  // namespace

std::optional<Outcome> simulate_one_server(const System& system, const SimulationOptions& options,
                                           trace::Fanout& trace) {
  const auto order_of = system.policy.strategy->one_server;
  const OneServer order = order_of == nullptr ? OneServer::no : order_of(system);
  const bool has_limits = std::any_of(system.tasks.begin(), system.tasks.end(),
                                      [](const Task& task) { return task.max_jobs.has_value(); });
  if (order == OneServer::no || options.max_pending || has_limits || has_overheads(system))
    return std::nullopt;
  if (trace.wants<trace::BlockRan>() || trace.wants<trace::CopyRan>() || trace.wants<trace::CpuRan>() ||
      trace.wants<trace::OperationFinished>()) {
    return std::nullopt;
  }
  const Time horizon = options.horizon ? time_at(*options.horizon) : default_horizon(system);
  if (horizon == never) return std::nullopt;
  std::vector<std::int64_t> waves;
  for (const Task& task : system.tasks) {
    const auto* kernel = std::get_if<KernelSegment>(&task.work.nodes.front().segment);
    const Gpu& gpu = system.platform.gpu;
    waves.push_back(kernel == nullptr ? 1 : waves_of(*kernel, gpu, gpu.sms));
  }
  if (!stays_small(system, waves)) return std::nullopt;
  return OneServerRun{system, options, trace, horizon, order, std::move(waves)}.run();
}

}  // namespace tactus::sim
