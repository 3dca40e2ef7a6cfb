#include "tactus/measure/measure_overheads.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/measure/engine_time.hpp"
#include "tactus/measure/timing_device.hpp"
#include "tactus/runtime/engine_thread.hpp"
#include "tactus/runtime/executive.hpp"

namespace tactus::measure {

namespace {

/// On the host device the work is a function that spins for a short time.
class HostWork final : public StampedWork {
 public:
  device::Binding bind(std::uint64_t jobs) override {
    spans_.assign(jobs, {});
    return {.kind = device::Binding::Kind::function, .work = [this](Job& job) {
              if (job.number() >= spans_.size()) return;
              constexpr Duration length = std::chrono::microseconds{5};
              WorkSpan& span = spans_[job.number()];
              span.begin = machine::steady_now();
              machine::spin_until(span.begin + length);
              span.end = machine::steady_now();
            }};
  }
  device::Binding bind_plain(Duration work) override {
    return {.kind = device::Binding::Kind::function,
            .work = [work](Job&) { machine::spin_until(machine::steady_now() + work); }};
  }
  std::vector<WorkSpan> spans() override { return std::move(spans_); }

 private:
  std::vector<WorkSpan> spans_;
};

/// One task with one segment, one job per period: nothing waits for other work.
System system_with(const OverheadQuestion& question, const Segment& segment, Dispatch dispatch) {
  System system;
  system.name = "overheads";
  system.platform = question.platform;
  system.platform.overheads = {};
  system.policy.strategy = strategy_named(
      std::holds_alternative<CpuSegment>(segment) || dispatch != Dispatch::launch ? "federated"
                                                                                  : "single-stream");
  Task& task = system.tasks.emplace_back();
  task.name = "work";
  task.period = question.period;
  task.deadline = question.period;
  task.work.form = WorkForm::single;
  task.work.nodes.push_back({.name = {}, .segment = segment});
  if (dispatch == Dispatch::launch) return system;
  constexpr std::int32_t enough = 16;
  task.dispatch = dispatch;
  system.virtual_sms = {std::int64_t{std::min(enough, system.platform.gpu.sms)} *
                        system.platform.gpu.virtual_sms_per_sm};
  return system;
}

/// Tasks that are released together.
constexpr std::size_t together = 8;

/// Each job has a stream of its own, so nothing but the engine makes one wait for another.
System system_together(const OverheadQuestion& question) {
  System system =
      system_with(question, ExclusiveSegment{.time = {question.work, question.work}}, Dispatch::launch);
  system.policy.strategy = strategy_named("as-submitted");
  system.platform.overheads.engine.submit = nanoseconds(1);  // so that a step makes one submission
  const Task task = system.tasks.front();
  system.tasks.clear();
  for (std::size_t i = 0; i < together; ++i) {
    system.tasks.push_back(task);
    system.tasks.back().name = "work" + std::to_string(i);
  }
  return system;
}

struct Timed {
  std::vector<JobTiming> jobs;
  machine::SteadyTime start{};
};

/// The first jobs of a run load code and warm up caches.
constexpr int warm_up = 20;
constexpr Duration patience = std::chrono::seconds{5};

class Campaign {
 public:
  Campaign(device::Device& device, const OverheadQuestion& question, MeasuredOverheads& results)
      : device_{device}, question_{question}, results_{results} {}

  [[nodiscard]] std::uint64_t jobs() const { return static_cast<std::uint64_t>(question_.samples) + warm_up; }

  /// Runs the segment once per period.
  Timed run(const Segment& segment, device::Binding binding, int phase,
            Dispatch dispatch = Dispatch::launch) {
    const System system = system_with(question_, segment, dispatch);
    const device::Bindings bindings{{std::move(binding)}};
    TimingDevice timing{device_, jobs()};
    drive({system, timing, &bindings, {}, jobs(), phase}, [&] { return !timing.all_known(); });
    if (dispatch != Dispatch::resident) note_releases(timing.timings());
    return {timing.take_timings(), timing.start()};
  }

  /// Releases many tasks together, and measures the steps of the engine.
  void run_together(int phase) {
    constexpr std::uint64_t share = 10;  // there are several events and submissions in each period
    const std::uint64_t periods = warm_up + jobs() / share + 1;
    const System system = system_together(question_);
    EngineTimingDevice timing{device_};
    const std::array<trace::Observer*, 1> observers{&timing};
    EngineSamples samples;
    const auto instant_of = [&](std::uint64_t period) {
      return time_at(checked_mul(question_.period, static_cast<std::int64_t>(period)));
    };
    drive({system, timing, nullptr, observers, periods, phase}, [&] {
      const Time now = timing.now();
      if (now >= instant_of(warm_up)) timing.note_step(samples);
      return now < instant_of(periods);
    });
    results_.engine_event = std::move(samples.event);
    results_.engine_submit = std::move(samples.submit);
  }

