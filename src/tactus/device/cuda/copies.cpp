#include "tactus/device/cuda/copies.hpp"

#include <algorithm>

#include "tactus/base/exact.hpp"
#include "tactus/device/cuda/clock_map.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::cuda {

namespace {

constexpr std::int64_t kibibyte = 1024;
constexpr std::int64_t mebibyte = 1024 * kibibyte;
/// Longer copies use the buffer several times.
constexpr std::int64_t largest_buffer = 64 * mebibyte;
constexpr std::int64_t min_bytes = 4;
constexpr std::int64_t second = 1'000'000'000;

bool is_built_in_copy(const SegmentWork& work) {
  return work.is(device::OperationKind::copy) && work.is_built_in();
}

/// Large enough for the copies of known size; for others, the maximum.
std::int64_t buffer_bytes(const SegmentWorks& works) {
  std::int64_t most = 0;
  device::for_each_plan(works, [&](const SegmentWork& work) {
    if (is_built_in_copy(work)) most = std::max(most, work.bytes.value_or(largest_buffer));
  });
  return std::min(most, largest_buffer);
}

}  // namespace

std::int64_t ChunkRule::chunk_of(std::uint32_t level, bool best_effort) const {
  const bool may_be_overtaken = best_effort || level > most_urgent_level;
  return cuts && may_be_overtaken ? bytes : whole;
}

std::int64_t copy_slice_of(std::int64_t chunk_bytes) {
  constexpr std::int64_t chunks = 8;  // few enough to wait for, enough to hide the submission latency
  const std::int64_t bytes = std::max(min_bytes, chunk_bytes);
  return bytes > ChunkRule::whole / chunks ? ChunkRule::whole : chunks * bytes;
}

ChunkRule make_chunk_rule(const device::Setup& setup, std::int64_t chunk_bytes) {
  const StrategyFacts& strategy = *setup.system.policy.strategy;
  ChunkRule rule;
  rule.bytes = std::max(min_bytes, chunk_bytes);
  rule.cuts = !strategy.streams_of_tasks;
  const auto by_level = [](const sched::Lane& a, const sched::Lane& b) { return a.level < b.level; };
  const auto first = std::min_element(setup.lanes.begin(), setup.lanes.end(), by_level);
  if (first != setup.lanes.end()) rule.most_urgent_level = first->level;
  return rule;
}

std::int64_t CopySpeed::bytes_in(Duration time) const {
  if (time <= fixed) return min_bytes;
  const Int128 bytes = Int128{in_ns(time - fixed)} * bytes_per_second / second;
  return std::max(min_bytes, static_cast<std::int64_t>(std::min<Int128>(bytes, in_ns(never))));
}

std::int64_t CopySpeed::bytes_in(Duration time, std::int64_t chunk) const {
  const std::int64_t at_once = bytes_in(time);
  if (at_once <= chunk || bytes_per_second <= 0) return at_once;
  const Int128 of_chunk = Int128{chunk} * second / bytes_per_second + 1 + in_ns(fixed);
  const Int128 chunks = in_ns(time) / of_chunk;
  const auto rest = nanoseconds(static_cast<std::int64_t>(in_ns(time) - chunks * of_chunk));
  const Int128 bytes = chunks * chunk + (rest > fixed ? bytes_in(rest) : 0);
  return static_cast<std::int64_t>(std::clamp<Int128>(bytes, min_bytes, at_once));
}

std::int64_t enqueue_bytes(const MemoryCopy& copy, std::int64_t done, std::int64_t most,
                           cudaStream_t stream) {
  // CUDA derives the direction from the addresses.
  check(cudaMemcpyAsync(static_cast<std::byte*>(copy.to) + done,
                        static_cast<const std::byte*>(copy.from) + done, static_cast<std::size_t>(most),
                        cudaMemcpyDefault, stream),
        "cannot copy");
  return most;
}

Copies::Copies(const SegmentWorks& works)
    : host_{static_cast<std::size_t>(buffer_bytes(works))},
      device_{static_cast<std::size_t>(buffer_bytes(works))} {
  bool timed_there = false;
  bool timed_back = false;
  device::for_each_plan(works, [&](const SegmentWork& work) {
    if (!is_built_in_copy(work) || work.bytes) return;
    (work.from_device ? timed_back : timed_there) = true;
  });
  if (timed_there) there_ = measure(false);
  if (timed_back) back_ = measure(true);
}

void Copies::call(bool from_device, std::int64_t bytes, cudaStream_t stream) const {
  const auto size = static_cast<std::size_t>(bytes);
  if (from_device) {
    check(cudaMemcpyAsync(host_.data(), device_.data(), size, cudaMemcpyDeviceToHost, stream), "cannot copy");
  } else {
    check(cudaMemcpyAsync(device_.data(), host_.data(), size, cudaMemcpyHostToDevice, stream), "cannot copy");
  }
}

std::int64_t Copies::bytes_of(const SegmentWork& work, Duration time, std::int64_t chunk) const {
  return work.bytes ? *work.bytes : speed(work.from_device).bytes_in(time, chunk);
}

std::int64_t Copies::enqueue_some(const SegmentWork& work, std::int64_t most, cudaStream_t stream) const {
  const std::int64_t bytes = std::min(most, static_cast<std::int64_t>(host_.size()));
  if (bytes > 0) call(work.from_device, bytes, stream);
  return bytes;
}

Duration shortest_time(int tries, cudaStream_t stream, const char* on_failure,
                       const std::function<void()>& enqueue) {
  Duration shortest = Duration::max();
  for (int i = 0; i < tries; ++i) {
    const HostInstant begin = host_now();
    enqueue();
    check(cudaStreamSynchronize(stream), on_failure);
    shortest = std::min(shortest, host_now() - begin);
  }
  return shortest;
}

Duration Copies::time_of(bool from_device, std::int64_t bytes, int copies, cudaStream_t stream) const {
  return shortest_time(5, stream, "cannot measure copies", [&] {
    for (int k = 0; k < copies; ++k) call(from_device, bytes, stream);
  });
}

/// Uses differences only, so that the host time of the calls cancels out.
CopySpeed Copies::measure(bool from_device) const {
  constexpr std::int64_t small = 4 * kibibyte;
  constexpr std::int64_t large = 32 * mebibyte;
  constexpr int many = 33;
  const Stream stream = make_stream();
  const Duration one_small = time_of(from_device, small, 1, stream.get());
  const Duration many_small = time_of(from_device, small, many, stream.get());
  const Duration one_large = time_of(from_device, large, 1, stream.get());
  CopySpeed speed;
  speed.fixed = std::max(Duration{}, (many_small - one_small) / (many - 1));
  const std::int64_t difference = std::max<std::int64_t>(1, in_ns(one_large - one_small));
  speed.bytes_per_second = static_cast<std::int64_t>(Int128{large - small} * second / difference);
  return speed;
}

}  // namespace tactus::cuda
