#include "tactus/device/cuda/launch_contention.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "tactus/base/stopwatch.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/device/cuda/builtin_kernels.hpp"
#include "tactus/device/cuda/completion.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::cuda {

namespace {

constexpr int warm_up = 20;
const BuiltinLaunch small_launch{.kernel = BuiltinKernel::spin, .amount = 0, .grid = dim3{1}, .threads = 32};

/// Threads that enqueue small kernels, each in its own stream, until this is destroyed.
class Enqueuers {
 public:
  Enqueuers(int device, int threads, const BuiltinData& data) {
    for (int i = 0; i < threads; ++i) {
      threads_.push_back(start_thread([this, device, &data] { work(device, data); }));
    }
  }
  Enqueuers(const Enqueuers&) = delete;
  Enqueuers& operator=(const Enqueuers&) = delete;
  ~Enqueuers() {
    ending_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  /// An error shows in the measuring thread as well.
  void work(int device, const BuiltinData& data) noexcept {
    constexpr int at_once = 400;
    try {
      check(cudaSetDevice(device), "cannot use the device");
      const Stream stream = make_stream();
      while (!ending_) {
        for (int i = 0; i < at_once && !ending_; ++i) launch_builtin(small_launch, data, stream.get());
        stream.synchronize();
      }
    } catch (...) {
      ending_ = true;
    }
  }

  std::atomic<bool> ending_{false};
  std::vector<std::thread> threads_;
};

}  // namespace

std::vector<LaunchesBeside> measure_launches_beside(int device, std::span<const int> threads, int samples,
                                                    const Watch& watch) {
  check(cudaSetDevice(device), "cannot use the device");
  prepare_builtin(small_launch.kernel);
  const BuiltinData data;
  const Stream stream = make_stream(stream_priorities().most_urgent);
  const CompletionWords words{1};
  unsigned value = 0;
  std::vector<LaunchesBeside> results;
  for (const int count : threads) {
    LaunchesBeside& result = results.emplace_back(LaunchesBeside{count, {}});
    const Enqueuers enqueuers{device, count, data};
    for (int i = -warm_up; i < samples && !watch.stopped(); ++i) {
      const Stopwatch stopwatch;
      launch_builtin(small_launch, data, stream.get());
      words.signal(stream.get(), 0, ++value);
      const Duration time = stopwatch.elapsed();
      stream.synchronize();
      if (i >= 0) result.calls.push_back(time);
    }
  }
  return results;
}

}  // namespace tactus::cuda
