// gpu-preemptive: the GPU always works for the most urgent job, as its driver can make it.
//
// Claim: R_k + J_k bounds the response time of task k. With C a job's CPU time, X its requests, n their
// number, e what it takes the GPU to go on with interrupted work (launch + completion), hp the more urgent
// tasks, "local" those of k's core and R' = R + J,
//   R_k = the lesser of two least R with
//     R = C_k + X_k + n_k b + sum over local hp of load(C_i, or C_i + n_i e of a busy task, within R'_i)
//         + sum over hp of load(X_i + n_i e, within R'_i + e)
//     R = C_k + sum over requests x of r(x) + sum over local hp of load(C_i, within R'_i)
//         if no local hp with requests is busy
//   r(x) = least r with r = x + b + sum over hp of load(X_i + n_i e, within R'_i + e), in a window of r
//   load(c, within r) = ceil((R + r - c)/T_i) c
//   b = e if a less urgent task uses the GPU, else 0
// as long as R_k + J_k <= D_k. The second sum of the first form counts only if k uses the GPU or some local
// hp is busy. A failure leaves nothing proven for less urgent tasks.
//
// Source: GCAPS (Wang et al. 2024), in our own form.
//
// Run-time model: cores with preemptive fixed priorities, each with its own tasks. A request, a run of copies
// and GPU work between CPU stages, has the whole GPU while it runs and can be interrupted anywhere, in its
// copies, too. The most urgent request runs. To go on with one that was interrupted takes up to e more,
// during which nothing else begins; its own launches and completions are part of a request. A job is
// suspended until its request is over or (`wait: busy`) holds its core at its own urgency. Periodic or
// sporadic chains, D <= T; a best-effort task is less urgent than all others.
//
// Kind: sufficient.
//
// Soundness: sound in its run-time model; never part of a verdict. While k's job is not done, one of these
// goes on: its own CPU work or request; CPU work of a local more urgent job; a request of a more urgent task,
// for which k's request waits, or a busy local job that holds the core, with its request behind it; or the
// GPU goes on with interrupted work. The last begins right when another request ends, and counts as part of
// that one, which is then over by R' + e; or it is one of a less urgent task that had begun when a request
// arrived, of k (n_k b) or of a busy local job (n_i e). GPU work of less urgent tasks does not run while a
// request of k or a more urgent one is there. Load: mpcp.cpp. The second form is the same for each request of
// k alone, and for its core.
//
// Differences to the paper: the switch is part of the GPU's time and not of the CPU's; copies are part of a
// request; a bound request by request beside that of the whole job; what a busy task keeps from others is
// counted by the GPU work that it waits for; jobs that were released before the window count with R' - c.
#include <utility>

#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/gpu_users.hpp"

namespace tactus::analysis {

namespace {

class PreemptiveBounds {
 public:
  explicit PreemptiveBounds(const GpuUsers& users) : users_{users} {}

  [[nodiscard]] FixedPoint response(std::size_t place, const std::vector<Duration>& bounds,
                                    Duration limit) const {
    const GpuUser& user = users_.users[place];
    Interference cpu{place};
    Interference gpu{place};
    Interference both{2 * place};
    bool has_busy = false;
    for (std::size_t i = 0; i < place; ++i) {
      const GpuUser& other = users_.users[i];
      if (other.core != user.core) continue;
      const bool waits = other.is_busy && other.uses_gpu();
      has_busy = has_busy || waits;
      add_load(cpu, other.cpu, other.period, bounds[i]);
      add_load(both, checked_add(other.cpu, waits ? switches(other) : Duration{}), other.period, bounds[i]);
    }
    for (std::size_t i = 0; (has_busy || user.uses_gpu()) && i < place; ++i) {
      const GpuUser& other = users_.users[i];
      if (!other.uses_gpu()) continue;
      const Duration cost = checked_add(other.requests, switches(other));
      const Duration within = checked_add(bounds[i], users_.switching);
      add_load(gpu, cost, other.period, within);
      add_load(both, cost, other.period, within);
    }
    const Int128 blocking = blocked(place).count();
    const Int128 own = static_cast<Int128>(user.cpu.count()) + user.requests.count() + user.count * blocking;
    const FixedPoint by_job = min_response(both, own, limit);
    if (has_busy) return by_job;
    Int128 work = user.cpu.count();
    for (const Duration request : user.single) {
      const FixedPoint at_gpu = min_response(gpu, request.count() + blocking, limit);
      if (!at_gpu.found()) return by_job;
      work += at_gpu.length;
    }
    const FixedPoint by_request = min_response(cpu, work, limit);
    if (!by_request.found()) return by_job;
    return by_job.found() && by_job.length < by_request.length ? by_job : by_request;
  }

  /// b.
  [[nodiscard]] Duration blocked(std::size_t place) const {
    return users_.has_user_below(place) ? users_.switching : Duration{};
  }

 private:
  /// n e.
  [[nodiscard]] Duration switches(const GpuUser& user) const {
    return checked_mul(users_.switching, user.count);
  }

  const GpuUsers& users_;
};

}  // namespace

Result gpu_preemptive(const System& system) {
  GpuUsers users = gpu_users_by_node(system);
  if (!users.why_not.empty()) return does_not_apply(std::move(users.why_not));
  const PreemptiveBounds bounds{users};
  const Responses responses = find_responses(
      users,
      [&](std::size_t place, const std::vector<Duration>& more_urgent, Duration limit) {
        return bounds.response(place, more_urgent, limit);
      },
      [&](std::size_t place) {
        return BlockedBy{bounds.blocked(place), users.users[place].count};
      });
  return baseline_result(system, users.tasks, responses, cores_and_gpu);
}

}  // namespace tactus::analysis
