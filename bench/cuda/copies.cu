// Copies: alone, beside a long copy that is whole or in chunks, and the order of a copy engine.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "chunked_copy.hpp"
#include "probe.hpp"
#include "tactus/device/cuda/completion.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/memory.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::probe {

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
constexpr std::size_t long_copy = 256 * mib;

struct Stage {
  cuda::Stream low = cuda::make_stream(cuda::stream_priorities().least_urgent);
  cuda::Stream urgent = cuda::make_stream(cuda::stream_priorities().most_urgent);
  cuda::PinnedBuffer<std::byte> host{long_copy};
  cuda::DeviceBuffer<std::byte> device{long_copy};
  cuda::PinnedBuffer<std::byte> small_host{64 * mib};
  cuda::DeviceBuffer<std::byte> small_device{64 * mib};
  cuda::CompletionWords words{1};
  std::mt19937 random{11};
};

std::string size_text(std::size_t bytes) {
  return bytes >= mib ? std::to_string(bytes / mib) + " MiB" : std::to_string(bytes / kib) + " KiB";
}

void copy_some(Stage& stage, bool to_device, std::size_t offset, std::size_t bytes, cudaStream_t stream) {
  std::byte* const there = stage.device.data() + offset;
  std::byte* const here = stage.host.data() + offset;
  cuda::check(to_device ? cudaMemcpyAsync(there, here, bytes, cudaMemcpyHostToDevice, stream)
                        : cudaMemcpyAsync(here, there, bytes, cudaMemcpyDeviceToHost, stream),
              "cannot copy");
}

/// Of one urgent copy: from the call until the host knows its end.
double urgent_copy_us(Stage& stage, bool to_device, std::size_t bytes, unsigned value) {
  cudaStream_t stream = stage.urgent.get();
  const double begin = now_us();
  cuda::check(to_device ? cudaMemcpyAsync(stage.small_device.data(), stage.small_host.data(), bytes,
                                          cudaMemcpyHostToDevice, stream)
                        : cudaMemcpyAsync(stage.small_host.data(), stage.small_device.data(), bytes,
                                          cudaMemcpyDeviceToHost, stream),
              "cannot copy");
  stage.words.signal(stream, 0, value);
  while (stage.words.value(0) != value) {
  }
  return now_us() - begin;
}

void measure_alone(Stage& stage) {
  unsigned value = stage.words.value(0);
  for (const bool to_device : {true, false}) {
    for (const std::size_t bytes : {4 * kib, 64 * kib, 256 * kib, 1 * mib, 4 * mib, 16 * mib, 64 * mib}) {
      std::vector<double> times;
      const int repetitions = bytes > 4 * mib ? 100 : 1000;
      for (int i = 0; i < repetitions; ++i) times.push_back(urgent_copy_us(stage, to_device, bytes, ++value));
      print_samples("copy", size_text(bytes) + (to_device ? " to device, alone" : " to host, alone"), times);
    }
  }
}

void measure_beside(Stage& stage, const std::string& what, bool to_device, bool urgent_to_device,
                    std::size_t bytes, std::size_t chunk, unsigned ahead) {
  constexpr int repetitions = 150;
  std::uniform_real_distribution<double> wait{100.0, 2500.0};
  std::vector<double> urgent;
  std::vector<double> whole;
  unsigned value = stage.words.value(0);
  ChunkedCopy copy{{.bytes = chunk, .ahead = ahead}};
  for (int i = 0; i < repetitions; ++i) {
    copy.begin(to_device ? stage.device.data() : stage.host.data(),
               to_device ? stage.host.data() : stage.device.data(), long_copy,
               to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stage.low.get());
    const double begin = now_us();
    const double moment = begin + wait(stage.random);
    bool running = true;
    while (now_us() < moment) running = !copy.advance();
    if (running) urgent.push_back(urgent_copy_us(stage, urgent_to_device, bytes, ++value));
    while (!copy.advance()) {
    }
    whole.push_back(now_us() - begin);
  }
  print_samples("copy", what + ": urgent copy of " + size_text(bytes), urgent);
  print_samples("copy", what + ": the long copy, 256 MiB", whole);
}

