// mpcp: the whole GPU, with its copies, is one lock.
//
// Claim: R_k + J_k bounds the response time of task k, where, with X a job's requests on all SMs, n the
// number of them, C its CPU time and B the longest request of a less urgent task,
//   R_k = least R with R = C_k + X_k + waiting(R) + sum over more urgent i of ceil((R + R'_i - C_i)/T_i) C_i
//   waiting(R) = the lesser of
//     n w, each request for itself:
//       w = least w with w = B + sum over more urgent i of (floor((w + R'_i - X_i)/T_i) + 1) X_i
//     all requests of the job:
//       n B + sum over more urgent i of ceil((R + R'_i - X_i)/T_i) X_i
//   R'_i = R_i + J_i
// as long as R_k + J_k <= D_k; a failure leaves nothing proven for less urgent tasks.
//
// Source: the multiprocessor priority ceiling protocol for the GPU as a resource, as RTGPU compares with it,
// in our own form.
//
// Run-time model (not that of `federated`): one CPU core with preemptive fixed priorities. A request, a run
// of copies and GPU work between CPU stages, takes the lock of the whole GPU, uses all SMs and cannot be
// interrupted. The lock goes to the most urgent waiting request. A waiting job is suspended. `virtual_sms`
// does not matter. Periodic or sporadic chains, D <= T; a best-effort task is less urgent than all others.
//
// Kind: sufficient.
//
// Soundness: sound in its run-time model; never part of a verdict. Jobs of i run within R'_i of their nominal
// releases, which are T_i apart, so in any interval of length t their CPU time is at most
// ceil((t + R'_i - C_i)/T_i) C_i, and that of their requests the same with X: if the first job is released so
// early that only a part of it counts, there is as much less time at the end. While k is not done it runs,
// uses the lock, waits for a CPU that serves more urgent tasks, or waits for the lock, whose user is a more
// urgent task or, once a request, one of a less urgent task that was there before. So it cannot last longer
// than R. A request waits no longer than w: at w even what arrives right then is done.
#include "tactus/analysis/analyses.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tactus/analysis/baseline_results.hpp"
#include "tactus/analysis/interference.hpp"

namespace tactus::analysis {

namespace {

/// The needs of a job that has the whole GPU.
struct LockUser {
  Duration cpu{};          // C
  Duration requests{};     // X
  Duration longest{};      // request
  std::int64_t count = 0;  // n
};

LockUser lock_user(const System& system, TaskIndex task) {
  const Stages stages =
      with_requests(stages_on(system.tasks[task], system.platform, system.platform.gpu.sms));
  return {worst_time(stages, ServerKind::cpu), worst_time(stages, ServerKind::gpu), longest_request(stages),
          count_requests(stages)};
}

/// More urgent tasks, as they delay others on the CPU and at the lock.
class LockRivals {
 public:
  explicit LockRivals(std::size_t size) : cpu_{size}, lock_{size}, both_{2 * size} {}

  void add(const LockUser& user, Duration period, Duration response) {
    if (user.cpu > Duration{}) {
      cpu_.add(user.cpu, period, response - user.cpu);
      both_.add(user.cpu, period, response - user.cpu);
    }
    if (user.requests > Duration{}) {
      lock_.add(user.requests, period, response - user.requests);
      both_.add(user.requests, period, response - user.requests);
    }
  }

  /// R, as far as it is within the limit. The least fixed point of the lesser of two sums is the lesser of
  /// their least fixed points.
  [[nodiscard]] FixedPoint response(const LockUser& user, Duration blocking, Duration limit) const {
    const Int128 own = static_cast<Int128>(user.cpu.count()) + user.requests.count();
    if (own == 0) return {};
    const FixedPoint by_request = waiting_per_request(own, user.count, blocking, limit);
    if (user.count == 0) return by_request;
    const Int128 blocked = static_cast<Int128>(user.count) * blocking.count();
    const FixedPoint by_job = least(both_, own + blocked, limit);
    if (!by_request.found()) return by_job;
    return by_job.found() && by_job.length < by_request.length ? by_job : by_request;
  }

 private:
  [[nodiscard]] static FixedPoint least(const Interference& tasks, Int128 work, Duration limit) {
    if (work > limit.count()) return {FixedPoint::Outcome::passes, 0};
    return tasks.min_length(work, End::open, SupplyBound::always(), limit.count());
  }

  [[nodiscard]] FixedPoint waiting_per_request(Int128 own, std::int64_t count, Duration blocking,
                                               Duration limit) const {
    if (count == 0) return least(cpu_, own, limit);
    if (blocking > limit) return {FixedPoint::Outcome::passes, 0};
    const FixedPoint wait =
        lock_.min_length(blocking.count(), End::closed, SupplyBound::always(), limit.count());
    if (!wait.found()) return wait;
    return least(cpu_, own + static_cast<Int128>(count) * wait.length, limit);
  }

  Interference cpu_;
  Interference lock_;
  Interference both_;
};

Responses responses_of(const FederatedTasks& tasks, const std::vector<LockUser>& users,
                       const std::vector<Duration>& blocking) {
  Responses responses;
  LockRivals more_urgent{tasks.tasks.size()};
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    const FederatedTask& task = tasks.tasks[i];
    const FixedPoint response =
        task.jitter > task.deadline
            ? FixedPoint{FixedPoint::Outcome::passes, 0}
            : more_urgent.response(users[i], blocking[i], task.deadline - task.jitter);
    if (!response.found()) {
      responses.failure = {checked_add(users[i].cpu, users[i].requests),
                           blocking[i],
                           users[i].count,
                           response.outcome == FixedPoint::Outcome::gave_up,
                           {}};
      return responses;
    }
    responses.bounds.push_back(Duration{response.length} + task.jitter);
    more_urgent.add(users[i], task.period, responses.bounds.back());
  }
  return responses;
}

/// The longest request of a less urgent task, by task.
std::vector<Duration> longest_below(const System& system, const std::vector<LockUser>& users) {
  Duration longest{};
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (system.tasks[task].arrival != Arrival::best_effort) continue;
    longest = std::max(longest, lock_user(system, task).longest);
  }
  std::vector<Duration> below(users.size());
  for (std::size_t i = users.size(); i > 0; --i) {
    below[i - 1] = longest;
    longest = std::max(longest, users[i - 1].longest);
  }
  return below;
}

std::vector<ResourceUse> find_use(const System& system) {
  ResourceUse cpu{"core " + std::to_string(system.tasks.front().core), {}};
  ResourceUse lock{"the GPU", {}};
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (!repeats(system.tasks[task])) continue;
    const LockUser user = lock_user(system, task);
    const std::int64_t period = system.tasks[task].period->count();
    cpu.shares.push_back({user.cpu.count(), period});
    lock.shares.push_back({user.requests.count(), period});
  }
  return {std::move(cpu), std::move(lock)};
}

}  // namespace

Result mpcp(const System& system) {
  FederatedTasks tasks = federated_tasks(system, StageTable::as_given);
  if (tasks.why_not.empty()) tasks.why_not = find_second_core(system);
  if (!tasks.why_not.empty()) return does_not_apply(std::move(tasks.why_not));
  std::vector<LockUser> users;
  for (const FederatedTask& task : tasks.tasks) users.push_back(lock_user(system, task.task));
  const Responses responses = responses_of(tasks, users, longest_below(system, users));
  return baseline_result(system, tasks, responses, find_use);
}

}  // namespace tactus::analysis
