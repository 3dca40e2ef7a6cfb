// gpu-round-robin: the GPU serves those who wait for it in turns of a fixed length, as its driver does by
// itself.
//
// Claim: R_k + J_k bounds the response time of task k. With C a job's CPU time, s a task's turn
// (`time_slice`), e what it takes the GPU to go on with other work (launch + completion), "local" the tasks
// of k's core and R' = R + J,
//   R_k = least R with R = C_k + G_k + sum over local, more urgent i of ceil((R + R'_i - H_i)/T_i) H_i
//   G_k = sum over requests x of k of x + (t - 1) e + t * sum over other tasks j of (min(s_j, longest
//         request of j) + e), t = ceil(x/s_k)
//   H_i = C_i; of a busy task C_i + G_i
// as long as R_k + J_k <= D_k; a failure leaves nothing proven for less urgent tasks.
//
// Source: GCAPS (Wang et al. 2024), its analysis of the driver's own round robin, in our own form.
//
// Run-time model: cores with preemptive fixed priorities, each with its own tasks. The GPU has the requests
// (runs of copies and GPU work between CPU stages) of one task at a time, for a turn of at most s; then the
// next task that has one is served. A turn that goes on with a request takes up to e more. Urgency does not
// matter. A job is suspended until its request is over or (`wait: busy`) holds its core at its own urgency.
// Periodic or sporadic chains, D <= T; best-effort tasks have their turns, too. The strategy `time-sliced` is
// the same for GPU work, but has copies on the copy engines; chain-fp is its test.
//
// Kind: sufficient.
//
// Soundness: sound in its run-time model; never part of a verdict. Before each of its turns a request waits
// for at most one turn of each other task, so k is at the GPU for at most G_k. At its core it runs, or waits
// for more urgent local jobs, each of which holds the core for at most H_i within R'_i of its nominal release
// (mpcp.cpp).
//
// Differences to the paper: a turn is not longer than the longest request of its task; jobs that were
// released before the window count with R' - H.
#include <algorithm>
#include <utility>

#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/effort.hpp"
#include "tactus/analysis/gpu_users.hpp"

namespace tactus::analysis {

namespace {

class RoundRobin {
 public:
  explicit RoundRobin(const GpuUsers& users) : users_{users} {
    for (const GpuUser& user : users.users) round_ += turn_of(user);
    for (const GpuUser& user : users.best_effort) round_ += turn_of(user);
  }

  [[nodiscard]] FixedPoint response(std::size_t place, const std::vector<Duration>& bounds,
                                    Duration limit) const {
    const GpuUser& user = users_.users[place];
    Interference load{place};
    for (std::size_t i = 0; i < place; ++i) {
      const GpuUser& other = users_.users[i];
      if (other.core != user.core) continue;
      // It is within its bound, so it fits.
      const Duration at_gpu{other.is_busy ? static_cast<std::int64_t>(at_the_gpu(other)) : 0};
      add_load(load, checked_add(other.cpu, at_gpu), other.period, bounds[i]);
    }
    return min_response(load, user.cpu.count() + at_the_gpu(user), limit);
  }

 private:
  [[nodiscard]] Int128 turn_of(const GpuUser& user) const {
    if (!user.uses_gpu()) return 0;
    return static_cast<Int128>(std::min(user.slice, user.longest).count()) + users_.switching.count();
  }

  /// G.
  [[nodiscard]] Int128 at_the_gpu(const GpuUser& user) const {
    const Int128 others = round_ - turn_of(user);
    Int128 sum = 0;
    for (const Duration request : user.single) {
      const Int128 turns = ceil_div(request.count(), user.slice.count());
      sum += request.count() + (turns - 1) * users_.switching.count() + turns * others;
    }
    return sum;
  }

  const GpuUsers& users_;
  Int128 round_ = 0;  // one turn of everybody
};

}  // namespace

Result gpu_round_robin(const System& system) {
  GpuUsers users = gpu_users_by_node(system);
  if (!users.why_not.empty()) return does_not_apply(std::move(users.why_not));
  const RoundRobin bounds{users};
  const Responses responses = find_responses(
      users,
      [&](std::size_t place, const std::vector<Duration>& more_urgent, Duration limit) {
        return bounds.response(place, more_urgent, limit);
      },
      [](std::size_t) { return BlockedBy{}; });
  return baseline_result(system, users.tasks, responses, cores_and_gpu);
}

}  // namespace tactus::analysis
