#include "tactus/model/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/model/limits.hpp"

namespace tactus {

namespace {

/// Where the segments of a node stand in a system file.
std::string node_path(const std::string& task, const Work& work, std::size_t node) {
  switch (work.form) {
    case WorkForm::single:
      return task;
    case WorkForm::chain:
      return item_path(task + ".segments", node);
    case WorkForm::graph:
      return child_path(task + ".graph.nodes", work.nodes[node].name);
  }
  return task;
}

std::string plural(std::int64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

std::string allowed(Range range) {
  return range.least == range.most ? fmt::format("allowed: {}", range.least)
                                   : fmt::format("allowed: {} to {}", range.least, range.most);
}

class Validator {
 public:
  explicit Validator(const System& system) : system_{system}, gpu_{system.platform.gpu} {}

  std::vector<Finding> run() && {
    if (!system_.name.empty()) check_name("name", "the system", system_.name);
    check_gpu();
    check_cpus();
    check_overheads();
    check_policy();
    check_virtual_sms();
    if (system_.tasks.empty()) {
      add(ProblemId::missing_key, "tasks", "the system has no tasks",
          "list at least one task under `tasks:`");
    }
    for (std::size_t i = 0; i < system_.tasks.size(); ++i) check_task(i);
    return std::move(findings_);
  }

 private:
  void add(std::string path, std::string message, std::string hint) {
    add(ProblemId::invalid_value, std::move(path), std::move(message), std::move(hint));
  }

  void add(ProblemId id, std::string path, std::string message, std::string hint, std::string related = {}) {
    findings_.push_back({std::move(path), std::move(message), std::move(hint), std::move(related), id});
  }

  void check_range(const std::string& path, std::string_view what, std::int64_t value, Range range) {
    if (range.contains(value)) return;
    add(ProblemId::out_of_range, path, fmt::format("{} is {}", what, value), allowed(range));
  }

  void check_name(const std::string& path, const std::string& owner, std::string_view name) {
    if (name.empty()) {
      add(ProblemId::missing_key, path, owner + " has no name", "give it a name of 1 to 200 characters");
    } else if (find_invalid_utf8(name)) {
      add(ProblemId::bad_name, path, fmt::format("the name {} is not UTF-8", in_backticks(name)),
          "use UTF-8 text");
    } else if (const std::size_t length = count_characters(name); length > limits::name_characters) {
      add(ProblemId::bad_name, path, fmt::format("the name {} has {} characters", in_backticks(name), length),
          fmt::format("at most {} are allowed", limits::name_characters));
    } else {
      for (std::size_t offset = 0; offset < name.size();) {
        const Character character = character_at(name, offset);
        if (is_control(character.code)) {
          add(ProblemId::bad_name, path,
              fmt::format("the name {} holds a control character", in_backticks(name)),
              "use characters that can be printed");
          return;
        }
        offset += character.bytes;
      }
    }
  }

  void check_not_negative(const std::string& path, const std::string& what, Duration value) {
    if (value >= Duration{}) return;
    add(ProblemId::out_of_range, path, fmt::format("{} is {}", what, to_text(value)),
        "a duration is 0 or more");
  }

  void check_positive(const std::string& path, const std::string& what, Duration value,
                      std::string_view advice = {}) {
    if (value > Duration{}) return;
    add(ProblemId::out_of_range, path, fmt::format("{} is {}", what, to_text(value)),
        fmt::format("it must be at least 1ns{}", advice));
  }

  void check_interval(const std::string& path, const std::string& what, Interval time) {
    if (time.best < Duration{} || time.worst < Duration{}) {
      check_not_negative(path, what, std::min(time.best, time.worst));
    } else if (time.best > time.worst) {
      add(ProblemId::best_above_worst, path,
          fmt::format("{}: the best case {} is longer than the worst case {}", what, to_text(time.best),
                      to_text(time.worst)),
          fmt::format("write [{}, {}]", to_text(time.worst), to_text(time.best)));
    }
  }

  void check_gpu() {
    const std::string path = "platform.gpu";
    check_range(path + ".sms", "sms", gpu_.sms, limits::sms);
    check_range(path + ".threads_per_sm", "threads_per_sm", gpu_.threads_per_sm, limits::threads_per_sm);
    check_range(path + ".blocks_per_sm", "blocks_per_sm", gpu_.blocks_per_sm, limits::blocks_per_sm);
    check_range(path + ".registers_per_sm", "registers_per_sm", gpu_.registers_per_sm,
                limits::registers_per_sm);
    check_range(path + ".warp", "warp", gpu_.warp, limits::warp);
    if (limits::warp.contains(gpu_.warp) && limits::threads_per_sm.contains(gpu_.threads_per_sm) &&
        gpu_.threads_per_sm < gpu_.warp) {
      add(ProblemId::out_of_range, path + ".threads_per_sm",
          fmt::format("an SM of {} threads cannot hold one warp of {}", gpu_.threads_per_sm, gpu_.warp),
          fmt::format("threads_per_sm must be at least {}, or the warp smaller", gpu_.warp));
    }
    if (!limits::shared_memory_per_sm.contains(gpu_.shared_memory_per_sm)) {
      add(ProblemId::out_of_range, path + ".shared_memory_per_sm",
          "shared_memory_per_sm is " + size_text(gpu_.shared_memory_per_sm),
          "allowed: 0 to " + size_text(limits::shared_memory_per_sm.most));
    }
    check_range(path + ".priority_levels", "priority_levels", gpu_.priority_levels, limits::priority_levels);
    check_range(path + ".copy_engines", "copy_engines", gpu_.copy_engines, limits::copy_engines);
    check_range(path + ".virtual_sms_per_sm", "virtual_sms_per_sm", gpu_.virtual_sms_per_sm,
                limits::virtual_sms_per_sm);
    if (gpu_.copy_bandwidth && *gpu_.copy_bandwidth < 1) {
      add(ProblemId::out_of_range, path + ".copy_bandwidth",
          fmt::format("copy_bandwidth is {}/s", size_text(*gpu_.copy_bandwidth)),
          "it must be at least 1B/s; leave it out if no copy is given in bytes");
    }
    if (!gpu_.copy_chunk) return;
    if (*gpu_.copy_chunk < 1) {
      add(ProblemId::out_of_range, path + ".copy_chunk", "copy_chunk is " + size_text(*gpu_.copy_chunk),
          "it must be at least 1B; leave it out if copies are not to be cut");
    } else if (!gpu_.copy_bandwidth) {
      add(ProblemId::missing_bandwidth, path + ".copy_chunk",
          "copy_chunk is given, but the platform has no copy_bandwidth",
          "only copies given in bytes are cut; add copy_bandwidth, for instance 12GB/s");
    }
  }

  void check_cpus() {
    const std::vector<std::int32_t>& clusters = system_.platform.clusters;
    const std::string path = "platform.cpus";
    if (clusters.empty()) {
      add(ProblemId::missing_key, path + ".clusters", "the platform has no CPU cluster",
          "list the cores of each cluster, for instance clusters: [2, 4]");
    }
    bool each_is_valid = true;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      if (limits::cpus.contains(clusters[i])) continue;
      each_is_valid = false;
      add(ProblemId::out_of_range, item_path(path + ".clusters", i),
          fmt::format("a cluster of {} CPU cores", clusters[i]), allowed(limits::cpus));
    }
    if (each_is_valid && system_.platform.cpus() > limits::cpus.most) {
      add(ProblemId::out_of_range, path + ".clusters",
          fmt::format("the clusters have {} CPU cores together", system_.platform.cpus()),
          fmt::format("at most {} are allowed", limits::cpus.most));
    }
  }

  void check_overheads() {
    const Overheads& overheads = system_.platform.overheads;
    const std::string path = "platform.overheads";
    check_not_negative(path + ".release", "the release overhead", overheads.release);
    check_not_negative(path + ".launch", "the launch overhead", overheads.launch);
    check_not_negative(path + ".completion", "the completion overhead", overheads.completion);
    check_not_negative(path + ".copy", "the copy overhead", overheads.copy);
    check_not_negative(path + ".cpu", "the CPU overhead", overheads.cpu);
  }

  void check_order() {
    const std::span<const Order> taken = system_.policy.strategy->orders;
    if (std::find(taken.begin(), taken.end(), system_.policy.order) != taken.end()) return;
    const std::string_view name = system_.policy.strategy->name;
    const bool only_fp = taken.size() == 1 && taken.front() == Order::fp;
    if (system_.policy.order == Order::fair_lateness) {
      add(ProblemId::conflicting_keys, "policy.order",
          "order `fl` (fair lateness) belongs to the strategy `graph`",
          only_fp ? fmt::format("{} takes `fp` only", name) : "write `edf` or `fp`");
    } else {
      add(ProblemId::conflicting_keys, "policy.order",
          fmt::format("the strategy {} does not take the order {}", in_backticks(name),
                      system_.policy.order == Order::edf ? "`edf`" : "`fp`"),
          only_fp ? "write `fp`, or leave the order out" : "write `edf`, or leave the order out");
    }
  }

  void check_policy() {
    const Policy& policy = system_.policy;
    check_order();
    if (policy.levels < 1) {
      add(ProblemId::out_of_range, "policy.levels", fmt::format("levels is {}", policy.levels),
          "it must be at least 1");
    } else if (levels_known_ && policy.levels > gpu_.priority_levels) {
      add(ProblemId::out_of_range, "policy.levels",
          fmt::format("levels is {}, but the GPU has {}", policy.levels,
                      plural(gpu_.priority_levels, "stream priority", "stream priorities")),
          allowed({1, gpu_.priority_levels}));
    }
    if (policy.sm_group < 1) {
      add(ProblemId::out_of_range, "policy.sm_group", fmt::format("sm_group is {}", policy.sm_group),
          "it must be at least 1");
    } else if (sms_known_ && policy.sm_group > gpu_.sms) {
      add(ProblemId::out_of_range, "policy.sm_group",
          fmt::format("sm_group is {}, but the GPU has {}", policy.sm_group, plural(gpu_.sms, "SM", "SMs")),
          allowed({1, gpu_.sms}));
    }
    if (policy.reservations) check_reservations(*policy.reservations);
  }

  void check_reservations(const Reservations& reservations) {
    const std::string path = "policy.reservations";
    const bool period_is_valid = reservations.period > Duration{};
    check_positive(path + ".period", "the period of the reservations", reservations.period);
    const auto check_window = [&](const std::string& name, const std::optional<Window>& window) {
      if (!window) return false;
      const std::size_t before = findings_.size();
      const std::string where = child_path(path, name);
      check_not_negative(where + ".offset", "the offset of window " + in_backticks(name), window->offset);
      check_positive(where + ".budget", "the budget of window " + in_backticks(name), window->budget,
                     "; without this window leave it out");
      if (findings_.size() != before || !period_is_valid) return false;
      // The end of a window may lie behind the end of the time axis: compare without adding.
      if (window->budget > reservations.period) {
        add(ProblemId::bad_window, where + ".budget",
            fmt::format("the budget {} of window {} is longer than the period {}", to_text(window->budget),
                        in_backticks(name), to_text(reservations.period)),
            fmt::format("at most {} is allowed", to_text(reservations.period)));
      } else if (window->offset > reservations.period - window->budget) {
        add(ProblemId::bad_window, where,
            fmt::format("window {}, {} from {} on, passes the end of the period {}", in_backticks(name),
                        to_text(window->budget), to_text(window->offset), to_text(reservations.period)),
            fmt::format("offset + budget may be {} at most", to_text(reservations.period)));
      }
      return findings_.size() == before;
    };
    const bool local_is_valid = check_window("local", reservations.local);
    const bool all_is_valid = check_window("all", reservations.all);
    if (!local_is_valid || !all_is_valid) return;
    const Window& local = *reservations.local;
    const Window& all = *reservations.all;
    if (local.offset < all.offset + all.budget && all.offset < local.offset + local.budget) {
      add(ProblemId::bad_window, path + ".all",
          fmt::format("the windows `local` [{}, {}) and `all` [{}, {}) overlap", to_text(local.offset),
                      to_text(local.offset + local.budget), to_text(all.offset),
                      to_text(all.offset + all.budget)),
          "one must end before the other begins");
    }
  }

  void check_virtual_sms() {
    if (system_.virtual_sms.empty()) return;
    const std::string path = "policy.virtual_sms";
    if (system_.virtual_sms.size() != system_.tasks.size()) {
      add(ProblemId::bad_virtual_sms, path,
          fmt::format("{} entries for {} tasks", system_.virtual_sms.size(), system_.tasks.size()),
          "one entry a task, in the order of the tasks");
      return;
    }
    if (!limits::virtual_sms_per_sm.contains(gpu_.virtual_sms_per_sm) || !sms_known_) return;
    const std::int64_t unit = gpu_.virtual_sms_per_sm;
    const std::int64_t available = unit * gpu_.sms;
    Int128 sum = 0;
    for (std::size_t i = 0; i < system_.tasks.size(); ++i) {
      if (!system_.virtual_sms[i]) continue;
      const std::int64_t value = *system_.virtual_sms[i];
      sum += std::max<std::int64_t>(value, 0);
      const bool needs_none = !uses_gpu(system_.tasks[i].work);
      if (value % unit == 0 && (value >= 1 || (value == 0 && needs_none))) continue;
      if (value == 0) {
        add(ProblemId::bad_virtual_sms, child_path(path, system_.tasks[i].name),
            fmt::format("{} has 0 virtual SMs, but uses the GPU", describe(system_.tasks[i])),
            fmt::format("give it {} or more", unit));
        continue;
      }
      add(ProblemId::bad_virtual_sms, child_path(path, system_.tasks[i].name),
          fmt::format("{} has {} virtual SMs, which is not a whole number of SMs", describe(system_.tasks[i]),
                      value),
          fmt::format("an SM is {0} virtual SMs here: write {0}, {1}, {2}, ...", unit, 2 * unit, 3 * unit));
    }
    if (sum > available) {
      constexpr Int128 most_shown = 1'000'000'000'000'000'000;
      add(ProblemId::bad_virtual_sms, path,
          fmt::format("the tasks have {}{} virtual SMs together, but the GPU has {}",
                      sum > most_shown ? "more than " : "",
                      static_cast<std::int64_t>(std::min(sum, most_shown)), available),
          fmt::format("{} SMs with {} virtual SMs each", gpu_.sms, unit));
    }
  }

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
    check_placement(path, task);
    check_longest_block(path, task);
    check_preemptible(path, task);
    if (task.stream) check_name(path + ".stream", "the stream", *task.stream);
    if (levels_known_ && (task.stream_priority > 0 || task.stream_priority <= -gpu_.priority_levels)) {
      add(ProblemId::out_of_range, path + ".stream_priority",
          fmt::format("stream_priority is {}, but the GPU has {}", task.stream_priority,
                      plural(gpu_.priority_levels, "stream priority", "stream priorities")),
          gpu_.priority_levels <= 1
              ? "allowed: 0"
              : fmt::format("allowed: 0 (least urgent) down to {} (most urgent)", 1 - gpu_.priority_levels));
    }
    if (task.budget) {
      check_positive(path + ".budget", "the budget of " + describe(task), *task.budget,
                     "; for no budget leave it out");
    }
    check_work(path, task);
    check_jobs(path, task);
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
        // A deadline that follows a bad period needs no words of its own.
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
        least_time(task.work) == Duration{}) {
      add(path + ".arrival",
          fmt::format(
              "{} is best-effort and may take no time at all: it would repeat for ever at one instant", who),
          "give one of its times a best case above 0");
    }
  }

