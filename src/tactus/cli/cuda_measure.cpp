// What `tactus measure` asks of a GPU.
#include <algorithm>
#include <memory>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/cli/measure.hpp"
#include "tactus/cuda/job.hpp"
#include "tactus/cuda/measure.hpp"
#include "tactus/device/cuda/bare_delays.hpp"
#include "tactus/device/cuda/clock_map.hpp"
#include "tactus/device/cuda/cuda_device.hpp"
#include "tactus/device/cuda/query.hpp"
#include "tactus/device/cuda/stamped_kernel.hpp"
#include "tactus/device/cuda/stream.hpp"
#include "tactus/model/presets.hpp"

namespace tactus::cli {

namespace {

constexpr int first_device = 0;

/// A kernel that notes when it ran, launched by jobs.
class StampedKernelWork final : public measure::StampedWork {
 public:
  device::Binding bind(std::uint64_t jobs) override {
    kernel_ = std::make_unique<cuda::StampedKernel>(jobs);
    first_ = cuda::compare_clocks(stream_.get());
    jobs_ = jobs;
    return {.kind = device::Binding::Kind::calls, .work = [this](Job& job) {
              if (job.number() >= jobs_) return;
              const auto& special = static_cast<cuda::Job&>(job);
              kernel_->enqueue(job.number(), special.sms(), special.stream());
            }};
  }

  std::vector<measure::WorkSpan> spans() override {
    const cuda::ClockMap clocks{first_, cuda::compare_clocks(stream_.get())};
    uncertainty_ = clocks.uncertainty();
    std::vector<measure::WorkSpan> spans;
    for (const cuda::StampedKernel::Span& span : kernel_->spans()) {
      spans.push_back({clocks.host(span.begin), clocks.host(span.end)});
    }
    return spans;
  }

  [[nodiscard]] Duration uncertainty() const override { return uncertainty_; }

 private:
  cuda::Stream stream_ = cuda::make_stream();
  std::unique_ptr<cuda::StampedKernel> kernel_;
  cuda::ClockPair first_;
  std::uint64_t jobs_ = 0;
  Duration uncertainty_{};
};

cuda::BuiltinKernel kernel_named(const std::string& name) {
  const std::optional<cuda::BuiltinKernel> kernel = cuda::find_builtin_kernel(name);
  if (!kernel) throw InputError{"there is no built-in kernel `" + name + "`"};
  return *kernel;
}

/// Measures one kernel, series by series.
class KernelCampaign {
 public:
  KernelCampaign(const KernelQuestion& question, const Gpu& gpu, const cuda::BuiltinData& data,
                 std::function<bool()> step)
      : question_{question}, gpu_{gpu}, data_{data}, step_{std::move(step)} {}

  measure::KernelMeasurement run(const std::string& name) {
    kernel_ = kernel_named(name);
    result_ = {};
    result_.kernel = name;
    result_.amount = question_.amount
                         ? *question_.amount
                         : cuda::amount_for(kernel_, question_.threads, question_.block_time, data_);
    add_series(0, question_.threads);
    for (const unsigned virtual_sms : question_.virtual_sms) {
      const unsigned threads = threads_for(virtual_sms);
      add_series(1, threads);
      add_series(virtual_sms, threads);
    }
    return std::move(result_);
  }

  /// Points of all series of a kernel: what `step` is called for, times samples.
  [[nodiscard]] std::size_t points(std::size_t sms) const {
    std::vector<std::pair<unsigned, unsigned>> series{{0, question_.threads}};
    for (const unsigned virtual_sms : question_.virtual_sms) {
      for (const unsigned on_sm : {1U, virtual_sms}) {
        const std::pair one{on_sm, threads_for(virtual_sms)};
        if (std::find(series.begin(), series.end(), one) == series.end()) series.push_back(one);
      }
    }
    return series.size() * sms * (question_.co_runner ? 2 : 1);
  }

 private:
  /// So many virtual SMs share the threads of an SM.
  [[nodiscard]] unsigned threads_for(unsigned virtual_sms) const {
    return std::min(question_.threads, static_cast<unsigned>(gpu_.threads_per_sm) / virtual_sms);
  }

