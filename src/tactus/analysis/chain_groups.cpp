#include "tactus/analysis/chain_groups.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/effort.hpp"

namespace tactus::analysis {

namespace {

/// Keeps the lesser.
void consider(std::optional<Duration>& least, const std::optional<Duration>& other) {
  if (other && (!least || *other < *least)) least = other;
}

std::int64_t requests_of(const FederatedTask& task) {
  const Stages& stages = task.stages.back();
  return std::count_if(stages.begin(), stages.end(), [](const Stage& stage) {
    return stage.server == ServerKind::copy && stage.is_issued();
  });
}

struct LowCopy {
  Duration length{};
  std::int64_t times = 0;
};

/// Copies of less urgent tasks that can run while a job is in progress, the longest first.
std::vector<LowCopy> less_urgent_copies(const FederatedTasks& tasks, std::size_t index,
                                        std::int64_t requests) {
  const FederatedTask& task = tasks.tasks[index];
  std::vector<LowCopy> copies;
  if (tasks.background_copy > Duration{}) copies.push_back({tasks.background_copy, requests});
  for (std::size_t i = index + 1; i < tasks.tasks.size(); ++i) {
    const FederatedTask& other = tasks.tasks[i];
    const Duration span = checked_add(task.deadline, other.deadline);
    const std::int64_t jobs = ceil_div(span.count(), other.period.count());
    for (const Stage& stage : other.stages.back()) {
      if (stage.server != ServerKind::copy || !stage.is_issued()) continue;
      const Int128 times = std::min(Int128{jobs} * stage.chunks, Int128{requests});  // no more can matter
      copies.push_back({stage.longest_chunk, static_cast<std::int64_t>(times)});
    }
  }
  std::sort(copies.begin(), copies.end(),
            [](const LowCopy& a, const LowCopy& b) { return a.length > b.length; });
  return copies;
}

}  // namespace

ChainAbove::ChainAbove(const FederatedTask& task, const Stages& stages, Duration response) : core{task.core} {
  if (task.never_leaves_cpu) {
    const Duration sum = longest_job(stages);
    const Stage all{ServerKind::cpu, Interval::exactly(sum)};
    cpu = {{&all, 1}, ServerKind::cpu, task.period, checked_add(sum, task.jitter)};
    both = cpu;
    return;
  }
  cpu = {stages, ServerKind::cpu, task.period, response};
  copies = {stages, ServerKind::copy, task.period, response};
  both = {stages, {ServerKind::cpu, ServerKind::copy}, task.period, response};
}

std::vector<Duration> copies_blocked(const FederatedTasks& tasks, std::size_t index, LessUrgent less_urgent) {
  const std::int64_t requests = requests_of(tasks.tasks[index]);
  std::vector<LowCopy> copies = less_urgent_copies(tasks, index, requests);
  if (less_urgent == LessUrgent::anything && !copies.empty()) copies = {{copies.front().length, requests}};
  std::vector<Duration> sums{Duration{}};
  auto next = copies.begin();
  for (std::int64_t i = 0; i < requests; ++i) {
    while (next != copies.end() && next->times == 0) ++next;
    Duration more{};
    if (next != copies.end()) {
      more = next->length;
      --next->times;
    }
    sums.push_back(checked_add(sums.back(), more));
  }
  return sums;
}

std::optional<Duration> ChainGroups::found(const FixedPoint& point) {
  if (point.found()) return Duration{point.length};
  gave_up_ = gave_up_ || point.outcome == FixedPoint::Outcome::gave_up;
  return std::nullopt;
}

ChainGroups::ChainGroups(const FederatedTask& task, std::span<const ChainAbove> above,
                         std::vector<Duration> blocked)
    : limit_{task.deadline - task.jitter}, blocked_{std::move(blocked)} {
  for (const ChainAbove& other : above) {
    const bool same_core = other.core == task.core;
    if (same_core && !other.cpu.is_empty()) cpu_.push_back(&other.cpu);
    if (!other.copies.is_empty()) copies_.push_back(&other.copies);
    const ChainWorkload& met = same_core ? other.both : other.copies;
    if (!met.is_empty()) both_.push_back(&met);
  }
  if (blocked_.size() > 1) copy_start_ = latest_copy_start(Duration{});
}

std::optional<Duration> ChainGroups::latest_copy_start(Duration before) {
  return found(latest_start(copies_, checked_add(blocked_[1], before), limit_));
}

/// Stages from one on, up to one that is issued on a CPU or the copy engine.
struct ChainGroups::Group {
  Duration gpu{};
  Duration cpu{};
  Duration copies{};
  std::size_t cpu_stages = 0;
  std::size_t requests = 0;
  std::optional<Duration> each_cpu = Duration{};   // sum CR
  std::optional<Duration> each_copy = Duration{};  // sum MR
  ServerKind first = ServerKind::gpu;
  Stage last;

