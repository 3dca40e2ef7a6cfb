#include "tactus/analysis/np_fp.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tactus/analysis/response_judge.hpp"

namespace tactus::analysis {

namespace {

constexpr std::int64_t most_jobs = 1'000'000;

/// By task of the server: the longest job behind it in the order.
std::vector<Blocking> longest_less_urgent(const GpuServer& server) {
  std::vector<Blocking> blocking(server.tasks.size());
  Blocking longest = best_effort_blocking(server);
  for (std::size_t i = server.tasks.size(); i > 0; --i) {
    blocking[i - 1] = longest;
    longest.consider(server.tasks[i - 1].cost, server.tasks[i - 1].task);
  }
  return blocking;
}

/// H/T_i: enough jobs whatever the busy period.
std::optional<std::int64_t> jobs_of_hyperperiod(const GpuServer& server, std::size_t task) {
  std::int64_t hyperperiod = 1;
  for (std::size_t i = 0; i <= task; ++i) {
    const auto next = checked_lcm(hyperperiod, server.tasks[i].period.count());
    if (!next) return std::nullopt;
    hyperperiod = *next;
  }
  return hyperperiod / server.tasks[task].period.count();
}

class Responses {
 public:
  Responses(const System& system, const GpuServer& server, ServerResults& results)
      : system_{system},
        server_{server},
        results_{results},
        blocking_{longest_less_urgent(server)},
        more_urgent_{server.tasks.size()},
        with_own_{server.tasks.size()} {}

  /// One task after the other, most urgent first; a failure leaves nothing proven for the rest.
  void judge() {
    for (std::size_t i = 0; i < server_.tasks.size(); ++i) {
      const GpuTask& task = server_.tasks[i];
      if (task.deadline <= task.jitter) {
        fails_late_release(system_, server_, task, results_);
        return;
      }
      with_own_.add(task.cost, task.period, task.jitter);
      const std::optional<Duration> response = response_of(i);
      if (!response) return;
      results_.keeps_deadline(task, *response);
      more_urgent_.add(task.cost, task.period, task.jitter);
    }
  }

 private:
  /// Nothing when the deadline may be passed or a limit was reached: that is filed.
  std::optional<Duration> response_of(std::size_t index) {
    const GpuTask& task = server_.tasks[index];
    if (with_own_.compare_utilisation({1, 1}) > 0) return fail(index, 0, task.deadline.count());
    std::optional<std::int64_t> start = start_of(index, 0, 0);
    if (!start) return std::nullopt;
    Duration longest = Duration{*start} + task.cost;
    const std::optional<std::int64_t> jobs = jobs_to_look_at(index, longest.count());
    if (!jobs) return std::nullopt;
    for (std::int64_t job = 1; job < *jobs; ++job) {
      start = start_of(index, job, *start + task.cost.count());
      if (!start) return std::nullopt;
      longest = std::max(longest, Duration{*start} + task.cost - task.period * job);
    }
    return longest + task.jitter;
  }

  /// w_k; `from` is no greater than it.
  std::optional<std::int64_t> start_of(std::size_t index, std::int64_t job, std::int64_t from) {
    const GpuTask& task = server_.tasks[index];
    const Int128 work = blocking_[index].length.count() + static_cast<Int128>(job) * task.cost.count();
    // Started any later, the job ends too late.
    const Int128 latest =
        static_cast<Int128>(job) * task.period.count() + (task.deadline - task.jitter - task.cost).count();
    if (latest < from) return fail(index, job, from);
    if (latest > std::numeric_limits<std::int64_t>::max()) {
      give_up(index, "the times of its busy period do not fit 64 bits of nanoseconds");
      return std::nullopt;
    }
    const FixedPoint point = work == 0 && more_urgent_.size() == 0
                                 ? FixedPoint{}
                                 : more_urgent_.least_length(work, End::closed, SupplyBound::always(),
                                                             static_cast<std::int64_t>(latest), from);
    if (point.found()) return point.length;
    if (point.outcome == FixedPoint::Outcome::passes) return fail(index, job, point.length);
    give_up(index, "its fixed point was not found in a million rounds");
    return std::nullopt;
  }

  /// How many jobs the busy period has; `from` is no greater than its length.
  std::optional<std::int64_t> jobs_to_look_at(std::size_t index, std::int64_t from) {
    const GpuTask& task = server_.tasks[index];
    std::int64_t longest_busy = std::numeric_limits<std::int64_t>::max();
    const bool cut = __builtin_mul_overflow(task.period.count(), most_jobs, &longest_busy);
    if (cut) longest_busy = std::numeric_limits<std::int64_t>::max();
    const FixedPoint busy = with_own_.least_length(blocking_[index].length.count(), End::open,
                                                   SupplyBound::always(), longest_busy, from);
    if (busy.found()) {
      const Int128 seen = static_cast<Int128>(busy.length) + task.jitter.count();
      const auto jobs = static_cast<std::int64_t>((seen + task.period.count() - 1) / task.period.count());
      if (jobs <= most_jobs) return jobs;
    }
    const std::optional<std::int64_t> jobs = jobs_of_hyperperiod(server_, index);
    if (jobs && *jobs <= most_jobs) return jobs;
    give_up(index, cut ? "the times of its busy period do not fit 64 bits of nanoseconds"
                       : "its busy period has more than a million jobs");
    return std::nullopt;
  }

  std::nullopt_t fail(std::size_t index, std::int64_t job, std::int64_t length) {
    const GpuTask& task = server_.tasks[index];
    ResponseTerms terms;
    terms.blocking = blocking_[index];
    terms.own = Duration{task.cost.count() * (job + 1)};
    terms.job = job;
    terms.length = length;
    terms.end = End::closed;
    fails_response(system_, server_, task, more_urgent_, terms, SupplyBound::always(), results_);
    return std::nullopt;
  }

  void give_up(std::size_t index, std::string limit) {
    gives_up_response(system_, server_, server_.tasks[index], std::move(limit), results_);
  }

  const System& system_;
  const GpuServer& server_;
  ServerResults& results_;
  std::vector<Blocking> blocking_;
  Interference more_urgent_;
  Interference with_own_;
};

}  // namespace

Result np_fp(const System& system) {
  GpuServers gpu = single_stream_servers(system);
  if (!gpu.why_not.empty()) return does_not_apply(std::move(gpu.why_not));
  if (std::string why_not = find_other_order(system, Order::fp); !why_not.empty()) {
    return does_not_apply(std::move(why_not));
  }
  ServerResults results{system};
  Responses{system, gpu.servers.front(), results}.judge();
  return std::move(results).finish("every response time stays within its deadline");
}

Analysis np_fp_analysis() {
  return {.id = "np-fp",
          .title = "Fixed priorities without preemption in one stream",
          .source = "PRUDA, section 5.1; George, Rivierre and Spuri (1996)",
          .needs =
              "single-stream, order fp; periodic or sporadic tasks of copies, kernels and exclusive work, "
              "deadlines no longer than periods",
          .kind = Kind::sufficient,
          .sound = true,
          .run = np_fp};
}

}  // namespace tactus::analysis
