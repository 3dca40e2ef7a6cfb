// Facts about the GPUs of this machine, from three sources: CUDA (in builds that have it), nvidia-smi, and
// the control pipe of MPS. Read only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::machine {

/// What CUDA reports about one device.
struct GpuDevice {
  std::string name;
  std::int32_t sms = 0;
  std::int32_t priority_levels = 0;
  std::int32_t copy_engines = 0;
  std::optional<std::int32_t> partition_granularity;  // smallest SM partition; none: not asked

  friend bool operator==(const GpuDevice&, const GpuDevice&) = default;
};

/// What CUDA reports about all devices.
struct CudaFacts {
  std::optional<int> version;      // newest that the driver supports, as CUDA counts: 13000; none: no driver
  std::vector<GpuDevice> devices;  // by device index, as a program sees them
  std::optional<std::string> failure;  // the driver is present but returns an error

  friend bool operator==(const CudaFacts&, const CudaFacts&) = default;
};

/// What nvidia-smi reports about one board; unknown values are missing.
struct GpuBoard {
  std::string name;
  std::string driver;  // "580.65.06"
  std::optional<bool> persistence;
  std::optional<std::int64_t> sm_clock_mhz;
  std::optional<std::int64_t> max_sm_clock_mhz;
  std::string compute_mode;   // "Default", "Exclusive_Process", "Prohibited"
  std::optional<bool> split;  // into MIG instances

  friend bool operator==(const GpuBoard&, const GpuBoard&) = default;
};

struct GpuFacts {
  std::optional<CudaFacts> cuda;                // none: this build has no CUDA
  std::optional<std::vector<GpuBoard>> boards;  // none: nvidia-smi is missing or fails
  std::optional<int> processes;                 // compute processes on the GPUs; none: unknown
  bool mps = false;                             // the control pipe of MPS exists

  friend bool operator==(const GpuFacts&, const GpuFacts&) = default;
};

/// The fields that `parse_boards` expects, for nvidia-smi --query-gpu.
std::string_view board_fields();
/// Parses the output of --format=csv,noheader,nounits. Incomplete lines are skipped.
std::vector<GpuBoard> parse_boards(std::string_view csv);

/// The first version in which green contexts have streams.
inline constexpr int first_cuda_with_partitions = 12050;

/// "13.0" for CUDA's 13000.
std::string cuda_version_text(int version);

/// All facts except those from CUDA.
GpuFacts read_gpu_facts();

}  // namespace tactus::machine
