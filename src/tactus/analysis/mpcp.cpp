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
// in our own form: gpu-lock (gpu_lock.cpp) on one core.
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
#include <utility>

#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/gpu_lock.hpp"

namespace tactus::analysis {

Result mpcp(const System& system) {
  GpuUsers users = gpu_users(system);
  if (users.why_not.empty()) users.why_not = find_second_core(system);
  if (!users.why_not.empty()) return does_not_apply(std::move(users.why_not));
  for (GpuUser& user : users.users) user.is_busy = false;
  return baseline_result(system, users.tasks, lock_responses(users, std::nullopt), cores_and_gpu);
}

}  // namespace tactus::analysis
