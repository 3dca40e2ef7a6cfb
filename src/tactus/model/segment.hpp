// What a job consists of: segments, each on one kind of server.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/model/interval.hpp"
#include "tactus/model/platform.hpp"

namespace tactus {

/// What CPU work takes on some of the cores.
struct CoreTime {
  Cores cores;
  Interval time;
  friend bool operator==(const CoreTime&, const CoreTime&) = default;
};

/// Time on a CPU core. Where it depends on the core, `time` follows from `by_core` and the cores that may
/// serve it (core_times.hpp).
struct CpuSegment {
  Interval time;
  std::vector<CoreTime> by_core{};
  friend bool operator==(const CpuSegment&, const CpuSegment&) = default;
};

enum class CopyDirection : std::uint8_t { unspecified, to_device, from_device };

/// A copy between host and GPU. When given in bytes, `time` was derived from the platform's bandwidth.
struct CopySegment {
  Interval time;
  std::optional<std::int64_t> bytes;
  CopyDirection direction = CopyDirection::unspecified;
  friend bool operator==(const CopySegment&, const CopySegment&) = default;
};

/// A kernel whose blocks the GPU schedules one by one.
struct KernelSegment {
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::int64_t block = 1;  // threads of a block, as launched
  Interval block_time;
  std::int64_t shared_memory = 0;  // bytes a block
  std::int64_t registers = 0;      // a block
  friend bool operator==(const KernelSegment&, const KernelSegment&) = default;

  /// Blocks of the grid; a valid model keeps the product within 64 bits.
  [[nodiscard]] std::int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
};

/// GPU work whose time depends on how many virtual SMs it gets (federated).
struct GpuSegment {
  Interval work;
  Interval overhead;
  Rational interleave{1};
  friend bool operator==(const GpuSegment&, const GpuSegment&) = default;
};

/// An opaque GPU job that occupies all of its SMs together for a time.
struct ExclusiveSegment {
  Interval time;
  friend bool operator==(const ExclusiveSegment&, const ExclusiveSegment&) = default;
};

using Segment = std::variant<CpuSegment, CopySegment, KernelSegment, GpuSegment, ExclusiveSegment>;

/// What one block takes from its SM: rules R1 to R3. Threads in whole warps, shared memory and registers as
/// the GPU gives them out.
struct BlockDemand {
  std::int64_t threads = 0;
  std::int64_t shared_memory = 0;
  std::int64_t registers = 0;
  friend bool operator==(const BlockDemand&, const BlockDemand&) = default;
};

/// Of a kernel without errors of its own; OverflowError when it leaves 64 bits.
BlockDemand block_demand(const KernelSegment& kernel, const Gpu& gpu);

/// How many such blocks one empty SM holds; 0 when a block never fits.
std::int64_t blocks_per_sm(const BlockDemand& demand, const Gpu& gpu);

/// The number of waves: how often such blocks fill `sms` (at least one) SMs until the grid is done.
std::int64_t waves_of(const KernelSegment& kernel, const Gpu& gpu, std::int64_t sms);

/// The whole waves of a kernel that fit a turn on the GPU; at least one, at most a million.
std::int64_t waves_of_turn(const KernelSegment& kernel, Duration turn);

/// What GPU work takes on so many virtual SMs, at least one (docs/analyses.md): from floor(work /
/// v), when all of it runs in parallel undisturbed, to ceil((work * interleave - overhead) / v) + overhead.
/// OverflowError when it leaves 64 bits.
Interval gpu_time(const GpuSegment& segment, std::int64_t virtual_sms);

/// Time to copy `bytes` (not negative) at `bandwidth` bytes a second, rounded up to a nanosecond; nothing
/// when it leaves 64 bits.
std::optional<Duration> copy_time(std::int64_t bytes, std::int64_t bandwidth);

/// How a copy is cut into chunks, between which more urgent copies may go.
struct CopyChunks {
  std::int64_t count = 1;
  std::int64_t bytes = 0;  // of every piece but the last, which has the rest; 0 where there is only one
  std::int64_t bandwidth = 1;

  /// The time of one piece of a copy that takes `whole`; the times of all pieces add up to it exactly.
  [[nodiscard]] Duration time(std::int64_t piece, Duration whole) const;
  friend bool operator==(const CopyChunks&, const CopyChunks&) = default;
};

/// Only a copy of more bytes than the GPU's `copy_chunk` has more than one.
CopyChunks chunks_of(const CopySegment& copy, const Gpu& gpu);

/// The time that is drawn for each job: of a kernel, that of a block; of `gpu` work, the work.
Interval drawn_time(const Segment& segment);
Interval& drawn_time(Segment& segment);

/// Who serves a segment: a CPU core, a copy engine, or SMs of the GPU.
enum class ServerKind : std::uint8_t { cpu, copy, gpu };
ServerKind server_of(const Segment& segment);

/// "cpu", "copy", "kernel", "gpu" or "exclusive": its key in a system file.
const char* kind_name(const Segment& segment);

}  // namespace tactus
