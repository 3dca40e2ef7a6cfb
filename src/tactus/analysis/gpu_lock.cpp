// gpu-lock: a lock gives the GPU with its copies to one job after the other.
// gpu-server: a server thread does, at the price of its own CPU time.
//
// Claim: R_k + J_k bounds the response time of task k. With C a job's CPU time, X its requests, n their
// number, B the longest request of a less urgent task, hp the more urgent tasks, "local" those of k's core
// and R' = R + J,
//   R_k = least R with R = C_k + X_k + L + the lesser of
//     n w + sum over local hp of load(C_i, or C_i + X_i of a busy task)
//     n B + sum over local hp of load(C_i) + sum over all hp of load(X_i)
//   load(c) = ceil((R + R'_i - c)/T_i) c
//   w = least w with w = B + sum over hp of (floor((w + R'_i - X_i)/T_i) + 1) X_i
//   L = (n + 1) * sum over local, less urgent, busy tasks of their longest request
// as long as R_k + J_k <= D_k; a failure leaves nothing proven for less urgent tasks.
// gpu-server: on the server's core each sum also has ceil((R + D_j - V_j)/T_j) V_j of every other task j,
// with V its launches and completions; all bounds need all deadlines, so a failure leaves nothing proven at
// all.
//
// Source: MPCP with self-suspensions (Patel et al. 2018) for gpu-lock, GPU server (Kim et al. 2017, 2018) for
// gpu-server, in our own form.
//
// Run-time models: cores with preemptive fixed priorities, each with its own tasks. A request, a run of
// copies and GPU work between CPU stages, has all SMs and is not interrupted; the next is the most urgent
// that waits. A job that waits for its turn is suspended.
// - gpu-lock: the job whose turn it is is suspended, too, or (`wait: busy`) spins on its core above the
//   urgency of all tasks until its request is over; such a task asks for its turn on its core.
// - gpu-server: it is suspended. Launches and completions are CPU work of a server thread on the last core,
//   above all tasks; each is part of its request. No best-effort GPU work where they take time.
// Periodic or sporadic chains, D <= T; a best-effort task is less urgent than all others.
//
// Kind: sufficient.
//
// Soundness: sound in these models; never part of a verdict. While k's job is not done it is at its core or
// at the GPU. At the core it runs, or a more urgent local job runs or spins in its turn, or a less urgent
// local one spins in its turn (L), or the server works. At the GPU its request runs, or it waits for one of a
// less urgent task, which was there before, once a request, or for more urgent ones. Jobs of i do all they do
// within R'_i of nominal releases T_i apart: load(c) bounds what that is in a window (mpcp.cpp), and w is
// over when even what arrives at its end is served. L: a local less urgent task has at most one request
// waiting when k's job arrives or resumes, and cannot make another while k's job wants the core, which it
// gives away n times. Jobs of k do not wait for the one before, since R + J <= T.
//
// Differences to the papers: work in a window is counted with R' - c instead of their older jitter terms;
// no CPU work inside a request but that of the server.
#include "tactus/analysis/gpu_lock.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/effort.hpp"

namespace tactus::analysis {

namespace {

class LockBounds {
 public:
  LockBounds(const GpuUsers& users, std::optional<std::int32_t> server_core)
      : users_{users}, server_core_{server_core} {}