  void add_series(unsigned virtual_sms, unsigned threads) {
    for (const measure::KernelSeries& series : result_.series) {
      if (series.virtual_sms == virtual_sms && series.threads == threads) return;
    }
    add_series(virtual_sms, threads, std::nullopt);
    if (question_.co_runner) add_series(virtual_sms, threads, question_.co_runner);
  }

  void add_series(unsigned virtual_sms, unsigned threads, const std::optional<std::string>& co_runner) {
    measure::KernelSeries series;
    series.virtual_sms = virtual_sms;
    series.threads = threads;
    series.blocks = question_.blocks * question_.threads / threads;
    series.co_runner = co_runner.value_or("");
    cuda::MeasuredKernel kernel{kernel_, series.blocks, threads, result_.amount, data_};
    if (virtual_sms > static_cast<unsigned>(kernel.most_virtual_sms())) return;
    cuda::MeasureOptions options;
    options.samples = question_.samples;
    options.virtual_sms = virtual_sms;
    if (co_runner) options.co_runner = kernel_named(*co_runner);
    options.go_on = step_;
    const auto enqueue = [&](const cuda::WorkPlace& place) { kernel(place); };
    for (const auto& [sms, times] :
         cuda::measure_against_sms(first_device, question_.sms, enqueue, options)) {
      series.points.push_back({sms, measure::summary_of(times)});
    }
    if (!series.points.empty()) result_.series.push_back(std::move(series));
  }

  const KernelQuestion& question_;
  const Gpu& gpu_;
  const cuda::BuiltinData& data_;
  std::function<bool()> step_;
  cuda::BuiltinKernel kernel_{};
  measure::KernelMeasurement result_;
};

}  // namespace

CudaPlatform cuda_platform() {
  const std::vector<cuda::DevicePlatform> all = cuda::query_platforms();
  if (all.empty()) throw FailureError{"there is no CUDA device on this machine (`tactus doctor` says more)"};
  CudaPlatform found{all.front().name, all.front().platform};
  found.platform.preset = preset_of_device(found.platform.gpu, found.name);
  return found;
}

std::vector<measure::KernelMeasurement> measure_kernels(const KernelQuestion& question, const Watch& watch) {
  const Gpu gpu = cuda_platform().platform.gpu;
  KernelQuestion complete = question;
  if (complete.sms.empty()) complete.sms = cuda::usual_sm_counts(gpu.sms);
  if (complete.blocks == 0) complete.blocks = 8 * static_cast<unsigned>(gpu.sms);
  const cuda::BuiltinData data;
  double done = 0;
  double all = 0;
  KernelCampaign campaign{complete, gpu, data, [&] {
                            if (watch.progress) watch.progress(std::min(1.0, ++done / all));
                            return watch.go_on();
                          }};
  all =
      static_cast<double>(campaign.points(complete.sms.size()) * complete.kernels.size()) * complete.samples;
  std::vector<measure::KernelMeasurement> results;
  for (const std::string& name : complete.kernels) {
    if (watch.go_on()) results.push_back(campaign.run(name));
  }
  return results;
}

std::vector<CopyPoint> measure_copies(const CopySizes& question, const Watch& watch) {
  static_cast<void>(cuda_platform());
  std::vector<CopyPoint> points;
  for (const std::int64_t bytes : question.bytes) {
    if (watch.progress) {
      watch.progress(static_cast<double>(points.size()) / static_cast<double>(question.bytes.size()));
    }
    const cuda::CopyDelays delays = cuda::measure_copies(static_cast<std::size_t>(bytes), question.samples,
                                                         [&] { return watch.go_on(); });
    if (!watch.go_on()) break;
    points.push_back({bytes, measure::summary_of(delays.to_device), measure::summary_of(delays.from_device)});
  }
  return points;
}

CudaOverheads measure_cuda_overheads(device::Device& device, const measure::OverheadQuestion& question) {
  static_cast<void>(cuda_platform());
  const Watch watch{.progress = {}, .stop = question.stop};
  CudaOverheads overheads;
  const cuda::BareDelays bare =
      cuda::measure_bare_delays(first_device, question.samples, [&] { return watch.go_on(); });
  overheads.bare = {measure::summary_of(bare.launch), measure::summary_of(bare.completion)};
  StampedKernelWork work;
  overheads.measured = measure::measure_overheads(device, work, question);
  return overheads;
}

}  // namespace tactus::cli
