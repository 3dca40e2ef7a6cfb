#include "tactus/device/cuda/copy_chunks.hpp"

#include <algorithm>

#include "tactus/base/exact.hpp"

namespace tactus::cuda {

namespace {

constexpr std::int64_t min_bytes = 4;
constexpr std::int64_t second = 1'000'000'000;

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

}  // namespace tactus::cuda