  /// The least fixed point of the lesser of two sums is the lesser of their least fixed points.
  [[nodiscard]] FixedPoint response(std::size_t place, const std::vector<Duration>& bounds,
                                    Duration limit) const {
    const GpuUser& user = users_.users[place];
    const std::size_t size = users_.users.size();
    Interference cpu{size};
    Interference lock{size};
    Interference both{3 * size};
    for (std::size_t i = 0; i < place; ++i) {
      const GpuUser& other = users_.users[i];
      add_load(lock, other.requests, other.period, bounds[i]);
      add_load(both, other.requests, other.period, bounds[i]);
      if (other.core != user.core) continue;
      const Duration held = other.is_busy ? checked_add(other.cpu, other.requests) : other.cpu;
      add_load(cpu, held, other.period, bounds[i]);
      add_load(both, other.cpu, other.period, bounds[i]);
    }
    add_server(place, cpu);
    add_server(place, both);
    const Duration blocking = users_.longest_below(place);
    const Int128 own = static_cast<Int128>(user.cpu.count()) + user.requests.count() + spinning_below(place);
    if (user.count == 0) return min_response(cpu, own, limit);
    const FixedPoint by_job =
        min_response(both, own + static_cast<Int128>(user.count) * blocking.count(), limit);
    if (blocking > limit) return by_job;
    const FixedPoint wait =
        lock.min_length(blocking.count(), End::closed, SupplyBound::always(), limit.count());
    if (!wait.found()) return by_job.found() ? by_job : wait;
    const FixedPoint by_request =
        min_response(cpu, own + static_cast<Int128>(user.count) * wait.length, limit);
    if (!by_request.found()) return by_job;
    return by_job.found() && by_job.length < by_request.length ? by_job : by_request;
  }

 private:
  /// L.
  [[nodiscard]] Int128 spinning_below(std::size_t place) const {
    const GpuUser& user = users_.users[place];
    Int128 sum = 0;
    const auto add = [&](const GpuUser& other) {
      if (other.is_busy && other.core == user.core) sum += other.longest.count();
    };
    for (std::size_t i = place + 1; i < users_.users.size(); ++i) add(users_.users[i]);
    std::for_each(users_.best_effort.begin(), users_.best_effort.end(), add);
    return (user.count + 1) * sum;
  }

  void add_server(std::size_t place, Interference& load) const {
    if (users_.users[place].core != server_core_) return;
    for (std::size_t i = 0; i < users_.users.size(); ++i) {
      const GpuUser& other = users_.users[i];
      if (i != place) {
        add_load(load, checked_mul(users_.switching, other.launches), other.period, other.deadline);
      }
    }
  }

  const GpuUsers& users_;
  std::optional<std::int32_t> server_core_;
};

Result judge(const System& system, const GpuUsers& users, std::optional<std::int32_t> server_core) {
  Responses responses = lock_responses(users, server_core);
  Result result = baseline_result(system, users.tasks, responses, cores_and_gpu);
  if (server_core && !responses.hold() && users.switching > Duration{}) {
    for (TaskResult& task : result.tasks) {
      if (task.deadline) task = {task.name, task.deadline, std::nullopt, false};
    }
  }
  return result;
}

}  // namespace

Responses lock_responses(const GpuUsers& users, std::optional<std::int32_t> server_core) {
  const LockBounds bounds{users, server_core};
  return find_responses(
      users,
      [&](std::size_t place, const std::vector<Duration>& more_urgent, Duration limit) {
        return bounds.response(place, more_urgent, limit);
      },
      [&](std::size_t place) {
        return BlockedBy{users.longest_below(place), users.users[place].count};
      });
}

Result gpu_lock(const System& system) {
  GpuUsers users = gpu_users_by_node(system);
  if (!users.why_not.empty()) return does_not_apply(std::move(users.why_not));
  return judge(system, users, std::nullopt);
}

Result gpu_server(const System& system) {
  GpuUsers users = gpu_users_by_node(system);
  if (!users.why_not.empty()) return does_not_apply(std::move(users.why_not));
  const auto uses_gpu = [](const GpuUser& user) { return user.uses_gpu(); };
  const bool has_endless = std::any_of(users.best_effort.begin(), users.best_effort.end(), uses_gpu);
  if (users.switching > Duration{} && has_endless) {
    return does_not_apply(
        "best-effort GPU work may need the server at any time; needs launches that take no time");
  }
  for (GpuUser& user : users.users) user.is_busy = false;
  for (GpuUser& user : users.best_effort) user.is_busy = false;
  return judge(system, users, static_cast<std::int32_t>(system.platform.cpus() - 1));
}

}  // namespace tactus::analysis
