// The rules of tasks, but for their work and scripted jobs.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/model/dispatch.hpp"
#include "tactus/model/rules.hpp"

namespace tactus {

namespace {

class TaskRules : Rules {
 public:
  using Rules::Rules;

  /// Every task once, in file order.
  void check_task(std::size_t index) {
    const Task& task = system_.tasks[index];
    const std::string path = task_path(index);
    check_name(path + ".name", "this task", task.name);
    if (!task.name.empty()) {
      const auto [first, is_new] = first_of_name_.try_emplace(task.name, index);
      if (!is_new) {
        add(ProblemId::duplicate_name, path + ".name",
            fmt::format("two tasks have the name {}", in_backticks(task.name)), "give each task its own name",
            task_path(first->second) + ".name");
      }
    }
    check_arrival(path, task);
    if (task.priority && *task.priority < 0) {
      add(ProblemId::out_of_range, path + ".priority",
          fmt::format("the priority of {} is {}", describe(task), *task.priority),
          "priorities are 0 or more; larger is more urgent");
    }
    check_gpu_priority(path, task);
    check_placement(path, task);
    check_waiting(path, task);
    check_longest_block(path, task);
    check_preemptible(path, task);
    check_dispatch(path, task);
    if (task.time_slice) {
      check_positive(path + ".time_slice", "the time slice of " + describe(task), *task.time_slice);
    }
    if (task.stream) check_name(path + ".stream", "the stream", *task.stream);
    if (levels_are_known() && (task.stream_priority > 0 || task.stream_priority <= -gpu_.priority_levels)) {
      add(ProblemId::out_of_range, path + ".stream_priority",
          fmt::format("stream_priority is {}, but the GPU has {}", task.stream_priority,
                      counted(gpu_.priority_levels, "stream priority", "stream priorities")),
          gpu_.priority_levels <= 1
              ? "allowed: 0"
              : fmt::format("allowed: 0 (least urgent) down to {} (most urgent)", 1 - gpu_.priority_levels));
    }
    if (task.enqueue) {
      check_not_negative(path + ".enqueue", "the enqueue time of " + describe(task), *task.enqueue);
    }
    if (task.launcher && !uses_gpu(task.work) && task.choices.empty()) {
      add(ProblemId::conflicting_keys, path + ".launcher",
          describe(task) + " has a launcher, but no GPU work", "remove it: CPU work is not launched");
    }
    check_calls_of_launcher(path, task);
    if (task.budget) {
      check_positive(path + ".budget", "the budget of " + describe(task), *task.budget,
                     "; for no budget leave it out");
    }
    check_max_jobs(path, task);
  }

 private:
  void check_max_jobs(const std::string& path, const Task& task) {
    if (!task.max_jobs) {
      if (task.on_full == OnFull::drop_newest) return;
      add(ProblemId::missing_key, path + ".on_full",
          describe(task) + " says what happens when it is full, but not when that is",
          "add `max_jobs: 4`, the number of its jobs that may be in progress at once");
      return;
    }
    if (!limits::max_jobs.contains(*task.max_jobs)) {
      add(ProblemId::out_of_range, path + ".max_jobs",
          fmt::format("max_jobs of {} is {}", describe(task), *task.max_jobs), allowed(limits::max_jobs));
    }
    if (task.arrival == Arrival::best_effort) {
      add(ProblemId::conflicting_keys, path + ".max_jobs",
          describe(task) + " is best-effort but has max_jobs",
          "remove it: a best-effort job is released when the one before it ends");
    } else if (task.dispatch == Dispatch::resident) {
      add(ProblemId::conflicting_keys, path + ".max_jobs",
          describe(task) + " has max_jobs, but the GPU releases its jobs (`dispatch: resident`)",
          "remove it, or write `dispatch: doorbell`");
    } else if (task.on_full == OnFull::block && task.arrival != Arrival::sporadic) {
      add(ProblemId::conflicting_keys, path + ".on_full",
          describe(task) + " blocks who releases its jobs, but the clock does, which cannot wait",
          "choose `arrival: sporadic`, or `on_full: drop-newest` or `drop-oldest`");
    }
  }

