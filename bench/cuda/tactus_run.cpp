#include "tactus_run.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "harness.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/cuda/cuda_device.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/trace/observer.hpp"

namespace tactus::bench {

namespace {

class JobKeeper final : public trace::Observer {
 public:
  using Observer::on;

  JobKeeper(std::size_t tasks, std::size_t room) : jobs_(tasks) {
    for (std::vector<trace::JobEnded>& of_task : jobs_) of_task.reserve(room);
    absences_.reserve(room);
  }
  [[nodiscard]] trace::Interests interests() const override { return {.ends = true, .absences = true}; }
  void on(const trace::JobEnded& event) override { jobs_[event.job.task].push_back(event); }
  void on(const trace::EngineAway& event) override { absences_.push_back(event); }
  [[nodiscard]] std::vector<std::vector<trace::JobEnded>> take() { return std::move(jobs_); }
  [[nodiscard]] std::vector<trace::EngineAway> take_absences() { return std::move(absences_); }

 private:
  std::vector<std::vector<trace::JobEnded>> jobs_;
  std::vector<trace::EngineAway> absences_;
};

void require_complete(const RunReport& report) {
  if (report.outcome.ending != runtime::RunEnd::horizon) {
    throw FailureError{"the run ended early: " + std::string{to_string(report.outcome.ending)} + ": " +
                       report.outcome.failure};
  }
  if (report.events_lost > 0) {
    throw FailureError{std::to_string(report.events_lost) + " events were lost on their way"};
  }
}

}  // namespace

System system_of(const std::string& text) {
  ReadResult read = read_system(text, "experiment.yaml");
  if (!read.system) throw InputError{std::move(read.problems)};
  return std::move(*read.system);
}

std::unique_ptr<device::Device> make_device(cuda::BuiltinKernel kernel) {
  return device::make_cuda_device({.kernel = kernel, .spin = std::chrono::hours{1}});
}

std::string platform_text(const std::optional<std::string>& overheads) {
  return "{base: h200, gpu: {sms: " + std::to_string(sm_count()) + "}" +
         (overheads ? ", overheads: {" + *overheads + "}" : "") + "}";
}

std::string text_of(Duration duration) { return std::to_string(in_ns(duration)) + "ns"; }

TactusRun run_tactus(System system, Duration length, TactusOptions options) {
  constexpr std::size_t room = 1U << 16U;
  JobKeeper keeper{system.tasks.size(), room};
  if (!options.device) options.device = make_device();
  RuntimeOptions wishes{.sporadic_by_call = false, .core = options.core};
  if (options.quiet) wishes.quiet_before_release = *options.quiet;
  Runtime runtime{std::move(options.device), std::move(system), wishes};
  runtime.observe(keeper);
  if (options.bind) options.bind(runtime);
  runtime.start(length);
  if (options.drive) {
    options.drive(runtime);
  } else {
    while (runtime.step()) {
    }
  }
  TactusRun run{.report = runtime.finish(), .jobs = {}, .absences = {}};
  leave_core();  // so that threads of the next run are not created on this core
  require_complete(run.report);
  run.jobs = keeper.take();
  run.absences = keeper.take_absences();
  return run;
}

namespace {

bool counts(const trace::JobEnded& job, std::size_t skipped) {
  return job.completion != never && job.job.number >= skipped;
}

/// From the nominal release to an instant of the job.
std::vector<std::int64_t> times_until(Time trace::JobEnded::*instant,
                                      const std::vector<trace::JobEnded>& jobs, std::size_t skipped) {
  std::vector<std::int64_t> times;
  for (const trace::JobEnded& job : jobs) {
    if (counts(job, skipped)) times.push_back(in_ns(job.*instant - job.release));
  }
  return times;
}

}  // namespace

std::vector<std::int64_t> responses_of(const std::vector<trace::JobEnded>& jobs, std::size_t skipped) {
  return times_until(&trace::JobEnded::completion, jobs, skipped);
}

std::vector<std::int64_t> starts_of(const std::vector<trace::JobEnded>& jobs, std::size_t skipped) {
  return times_until(&trace::JobEnded::start, jobs, skipped);
}

std::vector<bool> were_disturbed(const std::vector<trace::JobEnded>& jobs, std::size_t skipped,
                                 const std::vector<trace::EngineAway>& absences) {
  std::vector<bool> disturbed;
  for (const trace::JobEnded& job : jobs) {
    if (!counts(job, skipped)) continue;
    // The first absence that ends after the release.
    const auto found = std::ranges::upper_bound(absences, job.release, {}, &trace::EngineAway::to);
    disturbed.push_back(found != absences.end() && found->from < job.completion);
  }
  return disturbed;
}

double rate_of(const std::vector<trace::JobEnded>& jobs, Time from) {
  std::optional<Time> first;
  Time last{};
  std::int64_t ended = 0;
  for (const trace::JobEnded& job : jobs) {
    if (job.completion == never || job.completion < from) continue;
    if (first) ++ended;
    if (!first) first = job.completion;
    last = job.completion;
  }
  if (ended == 0) throw FailureError{"too few best-effort jobs ended to tell their rate"};
  return 1e9 * static_cast<double>(ended) / static_cast<double>(in_ns(last - *first));
}

}  // namespace tactus::bench
