// gpu-as-cpu: a job keeps its core while it uses the GPU, so that all it does counts as CPU time.
//
// Claim: R_k + J_k bounds the response time of task k. With C a job's CPU time, X its requests, n their
// number, x the longest of them, and M(p) the longest request of a task on core p, best-effort ones too,
//   spin_k = sum over cores p other than k's of M(p)
//   C'_k   = C_k + X_k + n_k spin_k
//   B_k    = largest x_l + spin_l of a less urgent task of k's core with requests
//   R_k    = least R with R = C'_k + B_k + sum over more urgent i of k's core of ceil((R + J_i)/T_i) C'_i
// as long as R_k + J_k <= D_k; a failure leaves nothing proven for less urgent tasks.
//
// Source: spin locks as of MSRP (Gai et al. 2001) for the GPU, which makes its work CPU time, in our own
// form.
//
// Run-time model: cores with preemptive fixed priorities, each with its own tasks. From when a job on its
// core wants a request, a run of copies and GPU work between CPU stages, until that is over, it keeps the
// core and nothing preempts it. The GPU serves one request at a time, in the order in which they come, on all
// SMs. `wait` does not matter. Periodic or sporadic chains, D <= T; a best-effort task is less urgent than
// all others.
//
// Kind: sufficient.
//
// Soundness: sound in its run-time model; never part of a verdict. A core has at most one request waiting or
// served, so each waits for at most one of each other core. Jobs never suspend. Let t be the last instant up
// to the release of k's job, as it is seen, before which all work of k and more urgent tasks of its core that
// had been seen is done. From t on the core works for what is seen from t on, and for at most one less urgent
// request that had begun. It is through with all of that after R, so k's job is done; and the interval has
// one job of k alone, since R + J <= T.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/effort.hpp"
#include "tactus/analysis/gpu_users.hpp"

namespace tactus::analysis {

namespace {

class SpinLock {
 public:
  explicit SpinLock(const GpuUsers& users) : users_{users} {
    for (const GpuUser& user : users.users) consider(user);
    for (const GpuUser& user : users.best_effort) consider(user);
    for (const auto& [core, longest] : longest_) all_ = checked_add(all_, longest);
  }

  [[nodiscard]] FixedPoint response(std::size_t place, Duration limit) const {
    const GpuUser& user = users_.users[place];
    Interference load{place};
    for (std::size_t i = 0; i < place; ++i) {
      const GpuUser& other = users_.users[i];
      // A bound was found for it, so this fits.
      if (other.core == user.core) {
        const Duration cost{static_cast<std::int64_t>(held_by(other))};
        if (cost > Duration{}) load.add(cost, other.period, other.jitter);
      }
    }
    const Int128 own = held_by(user);
    return own == 0 ? FixedPoint{} : min_response(load, own + blocking(place).count(), limit);
  }

  /// B.
  [[nodiscard]] Duration blocking(std::size_t place) const {
    spend_steps(users_.users.size() - place);
    const GpuUser& user = users_.users[place];
    Duration longest{};
    const auto consider = [&](const GpuUser& other) {
      if (other.core != user.core || !other.uses_gpu()) return;
      longest = std::max(longest, checked_add(other.longest, spin(other)));
    };
    for (std::size_t i = place + 1; i < users_.users.size(); ++i) consider(users_.users[i]);
    std::for_each(users_.best_effort.begin(), users_.best_effort.end(), consider);
    return longest;
  }

 private:
  void consider(const GpuUser& user) {
    Duration& longest = longest_[user.core];
    longest = std::max(longest, user.longest);
  }
  [[nodiscard]] Duration spin(const GpuUser& user) const { return all_ - longest_.at(user.core); }
  /// C'.
  [[nodiscard]] Int128 held_by(const GpuUser& user) const {
    return static_cast<Int128>(user.cpu.count()) + user.requests.count() +
           static_cast<Int128>(user.count) * spin(user).count();
  }

  const GpuUsers& users_;
  std::map<std::int32_t, Duration> longest_;  // M, by core
  Duration all_{};                            // their sum
};

std::vector<ResourceUse> find_use(const System& system) {
  return cores_and_gpu(system, [](const GpuUser& user) { return checked_add(user.cpu, user.requests); });
}

}  // namespace

Result gpu_as_cpu(const System& system) {
  GpuUsers users = gpu_users_by_node(system);
  if (!users.why_not.empty()) return does_not_apply(std::move(users.why_not));
  const SpinLock bounds{users};
  const Responses responses = find_responses(
      users,
      [&](std::size_t place, const std::vector<Duration>&, Duration limit) {
        return bounds.response(place, limit);
      },
      [&](std::size_t place) {
        return BlockedBy{bounds.blocking(place), 1};
      });
  return baseline_result(system, users.tasks, responses, find_use);
}

}  // namespace tactus::analysis
