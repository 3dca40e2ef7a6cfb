// The rules of scripted jobs.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/model/dispatch.hpp"
#include "tactus/model/rules.hpp"

namespace tactus {

namespace {

class JobRules : Rules {
 public:
  using Rules::Rules;

  /// A script must stay within what the task permits.
  void check_jobs(const std::string& path, const Task& task) {
    for (std::size_t i = 0; i < task.jobs.size(); ++i) {
      const ScriptedJob& job = task.jobs[i];
      const std::string where = fmt::format("{}.jobs[{}]", path, i);
      check_scripted_release(where, task, i);
      const Overheads overheads = dispatch_overheads(system_, task);
      check_scripted_delay(where + ".late", "late", job.late,
                           saturating_add(time_at(task.jitter), overheads.release).time_since_epoch(),
                           "jitter + platform.overheads.release");
      check_scripted_delay(where + ".launch", "launch", job.launch, overheads.launch,
                           "platform.overheads.launch");
      check_scripted_delay(where + ".completion", "completion", job.completion, overheads.completion,
                           "platform.overheads.completion");
      check_scripted_delay(where + ".cpu", "cpu", job.cpu, overheads.cpu, "platform.overheads.cpu");
      check_scripted_times(where + ".time", task, job.times);
    }
  }

 private:
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
            static_cast<Int128>(in_ns(task.offset)) +
            static_cast<Int128>(task.period ? in_ns(*task.period) : 0) * static_cast<Int128>(number);
        if (static_cast<Int128>(in_ns(*release)) != nominal) {
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
    const Time earliest = number == 0 ? time_at(std::max(task.offset, Duration{}))
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
  /// those are not known, any time is accepted.
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
      return {Duration{}, Duration::max()};  // reported where the time is needed
    }
  }

  void check_scripted_times(const std::string& path, const Task& task, const std::vector<Duration>& times) {
    if (times.empty()) return;
    const Work& work = task.work;
    if (times.size() != work.nodes.size()) {
      add(ProblemId::bad_script, path,
          fmt::format("time has {}, but the job has {}",
                      counted(static_cast<std::int64_t>(times.size()), "value", "values"),
                      counted(static_cast<std::int64_t>(work.nodes.size()), "segment", "segments")),
          "give one for each segment, or leave it out");
      return;
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
      const Interval range = scripted_range(task, work.nodes[i].segment);
      if (range.best > range.worst) continue;  // reported for the segment itself
      if (times[i] >= range.best && times[i] <= range.worst) continue;
      add(ProblemId::bad_script, path,
          fmt::format("time is {}, which the segment cannot take", to_text(times[i])),
          fmt::format("allowed: {} to {}", to_text(range.best), to_text(range.worst)));
    }
  }
};

}  // namespace

void check_jobs(const System& system, const std::string& path, const Task& task,
                std::vector<Violation>& violations) {
  JobRules{system, violations}.check_jobs(path, task);
}

}  // namespace tactus
