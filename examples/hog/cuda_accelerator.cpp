#include "cuda_accelerator.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <tactus/cuda/device.hpp>
#include <utility>

#include "kernels.hpp"

namespace hog {

namespace {

using tactus::cuda::check;

/// Streams for CPU nodes that wait for their own work; none is made during a run.
class StreamPool {
 public:
  StreamPool() {
    constexpr int streams = 64;
    for (int i = 0; i < streams; ++i) free_.push_back(tactus::cuda::make_stream());
  }

  /// Lends a stream; makes one more if all are lent.
  class Loan {
   public:
    explicit Loan(StreamPool& pool) : pool_{pool}, stream_{pool.take()} {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() { pool_.give_back(std::move(stream_)); }
    [[nodiscard]] cudaStream_t get() const { return stream_.get(); }
    void synchronize() const { stream_.synchronize(); }

   private:
    StreamPool& pool_;
    tactus::cuda::Stream stream_;
  };

 private:
  tactus::cuda::Stream take() {
    const std::lock_guard lock{mutex_};
    if (free_.empty()) return tactus::cuda::make_stream();
    tactus::cuda::Stream stream = std::move(free_.back());
    free_.pop_back();
    return stream;
  }
  void give_back(tactus::cuda::Stream stream) {
    const std::lock_guard lock{mutex_};
    free_.push_back(std::move(stream));
  }

  std::mutex mutex_;
  std::vector<tactus::cuda::Stream> free_;  // guarded by the mutex
};

/// An event that knows its time.
class TimedEvent {
 public:
  TimedEvent() { check(cudaEventCreate(&event_), "cannot make an event"); }
  TimedEvent(const TimedEvent&) = delete;
  TimedEvent& operator=(const TimedEvent&) = delete;
  ~TimedEvent() { cudaEventDestroy(event_); }

  void record(cudaStream_t stream) const { check(cudaEventRecord(event_, stream), "cannot record an event"); }
  [[nodiscard]] tactus::Duration since(const TimedEvent& begin) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin.event_, event_), "cannot read an event");
    return tactus::Duration{std::llround(static_cast<double>(milliseconds) * 1e6)};
  }

 private:
  cudaEvent_t event_ = nullptr;
};

const Level& level_of(const Step& step, const Pyramid& pyramid) {
  return pyramid.levels[static_cast<std::size_t>(step.level)];
}

void enqueue(const Step& step, const Pyramid& pyramid, const FrameBuffers& buffers, cudaStream_t stream) {
  if (step.action == Action::kernel) {
    enqueue_stage(step.stage, level_of(step, pyramid), buffers.data, stream);
    return;
  }
  const tactus::MemoryCopy copy = copy_of(step.action, buffers);
  check(cudaMemcpyAsync(copy.to, copy.from, copy.bytes, cudaMemcpyDefault, stream), "cannot copy");
}

class CudaAccelerator final : public Accelerator {
 public:
  [[nodiscard]] std::string_view name() const override { return "cuda"; }

  [[nodiscard]] tactus::Platform platform(int cpus) const override {
    tactus::Platform platform = tactus::cuda::query_platforms().front().platform;
    platform.clusters = {cpus};
    return platform;
  }
  [[nodiscard]] std::unique_ptr<tactus::device::Device> make_device() override {
    return device_ ? std::move(device_) : tactus::cuda_device(options());
  }
  [[nodiscard]] BlockNeeds needs_of(Stage stage) const override {
    constexpr std::int64_t unit = 256;  // registers are given to warps in units
    constexpr std::int64_t warp = 32;
    const cudaFuncAttributes attributes = attributes_of(stage);
    const std::int64_t of_warp = (attributes.numRegs * warp + unit - 1) / unit * unit;
    const int reserved = tactus::cuda::device_attribute(0, cudaDevAttrReservedSharedMemoryPerBlock,
                                                        "cannot read the shared memory that is reserved");
    return {of_warp * (block_threads / warp),
            static_cast<std::int64_t>(attributes.sharedSizeBytes) + reserved};
  }

  [[nodiscard]] std::shared_ptr<void> allocate(std::size_t bytes, Place place) override {
    const auto keep = [](auto buffer) {
      auto memory = std::make_shared<decltype(buffer)>(std::move(buffer));
      void* const first = memory->data();
      return std::shared_ptr<void>{std::move(memory), first};
    };
    if (place == Place::device) return keep(tactus::cuda::DeviceBuffer<std::byte>{bytes});
    return keep(tactus::cuda::PinnedBuffer<std::byte>{bytes});
  }
  void fill(void* memory, std::span<const std::int16_t> values) override {
    check(cudaMemcpy(memory, values.data(), values.size_bytes(), cudaMemcpyDefault), "cannot copy");
  }
  void read(const void* memory, std::span<std::byte> bytes) override {
    check(cudaMemcpy(bytes.data(), memory, bytes.size(), cudaMemcpyDefault), "cannot copy");
  }

  void perform(std::span<const Step> steps, const Pyramid& pyramid, const FrameBuffers& buffers) override {
    const StreamPool::Loan stream{streams_};
    for (const Step& step : steps) enqueue(step, pyramid, buffers, stream.get());
    stream.synchronize();
  }
  std::vector<tactus::Duration> time(const Step& step, const Pyramid& pyramid,
                                     const FrameBuffers& buffers) override {
    const StreamPool::Loan stream{streams_};
    if (step.action != Action::kernel) {
      begin_.record(stream.get());
      enqueue(step, pyramid, buffers, stream.get());
      end_.record(stream.get());
      stream.synchronize();
      return {end_.since(begin_)};
    }
    const Level& level = level_of(step, pyramid);
    const auto blocks = static_cast<std::size_t>(grid_of(step.stage, level).blocks());
    if (times_.size() < blocks) times_ = tactus::cuda::DeviceBuffer<unsigned long long>{blocks};
    std::vector<unsigned long long> nanoseconds(blocks);
    enqueue_stage(step.stage, level, buffers.data, stream.get(), times_.data());
    check(cudaMemcpyAsync(nanoseconds.data(), times_.data(), blocks * sizeof nanoseconds[0],
                          cudaMemcpyDefault, stream.get()),
          "cannot copy");
    stream.synchronize();
    std::vector<tactus::Duration> times;
    for (const unsigned long long time : nanoseconds) times.emplace_back(static_cast<std::int64_t>(time));
    return times;
  }
  void bind_kernel(tactus::Runtime& runtime, const std::string& task, const std::string& node, Stage stage,
                   const Level& level, DataOfJob data_of) override {
    runtime.bind(task, node, [stage, level, data_of = std::move(data_of)](tactus::cuda::Job& job) {
      enqueue_stage(stage, level, data_of(job), job.stream());
    });
  }

 private:
  /// The engine polls: a core that sleeps may be woken up milliseconds late.
  static tactus::CudaOptions options() {
    tactus::CudaOptions options;
    options.spin = tactus::device::always_spins;
    options.own_streams = 128;  // for the levels of six frames and more at once
    return options;
  }

  // Before anything else uses CUDA, since it sets how many queues the GPU has.
  std::unique_ptr<tactus::device::Device> device_ = tactus::cuda_device(options());
  StreamPool streams_;
  TimedEvent begin_;
  TimedEvent end_;
  tactus::cuda::DeviceBuffer<unsigned long long> times_;
};

}  // namespace

std::unique_ptr<Accelerator> make_cuda_accelerator() { return std::make_unique<CudaAccelerator>(); }

}  // namespace hog
