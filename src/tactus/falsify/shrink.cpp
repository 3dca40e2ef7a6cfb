// Makes a counterexample as small as it can: one simplification after the other is tried, and kept when the
// analysis still accepts the system and a job still breaks its bound.
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/base/error.hpp"
#include "tactus/falsify/borderline_systems.hpp"
#include "tactus/falsify/falsify.hpp"
#include "tactus/model/dispatch.hpp"
#include "tactus/model/validate.hpp"

namespace tactus::falsify {

namespace {

/// Work takes time, and deadlines are no longer than periods, so that the counterexample stays realistic.
bool is_sensible(const System& system) {
  return std::all_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
    const bool takes_time = std::any_of(task.work.nodes.begin(), task.work.nodes.end(), [](const Node& node) {
      return drawn_time(node.segment).worst > Duration{};
    });
    return takes_time && (!task.period || *task.deadline <= *task.period);
  });
}

/// The broken job of a system with its script; nothing when nothing is broken.
std::optional<Counterexample> broken(const analysis::Analysis& analysis, const System& system,
                                     Execution execution) {
  if (!is_sensible(system) || !validate(system).empty() || !find_missing_parameters(system).empty()) {
    return std::nullopt;
  }
  const analysis::CheckResult checked = analysis::check(system, {&analysis, 1});
  const analysis::Result& result = checked.analyses.front().result;
  if (!result.applies() || result.verdict != analysis::Verdict::schedulable) return std::nullopt;
  Bounds bounds;
  for (const analysis::TaskResult& task : result.tasks) bounds.push_back(task.bound);
  const std::optional<Duration> horizon = playing_time(system);
  const Played played = play(system, bounds, execution, horizon);
  if (!played.closest || !played.closest->broken()) return std::nullopt;
  return Counterexample{system, *played.closest, execution, horizon};
}

/// Every duration of a system that may be made smaller.
std::vector<Duration*> durations(System& system) {
  std::vector<Duration*> all;
  const auto add_work = [&](Segment& segment) {
    Interval& time = drawn_time(segment);
    all.push_back(&time.worst);
    if (time.best != time.worst) all.push_back(&time.best);
    if (auto* gpu = std::get_if<GpuSegment>(&segment)) all.push_back(&gpu->overhead.worst);
  };
  Overheads& overheads = system.platform.overheads;
  all.insert(all.end(),
             {&overheads.release, &overheads.launch, &overheads.completion, &overheads.copy, &overheads.cpu});
  all.insert(all.end(), {&overheads.engine.event, &overheads.engine.submit});
  if (auto& resident = overheads.resident) all.insert(all.end(), {&resident->release, &resident->completion});
  if (auto& doorbell = overheads.doorbell) all.insert(all.end(), {&doorbell->launch, &doorbell->completion});
  if (system.policy.reservations) {
    Reservations& reservations = *system.policy.reservations;
    all.push_back(&reservations.period);
    for (std::optional<Window>* window : {&reservations.local, &reservations.all}) {
      if (!*window) continue;
      all.push_back(&(*window)->offset);
      all.push_back(&(*window)->budget);
    }
  }
  for (Task& task : system.tasks) {
    if (task.period) all.push_back(&*task.period);
    if (task.deadline) all.push_back(&*task.deadline);
    all.push_back(&task.offset);
    all.push_back(&task.jitter);
    if (task.longest_block) all.push_back(&*task.longest_block);
    if (task.enqueue) all.push_back(&*task.enqueue);
    for (Node& node : task.work.nodes) add_work(node.segment);
    for (ScriptedJob& job : task.jobs) {
      for (std::optional<Duration>* delay : {&job.late, &job.launch, &job.completion, &job.cpu}) {
        if (*delay) all.push_back(&**delay);
      }
      for (Duration& time : job.times) all.push_back(&time);
    }
  }
  return all;
}

class Shrinker {
 public:
  Shrinker(const analysis::Analysis& analysis, Counterexample example, const Watch& watch)
      : analysis_{analysis}, watch_{watch}, best_{std::move(example)} {}

  Counterexample run() {
    do {
      is_smaller_ = false;
      drop_tasks();
      drop_jobs();
      drop_segments();
      plain_policy();
      plain_tasks();
      earlier();
      small_numbers();
    } while (tries_left_ > 0 && is_smaller_);
    return std::move(best_);
  }

 private:
  using Change = std::function<void(System&)>;