  /// To be checked before each run: allocating the samples can take seconds.
  [[nodiscard]] bool stop_requested() const { return question_.watch.stopped(); }

 private:
  struct Drive {
    const System& system;
    device::Device& device;
    const device::Bindings* bindings = nullptr;
    std::span<trace::Observer* const> observers;
    std::uint64_t periods = 0;
    int phase = 0;  // of eight
  };

  /// Runs a system; `goes_on` is asked after each step.
  template <class GoesOn>
  void drive(const Drive& what, GoesOn&& goes_on) {
    const auto length = checked_mul(question_.period, static_cast<std::int64_t>(what.periods));
    runtime::ExecutiveOptions options;
    options.horizon = checked_add(length, patience);  // long enough for the last job to complete
    options.max_pending = 1024;
    options.watchdog = patience;
    options.bindings = what.bindings;
    options.engine_has_core = question_.core.has_value();
    options.stop = question_.watch.stop;
    options.progress = [&](Time now) {
      constexpr double phases = 8;
      const double part = static_cast<double>(in_ns(now)) / static_cast<double>(length.count());
      question_.watch.show((what.phase + std::min(part, 1.0)) / phases);
    };
    runtime::EngineThread thread{{.core = question_.core, .waits_busily = device_.waits_busily()}};
    runtime::Executive executive{what.system, what.device, std::move(options), what.observers};
    static_cast<void>(machine::lock_memory());  // takes long, so it is done before the clock starts
    executive.start();
    for (const std::string& refused : thread.take()) note(refused);
    while (executive.step()) {
      if (!goes_on()) executive.stop();
    }
    const runtime::Outcome outcome = executive.finish();
    if (outcome.ending == runtime::RunEnd::failed || outcome.ending == runtime::RunEnd::lost) {
      throw FailureError{outcome.failure.empty() ? "the device failed" : outcome.failure};
    }
    for (const std::string& refused : outcome.not_enforced) note(refused);
  }

  void note(const std::string& what) {
    std::vector<std::string>& all = results_.not_enforced;
    if (std::find(all.begin(), all.end(), what) == all.end()) all.push_back(what);
  }

  void note_releases(const std::vector<JobTiming>& jobs) {
    Time before = origin;  // when the end of the previous job was known
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const JobTiming& job = jobs[i];
      const bool waited = before > job.release;
      before = job.known;
      if (i < warm_up || job.submitted == never || waited) continue;
      results_.release.push_back(job.submitted - job.release);
    }
  }

  device::Device& device_;
  const OverheadQuestion& question_;
  MeasuredOverheads& results_;
};

/// Calls the function for every job with a complete measurement.
template <class Function>
void for_each_done(const std::vector<JobTiming>& jobs, Function&& function) {
  for (std::size_t i = warm_up; i < jobs.size(); ++i) {
    if (jobs[i].known != never) function(i, jobs[i]);
  }
}

/// Launch and completion overheads of work that records its own times.
void measure_work(Campaign& campaign, StampedWork& work, const Segment& segment, MeasuredOverheads& results) {
  const Timed timed = campaign.run(segment, work.bind(campaign.jobs()), 0);
  const std::vector<WorkSpan> spans = work.spans();
  results.uncertainty = work.uncertainty();
  for_each_done(timed.jobs, [&](std::size_t i, const JobTiming& job) {
    // The compared clocks may differ slightly, so a negative overhead counts as zero.
    const Duration launch = spans[i].begin - (timed.start + job.submitted.time_since_epoch());
    const Duration completion = (timed.start + job.known.time_since_epoch()) - spans[i].end;
    results.launch.push_back(std::max(launch, Duration{}));
    results.completion.push_back(std::max(completion, Duration{}));
  });
}

/// From the submission until the end is known, minus the requested time of the work.
std::vector<Duration> times_beyond(Duration told, const Timed& timed) {
  std::vector<Duration> times;
  for_each_done(timed.jobs, [&](std::size_t, const JobTiming& job) {
    times.push_back(std::max(job.known - job.submitted - told, Duration{}));
  });
  return times;
}

/// Jobs of a task that stays on its SMs, released there.
void measure_resident(const Timed& timed, const OverheadQuestion& question, MeasuredOverheads& results) {
  for_each_done(timed.jobs, [&](std::size_t i, const JobTiming& job) {
    const Time release = time_at(question.period * static_cast<std::int64_t>(i));
    results.resident_release.push_back(std::max(job.submitted - release, Duration{}));
    results.resident_completion.push_back(std::max(job.known - job.submitted - question.work, Duration{}));
  });
}

/// Work that stays on its SMs: built-in, and work that is enqueued, where the device tells them apart.
void measure_staying(Campaign& campaign, StampedWork& work, const Segment& told,
                     const OverheadQuestion& question, MeasuredOverheads& results) {
  int phase = 4;
  for (const bool is_plain : {false, true}) {
    const device::Binding binding = is_plain ? work.bind_plain(question.work) : device::Binding{};
    if (is_plain && binding.kind == device::Binding::Kind::built_in) return;
    if (campaign.stop_requested()) return;
    measure_resident(campaign.run(told, binding, phase++, Dispatch::resident), question, results);
    if (campaign.stop_requested()) return;
    const Timed rung = campaign.run(told, binding, phase++, Dispatch::doorbell);
    for (const Duration time : times_beyond(question.work, rung)) results.doorbell.push_back(time);
  }
}

std::vector<Duration> later(std::vector<Duration> values, Duration by) {
  for (Duration& value : values) value += by;
  return values;
}

}  // namespace

