// Logs of the CUDA Scheduling Examiner: which block of which kernel ran on which SM from when to when on a
// real GPU. And the same kernels on the simulated one, block by block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"

namespace tactus::test {

struct LoggedBlock {
  std::int32_t sm = 0;
  Time start{};
  Time end{};
};

struct LoggedKernel {
  std::string name;
  std::int64_t threads = 0;  // of a block
  std::int64_t shared_memory = 0;
  Duration block_time{};  // as configured
  Time called{};          // the launch
  Time arrived{};         // its call returned
  std::vector<LoggedBlock> blocks;
};

/// The kernels of a configuration and of the logs beside it, one launch each, in the order of the
/// configuration. InputError when a file is missing or says something else.
std::vector<LoggedKernel> read_logs(const std::string& configuration);

/// The kernels on a platform: each is released once, when its launch had returned.
System system_of(const std::vector<LoggedKernel>& kernels, const std::string& platform);

/// A block in the log and its twin in the simulation: the next one of that kernel on that SM.
struct BlockPair {
  std::string kernel;
  LoggedBlock logged;     // from the first start of all on
  LoggedBlock simulated;  // likewise
  [[nodiscard]] Duration difference() const;
};

struct LogComparison {
  /// From the first call of a launch to the first start of a block: so much of the log's times is not the
  /// GPU's schedule.
  Duration start_offset{};
  std::vector<BlockPair> blocks;
  /// Kernels of which another number of blocks ran on an SM than in the simulation.
  std::vector<std::string> elsewhere;
  [[nodiscard]] Duration largest_difference() const;
  /// Every block ran on its SM, and none starts or ends further from its twin than the start offset.
  [[nodiscard]] bool agrees() const;
};

LogComparison compare_with_simulation(const std::vector<LoggedKernel>& kernels, const std::string& platform);

}  // namespace tactus::test