  bool attempt(const Change& change) {
    if (watch_.stopped()) tries_left_ = 0;
    if (tries_left_ == 0) return false;
    --tries_left_;
    System changed = best_.system;
    change(changed);
    keep_order(changed);
    if (changed == best_.system) return false;
    std::optional<Counterexample> smaller = broken(analysis_, changed, best_.execution);
    if (!smaller) return false;
    best_ = *std::move(smaller);
    is_smaller_ = true;
    return true;
  }

  /// Bytes take a nanosecond each, and a job's copy takes as long as they do.
  static void keep_bytes(Task& task) {
    for (std::size_t i = 0; i < task.work.nodes.size(); ++i) {
      auto* copy = std::get_if<CopySegment>(&task.work.nodes[i].segment);
      if (copy == nullptr || !copy->bytes) continue;
      copy->time = Interval::exactly(copy->time.worst);
      copy->bytes = in_ns(copy->time.worst);
      for (ScriptedJob& job : task.jobs) {
        if (!job.times.empty()) job.times[i] = copy->time.worst;
      }
    }
  }

  /// The best case follows the worst.
  static void keep_order(System& system) {
    for (Task& task : system.tasks) {
      keep_bytes(task);
      for (Node& node : task.work.nodes) {
        Interval& time = drawn_time(node.segment);
        time.best = std::min(time.best, time.worst);
        if (auto* gpu = std::get_if<GpuSegment>(&node.segment)) {
          gpu->overhead.best = std::min(gpu->overhead.best, gpu->overhead.worst);
        }
      }
    }
  }

  void drop_tasks() {
    for (std::size_t i = best_.system.tasks.size(); i > 0; --i) {
      attempt([&](System& system) {
        const auto place = static_cast<std::ptrdiff_t>(i - 1);
        if (system.tasks.size() < 2) return;
        system.tasks.erase(system.tasks.begin() + place);
        if (!system.virtual_sms.empty()) system.virtual_sms.erase(system.virtual_sms.begin() + place);
      });
    }
  }