  /// Which variants are chosen decides whether nodes are served alone.
  void check_gpu_priority(const std::string& path, const Task& task) {
    if (!task.gpu_priority) return;
    const std::string where = path + ".gpu_priority";
    const bool is_open = std::any_of(system_.tasks.begin(), system_.tasks.end(),
                                     [](const Task& some) { return !some.choices.empty(); });
    if (*task.gpu_priority < 0) {
      add(ProblemId::out_of_range, where,
          fmt::format("the gpu_priority of {} is {}", describe(task), *task.gpu_priority),
          "priorities are 0 or more; larger is more urgent");
    } else if (!is_open && !is_by_node(system_)) {
      add(ProblemId::conflicting_keys, where,
          describe(task) + " has a gpu_priority, but jobs are served whole here",
          "write `priority`; the GPU has an order of its own only where some task has CPU work, or the "
          "policy "
          "has `copies`");
    }
  }

  /// A launcher makes one call after the other, so a second one must not come meanwhile: what a call takes is
  /// counted without the time that it waits for another.
  void check_calls_of_launcher(const std::string& path, const Task& task) {
    if (!task.launcher || !task.choices.empty()) return;
    const auto parts = std::count_if(task.work.nodes.begin(), task.work.nodes.end(), [](const Node& node) {
      return server_of(node.segment) == ServerKind::gpu;
    });
    const bool is_whole = !is_by_node(system_);
    if (parts > 1 && (is_whole || task.work.form == WorkForm::graph)) {
      add(ProblemId::conflicting_keys, path + ".launcher",
          describe(task) + " has a launcher and several GPU segments that may be launched at the same time",
          "give them to tasks of their own, or enqueue them in one segment");
    }
    if (!is_whole || !task.enqueue || !task.period) return;
    const Int128 late = Int128{task.jitter.count()} + system_.platform.overheads.release.count();
    if (Int128{task.enqueue->count()} + late <= task.period->count()) return;
    add(ProblemId::out_of_range, path + ".enqueue",
        "the launcher of " + describe(task) + " may get the next job before it has enqueued this one",
        "`enqueue`, `jitter` and `overheads.release` may take one period together");
  }

  void check_arrival(const std::string& path, const Task& task) {
    const std::string who = describe(task);
    if (repeats(task)) {
      if (!task.period) {
        add(ProblemId::missing_key, path + ".period", who + " has no period",
            "add `period: 10ms` or `rate: 100Hz`, or choose `arrival: once`");
      } else {
        check_positive(path + ".period", "the period of " + who, *task.period);
        if (!task.deadline) {
          add(ProblemId::missing_key, path + ".deadline", who + " has no deadline",
              "use the period if nothing else is known");
        }
      }
    } else if (task.period) {
      add(ProblemId::conflicting_keys, path + ".period",
          fmt::format("{} has a period of {} but does not repeat with one", who, to_text(*task.period)),
          "remove it, or choose `arrival: periodic` or `arrival: sporadic`");
    }
    if (task.deadline) {
      if (task.arrival == Arrival::best_effort) {
        add(ProblemId::conflicting_keys, path + ".deadline",
            fmt::format("{} is best-effort but has a deadline of {}", who, to_text(*task.deadline)),
            "best-effort tasks have no deadline: remove it, or choose another arrival");
      } else if (task.deadline != task.period || *task.deadline > Duration{}) {
        // A default deadline that follows from a bad period is not reported again.
        check_positive(path + ".deadline", "the deadline of " + who, *task.deadline);
      }
    }
    check_not_negative(path + ".offset", "the offset of " + who, task.offset);
    check_not_negative(path + ".jitter", "the jitter of " + who, task.jitter);
    if (task.arrival == Arrival::best_effort && task.jitter > Duration{}) {
      add(ProblemId::conflicting_keys, path + ".jitter",
          fmt::format("{} is best-effort but has a jitter of {}", who, to_text(task.jitter)),
          "a best-effort job is released when the one before it ends: remove the jitter");
    }
    if (task.arrival == Arrival::best_effort && !task.work.nodes.empty() &&
        min_time(task.work) == Duration{}) {
      add(path + ".arrival",
          fmt::format(
              "{} is best-effort and may take no time at all: it would repeat for ever at one instant", who),
          "give one of its times a best case above 0");
    }
  }

