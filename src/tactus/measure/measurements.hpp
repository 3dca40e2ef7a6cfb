// The measurements that a device supports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/base/watch.hpp"
#include "tactus/device/device.hpp"
#include "tactus/measure/kernel_measurement.hpp"
#include "tactus/measure/measure_overheads.hpp"

namespace tactus::measure {

/// A device of this machine.
struct FoundDevice {
  std::string name;   // as reported by the driver
  Platform platform;  // with its preset, if there is an equal one
};

/// Measured without a scheduler.
struct BareSummaries {
  SampleSummary launch;
  SampleSummary completion;
};

struct OverheadReport {
  std::string device;
  bool threads_stand_in = false;  // instead of a GPU: nothing was measured on one
  Platform platform;              // the one measured, or the base; with the copy bandwidth if found
  MeasuredOverheads measured;
  std::optional<BareSummaries> bare;
  std::vector<LaunchesBeside> launches;  // empty where nothing is launched
};

struct CopyQuestion {
  std::vector<std::int64_t> bytes;
  int samples = 200;  // of each size and direction
};

/// Unsupported measurements are null. FailureError when the device is missing or fails.
struct Measurements {
  FoundDevice (*find)() = nullptr;
  /// `base`: the platform that the result is about, instead of this machine's. The platform of the question
  /// is filled in.
  OverheadReport (*overheads)(device::Device& device, const std::optional<Platform>& base,
                              OverheadQuestion question, const MarginRule& rule) = nullptr;
  std::vector<KernelMeasurement> (*kernels)(const KernelQuestion& question, const Watch& watch) = nullptr;
  std::vector<CopyPoint> (*copies)(const CopyQuestion& question, const Watch& watch) = nullptr;
};

/// For threads of this machine that act as a GPU.
extern const Measurements host_measurements;

}  // namespace tactus::measure