  void drop_jobs() {
    for (std::size_t task = 0; task < best_.system.tasks.size(); ++task) {
      while (attempt([&](System& system) {
        std::vector<ScriptedJob>& jobs = system.tasks[task].jobs;
        jobs.resize(jobs.size() > 1 ? jobs.size() / 2 : jobs.size());
      })) {
      }
      for (std::size_t job = best_.system.tasks[task].jobs.size(); job > 0; --job) {
        attempt([&](System& system) {
          std::vector<ScriptedJob>& jobs = system.tasks[task].jobs;
          if (jobs.size() < 2 || job > jobs.size()) return;
          jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(job - 1));
        });
      }
    }
  }

  void drop_segments() {
    for (std::size_t task = 0; task < best_.system.tasks.size(); ++task) {
      for (std::size_t i = best_.system.tasks[task].work.nodes.size(); i > 0; --i) {
        attempt([&](System& system) {
          const auto place = static_cast<std::ptrdiff_t>(i - 1);
          Task& changed = system.tasks[task];
          if (changed.work.form != WorkForm::chain || changed.work.nodes.size() < 2) return;
          changed.work.nodes.erase(changed.work.nodes.begin() + place);
          for (ScriptedJob& job : changed.jobs) {
            if (!job.times.empty()) job.times.erase(job.times.begin() + place);
          }
          if (!system.virtual_sms.empty() && !uses_gpu(changed.work)) system.virtual_sms[task] = 0;
        });
      }
    }
  }

  void plain_policy() {
    attempt([](System& system) {
      system = without_overheads(std::move(system));
      without_delays(system);
    });
    attempt([](System& system) { system.platform.overheads.resident.reset(); });
    attempt([](System& system) { system.platform.overheads.doorbell.reset(); });
    attempt([](System& system) { system.platform.gpu.copy_chunk.reset(); });
    attempt([](System& system) { --system.policy.levels; });
    attempt([](System& system) { --system.platform.gpu.sms; });
    for (const bool gang : {false, true}) {
      attempt([&](System& system) {
        if (!system.policy.reservations || uses_window(system, gang)) return;
        (gang ? system.policy.reservations->all : system.policy.reservations->local).reset();
      });
    }
  }

  static void without_delays(System& system) {
    for (Task& task : system.tasks) {
      const Overheads overheads = dispatch_overheads(system, task);
      for (ScriptedJob& job : task.jobs) {
        if (job.late) job.late = std::min(*job.late, task.jitter + overheads.release);
        if (overheads.launch == Duration{}) job.launch.reset();
        if (overheads.completion == Duration{}) job.completion.reset();
        if (overheads.cpu == Duration{}) job.cpu.reset();
      }
    }
  }

  void plain_tasks() {
    for (std::size_t i = 0; i < best_.system.tasks.size(); ++i) {
      const auto with_task = [&](const std::function<void(Task&)>& change) {
        return [i, change](System& system) {
          change(system.tasks[i]);
          without_delays(system);
        };
      };
      attempt(with_task([](Task& task) { task.jitter = {}; }));
      attempt(with_task([](Task& task) { task.deadline = task.period; }));
      attempt(with_task([](Task& task) { task.longest_block.reset(); }));
      attempt(with_task([](Task& task) { task.enqueue.reset(); }));
      attempt(with_task([](Task& task) { task.launcher = false; }));
      attempt(with_task([](Task& task) { task.dispatch = Dispatch::launch; }));
      attempt(with_task([](Task& task) {
        for (ScriptedJob& job : task.jobs) job.times.clear();
      }));
      attempt(with_task([](Task& task) {
        for (ScriptedJob& job : task.jobs) job.late.reset();
      }));
      attempt(with_task([](Task& task) {
        for (ScriptedJob& job : task.jobs) job.launch.reset();
        for (ScriptedJob& job : task.jobs) job.completion.reset();
        for (ScriptedJob& job : task.jobs) job.cpu.reset();
      }));
      attempt(with_task([](Task& task) {
        if (task.arrival == Arrival::periodic) task.jobs.clear();
      }));
      attempt(with_task([](Task& task) {
        auto* kernel = std::get_if<KernelSegment>(&task.work.nodes.front().segment);
        if (kernel == nullptr) return;
        const Interval time = kernel->block_time;
        task.work.nodes.front().segment = ExclusiveSegment{time};
      }));
      attempt(with_task([](Task& task) {
        if (auto* exclusive = std::get_if<ExclusiveSegment>(&task.work.nodes.front().segment)) {
          exclusive->time.best = exclusive->time.worst;
        }
      }));
    }
  }

  /// The whole script begins sooner: at 0, or by whole periods of the windows.
  void earlier() {
    std::optional<Time> first;
    for (const Task& task : best_.system.tasks) {
      if (!has_scripted_releases(task)) continue;
      first = std::min(first.value_or(never), *task.jobs.front().release);
    }
    if (!first || *first == origin) return;
    Duration shift = first->time_since_epoch();
    if (const auto& windows = best_.system.policy.reservations) shift -= shift % windows->period;
    if (shift == Duration{}) return;
    attempt([&](System& system) {
      for (Task& task : system.tasks) {
        if (!has_scripted_releases(task)) continue;
        for (ScriptedJob& job : task.jobs) *job.release -= shift;
      }
    });
  }

  void small_numbers() {
    for (const std::int64_t divisor : {1000, 100, 10, 3, 2}) {
      attempt([&](System& system) {
        for (Duration* duration : durations(system)) *duration /= divisor;
        if (std::optional<std::int64_t>& chunk = system.platform.gpu.copy_chunk) *chunk /= divisor;
        for (Task& task : system.tasks) {
          for (ScriptedJob& job : task.jobs) {
            if (job.release) job.release = time_at(job.release->time_since_epoch() / divisor);
          }
        }
      });
    }
    const std::size_t numbers = durations(best_.system).size();
    for (std::size_t i = 0; i < numbers; ++i) {
      const auto change = [&](const std::function<Duration(Duration)>& smaller_value) {
        return [i, smaller_value](System& system) {
          const std::vector<Duration*> all = durations(system);
          if (i < all.size() && *all[i] > Duration{}) *all[i] = smaller_value(*all[i]);
        };
      };
      attempt(change([](Duration value) { return value / 2; }));
      attempt(change([](Duration value) { return (value / 1000) * 1000; }));
      attempt(change(
          [](Duration value) { return value - Duration{std::min<std::int64_t>(1000, in_ns(value))}; }));
      if (in_ns(*durations(best_.system)[std::min(i, durations(best_.system).size() - 1)]) < 100) {
        attempt(change([](Duration value) { return value - Duration{1}; }));
      }
    }
  }

  const analysis::Analysis& analysis_;
  const Watch& watch_;
  Counterexample best_;
  std::int64_t tries_left_ = 20'000;
  bool is_smaller_ = false;  // in this round
};

}  // namespace

Counterexample shrink(const analysis::Analysis& analysis, Counterexample example, const Watch& watch) {
  return Shrinker{analysis, std::move(example), watch}.run();
}

}  // namespace tactus::falsify