Overheads apply(const MarginRule& rule, const MeasuredOverheads& measured) {
  Overheads overheads;
  overheads.release = rule.apply(summary_of(measured.release));
  overheads.launch = rule.apply(summary_of(later(measured.launch, measured.uncertainty)));
  overheads.completion = rule.apply(summary_of(later(measured.completion, measured.uncertainty)));
  overheads.completion =
      std::max(overheads.completion, rule.apply(summary_of(measured.round_trip)) - overheads.launch);
  overheads.copy = rule.apply(summary_of(measured.copy));
  overheads.cpu = rule.apply(summary_of(measured.cpu));
  if (!measured.resident_release.empty()) {
    overheads.resident = {rule.apply(summary_of(measured.resident_release)),
                          rule.apply(summary_of(measured.resident_completion))};
  }
  if (!measured.doorbell.empty()) overheads.doorbell = {rule.apply(summary_of(measured.doorbell)), {}};
  if (!measured.engine_event.empty() && !measured.engine_submit.empty()) {
    overheads.engine = {rule.apply(summary_of(measured.engine_event)),
                        rule.apply(summary_of(measured.engine_submit))};
  }
  return overheads;
}

Duration delay_by_launchers(const MarginRule& rule, std::span<const LaunchesBeside> launches, int launchers) {
  Duration alone{};
  Duration longest{};
  for (const LaunchesBeside& beside : launches) {
    if (beside.threads == 0) alone = rule.apply(beside.calls);
    longest = std::max(longest, rule.apply(beside.calls));
    if (beside.threads >= launchers) break;
  }
  return launchers == 0 ? Duration{} : longest - alone;
}

std::unique_ptr<StampedWork> make_host_work() { return std::make_unique<HostWork>(); }

MeasuredOverheads measure_overheads(device::Device& device, StampedWork& work,
                                    const OverheadQuestion& question) {
  if (question.samples < 1) throw InputError{"at least one sample is needed"};
  if (!question.platform.gpu.copy_bandwidth) throw InputError{"copies need the bandwidth of the platform"};
  const std::optional<Duration> copy_length =
      copy_time(question.copy_bytes, *question.platform.gpu.copy_bandwidth);
  if (!copy_length) throw InputError{"a copy of this size takes too long"};

  MeasuredOverheads results;
  Campaign campaign{device, question, results};
  const Segment told = ExclusiveSegment{.time = {question.work, question.work}};
  const Segment copy = CopySegment{.time = {*copy_length, *copy_length}, .bytes = question.copy_bytes};
  if (!campaign.stop_requested()) measure_work(campaign, work, told, results);
  if (!campaign.stop_requested()) {
    results.round_trip = times_beyond(question.work, campaign.run(told, {}, 1));
  }
  if (!campaign.stop_requested()) {
    results.copy = times_beyond(*copy_length, campaign.run(copy, {}, 2));
  }
  if (!campaign.stop_requested()) {
    results.cpu =
        times_beyond(question.work, campaign.run(CpuSegment{{question.work, question.work}}, {}, 3));
  }
  if (!campaign.stop_requested() && device.capabilities(System{}).releases_jobs) {
    measure_staying(campaign, work, told, question, results);
  }
  if (!campaign.stop_requested()) campaign.run_together(7);
  if (campaign.stop_requested()) return results;
  for (const auto* samples : {&results.release, &results.launch, &results.completion, &results.round_trip,
                              &results.copy, &results.cpu}) {
    if (samples->empty()) {
      throw FailureError{"this machine is so busy that no job ran in time: nothing could be measured"};
    }
  }
  return results;
}

}  // namespace tactus::measure
