// A system that is run on the GPU by the executive.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/recording.hpp"
#include "tactus/base/error.hpp"
#include "tactus/cuda/device.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/runtime/executive.hpp"

namespace tactus::cuda {

/// The text of a system file behind its first line.
inline System system_from(const std::string& text) {
  ReadResult result = read_system("tactus: 1\n" + text, "test.yaml");
  if (!result.system) throw InputError{std::move(result.problems)};
  return std::move(*result.system);
}

/// A task `a` on SMs of its own, beside best-effort work on others.
inline System beside_load(int sms, int own, int others, const std::string& a) {
  return system_from(fmt::format(R"(
platform: {{base: h200, gpu: {{sms: {}, virtual_sms_per_sm: 1}}}}
policy: {{strategy: federated, virtual_sms: {{a: {}, load: {}}}}}
tasks:
  - {{name: a, {}}}
  - {{name: load, arrival: best-effort, kernel: {{grid: {}, block: 1024, block_time: 100us}}}}
)",
                                 sms, own, others, a, 8 * others));
}

/// SCHED_FIFO threads that are busy would hinder other tests.
inline CudaOptions plain_options() {
  CudaOptions options;
  options.real_time = false;
  return options;
}

/// A function that enqueues GPU work.
template <class Function>
device::Binding calls(Function function) {
  return {.kind = device::Binding::Kind::calls,
          .work = [function](tactus::Job& job) { function(static_cast<Job&>(job)); }};
}

/// The same for a function that is captured before the run.
template <class Function>
device::Binding captured(Function function) {
  device::Binding binding = calls(function);
  binding.captured = true;
  return binding;
}

class DeviceRun {
 public:
  explicit DeviceRun(System given, const CudaOptions& options = plain_options())
      : system{std::move(given)}, device{cuda_device(options)} {
    for (const Task& task : system.tasks) bindings.emplace_back(task.work.nodes.size());
  }

  void run(Duration horizon) {
    runtime::ExecutiveOptions options;
    options.horizon = horizon;
    options.max_pending = 256;
    options.bindings = &bindings;
    options.watchdog = std::chrono::seconds{20};
    std::array<trace::Observer*, 1> observers{&recorder};
    outcome = runtime::Executive{system, *device, options, observers}.run();
  }

  [[nodiscard]] std::uint64_t released(TaskIndex task) const {
    const auto& all = recorder.recording.releases;
    return static_cast<std::uint64_t>(
        std::count_if(all.begin(), all.end(), [&](const auto& one) { return one.job.task == task; }));
  }
  [[nodiscard]] std::uint64_t completed(TaskIndex task) const {
    const auto& all = recorder.recording.ends;
    return static_cast<std::uint64_t>(std::count_if(all.begin(), all.end(), [&](const auto& one) {
      return one.job.task == task && one.completion != never;
    }));
  }
  [[nodiscard]] std::uint64_t operations(TaskIndex task) const {
    const auto& all = recorder.recording.operations;
    return static_cast<std::uint64_t>(
        std::count_if(all.begin(), all.end(), [&](const auto& one) { return one.job.task == task; }));
  }

  System system;
  device::Bindings bindings;
  std::unique_ptr<device::Device> device;
  test::Recorder recorder{test::Recorder::Blocks::wanted};
  runtime::Outcome outcome;
};

}  // namespace tactus::cuda
