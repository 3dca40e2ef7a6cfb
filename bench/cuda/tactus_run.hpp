// Runs a system with Tactus on the GPU and keeps what became of every job.
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

/// The system of a text in the format of system files; InputError when it is not valid.
System system_of(const std::string& text);

/// The CUDA device, watching the clock all the time: a core that sleeps may be late to wake up, and plain
/// CUDA has no such core in these experiments either.
std::unique_ptr<device::Device> make_device(cuda::BuiltinKernel kernel = cuda::BuiltinKernel::spin);

/// "{base: h200, gpu: {sms: 132}}", with the SMs of the GPU that is used.
std::string platform_text();

/// A duration as system files write it.
std::string text_of(Duration duration);

struct TactusRun {
  RunReport report;
  std::vector<std::vector<trace::JobEnded>> jobs;  // by task, in the order of their ends
  std::vector<trace::EngineAway> absences;         // in the order of time
};

struct TactusOptions {
  std::optional<int> core{};               // of the engine's thread
  std::optional<Duration> quiet{};         // before a release; nothing: as usual
  std::unique_ptr<device::Device> device;  // null: that of make_device
  std::function<void(Runtime&)> bind;      // may be empty
  std::function<void(Runtime&)> drive;     // runs all steps; empty: as fast as they come
};

/// FailureError when the run does not reach its end or loses events.
TactusRun run_tactus(System system, Duration length, TactusOptions options = {});

/// From the nominal release to the completion, in nanoseconds, of the completed jobs behind the first
/// `skipped`.
std::vector<std::int64_t> responses_of(const std::vector<trace::JobEnded>& jobs, std::size_t skipped);

/// The same from the nominal release to the start: until the engine has begun to submit it.
std::vector<std::int64_t> starts_of(const std::vector<trace::JobEnded>& jobs, std::size_t skipped);

/// Whether the engine was away between the nominal release and the completion, of the same jobs.
std::vector<bool> were_disturbed(const std::vector<trace::JobEnded>& jobs, std::size_t skipped,
                                 const std::vector<trace::EngineAway>& absences);

/// Jobs a second between the first completion at or behind `from` and the last.
double rate_of(const std::vector<trace::JobEnded>& jobs, Time from);

}  // namespace tactus::bench
