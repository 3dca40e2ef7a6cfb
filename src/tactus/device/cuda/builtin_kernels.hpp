// Built-in kernels for runs and measurements without user code: the five synthetic kernels of RTGPU (section
// 4.1), each of which loads a different part of an SM, and one that only spins.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "tactus/base/time.hpp"
#include "tactus/device/cuda/block_loop.hpp"
#include "tactus/device/cuda/memory.hpp"

namespace tactus::cuda {

enum class BuiltinKernel : std::uint8_t { compute, branch, memory, special_function, comprehensive, spin };

inline constexpr BuiltinKernel builtin_kernels[] = {
    BuiltinKernel::compute,          BuiltinKernel::branch,        BuiltinKernel::memory,
    BuiltinKernel::special_function, BuiltinKernel::comprehensive, BuiltinKernel::spin};

/// "compute", "branch", "memory", "special-function", "comprehensive", "spin".
std::string_view name_of(BuiltinKernel kernel);
std::optional<BuiltinKernel> find_builtin_kernel(std::string_view name);

/// The data that the kernels read. Must exist before the first launch and outlive all launches; kernels and
/// streams may share it.
class BuiltinData {
 public:
  BuiltinData();
  [[nodiscard]] float* vector() const { return vector_.data(); }
  [[nodiscard]] unsigned long long* longest_block() const { return longest_block_.data(); }

 private:
  DeviceBuffer<float> vector_;
  DeviceBuffer<unsigned long long> longest_block_;
};

/// One launch. `amount` is the work of a block: iterations, or nanoseconds for `spin`.
struct BuiltinLaunch {
  BuiltinKernel kernel = BuiltinKernel::spin;
  std::uint64_t amount = 0;
  dim3 grid;  // of the launch
  unsigned threads = 1024;
  /// Bytes of dynamic shared memory of a block. The kernels do not use it; it limits how many blocks share an
  /// SM.
  std::size_t shared_memory = 0;
  /// Records the length of the longest block in longest_block() of the data, in nanoseconds of the device's
  /// clock.
  bool timed = false;
  /// In device memory: the amount of each GPU segment, for a loop of a task with several. Null: `amount`.
  const std::uint64_t* amounts = nullptr;
};

/// Loads a kernel, so that its first launch is not slower than later ones, and allows it as much shared
/// memory as a block can have.
void prepare_builtin(BuiltinKernel kernel);

/// As a plain grid.
void launch_builtin(const BuiltinLaunch& launch, const BuiltinData& data, cudaStream_t stream);
/// Pinned, interleaved or preemptible, as the loop says.
void launch_builtin(const BuiltinLaunch& launch, const BlockLoop& loop, const BuiltinData& data,
                    cudaStream_t stream);

/// How many blocks with this many threads and bytes of shared memory an SM holds at once.
int resident_blocks_per_sm(BuiltinKernel kernel, unsigned threads, std::size_t shared_memory = 0);

/// The longest block over `repetitions` launches of a grid in which each of `sms` SMs holds `blocks_per_sm`
/// blocks. Blocks until they have ended.
Duration measure_builtin_block(const BuiltinLaunch& launch, int repetitions, const BuiltinData& data,
                               cudaStream_t stream);

struct BuiltinCalibration {
  std::uint64_t amount = 0;
  Duration measured{};  // the longest block measured with it: at most the requested length
};

/// The amount of work for blocks of at most `block_time` in a launch like the given one, whose amount is
/// ignored. The grid should fill the SMs like later launches, because blocks that share an SM slow each other
/// down. FailureError if even the smallest amount takes longer.
BuiltinCalibration calibrate_builtin(BuiltinLaunch launch, Duration block_time, const BuiltinData& data,
                                     cudaStream_t stream);

}  // namespace tactus::cuda
