// Runs a system whose tasks are cameras.
#pragma once

#include <tactus/runtime.hpp>
#include <vector>

#include "camera.hpp"
#include "settings.hpp"

namespace hog {

struct CameraResult {
  std::vector<tactus::Duration> responses;  // of all jobs that were done, in this order
  Found found;
};

struct RunResult {
  tactus::RunReport report;
  std::vector<CameraResult> cameras;  // by task
};

/// InputError when the system has nodes that are not of this program, or kernels of another size.
RunResult run_cameras(Accelerator& accelerator, const Vision& vision, tactus::System system,
                      const Settings& settings);

}  // namespace hog
