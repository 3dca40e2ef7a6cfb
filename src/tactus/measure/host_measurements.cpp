#include <algorithm>
#include <memory>

#include "tactus/base/threads.hpp"
#include "tactus/measure/measurements.hpp"

namespace tactus::measure {

namespace {

/// This machine as a platform: every CPU can run one block of a bound kernel at a time.
Platform host_platform() {
  const auto cpus = static_cast<std::int32_t>(std::max<std::size_t>(1, available_cpus().size()));
  Platform platform;
  platform.clusters = {cpus};
  platform.gpu.sms = cpus;
  return platform;
}

OverheadReport host_overheads(device::Device& device, const std::optional<Platform>& base,
                              OverheadQuestion question, const MarginRule& /*rule*/) {
  OverheadReport report;
  report.device = "host";
  report.threads_stand_in = true;
  report.platform = base ? *base : host_platform();
  question.platform = report.platform;
  question.platform.clusters = {1};  // the measurement uses one core
  // The host device copies exactly as fast as its platform says.
  constexpr std::int64_t any_bandwidth = 10'000'000'000;
  if (!question.platform.gpu.copy_bandwidth) question.platform.gpu.copy_bandwidth = any_bandwidth;
  const std::unique_ptr<StampedWork> work = make_host_work();
  report.measured = measure_overheads(device, *work, question);
  return report;
}

}  // namespace

const Measurements host_measurements{.overheads = &host_overheads};

}  // namespace tactus::measure
