#include "tactus/device/host/host_device.hpp"

#include <string>

#include "tactus/base/threads.hpp"
#include "tactus/device/absence_watch.hpp"
#include "tactus/device/host/front_end.hpp"
#include "tactus/device/host/reports.hpp"
#include "tactus/device/host/segment_plan.hpp"
#include "tactus/device/host/worker_threads.hpp"
#include "tactus/device/job_starts.hpp"

namespace tactus::device {

namespace {

using host::Report;

/// Each resident task has one job in progress, which the scheduler does not know.
Setup with_resident_jobs(Setup setup) {
  setup.max_pending += static_cast<std::uint32_t>(setup.resident.size());
  return setup;
}

class HostDevice final : public Device {
 public:
  explicit HostDevice(const HostOptions& options) : options_{options} {}
  HostDevice(const HostDevice&) = delete;
  HostDevice& operator=(const HostDevice&) = delete;
  ~HostDevice() override { end_run(); }

  [[nodiscard]] bool waits_busily() const override {
    return options_.spin >= always_spins && available_cpus().size() > 1;  // with one CPU others need it
  }
  [[nodiscard]] sched::Capabilities capabilities(const System& system) const override {
    return {.engine = "the host device",
            .priority_levels = system.platform.gpu.priority_levels,
            .sm_set_granularity = 1,
            .stops_kernels = true,
            .immediate_refill = false,
            .slices_time = true,
            .preemptive_cpu = true,
            .preempts_functions = preempts_functions(options_),
            .releases_jobs = true};
  }

  void open(const Setup& setup) override {
    end_run();
    run_.reset();
    run_ = std::make_unique<Run>(setup, options_);
    closed_ = false;
    heard_ = 0;
    note_wishes();
  }

  [[nodiscard]] Time now() noexcept override { return run_->front_end.clock().now(); }

  void wake() noexcept override {
    if (run_) run_->reports.bell().ring();
  }

  void wait(Time until) noexcept override {
    host::Doorbell& bell = run_->reports.bell();
    const std::uint32_t heard = bell.heard();
    if (run_->reports.front() != nullptr || heard != heard_) {
      heard_ = heard;
      return;
    }
    const host::Clock& clock = run_->front_end.clock();
    const Time sleep_until = until - run_->spin;
    run_->absences.pause();
    while (bell.heard() == heard) {
      const Time time = run_->absences.look(clock.now());
      if (time >= until) break;
      if (time < sleep_until) {
        bell.wait_until(heard, clock.alarm(sleep_until));
        run_->absences.pause();
      } else {
        relax();
      }
    }
    run_->absences.look(clock.now());  // the ring may have come while the thread was not running
    heard_ = bell.heard();
  }

  void poll(sched::Events& events) noexcept override {
    heard_ = run_->reports.bell().heard();
    note_wishes();
    while (const Report* report = run_->reports.front()) {
      take(*report, &events);
      run_->reports.pop();
    }
  }

  std::optional<ResidentJob> take_resident() noexcept override { return run_->reports.take_resident(); }

  bool settle() noexcept override { return false; }
  void before_submissions() noexcept override {}

  void submit(const Request& request) noexcept override {
    run_->starts.open(request.id.job);
    run_->front_end.put({.kind = host::FrontEndRequest::Kind::submit, .made = now(), .request = request});
  }

  void request_stop(sched::SubmissionId submission) noexcept override {
    Request request;
    request.id = submission;
    run_->front_end.put({.kind = host::FrontEndRequest::Kind::stop, .made = now(), .request = request});
  }

  void hold_core(const sched::HoldCore& hold) noexcept override {
    Request request;
    request.id.job = hold.job;
    request.server = ServerKind::cpu;
    request.cores = hold.cores;
    request.urgency = hold.urgency;
    run_->holds.open(hold.job) = true;
    run_->front_end.put({.kind = host::FrontEndRequest::Kind::hold, .made = now(), .request = request});
  }

  Time job_over(sched::JobId job) noexcept override {
    if (const bool* held = run_->holds.find(job); held != nullptr && *held && !closed_) {
      Request request;
      request.id.job = job;
      run_->front_end.put({.kind = host::FrontEndRequest::Kind::release, .made = now(), .request = request});
    }
    return run_->starts.of(job);
  }

  void close() override {
    end_run();
    if (!run_ || closed_) return;
    closed_ = true;
    while (const Report* report = run_->reports.front()) {
      take(*report, nullptr);
      run_->reports.pop();
    }
    run_->front_end.activities().for_each(
        [&](const host::Activity& activity) { run_->starts.note(activity.request.id.job, activity.start); });
  }

