// What `tactus measure` asks of a GPU and what it answers, in builds with CUDA and without.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/measure/kernel_measurement.hpp"
#include "tactus/measure/measure_overheads.hpp"
#include "tactus/measure/sample_summary.hpp"
#include "tactus/model/platform.hpp"

namespace tactus::cli {

/// How far it is, and whether to end early.
struct Watch {
  std::function<void(double part)> progress;
  const std::atomic<bool>* stop = nullptr;

  [[nodiscard]] bool go_on() const { return stop == nullptr || !stop->load(std::memory_order_relaxed); }
};

struct KernelQuestion {
  std::vector<std::string> kernels;
  std::vector<int> sms;               // empty: the usual ones
  std::vector<unsigned> virtual_sms;  // blocks on each SM
  std::optional<std::string> co_runner;
  unsigned blocks = 0;                  // of the largest number of threads; 0: eight for each SM
  unsigned threads = 1024;              // of a block, at most
  std::optional<std::uint64_t> amount;  // of a block; nothing: as much as takes `block_time`
  Duration block_time = std::chrono::microseconds{10};
  int samples = 200;
};

struct CopySizes {
  std::vector<std::int64_t> bytes;
  int samples = 200;
};

struct CopyPoint {
  std::int64_t bytes = 0;
  measure::SampleSummary to_device;
  measure::SampleSummary from_device;
};

/// What is seen without a scheduler.
struct BareSummaries {
  measure::SampleSummary launch;
  measure::SampleSummary completion;
};

struct CudaOverheads {
  measure::MeasuredOverheads measured;
  BareSummaries bare;
};

struct CudaPlatform {
  std::string name;   // as the driver spells it
  Platform platform;  // with the preset that equals it, if there is one
};

// All of these: InputError in a build without CUDA, FailureError without a GPU.

CudaPlatform cuda_platform();
std::vector<measure::KernelMeasurement> measure_kernels(const KernelQuestion& question, const Watch& watch);
std::vector<CopyPoint> measure_copies(const CopySizes& question, const Watch& watch);
CudaOverheads measure_cuda_overheads(device::Device& device, const measure::OverheadQuestion& question);

}  // namespace tactus::cli