/// All chunks of the long copy are in the stream at once.
void measure_beside_plain_queue(Stage& stage, std::size_t bytes, std::size_t chunk) {
  std::uniform_real_distribution<double> wait{100.0, 2500.0};
  std::vector<double> urgent;
  std::vector<double> whole;
  unsigned value = stage.words.value(0);
  for (int i = 0; i < 100; ++i) {
    const double begin = now_us();
    for (std::size_t sent = 0; sent < long_copy; sent += chunk)
      copy_some(stage, true, sent, chunk, stage.low.get());
    const double moment = begin + wait(stage.random);
    while (now_us() < moment) {
    }
    urgent.push_back(urgent_copy_us(stage, true, bytes, ++value));
    stage.low.synchronize();
    whole.push_back(now_us() - begin);
  }
  const std::string what = "beside all chunks of " + size_text(chunk) + " with nothing between them";
  print_samples("copy", what + ": urgent copy of " + size_text(bytes), urgent);
  print_samples("copy", what + ": the long copy, 256 MiB", whole);
}

/// Two streams with many copies each, submitted one stream after the other: do their copies alternate?
void measure_order(Stage& stage, int first_priority, int second_priority) {
  constexpr std::size_t count = 32;
  constexpr std::size_t chunk = mib;
  const cuda::Stream streams[2] = {cuda::make_stream(first_priority), cuda::make_stream(second_priority)};
  std::vector<cudaEvent_t> events(2 * count + 1);
  for (cudaEvent_t& event : events) cuda::check(cudaEventCreate(&event), "cannot create an event");
  cuda::check(cudaEventRecord(events.back(), streams[0].get()), "cannot record");
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t i = 0; i < count; ++i) {
      copy_some(stage, true, (s * count + i) * chunk, chunk, streams[s].get());
      cuda::check(cudaEventRecord(events[s * count + i], streams[s].get()), "cannot record");
    }
  }
  cuda::check(cudaDeviceSynchronize(), "failed");
  std::vector<std::pair<float, char>> ends;
  for (std::size_t i = 0; i < 2 * count; ++i) {
    float time = 0;
    cuda::check(cudaEventElapsedTime(&time, events.back(), events[i]), "cannot read a time");
    ends.emplace_back(time, i < count ? 'a' : 'b');
  }
  std::sort(ends.begin(), ends.end());
  std::string order;
  for (const auto& [time, stream] : ends) order += stream;
  for (const cudaEvent_t event : events) cudaEventDestroy(event);
  print_text("copy",
             "order of 32 + 32 copies of 1 MiB, priorities " + std::to_string(first_priority) + " and " +
                 std::to_string(second_priority),
             order);
}

}  // namespace

void measure_copies() {
  Stage stage;
  measure_alone(stage);
  for (const std::size_t bytes : {4 * kib, 1 * mib}) {
    measure_beside(stage, "beside one piece", true, true, bytes, long_copy, 1);
    measure_beside(stage, "beside one piece the other way", false, true, bytes, long_copy, 1);
    for (const std::size_t chunk : {256 * kib, 1 * mib, 4 * mib}) {
      measure_beside(stage, "beside all chunks of " + size_text(chunk), true, true, bytes, chunk, 1U << 30);
      measure_beside(stage, "beside chunks of " + size_text(chunk) + ", 2 at a time", true, true, bytes,
                     chunk, 2);
    }
    measure_beside(stage, "beside chunks of 1 MiB, 1 at a time", true, true, bytes, mib, 1);
  }
  for (const std::size_t chunk : {256 * kib, 1 * mib, 4 * mib}) measure_beside_plain_queue(stage, mib, chunk);
  const cuda::PriorityRange range = cuda::stream_priorities();
  measure_order(stage, range.least_urgent, range.least_urgent);
  measure_order(stage, range.least_urgent, range.most_urgent);
}

}  // namespace tactus::probe