  void add(const Stage& stage, const std::optional<Duration>& alone) {
    if (stage.server == ServerKind::gpu) {
      gpu = checked_add(gpu, stage.time.worst);
      return;
    }
    if (!stage.is_issued()) return;
    const bool on_cpu = stage.server == ServerKind::cpu;
    if (first == ServerKind::gpu) first = stage.server;
    last = stage;
    Duration& sum = on_cpu ? cpu : copies;
    sum = checked_add(sum, stage.time.worst);
    ++(on_cpu ? cpu_stages : requests);
    std::optional<Duration>& each = on_cpu ? each_cpu : each_copy;
    if (each && alone) {
      each = checked_add(*each, *alone);
    } else {
      each.reset();
    }
  }
};

std::optional<Duration> ChainGroups::alone(const Stage& stage) {
  if (stage.server == ServerKind::gpu) return stage.time.worst;
  if (!stage.is_issued()) return Duration{};
  if (stage.server == ServerKind::cpu) return found(min_length(cpu_, stage.time.worst, limit_));
  if (!copy_start_) return std::nullopt;
  const Duration before = stage.time.worst - stage.last_chunk;
  const std::optional<Duration> start = before == Duration{} ? copy_start_ : latest_copy_start(before);
  if (!start) return std::nullopt;
  return checked_add(*start, stage.last_chunk);
}

std::optional<Duration> ChainGroups::fixed_point(const Chains& chains, const Group& group, Duration own,
                                                 Duration limit) {
  if (group.last.server == ServerKind::cpu) return found(min_length(chains, own, limit));
  const Duration last = group.last.last_chunk;
  if (last > limit) return std::nullopt;
  const std::optional<Duration> start = found(latest_start(chains, own - last, limit - last));
  if (!start) return std::nullopt;
  return *start + last;
}

std::optional<Duration> ChainGroups::together(const Group& group, Duration limit) {
  std::optional<Duration> least;
  if (group.cpu_stages + group.requests < 2) return least;
  const bool cpu_at_both_ends = group.first == ServerKind::cpu && group.last.server == ServerKind::cpu;
  const bool copies_at_both_ends = group.first == ServerKind::copy && group.last.server == ServerKind::copy;
  const Duration blocked = blocked_[group.requests];
  if (cpu_at_both_ends && group.each_copy) {
    const Duration own = checked_add(group.gpu, checked_add(*group.each_copy, group.cpu));
    consider(least, fixed_point(cpu_, group, own, limit));
  }
  if (copies_at_both_ends && group.each_cpu) {
    const Duration own =
        checked_add(checked_add(group.gpu, blocked), checked_add(group.copies, *group.each_cpu));
    consider(least, fixed_point(copies_, group, own, limit));
  }
  if (group.cpu_stages > 0 && group.requests > 0) {
    const Duration own = checked_add(checked_add(group.gpu, blocked), checked_add(group.copies, group.cpu));
    consider(least, fixed_point(both_, group, own, limit));
  }
  return least;
}

ChainGroups::Bound ChainGroups::bound(const Stages& stages) {
  foresee_pairs(stages.size());
  std::vector<std::optional<Duration>> each;
  for (const Stage& stage : stages) each.push_back(alone(stage));
  std::vector<std::optional<Duration>> until(stages.size() + 1);  // the least bound of the stages before
  until[0] = Duration{};
  for (std::size_t first = 0; first < stages.size(); ++first) {
    if (!until[first]) continue;
    if (each[first]) consider(until[first + 1], checked_add(*until[first], *each[first]));
    if (stages[first].server == ServerKind::gpu || !stages[first].is_issued()) continue;
    Group group;
    for (std::size_t last = first; last < stages.size(); ++last) {
      group.add(stages[last], each[last]);
      if (stages[last].server == ServerKind::gpu || !stages[last].is_issued()) continue;
      Duration limit = limit_;  // a longer way to the same stage is of no use
      if (until[last + 1]) limit = std::min(limit, *until[last + 1] - *until[first]);
      if (const std::optional<Duration> length = together(group, limit)) {
        consider(until[last + 1], checked_add(*until[first], *length));
      }
    }
  }
  return {until.back(), gave_up_};
}

}  // namespace tactus::analysis
