// The machine: CPU cores, a GPU, and the delays it adds.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus {

/// Which SM takes the next block (docs/format.md, `sm_choice`).
enum class SmChoice : std::uint8_t { most_free, first_fit, best_fit, round_robin };

struct Gpu {
  std::int32_t sms = 1;
  std::int32_t threads_per_sm = 2048;
  std::int32_t blocks_per_sm = 32;
  std::int64_t shared_memory_per_sm = 64 * 1024;  // bytes
  std::int64_t registers_per_sm = 65536;
  // How blocks are given what they ask for (block_demand); as asked where nothing is known.
  std::int64_t shared_memory_unit = 1;      // bytes; a block takes whole units
  std::int64_t shared_memory_reserved = 0;  // bytes that every block takes beyond its own
  std::int64_t register_unit = 1;           // a warp takes whole units
  std::int32_t register_files = 1;          // equal parts of an SM's registers; a warp takes its own of one
  std::int32_t warp = 32;                   // threads
  std::int32_t priority_levels = 2;         // stream priorities 0 .. -(priority_levels - 1)
  std::int32_t copy_engines = 1;
  std::int32_t virtual_sms_per_sm = 2;
  std::int32_t parts_per_sm = 1;  // SMs of the model that one SM of the device is
  SmChoice sm_choice = SmChoice::most_free;
  std::optional<std::int64_t> copy_bandwidth;  // bytes a second; needed for copies given in bytes
  std::optional<std::int64_t>
      copy_chunk;  // the most bytes of a piece of a copy, where copies are served by node

  friend bool operator==(const Gpu&, const Gpu&) = default;
};

/// What the thread needs that handles events and makes submissions, as upper bounds. Where it needs time, it
/// drains all events, then makes one submission, the most urgent one, and begins anew.
struct EngineTime {
  Duration event{};   // to handle one event
  Duration submit{};  // to make one submission; a task may need another time (`Task::enqueue`)

  friend bool operator==(const EngineTime&, const EngineTime&) = default;
};

/// What a job takes beyond its work when the GPU's own clock releases it (Dispatch::resident).
struct ResidentTime {
  Duration release{};     // from the release to the start of its work
  Duration completion{};  // from the end of its work until the end is noted, on the device

  friend bool operator==(const ResidentTime&, const ResidentTime&) = default;
};

/// The same for work that a word in memory starts, instead of a launch (Dispatch::doorbell).
struct DoorbellTime {
  Duration launch{};      // from the submission to the start of the work
  Duration completion{};  // from its end until the scheduler knows

  friend bool operator==(const DoorbellTime&, const DoorbellTime&) = default;
};

/// Delays that the machine adds, as upper bounds.
struct Overheads {
  Duration release{};     // timer lateness: until the scheduler sees a release
  Duration launch{};      // from the submission of GPU work to its arrival in the stream
  Duration completion{};  // from the end of GPU work until the scheduler knows
  Duration copy{};        // added to every copy
  Duration cpu{};         // added to every CPU segment: until its thread runs, and until its end is known
  EngineTime engine{};
  std::optional<ResidentTime> resident{};  // nothing: as long as for launched work
  std::optional<DoorbellTime> doorbell{};  // nothing: as long as for launched work

  friend bool operator==(const Overheads&, const Overheads&) = default;
};

/// Consecutive CPU cores: those that share a ready queue (one, a cluster, or all), or those that are alike.
struct Cores {
  std::int32_t first = 0;
  std::int32_t count = 1;

  /// One behind the last.
  [[nodiscard]] constexpr std::int32_t end() const { return first + count; }
  friend bool operator==(const Cores&, const Cores&) = default;
};

struct Platform {
  std::string preset;                     // the preset it was built from; empty for none
  std::vector<std::int32_t> clusters{1};  // CPU cores of each cluster
  Gpu gpu;
  Overheads overheads;

  [[nodiscard]] std::int64_t cpus() const {
    return std::accumulate(clusters.begin(), clusters.end(), std::int64_t{0});
  }
  friend bool operator==(const Platform&, const Platform&) = default;
};

}  // namespace tactus