  void check_placement(const std::string& path, const Task& task) {
    if (!task.any_core) check_core(path + ".core", task.core);
    const std::int32_t group = system_.policy.sm_group;
    if (task.sm.kind != SmAffinity::Kind::one || !sms_are_known() || group < 1 || group > gpu_.sms) return;
    const std::int32_t cores = gpu_.sms / group;
    if (task.sm.core >= 0 && task.sm.core < cores) return;
    const std::string groups = group == 1 ? "" : fmt::format(", in groups of {}", group);
    add(ProblemId::out_of_range, path + ".sm",
        fmt::format("sm is {}, but the GPU has {}{}", task.sm.core, counted(gpu_.sms, "SM", "SMs"), groups),
        allowed({0, cores - 1}) + ", all, any");
  }

  /// A job that waits busily keeps one core, and takes it back when its work goes on there.
  void check_waiting(const std::string& path, const Task& task) {
    if (task.wait != Waiting::busy) return;
    const CpuPolicy cpu = cpu_policy(system_.policy);
    if (!cpu.preemptive || cpu.scope != CpuScope::partitioned) {
      add(ProblemId::conflicting_keys, path + ".wait",
          fmt::format("{} waits busily, but the cores are {}", describe(task),
                      cpu.preemptive ? "shared by several tasks' jobs" : "not preemptive"),
          "write `wait: suspend`, or let policy.cpu be partitioned and preemptive");
    }
    const bool has_own_cores = std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                                           [](const Node& node) { return node.core.has_value(); });
    if (has_own_cores) {
      add(ProblemId::conflicting_keys, path + ".wait",
          describe(task) + " waits busily, but some of its segments have cores of their own",
          "a job that waits busily has one core: remove those of the segments");
    }
  }

  /// Work that stays on its SMs is one piece, which nothing but the next job follows.
  void check_dispatch(const std::string& path, const Task& task) {
    if (task.dispatch == Dispatch::launch) return;
    const bool is_resident = task.dispatch == Dispatch::resident;
    const auto refuse = [&](std::string_view why, std::string hint) {
      add(ProblemId::conflicting_keys, path + ".dispatch",
          fmt::format("{} has `dispatch: {}`, but {}", describe(task), to_string(task.dispatch), why),
          std::move(hint));
    };
    const auto of_gpu = std::count_if(task.work.nodes.begin(), task.work.nodes.end(), [](const Node& node) {
      return server_of(node.segment) == ServerKind::gpu;
    });
    const bool has_own_sms = std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                                         [](const Node& node) { return node.virtual_sms.has_value(); });
    const bool in_turn = !is_resident && task.work.form == WorkForm::chain;
    if (of_gpu == 0) {
      refuse("its jobs have no GPU segment", "leave `dispatch` out");
    } else if (of_gpu > 1 && !in_turn) {
      refuse(fmt::format("its jobs have {} GPU segments{}", of_gpu,
                         is_resident ? "" : ", which may run side by side"),
             "let one segment have all of its GPU work: a bound function may enqueue several kernels");
    } else if (of_gpu > 1 && has_own_sms) {
      refuse("some of its GPU segments have SMs of their own", "give the SMs to the task");
    } else if (is_resident && task.work.nodes.size() != 1) {
      refuse("its jobs have CPU work or copies of their own",
             "write `dispatch: doorbell`, or let its GPU segment have all of its work: a bound function may "
             "enqueue copies, too");
    }
    if (task.arrival == Arrival::best_effort || (is_resident && task.arrival != Arrival::periodic)) {
      refuse(is_resident ? "the GPU's clock releases periodic tasks only" : "it is best-effort",
             is_resident && task.arrival == Arrival::sporadic ? "write `dispatch: doorbell`"
                                                              : "leave `dispatch` out");
    }
    if (task.launcher) {
      refuse("it has a launcher, and nothing is launched", "leave `launcher` out");
    }
    if (is_resident && task.budget) {
      refuse("it has a budget, and the engine does not see its jobs run", "leave `budget` out");
    }
    if (is_resident && task.on_miss == OnMiss::skip_next && task.period && task.deadline > task.period) {
      refuse("after a miss the next job is skipped, which may have begun before the deadline",
             "let the deadline be at most the period, or write `on_miss: continue`");
    }
  }

