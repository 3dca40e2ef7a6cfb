#include "support/plain_tight.hpp"

#include <algorithm>
#include <functional>

#include "tactus/analysis/federated_tasks.hpp"

namespace tactus::test {

namespace {

using analysis::FederatedTask;
using analysis::FederatedTasks;
using analysis::Stage;
using analysis::Stages;
using Nanoseconds = std::int64_t;
using Maybe = std::optional<Nanoseconds>;
using Wanted = std::function<bool(ServerKind)>;

bool on_cpu(ServerKind server) { return server == ServerKind::cpu; }
bool on_engine(ServerKind server) { return server == ServerKind::copy; }
bool on_either(ServerKind server) { return server != ServerKind::gpu; }

struct Above {
  const FederatedTask* task;
  Stages stages;
  Nanoseconds done_within;  // X
};

/// The most work of a chain on some servers in [0, length), one piece after the other.
Nanoseconds work(const Above& above, const Wanted& wanted, Nanoseconds length, const TightMistake& mistake) {
  Stages stages = above.stages;
  Nanoseconds done_within = above.done_within;
  if (above.task->never_leaves_cpu) {
    Nanoseconds sum = 0;
    for (const Stage& stage : stages) sum += in_ns(stage.time.worst);
    stages = {{ServerKind::cpu, Interval::exactly(Duration{sum})}};
    done_within = sum + (mistake.no_jitter_of_cpu_tasks ? 0 : in_ns(above.task->jitter));
  }
  Nanoseconds most = 0;
  for (std::size_t start = 0; start < stages.size(); ++start) {
    if (!wanted(stages[start].server) || !stages[start].is_issued()) continue;
    Nanoseconds now = 0;
    Nanoseconds done = 0;
    Nanoseconds first_piece_of_second_job = -1;
    Nanoseconds release = 0;  // of the job that runs, once it is not the first
    bool first_job = true;
    bool first_piece = false;
    for (std::size_t i = start; now < length;) {
      const Stage& stage = stages[i];
      const bool counts = wanted(stage.server) && stage.is_issued();
      if (counts && first_piece) {
        if (first_piece_of_second_job < 0) {
          first_piece_of_second_job = now;
          release = now;
        } else {
          release += in_ns(above.task->period);
          now = release;  // later jobs come a period apart
        }
        first_piece = false;
        if (now >= length) break;
      }
      if (counts) done += std::min(in_ns(stage.time.worst), length - now);
      now += in_ns(counts ? stage.time.worst : stage.time.best);
      if (++i < stages.size()) continue;
      i = 0;
      if (first_job) now += in_ns(above.task->period) - done_within;
      first_job = false;
      first_piece = true;
    }
    most = std::max(most, done);
  }
  return most;
}

Maybe least(Nanoseconds from, Nanoseconds limit, const std::function<Nanoseconds(Nanoseconds)>& next) {
  for (Nanoseconds r = from; r <= limit;) {
    const Nanoseconds more = next(r);
    if (more <= r) return r;
    r = more;
  }
  return std::nullopt;
}

class Task {
 public:
  Task(const FederatedTask& task, const std::vector<Above>& above, std::vector<Nanoseconds> blocked,
       const TightMistake& mistake)
      : task_{task},
        stages_{task.stages[static_cast<std::size_t>(*task.sms)]},
        above_{above},
        blocked_{std::move(blocked)},
        mistake_{mistake},
        limit_{in_ns(task.deadline - task.jitter)} {}

  /// The least sum over all divisions: bit i parts stage i from the next.
  [[nodiscard]] Maybe bound() const {
    std::vector<std::vector<Maybe>> lengths(stages_.size(), std::vector<Maybe>(stages_.size()));
    for (std::size_t first = 0; first < stages_.size(); ++first) {
      for (std::size_t last = first; last < stages_.size(); ++last) lengths[first][last] = group(first, last);
    }
    Maybe best;
    for (std::uint64_t parts = 0; parts < (std::uint64_t{1} << (stages_.size() - 1)); ++parts) {
      Maybe sum = 0;
      for (std::size_t first = 0; first < stages_.size() && sum;) {
        std::size_t last = first;
        while (last + 1 < stages_.size() && ((parts >> last) & 1U) == 0) ++last;
        const Maybe length = lengths[first][last];
        sum = length ? Maybe{*sum + *length} : std::nullopt;
        first = last + 1;
      }
      if (sum && (!best || *sum < *best)) best = sum;
    }
    return best;
  }

 private:
  [[nodiscard]] Nanoseconds sum_above(const Wanted& wanted, bool cores_matter, Nanoseconds length) const {
    Nanoseconds sum = 0;
    for (const Above& other : above_) {
      const bool same_core = other.task->core == task_.core;
      if (cores_matter && !same_core) continue;
      if (!same_core && mistake_.copies_of_own_core_only) continue;
      sum += work(other, same_core ? wanted : Wanted{on_engine}, length, mistake_);
    }
    return sum;
  }
  [[nodiscard]] Nanoseconds cpu(Nanoseconds length) const { return sum_above(on_cpu, true, length); }
  [[nodiscard]] Nanoseconds copies(Nanoseconds length) const { return sum_above(on_engine, false, length); }
  [[nodiscard]] Nanoseconds both(Nanoseconds length) const { return sum_above(on_either, false, length); }

  /// The end of a copy that nothing can delay once it has begun.
  [[nodiscard]] Nanoseconds undisturbed(const Stage& stage) const {
    return in_ns(mistake_.undisturbed_pieces ? stage.time.worst : stage.last_chunk);
  }

