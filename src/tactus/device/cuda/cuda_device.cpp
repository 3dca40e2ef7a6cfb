#include "tactus/device/cuda/cuda_device.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/device/absence_watch.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/gpu_run.hpp"
#include "tactus/device/host/clock.hpp"
#include "tactus/device/host/doorbell.hpp"
#include "tactus/device/host/host_device.hpp"

namespace tactus::device {

namespace {

bool has_cpu_segments(const System& system) {
  return std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
    return std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                       [](const Node& node) { return std::holds_alternative<CpuSegment>(node.segment); });
  });
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(const CudaOptions& options) : options_{options} { use_device(); }
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  ~CudaDevice() override { abandon(); }

  [[nodiscard]] bool waits_busily() const override {
    return options_.spins_while_busy || options_.spin >= always_spins;
  }
  [[nodiscard]] sched::Capabilities capabilities(const System& system) const override {
    const cuda::PriorityRange range = cuda::stream_priorities();
    return {.engine = "the CUDA device",
            .priority_levels = range.least_urgent - range.most_urgent + 1,
            .sm_set_granularity = sm_set_granularity(system),
            .stops_kernels = true,
            .immediate_refill = false,
            .preemptive_cpu = true,
            .preempts_functions = device::preempts_functions({.real_time = options_.real_time}),
            .releases_jobs = true,
            .copy_slice = cuda::copy_slice_of(options_.copy_chunk)};
  }

  void open(const Setup& setup) override {
    abandon();
    use_device();
    const std::size_t submissions = max_submissions(setup, "the CUDA device");
    after_.reset();
    cpus_.reset();
    gpu_ = std::make_unique<cuda::GpuRun>(setup, options_);
    cpu_events_.clear();
    cpu_work_ = 0;
    if (has_cpu_segments(setup.system)) {
      cpu_bindings_ = cuda::cpu_bindings(setup.system, setup.bindings);
      cpu_events_.reserve(submissions);
      cpus_ = make_host_device({.spin = options_.spin, .real_time = options_.real_time});
      Setup inner = setup;
      inner.bindings = &cpu_bindings_;
      inner.resident.clear();
      cpus_->open(inner);
    }
    absences_ = AbsenceWatch{setup.trace, setup.assumptions};
    heard_ = bell_.heard();
    clock_.start(setup.head_start);
    gpu_->begin(cuda::host_now() - now().time_since_epoch());
  }

  // The clock of the host device if there is one, so that all instants have the same origin.
  [[nodiscard]] Time now() noexcept override { return cpus_ ? cpus_->now() : clock_.now(); }

  void wake() noexcept override {
    bell_.ring();
    if (cpus_) cpus_->wake();
  }

  void wait(Time until) noexcept override {
    if (has_news(now()) || was_woken()) return;
    if (gpu_->is_idle()) {
      look_for_errors_if_quiet(until);
      sleep(until);
    } else {
      watch(until);
    }
  }

  void poll(sched::Events& events) noexcept override {
    heard_ = bell_.heard();
    gpu_->poll(now(), events);
    if (!cpus_) return;
    hear_cpus();
    events.insert(events.end(), cpu_events_.begin(), cpu_events_.end());
    cpu_events_.clear();
  }

  std::optional<ResidentJob> take_resident() noexcept override {
    if (gpu_) return gpu_->take_resident();
    if (!after_ || after_->taken == after_->ended.size()) return std::nullopt;
    return after_->ended[after_->taken++];
  }

  bool settle() noexcept override { return false; }
  void before_submissions() noexcept override {}

  void submit(const Request& request) noexcept override {
    if (request.server == ServerKind::cpu) {
      ++cpu_work_;
      cpus_->submit(request);
      return;
    }
    if (std::this_thread::get_id() != thread_) follow_thread();
    gpu_->submit(request, now());
  }

  void request_stop(sched::SubmissionId submission) noexcept override {
    if (!gpu_->request_stop(submission) && cpus_) cpus_->request_stop(submission);
  }

  void hold_core(const sched::HoldCore& hold) noexcept override {
    if (cpus_) cpus_->hold_core(hold);
  }

  Time job_over(sched::JobId job) noexcept override {
    Time start = never;
    if (gpu_) start = gpu_->job_over(job);
    if (after_) start = after_->starts.of(job);
    return cpus_ ? std::min(start, cpus_->job_over(job)) : start;
  }

  void close() override {
    if (cpus_) cpus_->close();
    if (!gpu_) return;
    const bool ended = gpu_->close(now());
    after_.emplace(Aftermath{gpu_->not_enforced(), gpu_->failure(), gpu_->take_starts()});
    while (const std::optional<ResidentJob> job = gpu_->take_resident()) after_->ended.push_back(*job);
    if (ended) {
      gpu_.reset();
      return;
    }
    after_->not_enforced.push_back(
        "an end of all work: some is still running on the GPU, so its memory is not freed");
    // Freeing it would block forever.
    static_cast<void>(gpu_.release());
  }

  [[nodiscard]] std::vector<std::string> not_enforced() const override {
    std::vector<std::string> all;
    if (gpu_) all = gpu_->not_enforced();
    if (after_) all = after_->not_enforced;
    if (cpus_) {
      for (std::string& one : cpus_->not_enforced()) all.push_back(std::move(one));
    }
    return all;
  }

  [[nodiscard]] Absences absences() const override {
    return cpus_ ? absences_.seen() + cpus_->absences() : absences_.seen();
  }

  [[nodiscard]] std::string failure() const override {
    std::string text;
    if (gpu_) text = gpu_->failure();
    if (after_) text = after_->failure;
    return text.empty() && cpus_ ? cpus_->failure() : text;
  }

 private:
  /// Sets that tasks own are pinned where the device cannot give each a partition.
  [[nodiscard]] int sm_set_granularity(const System& system) const {
    if (options_.sm_sets_by == cuda::SmSetsBy::pinning || !cuda::has_partitions(options_.device) ||
        system.policy.strategy->sms == SmSharing::owned) {
      return 1;
    }
    return cuda::partition_granularity(options_.device, options_.coscheduling).group;
  }

  /// What is kept of a run after its end.
  struct Aftermath {
    std::vector<std::string> not_enforced;
    std::string failure;
    JobStarts starts;
    std::vector<ResidentJob> ended{};  // not heard before
    std::size_t taken = 0;             // the first so many of them
  };

  /// Ends a run that was not closed.
  void abandon() {
    if (gpu_ && !gpu_->abandon()) static_cast<void>(gpu_.release());
    gpu_.reset();
  }

  /// The current device is a setting of each thread in CUDA.
  void use_device() {
    cuda::check(cudaSetDevice(options_.device), "cannot use device " + std::to_string(options_.device));
    thread_ = std::this_thread::get_id();
  }

  /// Another thread now drives the engine. An error here shows again in the calls that follow, and is
  /// reported there.
  void follow_thread() noexcept {
    static_cast<void>(cudaSetDevice(options_.device));
    thread_ = std::this_thread::get_id();
  }

  [[nodiscard]] bool was_woken() {
    const std::uint32_t heard = bell_.heard();
    return std::exchange(heard_, heard) != heard;
  }

  /// The host device may have trace events even when it has no work.
  void hear_cpus() {
    const std::size_t before = cpu_events_.size();
    cpus_->poll(cpu_events_);
    cpu_work_ -= std::min(cpu_work_, cpu_events_.size() - before);
  }

  [[nodiscard]] bool has_news(Time time) {
    if (cpu_work_ > 0) hear_cpus();
    return !cpu_events_.empty() || gpu_->has_news(time);
  }

  /// Jobs that the device releases may fail while nothing else is on the GPU. The question may have to wait
  /// for other threads that use CUDA.
  void look_for_errors_if_quiet(Time until) {
    constexpr Duration quiet = std::chrono::milliseconds{1};
    if (const Time time = now(); until - time > quiet && gpu_->look_for_errors(time)) absences_.pause();
  }

  /// Waits while nothing is on the GPU.
  void sleep(Time until) {
    if (cpus_) {
      cpus_->wait(until);
      return;
    }
    const std::uint32_t heard = heard_;
    if (until == never) {
      bell_.wait(heard);
    } else if (const Time sleep_until = until - options_.spin; sleep_until > clock_.now()) {
      bell_.wait_until(heard, clock_.alarm(sleep_until));
    }
    absences_.pause();
    while (bell_.heard() == heard && absences_.look(clock_.now()) < until) relax();
    absences_.look(clock_.now());
  }

  /// Waits while something is on the GPU.
  void watch(Time until) {
    constexpr Duration pause = std::chrono::microseconds{50};
    absences_.pause();
    for (Time time = absences_.look(now()); time < until; time = absences_.look(now())) {
      if (gpu_->look_for_errors(time)) absences_.pause();
      if (has_news(time) || was_woken()) {
        absences_.look(now());  // the event may have come while the thread was not running
        return;
      }
      if (!options_.spins_while_busy) {
        bell_.wait_until(heard_, host::Clock::Real::now() + std::min(pause, until - time));
        absences_.pause();
      }
    }
  }

  CudaOptions options_;
  std::thread::id thread_;
  host::Clock clock_;
  host::Doorbell bell_;
  std::uint32_t heard_ = 0;  // rings handled so far
  AbsenceWatch absences_;
  std::unique_ptr<cuda::GpuRun> gpu_;
  std::optional<Aftermath> after_;
  Bindings cpu_bindings_;
  std::unique_ptr<Device> cpus_;  // null: no `cpu` segments
  sched::Events cpu_events_;      // not passed on yet
  std::size_t cpu_work_ = 0;      // submissions in flight on the host device
};

static_assert(dispatches_without_throwing<CudaDevice>);

}  // namespace

std::unique_ptr<Device> make_cuda_device(const CudaOptions& options) {
  // Streams that share a hardware queue wait for each other. CUDA reads this variable when it starts.
  static_cast<void>(setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0));
  // Loading a kernel at its first launch may wait for all work on the device, which would delay a job.
  static_cast<void>(setenv("CUDA_MODULE_LOADING", "EAGER", 0));
  return std::make_unique<CudaDevice>(options);
}

}  // namespace tactus::device