  [[nodiscard]] std::vector<std::string> not_enforced() const override {
    if (!run_) return {};
    std::vector<std::string> all = run_->workers.not_enforced;
    if (const std::uint64_t late = run_->front_end.times_late(); late > 0) {
      all.push_back("times of GPU work that is not bound: the device was late by more than 10 ms " +
                    std::to_string(late) + (late == 1 ? " time" : " times"));
    }
    if (const std::size_t left = run_->front_end.left_behind(); left > 0) {
      all.push_back("an end of all work: " + std::to_string(left) + " bound function" +
                    (left == 1 ? " has" : "s have") + " not returned and may still run");
    }
    if (const std::uint64_t lost = run_->reports.lost(); lost > 0) {
      all.push_back("a complete trace: " + std::to_string(lost) + " events came too fast and are missing");
    }
    return all;
  }

  [[nodiscard]] Absences absences() const override { return run_ ? run_->absences.seen() : Absences{}; }

  [[nodiscard]] std::string failure() const override { return run_ ? run_->front_end.failure() : ""; }

 private:
  /// The state of one run.
  struct Run {
    Run(const Setup& given, const HostOptions& options)
        : setup{with_resident_jobs(given)},
          context{std::make_shared<host::FunctionContext>(setup, host::ActivityTable::capacity_for(setup))},
          plans{host::make_segment_plans(setup.system, &context->bindings)},
          workers{host::plan_workers(setup, options, plans)},
          reports{setup, host::ActivityTable::capacity_for(setup), options.max_events},
          spin{setup.engine_has_core || workers.cpus.size() > 1 ? options.spin : Duration{}},
          starts{setup.max_pending},
          holds{setup.max_pending},
          absences{setup.trace, setup.assumptions},
          front_end{setup, options, plans, workers, reports, context} {}

    Setup setup;
    std::shared_ptr<host::FunctionContext> context;
    host::SegmentPlans plans;
    host::WorkerPlan workers;
    host::Reports reports;
    Duration spin;
    JobStarts starts;
    sched::JobMap<bool> holds;  // jobs for which a core is held
    AbsenceWatch absences;      // of the waiting thread
    host::FrontEnd front_end;   // last member: its threads use the others
  };

  void end_run() {
    if (run_) run_->front_end.close();
  }

  void note_wishes() {
    if (run_->setup.trace == nullptr) return;
    const trace::Fanout& trace = *run_->setup.trace;
    host::Reports& reports = run_->reports;
    reports.wanted(Report::Kind::block_ran).store(trace.wants<trace::BlockRan>(), std::memory_order_relaxed);
    reports.wanted(Report::Kind::copy_ran).store(trace.wants<trace::CopyRan>(), std::memory_order_relaxed);
    reports.wanted(Report::Kind::cpu_ran).store(trace.wants<trace::CpuRan>(), std::memory_order_relaxed);
  }

  template <class Event>
  void tell(const Event& event) const {
    if (run_->setup.trace != nullptr) run_->setup.trace->tell(event);
  }

  void take(const Report& report, sched::Events* events) {
    const std::uint32_t segment = report.id.segment;
    switch (report.kind) {
      case Report::Kind::block_ran:
        tell(trace::BlockRan{report.job, segment, report.block, report.place, report.start, report.end});
        return;
      case Report::Kind::copy_ran:
        tell(trace::CopyRan{report.job, segment, report.place, report.start, report.end});
        return;
      case Report::Kind::cpu_ran:
        tell(trace::CpuRan{report.job, segment, report.place, report.start, report.end});
        return;
      case Report::Kind::finished:
      case Report::Kind::stopped:
      case Report::Kind::failed:
        break;
    }
    run_->starts.note(report.id.job, report.start);
    if (report.start != never) {
      tell(trace::OperationFinished{report.job, segment, report.place, report.called, report.start,
                                    report.end});
    }
    if (events == nullptr) return;
    if (report.kind == Report::Kind::finished) events->emplace_back(sched::Finished{report.id});
    if (report.kind == Report::Kind::failed) events->emplace_back(sched::Failed{report.id});
    if (report.kind == Report::Kind::stopped) {
      events->emplace_back(sched::Stopped{report.id, report.progress});
    }
  }

  HostOptions options_;
  std::unique_ptr<Run> run_;
  std::uint32_t heard_ = 0;  // rings up to the last poll
  bool closed_ = false;
};

static_assert(dispatches_without_throwing<HostDevice>);

}  // namespace

bool preempts_functions(const HostOptions& options) { return host::takes_real_time_class(options); }

std::unique_ptr<Device> make_host_device(const HostOptions& options) {
  return std::make_unique<HostDevice>(options);
}

}  // namespace tactus::device
