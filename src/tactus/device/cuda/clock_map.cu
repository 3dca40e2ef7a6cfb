#include "tactus/device/cuda/clock_map.hpp"

#include <atomic>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/memory.hpp"
#include "tactus/device/cuda/sm_clock.cuh"

namespace tactus::cuda {

namespace {

constexpr unsigned questions = 300;
constexpr unsigned long long patience_ns = 200'000'000;

/// In host memory, on separate cache lines.
struct Exchange {
  alignas(64) unsigned asked;
  alignas(64) unsigned answered;
  unsigned long long time;
};

__global__ void answer_questions(Exchange* exchange) {
  for (unsigned i = 1; i <= questions; ++i) {
    const unsigned long long begin = global_time();
    while (*static_cast<volatile unsigned*>(&exchange->asked) != i) {
      if (global_time() - begin > patience_ns) return;
    }
    *static_cast<volatile unsigned long long*>(&exchange->time) = global_time();
    __threadfence_system();
    *static_cast<volatile unsigned*>(&exchange->answered) = i;
  }
}

}  // namespace

ClockPair compare_clocks(cudaStream_t stream) {
  const PinnedBuffer<Exchange> memory{1};
  Exchange& exchange = *memory.data();
  const std::atomic_ref<unsigned> asked{exchange.asked};
  const std::atomic_ref<unsigned> answered{exchange.answered};
  answer_questions<<<1, 1, 0, stream>>>(&exchange);
  check(cudaGetLastError(), "cannot compare the clocks");
  ClockPair best;
  best.uncertainty = Duration::max();
  for (unsigned i = 1; i <= questions; ++i) {
    const HostInstant before = host_now();
    asked.store(i, std::memory_order_release);
    while (answered.load(std::memory_order_acquire) != i) {
      if (host_now() - before > nanoseconds(patience_ns))
        throw FailureError{"CUDA: cannot compare the clocks"};
    }
    const HostInstant after = host_now();
    const Duration half = (after - before) / 2;
    if (half >= best.uncertainty) continue;
    best = {before + half, exchange.time, half};
  }
  check(cudaStreamSynchronize(stream), "cannot compare the clocks");
  return best;
}

HostInstant ClockMap::host(std::uint64_t device) const {
  const auto since = static_cast<std::int64_t>(device - first_.device);
  const auto device_length = static_cast<std::int64_t>(last_.device - first_.device);
  const std::int64_t host_length = in_ns(last_.host - first_.host);
  if (device_length == 0) return first_.host + nanoseconds(since);
  const Int128 scaled = static_cast<Int128>(since) * host_length / device_length;
  return first_.host + nanoseconds(static_cast<std::int64_t>(scaled));
}

}  // namespace tactus::cuda