  void check_longest_block(const std::string& path, const Task& task) {
    if (!task.longest_block) return;
    const std::string where = path + ".longest_block";
    std::optional<Duration> longest;
    const auto note = [&](const Segment& segment) {
      if (const auto* exclusive = std::get_if<ExclusiveSegment>(&segment)) {
        longest = std::max(longest.value_or(Duration{}), exclusive->time.worst);
      }
    };
    for (const Node& node : task.work.nodes) note(node.segment);
    for (const WorkChoice& choice : task.choices) {
      for (const std::vector<Segment>& variant : choice.variants)
        std::for_each(variant.begin(), variant.end(), note);
    }
    if (*task.longest_block < Duration{}) {
      check_not_negative(where, "longest_block", *task.longest_block);
    } else if (!longest) {
      add(ProblemId::conflicting_keys, where,
          fmt::format("longest_block is {}, but {} has no exclusive work", to_text(*task.longest_block),
                      describe(task)),
          "remove it: the longest block of a kernel is its block_time");
    } else if (*task.longest_block > *longest) {
      add(ProblemId::out_of_range, where,
          fmt::format("longest_block is {}, longer than the exclusive work itself ({})",
                      to_text(*task.longest_block), to_text(*longest)),
          fmt::format("at most {} is allowed; without longest_block it is all of the work",
                      to_text(*longest)));
    }
  }

  void check_preemptible(const std::string& path, const Task& task) {
    if (!task.preemptible) return;
    const std::string where = path + ".preemptible";
    if (task.arrival != Arrival::best_effort) {
      add(ProblemId::conflicting_keys, where,
          fmt::format("{} is preemptible, but not best-effort", describe(task)),
          "only best-effort work is asked to stop; real-time work gives way at its blocks by itself");
      return;
    }
    const auto is_one_piece = [&](const Node& node) {
      const bool has_blocks = std::holds_alternative<KernelSegment>(node.segment);
      const bool has_slices = std::holds_alternative<ExclusiveSegment>(node.segment) && task.longest_block;
      return !has_blocks && !has_slices;
    };
    if (std::any_of(task.work.nodes.begin(), task.work.nodes.end(), is_one_piece)) {
      add(ProblemId::conflicting_keys, where,
          fmt::format("{} is preemptible, but not all of its work has blocks", describe(task)),
          "preemptible work is kernels, or exclusive work with a longest_block");
    }
  }

  std::unordered_map<std::string_view, std::size_t> first_of_name_;
};

}  // namespace

void check_tasks(const System& system, std::vector<Violation>& violations) {
  TaskRules rules{system, violations};
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const std::string path = task_path(i);
    rules.check_task(i);
    check_work(system, path, system.tasks[i], violations);
    check_jobs(system, path, system.tasks[i], violations);
  }
}

}  // namespace tactus
