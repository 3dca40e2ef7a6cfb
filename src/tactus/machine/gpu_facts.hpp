// Facts about the GPUs of this machine, from three sources: CUDA (in builds that have it), nvidia-smi, and
// the control pipe of MPS. Nothing is set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::machine {

/// What CUDA says about one device.
struct GpuDevice {
  std::string name;
  std::int32_t sms = 0;
  std::int32_t priority_levels = 0;
  std::int32_t copy_engines = 0;
  std::optional<std::int32_t> partition_granularity;  // fewest SMs of a partition; none: not asked

  friend bool operator==(const GpuDevice&, const GpuDevice&) = default;
};

/// What CUDA says about all of them.
struct CudaFacts {
  std::optional<int> version;      // newest CUDA the driver serves, as CUDA counts: 13000; none: no driver
  std::vector<GpuDevice> devices;  // those of index 0, 1, ... as a program sees them
  std::optional<std::string> failure;  // the driver is there and does not answer

  friend bool operator==(const CudaFacts&, const CudaFacts&) = default;
};

/// What nvidia-smi says about one board; what it does not know is missing.
struct GpuBoard {
  std::string name;
  std::string driver;  // "580.65.06"
  std::optional<bool> persistence;
  std::optional<std::int64_t> sm_clock_mhz;
  std::optional<std::int64_t> max_sm_clock_mhz;
  std::string compute_mode;   // "Default", "Exclusive_Process", "Prohibited"
  std::optional<bool> split;  // into instances (MIG)

  friend bool operator==(const GpuBoard&, const GpuBoard&) = default;
};

struct GpuFacts {
  std::optional<CudaFacts> cuda;                // none: this build has no CUDA
  std::optional<std::vector<GpuBoard>> boards;  // none: nvidia-smi is not there or does not answer
  std::optional<int> processes;                 // that compute on the GPUs; none: not known
  bool mps = false;                             // its control pipe is there

  friend bool operator==(const GpuFacts&, const GpuFacts&) = default;
};

/// The fields that `parse_boards` expects, as nvidia-smi --query-gpu wants them.
std::string_view board_fields();
/// The lines of --format=csv,noheader,nounits. A line that has not all fields is left out.
std::vector<GpuBoard> parse_boards(std::string_view csv);

/// Green contexts have streams since this version.
inline constexpr int first_cuda_with_partitions = 12050;

/// "13.0" from CUDA's 13000.
std::string cuda_version_text(int version);

/// All but the part from CUDA.
GpuFacts read_gpu_facts();

}  // namespace tactus::machine
