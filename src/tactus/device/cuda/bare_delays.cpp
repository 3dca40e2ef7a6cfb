#include "tactus/device/cuda/bare_delays.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/clock_map.hpp"
#include "tactus/device/cuda/completion.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/memory.hpp"
#include "tactus/device/cuda/partition.hpp"
#include "tactus/device/cuda/stamped_kernel.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::cuda {

namespace {

constexpr int warm_up = 20;
constexpr Duration patience = std::chrono::seconds{5};

HostInstant wait_for(const CompletionWords& words, unsigned value) {
  const HostInstant begin = host_now();
  for (unsigned looks = 1; words.value(0) != value; ++looks) {
    if (looks % 1024 != 0 || host_now() - begin < patience) continue;
    check(cudaGetLastError(), "a measurement failed");
    throw FailureError{"CUDA: nothing was heard of a measurement for too long"};
  }
  return host_now();
}

/// From 20 to 400 us: varied, but short enough that the device does not enter a sleep state.
void pause(int sample) { std::this_thread::sleep_for(std::chrono::microseconds{20 + sample * 37 % 380}); }

struct Launched {
  HostInstant submitted{};
  HostInstant known{};
};

}  // namespace

BareDelays measure_bare_delays(int device, int samples, const Watch& watch) {
  check(cudaSetDevice(device), "cannot use the device");
  constexpr std::array part_sizes{16};
  const Partitions partitions{device, part_sizes};
  const int sms = partition_granularity(device, Coscheduling::ignored).sms;
  const std::array<Stream, 3> streams{make_stream(), make_stream(stream_priorities().most_urgent),
                                      partitions[0].make_stream()};
  const std::array<int, 3> stream_sms{sms, sms, partitions[0].sms()};
  const CompletionWords words{1};
  const auto launches = static_cast<std::size_t>(samples + warm_up);
  const StampedKernel kernel{launches};
  std::vector<Launched> launched;
  launched.reserve(launches);

  const ClockPair first = compare_clocks(streams[0].get());
  for (std::size_t i = 0; i < launches && !watch.stopped(); ++i) {
    const std::size_t which = i / 2 % streams.size();
    pause(static_cast<int>(i % 1000));
    const auto value = static_cast<unsigned>(i + 1);
    Launched one;
    one.submitted = host_now();
    kernel.enqueue(i, stream_sms[which], streams[which].get());
    words.signal(streams[which].get(), 0, value);
    one.known = wait_for(words, value);
    launched.push_back(one);
  }
  const ClockMap clocks{first, compare_clocks(streams[0].get())};

  BareDelays delays;
  delays.uncertainty = clocks.uncertainty();
  const std::vector<StampedKernel::Span> spans = kernel.spans();
  for (std::size_t i = warm_up; i < launched.size(); ++i) {
    delays.launch.push_back(std::max(clocks.host(spans[i].begin) - launched[i].submitted, Duration{}));
    delays.completion.push_back(std::max(launched[i].known - clocks.host(spans[i].end), Duration{}));
  }
  return delays;
}

CopyDelays measure_copies(std::size_t bytes, int samples, const Watch& watch) {
  const Stream stream = make_stream();
  const CompletionWords words{1};
  const PinnedBuffer<std::byte> here{bytes};
  const DeviceBuffer<std::byte> there{bytes};
  CopyDelays delays;
  delays.bytes = bytes;
  unsigned value = 0;
  for (int i = -warm_up; i < samples && !watch.stopped(); ++i) {
    for (const bool to_device : {true, false}) {
      const HostInstant submitted = host_now();
      check(to_device
                ? cudaMemcpyAsync(there.data(), here.data(), bytes, cudaMemcpyHostToDevice, stream.get())
                : cudaMemcpyAsync(here.data(), there.data(), bytes, cudaMemcpyDeviceToHost, stream.get()),
            "cannot copy");
      words.signal(stream.get(), 0, ++value);
      const Duration time = wait_for(words, value) - submitted;
      if (i >= 0) (to_device ? delays.to_device : delays.from_device).push_back(time);
    }
  }
  return delays;
}

}  // namespace tactus::cuda