  void check_placement(const std::string& path, const Task& task) {
    const std::int64_t cpus = system_.platform.cpus();
    if (limits::cpus.contains(cpus) && (task.core < 0 || task.core >= cpus)) {
      add(ProblemId::out_of_range, path + ".core",
          fmt::format("core is {}, but the platform has {}", task.core,
                      plural(cpus, "CPU core", "CPU cores")),
          allowed({0, cpus - 1}));
    }
    const std::int32_t group = system_.policy.sm_group;
    if (task.sm.kind != SmAffinity::Kind::one || !sms_known_ || group < 1 || group > gpu_.sms) return;
    const std::int32_t cores = gpu_.sms / group;
    if (task.sm.core >= 0 && task.sm.core < cores) return;
    const std::string groups = group == 1 ? "" : fmt::format(", in groups of {}", group);
    add(ProblemId::out_of_range, path + ".sm",
        fmt::format("sm is {}, but the GPU has {}{}", task.sm.core, plural(gpu_.sms, "SM", "SMs"), groups),
        allowed({0, cores - 1}) + ", all, any");
  }

  void check_longest_block(const std::string& path, const Task& task) {
    if (!task.longest_block) return;
    const std::string where = path + ".longest_block";
    std::optional<Duration> longest;
    for (const Node& node : task.work.nodes) {
      if (const auto* exclusive = std::get_if<ExclusiveSegment>(&node.segment)) {
        longest = std::max(longest.value_or(Duration{}), exclusive->time.worst);
      }
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

  /// A script says only what the task may do.
  void check_jobs(const std::string& path, const Task& task) {
    for (std::size_t i = 0; i < task.jobs.size(); ++i) {
      const ScriptedJob& job = task.jobs[i];
      const std::string where = fmt::format("{}.jobs[{}]", path, i);
      check_scripted_release(where, task, i);
      const Overheads& overheads = system_.platform.overheads;
      check_scripted_delay(where + ".late", "late", job.late,
                           saturating_add(at(task.jitter), overheads.release).time_since_epoch(),
                           "jitter + platform.overheads.release");
      check_scripted_delay(where + ".launch", "launch", job.launch, overheads.launch,
                           "platform.overheads.launch");
      check_scripted_delay(where + ".completion", "completion", job.completion, overheads.completion,
                           "platform.overheads.completion");
      check_scripted_delay(where + ".cpu", "cpu", job.cpu, overheads.cpu, "platform.overheads.cpu");
      check_scripted_times(where + ".time", task, job.times);
    }
  }

  void check_scripted_release(const std::string& path, const Task& task, std::size_t number) {
    const std::optional<Time>& release = task.jobs[number].release;
    const std::string where = path + ".release";
    if (task.arrival == Arrival::best_effort) {
      if (release) {
        add(ProblemId::bad_script, where, "a best-effort job has no release of its own",
            "it begins when the one before is done");
      }
      if (number > 0 && task.jobs[number].late) {
        add(ProblemId::bad_script, path + ".late",
            "a best-effort job is not seen late: it begins when the one before is done",
            "only the first can be; leave it out");
      }
      return;
    }
    if (task.arrival != Arrival::sporadic) {
      if (task.arrival == Arrival::once && number > 0) {
        add(ProblemId::bad_script, path,
            fmt::format("{} arrives once, but this is its job {}", describe(task), number), "leave it out");
      } else if (release && task.period.value_or(Duration{}) >= Duration{}) {
        const auto nominal =
            static_cast<Int128>(count(task.offset)) +
            static_cast<Int128>(task.period ? count(*task.period) : 0) * static_cast<Int128>(number);
        if (static_cast<Int128>(count(*release)) != nominal) {
          add(ProblemId::bad_script, where,
              fmt::format("release is {}, but offset and period say otherwise",
                          to_text(release->time_since_epoch())),
              "leave it out, or make the task sporadic");
        }
      }
      return;
    }
    if (!release) {
      add(ProblemId::bad_script, path, "a scripted job of a sporadic task needs a release",
          "for instance `release: 3ms`");
      return;
    }
    const Time earliest = number == 0 ? at(std::max(task.offset, Duration{}))
                                      : saturating_add(task.jobs[number - 1].release.value_or(origin),
                                                       task.period.value_or(Duration{}));
    if (*release >= earliest) return;
    add(ProblemId::bad_script, where,
        fmt::format("release is {}, but this job cannot come before {}", to_text(release->time_since_epoch()),
                    to_text(earliest.time_since_epoch())),
        number == 0 ? "that is the offset of the task" : "jobs of a sporadic task keep its period apart");
  }

  void check_scripted_delay(const std::string& path, std::string_view what,
                            const std::optional<Duration>& delay, Duration most, std::string_view from) {
    if (!delay) return;
    if (*delay < Duration{}) {
      check_not_negative(path, std::string{what}, *delay);
    } else if (*delay > most) {
      add(ProblemId::bad_script, path,
          fmt::format("{} is {}, more than {}, which is {}", what, to_text(*delay), from, to_text(most)),
          fmt::format("allowed: 0 to {}", to_text(most)));
    }
  }

  /// GPU work under `federated` is scripted with the time it takes on the task's virtual SMs. As long as
  /// those are not known any time will do.
  [[nodiscard]] Interval scripted_range(const Task& task, const Segment& segment) const {
    const auto* gpu = std::get_if<GpuSegment>(&segment);
    if (gpu == nullptr || system_.policy.strategy->sms != SmSharing::owned) return drawn_time(segment);
    const auto index = static_cast<std::size_t>(&task - system_.tasks.data());
    const std::optional<std::int64_t> virtual_sms =
        index < system_.virtual_sms.size() ? system_.virtual_sms[index] : std::nullopt;
    if (!virtual_sms || *virtual_sms < 1 || gpu->interleave < Rational{1})
      return {Duration{}, Duration::max()};
    try {
      return gpu_time(*gpu, *virtual_sms);
    } catch (const OverflowError&) {
      return {Duration{}, Duration::max()};  // told where the time is needed
    }
  }

  void check_scripted_times(const std::string& path, const Task& task, const std::vector<Duration>& times) {
    if (times.empty()) return;
    const Work& work = task.work;
    if (times.size() != work.nodes.size()) {
      add(ProblemId::bad_script, path,
          fmt::format("time has {}, but the job has {}",
                      plural(static_cast<std::int64_t>(times.size()), "value", "values"),
                      plural(static_cast<std::int64_t>(work.nodes.size()), "segment", "segments")),
          "give one for each segment, or leave it out");
      return;
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
      const Interval range = scripted_range(task, work.nodes[i].segment);
      if (range.best > range.worst) continue;  // told of the segment itself
      if (times[i] >= range.best && times[i] <= range.worst) continue;
      add(ProblemId::bad_script, path,
          fmt::format("time is {}, which the segment cannot take", to_text(times[i])),
          fmt::format("allowed: {} to {}", to_text(range.best), to_text(range.worst)));
    }
  }

  void check_work(const std::string& path, const Task& task) {
    const Work& work = task.work;
    if (work.nodes.empty()) {
      switch (work.form) {
        case WorkForm::single:
          add(ProblemId::missing_key, path, describe(task) + " has no work",
              "give it one of `exclusive`, `kernel`, `segments` or `graph`");
          break;
        case WorkForm::chain:
          add(ProblemId::missing_key, path + ".segments", describe(task) + " has no segments",
              "list at least one, for instance {cpu: 2ms}");
          break;
        case WorkForm::graph:
          add(ProblemId::missing_key, path + ".graph.nodes",
              "the graph of " + describe(task) + " has no nodes",
              "name at least one, for instance a: {cpu: 2ms}");
          break;
      }
      return;
    }
    if (work.form == WorkForm::single) check_single(path, task);
    for (std::size_t i = 0; i < work.nodes.size(); ++i) {
      const Segment& segment = work.nodes[i].segment;
      const std::string where = node_path(path, work, i) + "." + kind_name(segment);
      std::visit([&](const auto& kind) { check_segment(where, kind); }, segment);
    }
    if (work.form == WorkForm::graph) {
      check_graph(path + ".graph", work);
    } else if (!work.edges.empty()) {
      add(ProblemId::bad_graph, path, describe(task) + " has edges but is not a graph",
          "only a graph has edges");
    }
  }

  void check_single(const std::string& path, const Task& task) {
    const Segment& segment = task.work.nodes.front().segment;
    if (task.work.nodes.size() > 1) {
      add(path, fmt::format("{} has {} segments but is not a chain", describe(task), task.work.nodes.size()),
          "make its form a chain");
    } else if (!std::holds_alternative<KernelSegment>(segment) &&
               !std::holds_alternative<ExclusiveSegment>(segment)) {
      add(path, fmt::format("{} is a single `{}`", describe(task), kind_name(segment)),
          "only `kernel` and `exclusive` can stand alone; make it a chain of one segment");
    }
  }

  void check_segment(const std::string& path, const CpuSegment& segment) {
    check_interval(path, "cpu", segment.time);
  }

  void check_segment(const std::string& path, const ExclusiveSegment& segment) {
    check_interval(path, "exclusive", segment.time);
  }

  void check_segment(const std::string& path, const CopySegment& segment) {
    if (!segment.bytes) {
      check_interval(path, "copy", segment.time);
      return;
    }
    const std::string where = path + ".bytes";
    if (*segment.bytes < 0) {
      add(ProblemId::out_of_range, where, fmt::format("a copy of {}", size_text(*segment.bytes)),
          "a size is 0 or more");
    } else if (!gpu_.copy_bandwidth) {
      add(ProblemId::missing_bandwidth, where,
          fmt::format("a copy of {}, but the platform has no copy_bandwidth", size_text(*segment.bytes)),
          "add copy_bandwidth to platform.gpu, for instance 12GB/s, or give the copy a time");
    } else if (*gpu_.copy_bandwidth > 0) {
      const std::optional<Duration> time = copy_time(*segment.bytes, *gpu_.copy_bandwidth);
      if (!time) {
        add(ProblemId::out_of_range, where,
            fmt::format("a copy of {} at {}/s takes longer than 64 bits of nanoseconds",
                        size_text(*segment.bytes), size_text(*gpu_.copy_bandwidth)),
            "use a smaller size or a larger copy_bandwidth");
      } else if (segment.time != Interval::exactly(*time)) {
        add(where,
            fmt::format("a copy of {} takes {}, not [{}, {}]", size_text(*segment.bytes), to_text(*time),
                        to_text(segment.time.best), to_text(segment.time.worst)),
            "the time of a copy in bytes is bytes / copy_bandwidth, rounded up to a nanosecond");
      }
    }
    if (*segment.bytes > 0 && gpu_.copy_chunk && *gpu_.copy_chunk > 0 &&
        !limits::copy_pieces.contains(ceil_div(*segment.bytes, *gpu_.copy_chunk))) {
      add(ProblemId::out_of_range, where,
          fmt::format("a copy of {} in pieces of {}", size_text(*segment.bytes), size_text(*gpu_.copy_chunk)),
          fmt::format("at most {} pieces are allowed; use a larger copy_chunk", limits::copy_pieces.most));
    }
  }

  void check_segment(const std::string& path, const GpuSegment& segment) {
    check_interval(path + ".work", "work", segment.work);
    check_interval(path + ".overhead", "overhead", segment.overhead);
    if (segment.interleave < Rational{1}) {
      add(ProblemId::out_of_range, path + ".interleave", "interleave is " + to_string(segment.interleave),
          "it must be at least 1");
      return;
    }
    const Int128 overhead =
        static_cast<Int128>(segment.overhead.worst.count()) * segment.interleave.denominator();
    const Int128 work = static_cast<Int128>(segment.work.worst.count()) * segment.interleave.numerator();
    if (overhead > work) {
      add(ProblemId::out_of_range, path + ".overhead",
          fmt::format("the overhead {} is more than work * interleave, {} * {}",
                      to_text(segment.overhead.worst), to_text(segment.work.worst),
                      to_string(segment.interleave)),
          "the overhead is part of the work: make it smaller or the work larger");
    }
  }

  void check_segment(const std::string& path, const KernelSegment& kernel) {
    check_grid(path, kernel);
    check_interval(path + ".block_time", "block_time", kernel.block_time);
    if (kernel.block < 1) {
      add(ProblemId::out_of_range, path + ".block", fmt::format("a block of {} threads", kernel.block),
          "a block has 1 thread or more");
    } else if (limits::warp.contains(gpu_.warp) && gpu_.threads_per_sm >= gpu_.warp) {
      check_threads(path + ".block", kernel.block);
    }
    if (kernel.shared_memory < 0) {
      add(ProblemId::out_of_range, path + ".shared_memory",
          "shared_memory is " + size_text(kernel.shared_memory), "a size is 0 or more");
    } else if (gpu_.shared_memory_per_sm >= 0 && kernel.shared_memory > gpu_.shared_memory_per_sm) {
      add(ProblemId::block_too_large, path + ".shared_memory",
          fmt::format("a block never fits an SM: it needs {} of shared memory, an SM has {}",
                      size_text(kernel.shared_memory), size_text(gpu_.shared_memory_per_sm)),
          fmt::format("at most {} a block are possible on this platform",
                      size_text(gpu_.shared_memory_per_sm)));
    }
    if (kernel.registers < 0) {
      add(ProblemId::out_of_range, path + ".registers", fmt::format("registers is {}", kernel.registers),
          "it must be 0 or more");
    } else if (gpu_.registers_per_sm >= 0 && kernel.registers > gpu_.registers_per_sm) {
      add(ProblemId::block_too_large, path + ".registers",
          fmt::format("a block never fits an SM: it needs {} registers, an SM has {}", kernel.registers,
                      gpu_.registers_per_sm),
          fmt::format("at most {} registers a block are possible on this platform", gpu_.registers_per_sm));
    }
  }

  void check_grid(const std::string& path, const KernelSegment& kernel) {
    constexpr std::string_view names = "xyz";
    for (std::size_t i = 0; i < kernel.grid.size(); ++i) {
      if (limits::grid[i].contains(kernel.grid[i])) continue;
      if (kernel.grid[i] < 1) {
        add(ProblemId::out_of_range, item_path(path + ".grid", i),
            fmt::format("a grid of {} blocks", kernel.grid[i]), "every dimension of a grid is 1 or more");
      } else {
        add(ProblemId::out_of_range, item_path(path + ".grid", i),
            fmt::format("a grid of {} blocks in {}", kernel.grid[i], names[i]),
            fmt::format("CUDA launches at most {} there: {}", limits::grid[i].most,
                        i == 0 ? "use a second dimension" : "let x be the largest dimension"));
      }
    }
  }

  void check_threads(const std::string& path, std::int64_t block) {
    const std::int64_t warps = ceil_div(block, gpu_.warp);
    const std::int64_t whole_warps = std::int64_t{gpu_.threads_per_sm} / gpu_.warp * gpu_.warp;
    if (block > limits::threads_per_block.most) {
      add(ProblemId::block_too_large, path,
          fmt::format("a block of {} threads, but CUDA launches blocks of {} at most", block,
                      limits::threads_per_block.most),
          fmt::format("use more and smaller blocks: at most {} threads each are possible on this platform",
                      std::min(whole_warps, limits::threads_per_block.most)));
      return;
    }
    if (warps <= gpu_.threads_per_sm / gpu_.warp) return;
    // With the threads alone it would fit: say that whole warps are what counts.
    const std::string in_warps =
        block <= gpu_.threads_per_sm ? fmt::format(" ({} in whole warps)", warps * gpu_.warp) : "";
    add(ProblemId::block_too_large, path,
        fmt::format("a block never fits an SM: it needs {} threads{}, an SM has {}", block, in_warps,
                    gpu_.threads_per_sm),
        fmt::format("at most {} threads a block are possible on this platform", whole_warps));
  }

  void check_graph(const std::string& path, const Work& work) {
    std::unordered_map<std::string_view, std::size_t> first_of_name;
    for (std::size_t i = 0; i < work.nodes.size(); ++i) {
      const std::string& name = work.nodes[i].name;
      check_name(child_path(path + ".nodes", name), "this node", name);
      if (!name.empty() && !first_of_name.try_emplace(name, i).second) {
        add(ProblemId::duplicate_name, child_path(path + ".nodes", name),
            fmt::format("two nodes have the name {}", in_backticks(name)),
            "give each node of a graph its own name");
      }
    }
    std::unordered_map<std::uint64_t, std::size_t> first_of_edge;
    std::vector<std::vector<std::size_t>> edges_from(work.nodes.size());
    for (std::size_t i = 0; i < work.edges.size(); ++i) {
      const Edge& edge = work.edges[i];
      const std::string where = item_path(path + ".edges", i);
      if (edge.from >= work.nodes.size() || edge.to >= work.nodes.size()) {
        add(ProblemId::unknown_name, where, "an edge to or from a node that does not exist",
            fmt::format("the graph has {} nodes", work.nodes.size()));
      } else if (edge.from == edge.to) {
        add(ProblemId::bad_graph, where,
            fmt::format("an edge from node {0} to itself", in_backticks(work.nodes[edge.from].name)),
            "a node cannot wait for itself: remove the edge");
      } else if (const auto [first, is_new] =
                     first_of_edge.try_emplace(edge.from * work.nodes.size() + edge.to, i);
                 !is_new) {
        add(ProblemId::bad_graph, where,
            fmt::format("the edge from {} to {} is given twice", in_backticks(work.nodes[edge.from].name),
                        in_backticks(work.nodes[edge.to].name)),
            "remove one of them", item_path(path + ".edges", first->second));
      } else {
        edges_from[edge.from].push_back(i);
      }
    }
    check_cycles(path, work, edges_from);
  }

  /// Depth-first search. Every edge that leads back onto the current walk closes a cycle; without those edges
  /// the graph would have none.
  void check_cycles(const std::string& path, const Work& work,
                    const std::vector<std::vector<std::size_t>>& edges_from) {
    struct Step {
      std::size_t node = 0;
      std::size_t next = 0;  // index into edges_from[node]
    };
    constexpr std::size_t unseen = static_cast<std::size_t>(-1);
    constexpr std::size_t left = static_cast<std::size_t>(-2);
    std::vector<std::size_t> place(work.nodes.size(), unseen);  // on the walk, or one of the above
    std::vector<Step> walk;
    std::vector<std::pair<std::size_t, std::string>> cycles;  // closing edge, nodes
    for (std::size_t start = 0; start < work.nodes.size(); ++start) {
      if (place[start] != unseen) continue;
      place[start] = 0;
      walk.push_back({.node = start, .next = 0});
      while (!walk.empty()) {
        Step& step = walk.back();
        if (step.next == edges_from[step.node].size()) {
          place[step.node] = left;
          walk.pop_back();
          continue;
        }
        const std::size_t edge = edges_from[step.node][step.next++];
        const std::size_t to = work.edges[edge].to;
        if (place[to] == unseen) {
          place[to] = walk.size();
          walk.push_back({.node = to, .next = 0});
        } else if (place[to] != left) {
          std::string names;
          const std::size_t length = walk.size() - place[to];
          for (std::size_t i = 0; i < length; ++i) {
            constexpr std::size_t most_names = 8;
            if (i == most_names && length > most_names + 1) {
              names += fmt::format("... ({} more) -> ", length - most_names);
              break;
            }
            names += printable(work.nodes[walk[place[to] + i].node].name) + " -> ";
          }
          cycles.emplace_back(edge, names + printable(work.nodes[to].name));
        }
      }
    }
    std::sort(cycles.begin(), cycles.end());
    for (const auto& [edge, names] : cycles) {
      add(ProblemId::bad_graph, item_path(path + ".edges", edge), "the edges form a cycle: " + names,
          "remove one of its edges: no node may wait for itself");
    }
  }

  const System& system_;
  const Gpu& gpu_;
  // What other rules lean on. If it is wrong itself, that is said once and they stay silent.
  const bool sms_known_ = limits::sms.contains(gpu_.sms);
  const bool levels_known_ = limits::priority_levels.contains(gpu_.priority_levels);
  std::vector<Finding> findings_;
  std::unordered_map<std::string_view, std::size_t> first_of_name_;
};

}  // namespace

std::vector<Finding> validate(const System& system) { return Validator{system}.run(); }

std::vector<Finding> find_missing_parameters(const System& system) {
  const StrategyFacts& strategy = *system.policy.strategy;
  return strategy.missing == nullptr ? std::vector<Finding>{} : strategy.missing(system);
}

}  // namespace tactus
