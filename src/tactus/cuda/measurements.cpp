#include "tactus/cuda/measurements.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/bare_delays.hpp"
#include "tactus/device/cuda/clock_map.hpp"
#include "tactus/device/cuda/job.hpp"
#include "tactus/device/cuda/launch_contention.hpp"
#include "tactus/device/cuda/measure.hpp"
#include "tactus/device/cuda/query.hpp"
#include "tactus/device/cuda/stamped_kernel.hpp"
#include "tactus/device/cuda/stream.hpp"
#include "tactus/model/presets.hpp"

namespace tactus::cuda {

namespace {

constexpr int first_device = 0;

/// A kernel that records when it ran, launched by jobs.
class StampedKernelWork final : public measure::StampedWork {
 public:
  device::Binding bind(std::uint64_t jobs) override {
    kernel_ = std::make_unique<StampedKernel>(jobs);
    first_ = compare_clocks(stream_.get());
    jobs_ = jobs;
    return {.kind = device::Binding::Kind::calls, .work = [this](tactus::Job& job) {
              if (job.number() >= jobs_) return;
              const auto& special = static_cast<Job&>(job);
              kernel_->enqueue(job.number(), special.sms(), special.stream());
            }};
  }

  device::Binding bind_plain(Duration work) override {
    return {.kind = device::Binding::Kind::calls, .work = [this, work](tactus::Job& job) {
              const auto& special = static_cast<Job&>(job);
              launch_builtin({.kernel = BuiltinKernel::spin,
                              .amount = static_cast<std::uint64_t>(in_ns(work)),
                              .grid = dim3{static_cast<unsigned>(special.sms())},
                              .threads = 1024},
                             data_, special.stream());
            }};
  }

  std::vector<measure::WorkSpan> spans() override {
    const ClockMap clocks{first_, compare_clocks(stream_.get())};
    uncertainty_ = clocks.uncertainty();
    std::vector<measure::WorkSpan> spans;
    for (const StampedKernel::Span& span : kernel_->spans()) {
      spans.push_back({clocks.host(span.begin), clocks.host(span.end)});
    }
    return spans;
  }

  [[nodiscard]] Duration uncertainty() const override { return uncertainty_; }

 private:
  Stream stream_ = make_stream();
  BuiltinData data_;
  std::unique_ptr<StampedKernel> kernel_;
  ClockPair first_;
  std::uint64_t jobs_ = 0;
  Duration uncertainty_{};
};

BuiltinKernel kernel_named(const std::string& name) {
  const std::optional<BuiltinKernel> kernel = find_builtin_kernel(name);
  if (!kernel) throw InputError{"there is no built-in kernel `" + name + "`"};
  return *kernel;
}

measure::FoundDevice find_device() {
  const std::vector<DevicePlatform> all = query_platforms();
  if (all.empty()) throw FailureError{"there is no CUDA device on this machine (`tactus doctor` says more)"};
  measure::FoundDevice found{all.front().name, all.front().platform};
  found.platform.preset = preset_of_device(found.platform.gpu, found.name);
  return found;
}

/// How a kernel is cut and what runs beside it: one series of times.
struct Form {
  unsigned virtual_sms = 0;
  unsigned threads = 1;
  std::optional<std::string> co_runner{};

