// Runs a system with Tactus on the GPU and records every job.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/device/cuda/builtin_kernels.hpp"
#include "tactus/device/device.hpp"
#include "tactus/model/system.hpp"
#include "tactus/runtime/runtime.hpp"
#include "tactus/trace/event.hpp"

namespace tactus::bench {

/// The system in a text in the format of system files; InputError when it is not valid.
System system_of(const std::string& text);

/// The CUDA device, always spinning: a sleeping core may wake up late, and plain CUDA does not sleep in these
/// experiments either.
std::unique_ptr<device::Device> make_device(cuda::BuiltinKernel kernel = cuda::BuiltinKernel::spin);

/// "{base: h200, gpu: {sms: 132}}", with the number of SMs of the GPU in use; and with what it adds, as in a
/// system file.
std::string platform_text(const std::optional<std::string>& overheads = {});

/// A duration in the format of system files.
std::string text_of(Duration duration);

struct TactusRun {
  RunReport report;
  std::vector<std::vector<trace::JobEnded>> jobs;  // by task, in the order of their ends
  std::vector<trace::EngineAway> absences;         // in the order of time
};

struct TactusOptions {
  std::optional<int> core{};               // of the engine's thread
  std::optional<Duration> quiet{};         // before a release; nothing: the default
  std::unique_ptr<device::Device> device;  // null: made by make_device
  std::function<void(Runtime&)> bind;      // may be empty
  std::function<void(Runtime&)> drive;     // runs all steps; empty: without pauses
};

/// FailureError when the run does not reach its end or loses events.
TactusRun run_tactus(System system, Duration length, TactusOptions options = {});

/// From the nominal release to the completion, in nanoseconds, for the completed jobs after the first
/// `skipped`.
std::vector<std::int64_t> responses_of(const std::vector<trace::JobEnded>& jobs, std::size_t skipped);

/// The same from the nominal release to the start, when the engine begins to submit it.
std::vector<std::int64_t> starts_of(const std::vector<trace::JobEnded>& jobs, std::size_t skipped);

/// For the same jobs: whether the engine's thread was not running at some time between the nominal release
/// and the completion.
std::vector<bool> were_disturbed(const std::vector<trace::JobEnded>& jobs, std::size_t skipped,
                                 const std::vector<trace::EngineAway>& absences);

/// Jobs per second between the first completion at or after `from` and the last.
double rate_of(const std::vector<trace::JobEnded>& jobs, Time from);

}  // namespace tactus::bench