  [[nodiscard]] Maybe alone(const Stage& stage) const {
    const Nanoseconds time = in_ns(stage.time.worst);
    if (stage.server == ServerKind::gpu || time == 0) return time;
    if (stage.server == ServerKind::cpu)
      return least(time, limit_, [&](Nanoseconds r) { return time + cpu(r); });
    const Nanoseconds last = undisturbed(stage);
    const Maybe start =
        least(0, limit_, [&](Nanoseconds s) { return blocked_[1] + time - last + copies(s + 1); });
    return start ? Maybe{*start + last} : std::nullopt;
  }

  [[nodiscard]] Maybe group(std::size_t first, std::size_t last) const {
    Maybe best;
    const auto consider = [&](const Maybe& length) {
      if (length && *length <= limit_ && (!best || *length < *best)) best = length;
    };
    if (first == last) {
      // One stage may take longer than the limit on the GPU: the sum decides.
      return alone(stages_[first]);
    }
    Nanoseconds gpu_time = 0;
    Nanoseconds cpu_time = 0;
    Nanoseconds copy_time = 0;
    std::size_t requests = 0;
    Maybe each_cpu = 0;
    Maybe each_copy = 0;
    for (std::size_t i = first; i <= last; ++i) {
      const Stage& stage = stages_[i];
      const Nanoseconds time = in_ns(stage.time.worst);
      if (stage.server == ServerKind::gpu) gpu_time += time;
      if (stage.server == ServerKind::gpu || time == 0) continue;
      Nanoseconds& sum = stage.server == ServerKind::cpu ? cpu_time : copy_time;
      Maybe& each = stage.server == ServerKind::cpu ? each_cpu : each_copy;
      sum += time;
      requests += stage.server == ServerKind::copy ? 1 : 0;
      const Maybe response = alone(stage);
      each = each && response ? Maybe{*each + *response} : std::nullopt;
    }
    const bool ends_with_copy = stages_[last].server == ServerKind::copy && stages_[last].is_issued();
    const auto find = [&](Nanoseconds own, const std::function<Nanoseconds(Nanoseconds)>& others) {
      consider(least(own, limit_, [&](Nanoseconds r) { return own + others(r); }));
      if (!ends_with_copy) return;
      const Nanoseconds copy = undisturbed(stages_[last]);
      const Nanoseconds unit = mistake_.last_copy_too_soon ? 0 : 1;
      const Maybe start =
          least(0, limit_ - copy, [&](Nanoseconds s) { return own - copy + others(s + unit); });
      if (start) consider(*start + copy);
    };
    const auto only_cpu = [&](Nanoseconds r) { return cpu(r); };
    const auto only_copies = [&](Nanoseconds r) { return copies(r); };
    const auto either = [&](Nanoseconds r) { return both(r); };
    // What waits for no copy after its start must not be the copy itself: F2 knows no last start.
    if (each_copy) {
      const Nanoseconds own = gpu_time + *each_copy + cpu_time;
      consider(least(own, limit_, [&](Nanoseconds r) { return own + only_cpu(r); }));
    }
    if (each_cpu) find(gpu_time + copy_time + blocked_[requests] + *each_cpu, only_copies);
    find(gpu_time + copy_time + blocked_[requests] + cpu_time, either);
    return best;
  }

  const FederatedTask& task_;
  const Stages& stages_;
  const std::vector<Above>& above_;
  std::vector<Nanoseconds> blocked_;
  const TightMistake& mistake_;
  Nanoseconds limit_;
};

/// The longest that 0, 1, 2, ... copies of a task can be blocked together.
std::vector<Nanoseconds> blocked(const FederatedTasks& tasks, std::size_t index, bool in_time) {
  constexpr std::size_t most = 16;
  std::vector<Nanoseconds> lengths;
  const auto add = [&](Duration length, std::int64_t times) {
    for (std::int64_t i = 0; i < std::min<std::int64_t>(times, most); ++i) lengths.push_back(in_ns(length));
  };
  add(tasks.background_copy, most);
  for (std::size_t i = index + 1; i < tasks.tasks.size(); ++i) {
    const FederatedTask& low = tasks.tasks[i];
    const Duration span = tasks.tasks[index].deadline + low.deadline;
    const std::int64_t jobs = in_time ? ceil_div(in_ns(span), in_ns(low.period)) : std::int64_t{most};
    for (const Stage& stage : low.stages.back()) {
      if (stage.server == ServerKind::copy) add(stage.longest_chunk, jobs * stage.chunks);
    }
  }
  std::sort(lengths.rbegin(), lengths.rend());
  lengths.resize(most, 0);
  std::vector<Nanoseconds> sums{0};
  for (const Nanoseconds length : lengths) sums.push_back(sums.back() + length);
  return sums;
}

}  // namespace

std::vector<std::optional<Duration>> tight_bounds_plainly(const System& system, const TightMistake& mistake) {
  const FederatedTasks tasks = analysis::federated_tasks(system, analysis::StageTable::as_given);
  std::vector<std::optional<Duration>> bounds;
  for (const bool in_time : {true, false}) {
    bounds.assign(system.tasks.size(), std::nullopt);
    std::vector<Above> above;
    bool all = true;
    for (std::size_t i = 0; i < tasks.tasks.size() && all; ++i) {
      const FederatedTask& task = tasks.tasks[i];
      all = task.jitter <= task.deadline;
      if (!all) break;
      const Maybe bound = Task{task, above, blocked(tasks, i, in_time), mistake}.bound();
      all = bound && Duration{*bound} <= task.deadline - task.jitter;
      if (!all) break;
      bounds[task.task] = Duration{*bound} + task.jitter;
      above.push_back({&task, task.stages[static_cast<std::size_t>(*task.sms)], in_ns(*bounds[task.task])});
    }
    if (all) return bounds;
  }
  return bounds;
}

}  // namespace tactus::test