  friend bool operator==(const Form&, const Form&) = default;
};

/// A plain grid, and for every number of virtual SMs the loop with that many blocks on an SM, and with one.
std::vector<Form> forms_of(const measure::KernelQuestion& question, const Gpu& gpu) {
  std::vector<Form> forms;
  const auto add = [&](unsigned virtual_sms, unsigned threads) {
    const Form alone{virtual_sms, threads};
    if (std::find(forms.begin(), forms.end(), alone) != forms.end()) return;
    forms.push_back(alone);
    if (question.co_runner) forms.push_back({virtual_sms, threads, question.co_runner});
  };
  add(0, question.threads);
  for (const unsigned virtual_sms : question.virtual_sms) {
    // The virtual SMs share the threads of an SM.
    const unsigned threads =
        std::min(question.threads, static_cast<unsigned>(gpu.threads_per_sm) / virtual_sms);
    add(1, threads);
    add(virtual_sms, threads);
  }
  return forms;
}

/// Without points where an SM cannot hold that many blocks.
measure::KernelSeries measure_series(const measure::KernelQuestion& question, const Form& form,
                                     BuiltinKernel kernel, std::uint64_t amount, const BuiltinData& data,
                                     Watch watch) {
  measure::KernelSeries series;
  series.virtual_sms = form.virtual_sms;
  series.threads = form.threads;
  series.blocks = question.blocks * question.threads / form.threads;
  series.co_runner = form.co_runner.value_or("");
  MeasuredKernel measured{kernel, series.blocks, form.threads, amount, data};
  if (form.virtual_sms > static_cast<unsigned>(measured.max_virtual_sms())) return series;
  MeasureOptions options;
  options.samples = question.samples;
  options.virtual_sms = form.virtual_sms;
  if (form.co_runner) options.co_runner = kernel_named(*form.co_runner);
  options.watch = std::move(watch);
  const auto enqueue = [&](const WorkPlace& place) { measured(place); };
  for (const auto& [sms, times] : measure_against_sms(first_device, question.sms, enqueue, options)) {
    series.points.push_back({sms, measure::summary_of(times)});
  }
  return series;
}

std::vector<measure::KernelMeasurement> measure_kernels(const measure::KernelQuestion& asked,
                                                        const Watch& watch) {
  const Gpu gpu = find_device().platform.gpu;
  measure::KernelQuestion question = asked;
  if (question.sms.empty()) question.sms = usual_sm_counts(gpu.sms);
  if (question.blocks == 0) question.blocks = 8 * static_cast<unsigned>(gpu.sms);
  const BuiltinData data;
  const std::vector<Form> forms = forms_of(question, gpu);
  const auto all = static_cast<double>(forms.size() * question.kernels.size());
  double done = 0;
  std::vector<measure::KernelMeasurement> results;
  for (const std::string& name : question.kernels) {
    if (watch.stopped()) break;
    const BuiltinKernel kernel = kernel_named(name);
    measure::KernelMeasurement& result = results.emplace_back();
    result.kernel = name;
    result.amount =
        question.amount ? *question.amount : amount_for(kernel, question.threads, question.block_time, data);
    for (const Form& form : forms) {
      Watch of_series = watch;
      of_series.progress = [&](double part) { watch.show((done + part) / all); };
      measure::KernelSeries series =
          measure_series(question, form, kernel, result.amount, data, std::move(of_series));
      if (!series.points.empty()) result.series.push_back(std::move(series));
      ++done;
    }
  }
  return results;
}

std::vector<measure::CopyPoint> measure_copy_sizes(const measure::CopyQuestion& question,
                                                   const Watch& watch) {
  static_cast<void>(find_device());
  std::vector<measure::CopyPoint> points;
  for (const std::int64_t bytes : question.bytes) {
    watch.show(static_cast<double>(points.size()) / static_cast<double>(question.bytes.size()));
    const CopyDelays delays = measure_copies(static_cast<std::size_t>(bytes), question.samples, watch);
    if (watch.stopped()) break;
    points.push_back({bytes, measure::summary_of(delays.to_device), measure::summary_of(delays.from_device)});
  }
  return points;
}

measure::OverheadReport measure_overheads(device::Device& device, const std::optional<Platform>& base,
                                          measure::OverheadQuestion question,
                                          const measure::MarginRule& rule) {
  const measure::FoundDevice found = find_device();
  measure::OverheadReport report;
  report.device = found.name;
  report.platform = base ? *base : found.platform;
  // A short measurement of the copy bandwidth, from which the copy overhead follows.
  constexpr int few = 100;
  Watch quiet = question.watch;
  quiet.progress = {};
  const std::vector<measure::CopyPoint> copies =
      measure_copy_sizes({.bytes = {4, 65'536, 1'048'576, 16'777'216}, .samples = few}, quiet);
  if (quiet.stopped()) return report;
  report.platform.gpu.copy_bandwidth = measure::fit_copies(copies, rule).bandwidth;
  question.platform = found.platform;
  question.platform.gpu.copy_bandwidth = report.platform.gpu.copy_bandwidth;
  const BareDelays bare = measure_bare_delays(first_device, question.samples, quiet);
  report.bare = {measure::summary_of(bare.launch), measure::summary_of(bare.completion)};
  constexpr std::array others{0, 1, 2, 4};
  for (const LaunchesBeside& beside :
       measure_launches_beside(first_device, others, std::min(question.samples, 2000), quiet)) {
    report.launches.push_back({beside.threads, measure::summary_of(beside.calls)});
  }
  if (quiet.stopped()) return report;
  StampedKernelWork work;
  report.measured = measure::measure_overheads(device, work, question);
  return report;
}

}  // namespace

const measure::Measurements measurements{.find = &find_device,
                                         .overheads = &measure_overheads,
                                         .kernels = &measure_kernels,
                                         .copies = &measure_copy_sizes};

}  // namespace tactus::cuda
