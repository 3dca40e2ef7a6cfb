#include "tactus/model/segment.hpp"

#include <algorithm>
#include <limits>

namespace tactus {

namespace {

std::int64_t in_units(std::int64_t amount, std::int64_t unit) {
  return checked_mul(ceil_div(amount, unit), unit);
}

/// What a warp takes of its SM. Of one file of several, what is left over for no further warp is shared by
/// those that fit, so that the sums of the whole SM are those of its files.
std::int64_t registers_of_warp(std::int64_t needed, const Gpu& gpu) {
  const std::int64_t taken = in_units(needed, gpu.register_unit);
  if (gpu.register_files == 1) return taken;
  const std::int64_t held = gpu.registers_per_sm / gpu.register_files / taken * gpu.register_files;
  if (held == 0) return checked_mul(taken, gpu.register_files);  // more than the SM has
  const std::int64_t share = gpu.registers_per_sm / held;
  return checked_mul(share, held + 1) > gpu.registers_per_sm ? share : share + 1;
}

std::int64_t registers_of_block(const KernelSegment& kernel, const Gpu& gpu) {
  const bool as_asked = gpu.register_unit == 1 && gpu.register_files == 1;
  if (as_asked || kernel.registers == 0) return kernel.registers;
  const std::int64_t warps = ceil_div(kernel.block, gpu.warp);
  return checked_mul(warps, registers_of_warp(ceil_div(kernel.registers, warps), gpu));
}

}  // namespace

BlockDemand block_demand(const KernelSegment& kernel, const Gpu& gpu) {
  return {.threads = in_units(kernel.block, gpu.warp),
          .shared_memory =
              in_units(checked_add(kernel.shared_memory, gpu.shared_memory_reserved), gpu.shared_memory_unit),
          .registers = registers_of_block(kernel, gpu)};
}

std::int64_t blocks_per_sm(const BlockDemand& demand, const Gpu& gpu) {
  std::int64_t fit = gpu.blocks_per_sm;
  if (demand.threads > 0) fit = std::min(fit, gpu.threads_per_sm / demand.threads);
  if (demand.shared_memory > 0) fit = std::min(fit, gpu.shared_memory_per_sm / demand.shared_memory);
  if (demand.registers > 0) fit = std::min(fit, gpu.registers_per_sm / demand.registers);
  return fit;
}

std::int64_t waves_of(const KernelSegment& kernel, const Gpu& gpu, std::int64_t sms) {
  const std::int64_t at_once = checked_mul(blocks_per_sm(block_demand(kernel, gpu), gpu), sms);
  return ceil_div(kernel.blocks(), at_once);
}

Interval gpu_time(const GpuSegment& segment, std::int64_t virtual_sms) {
  const Int128 denominator = segment.interleave.denominator();
  const Int128 overhead = segment.overhead.worst.count();
  // A valid segment has overhead <= work * interleave, so the difference is not negative.
  const Int128 parallel = static_cast<Int128>(segment.work.worst.count()) * segment.interleave.numerator() -
                          overhead * denominator;
  const Int128 share = denominator * virtual_sms;
  const Int128 most = (parallel + share - 1) / share + overhead;
  if (most > std::numeric_limits<std::int64_t>::max()) {
    throw OverflowError{"the time of GPU work leaves 64 bits of nanoseconds"};
  }
  return {Duration{segment.work.best.count() / virtual_sms}, Duration{static_cast<std::int64_t>(most)}};
}

std::optional<Duration> copy_time(std::int64_t bytes, std::int64_t bandwidth) {
  constexpr Int128 second = 1'000'000'000;
  const Int128 time = (static_cast<Int128>(bytes) * second + bandwidth - 1) / bandwidth;
  if (time > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return Duration{static_cast<std::int64_t>(time)};
}

Duration CopyChunks::time(std::int64_t piece, Duration whole) const {
  // Rounded up from the start of the copy, so that roundings do not add up.
  const auto until = [&](std::int64_t pieces) {
    return pieces >= count ? whole
                           : std::min(whole, copy_time(pieces * bytes, bandwidth).value_or(Duration::max()));
  };
  return until(piece + 1) - until(piece);
}

std::int64_t waves_of_turn(const KernelSegment& kernel, Duration turn) {
  constexpr std::int64_t most = 1'000'000;
  if (kernel.block_time.worst == Duration{}) return most;
  return std::clamp<std::int64_t>(turn / kernel.block_time.worst, 1, most);
}

CopyChunks chunks_of(const CopySegment& copy, const Gpu& gpu) {
  if (!copy.bytes || !gpu.copy_chunk || !gpu.copy_bandwidth || *copy.bytes <= *gpu.copy_chunk) return {};
  return {.count = ceil_div(*copy.bytes, *gpu.copy_chunk),
          .bytes = *gpu.copy_chunk,
          .bandwidth = *gpu.copy_bandwidth};
}

namespace {

struct DrawnTime {
  auto& operator()(auto& timed) const { return timed.time; }
  const Interval& operator()(const KernelSegment& kernel) const { return kernel.block_time; }
  Interval& operator()(KernelSegment& kernel) const { return kernel.block_time; }
  const Interval& operator()(const GpuSegment& gpu) const { return gpu.work; }
  Interval& operator()(GpuSegment& gpu) const { return gpu.work; }
};

}  // namespace

Interval drawn_time(const Segment& segment) {
  return std::visit([](const auto& one) -> Interval { return DrawnTime{}(one); }, segment);
}

Interval& drawn_time(Segment& segment) {
  return std::visit([](auto& one) -> Interval& { return DrawnTime{}(one); }, segment);
}

ServerKind server_of(const Segment& segment) {
  if (std::holds_alternative<CpuSegment>(segment)) return ServerKind::cpu;
  return std::holds_alternative<CopySegment>(segment) ? ServerKind::copy : ServerKind::gpu;
}

const char* kind_name(const Segment& segment) {
  constexpr std::array<const char*, std::variant_size_v<Segment>> names{"cpu", "copy", "kernel", "gpu",
                                                                        "exclusive"};
  return names.at(segment.index());
}

}  // namespace tactus
