#include "tactus/analysis/mpcp.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tactus/analysis/baseline_results.hpp"
#include "tactus/analysis/device_requests.hpp"
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

Analysis mpcp_analysis() {
  return {.id = "mpcp",
          .title = "The whole GPU as one lock, suspended waiting",
          .source = "MPCP for GPUs as RTGPU compares with it, in our own form",
          .strategy = "federated",
          .needs =
              "federated, one CPU core; periodic or sporadic chains, deadlines no longer than periods; "
              "virtual_sms does not matter",
          .kind = Kind::sufficient,
          .sound = true,
          .run = mpcp,
          .run_time_model = "the whole GPU with its copies is one lock, taken in order of priority",
          .searches_sms = true};
}

}  // namespace tactus::analysis
