// np-fp: fixed priorities without preemption in one stream.
//
// Claim: with B_i the longest job of a less urgent task, the response time of task i is
//   R_i = max over jobs k of the busy period: w_k - k T_i + C_i + J_i
//   w_k = least w with w = B_i + k C_i + sum over more urgent j of (floor((w + J_j)/T_j) + 1) C_j
// and the busy period has ceil((L + J_i)/T_i) jobs of task i, where
//   L = least L > 0 with L = B_i + sum over more urgent j and i itself of ceil((L + J_j)/T_j) C_j.
//
// Source: PRUDA, section 5.1, with the analysis of George, Rivierre and Spuri (1996). Looking at the first
// job only is unsound: jobs that are held up by the first job of i delay the next one, as in
// {(4,10,10), (4,13,14), (4,13,14)}.
//
// Model: single-stream, order fp; periodic or sporadic tasks with D <= T; chains of copies, kernels and
// exclusive work. A best-effort task is less urgent than all others.
//
// Kind: sufficient. (Tight in continuous time for sporadic tasks; it is not used to refute.)
//
// Soundness: sound. With H the least common multiple of the periods of i and of more urgent tasks, and a
// utilisation of at most 1, w_{k + H/T_i} <= w_k + H: so H/T_i jobs are always enough, also where the busy
// period does not end.
#include "tactus/analysis/analyses.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "tactus/analysis/response_judge.hpp"

namespace tactus::analysis {

namespace {

constexpr std::int64_t max_jobs = 1'000'000;

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

/// The longest response of a task, or why it is not known.
struct Search {
  enum class Outcome : std::uint8_t { found, passes, gave_up };
  Outcome outcome = Outcome::found;
  Duration response{};
  std::int64_t job = 0;     // found: the slowest; passes: the first that passes the limit
  std::int64_t length = 0;  // found: until it starts; passes: until it would have to
  std::string limit{};
};

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
      if (with_own_.compare_utilisation({1, 1}) > 0) {
        fail_without_end(task);
        return;
      }
      const Search search = response_of(i, task.deadline, max_jobs);
      if (search.outcome == Search::Outcome::gave_up) {
        gives_up_response(system_, server_, task, search.limit, results_);
        return;
      }
      if (search.outcome == Search::Outcome::passes) {
        fail(i, search);
        return;
      }
      results_.keeps_deadline(task, search.response);
      more_urgent_.add(task.cost, task.period, task.jitter);
    }
  }

 private:
  static Search gave_up(std::string limit) { return {Search::Outcome::gave_up, {}, 0, 0, std::move(limit)}; }

  /// As far as it is no longer than `limit`, with so many jobs in the busy period at most.
  [[nodiscard]] Search response_of(std::size_t index, Duration limit, std::int64_t jobs_at_most) const {
    const GpuTask& task = server_.tasks[index];
    Search slowest = start_of(index, 0, 0, limit);
    if (slowest.outcome != Search::Outcome::found) return slowest;
    Search count = count_jobs(index, (Duration{slowest.length} + task.cost).count(), jobs_at_most);
    if (count.outcome != Search::Outcome::found) return count;
    std::int64_t start = slowest.length;
    for (std::int64_t job = 1; job < count.job; ++job) {
      Search next = start_of(index, job, start + task.cost.count(), limit);
      if (next.outcome != Search::Outcome::found) return next;
      start = next.length;
      if (next.response > slowest.response) slowest = std::move(next);
    }
    return slowest;
  }

  /// w_k and the response that follows; `from` is no greater than w_k.
  [[nodiscard]] Search start_of(std::size_t index, std::int64_t job, std::int64_t from,
                                Duration limit) const {
    const GpuTask& task = server_.tasks[index];
    const Int128 work = blocking_[index].length.count() + static_cast<Int128>(job) * task.cost.count();
    const Int128 released = static_cast<Int128>(job) * task.period.count();
    // Started any later, the job ends too late.
    const Int128 latest = released + (limit - task.jitter - task.cost).count();
    if (latest > std::numeric_limits<std::int64_t>::max()) {
      return gave_up("the times of its busy period do not fit 64 bits of nanoseconds");
    }
    Search passes{Search::Outcome::passes, {}, job, std::max<std::int64_t>(0, at_most_64_bits(latest))};
    if (latest < from) return passes;
    const FixedPoint point = work == 0 && more_urgent_.size() == 0
                                 ? FixedPoint{}
                                 : more_urgent_.min_length(work, End::closed, SupplyBound::always(),
                                                           static_cast<std::int64_t>(latest), from);
    if (point.outcome == FixedPoint::Outcome::passes) return passes;
    if (!point.found()) return gave_up("its fixed point was not found in a million rounds");
    const auto response = Duration{static_cast<std::int64_t>(point.length - released)};
    return {Search::Outcome::found, response + task.cost + task.jitter, job, point.length};
  }

  /// How many jobs the busy period has, as `job`; `from` is no greater than its length.
  [[nodiscard]] Search count_jobs(std::size_t index, std::int64_t from, std::int64_t at_most) const {
    const GpuTask& task = server_.tasks[index];
    Search count;
    std::int64_t longest_busy = std::numeric_limits<std::int64_t>::max();
    const bool cut = __builtin_mul_overflow(task.period.count(), at_most, &longest_busy);
    if (cut) longest_busy = std::numeric_limits<std::int64_t>::max();
    const FixedPoint busy = with_own_.min_length(blocking_[index].length.count(), End::open,
                                                 SupplyBound::always(), longest_busy, from);
    if (busy.found()) {
      const Int128 seen = static_cast<Int128>(busy.length) + task.jitter.count();
      count.job = static_cast<std::int64_t>((seen + task.period.count() - 1) / task.period.count());
      if (count.job <= at_most) return count;
    }
    const std::optional<std::int64_t> jobs = jobs_of_hyperperiod(server_, index);
    count.job = jobs.value_or(0);
    if (jobs && *jobs <= at_most) return count;
    return gave_up(cut ? "the times of its busy period do not fit 64 bits of nanoseconds"
                       : "its busy period has more than a million jobs");
  }

  void fail(std::size_t index, const Search& search) {
    constexpr std::int64_t jobs_beyond = 1000;  // for the report only
    const GpuTask& task = server_.tasks[index];
    const Search far = response_of(index, far_beyond(task), jobs_beyond);
    const bool has_bound = far.outcome == Search::Outcome::found;
    const Search& told = has_bound ? far : search;
    ResponseTerms terms;
    terms.blocking = blocking_[index];
    terms.own = checked_mul(task.cost, told.job + 1);
    terms.job = told.job;
    terms.length = told.length;
    terms.end = End::closed;
    if (has_bound) terms.bound = far.response;
    fails_response(system_, server_, task, more_urgent_, terms, SupplyBound::always(), results_);
  }

  /// With overheads, the tasks up to this one need more than all of the time.
  void fail_without_end(const GpuTask& task) {
    if (results_.fails_overloaded(server_)) return;
    const std::string& name = system_.tasks[task.task].name;
    results_.fails(Verdict::unproven,
                   {"the response of '" + name + "' on " + server_.name +
                        " has no bound: with what the machine adds, it and the more urgent tasks need more "
                        "than all of the time",
                    {{"server", server_.name}, {"task", name}, {"deadline_ns", task.deadline}}});
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
  gpu.refuse(find_other_order(system, Order::fp));
  return judge_servers(system, gpu, "every response time stays within its deadline",
                       [&](const GpuServer& server, ServerResults& results) {
                         Responses{system, server, results}.judge();
                       });
}

}  // namespace tactus::analysis
