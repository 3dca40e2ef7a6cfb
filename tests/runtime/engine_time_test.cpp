// An engine that needs time makes one submission at a time, in real time as in virtual time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "support/ticking_device.hpp"
#include "tactus/device/sim/sim_device.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/runtime/executive.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::runtime {
namespace {

/// After a stop request, too, the engine goes on with what other servers can take.
TEST(EngineTimeOfARun, AStopRequestHoldsUpNoOtherServer) {
  const ReadResult read = read_system(R"(tactus: 1
platform: {cpus: 1, gpu: {sms: 1, threads_per_sm: 32}, overheads: {engine: {submit: 1ns}}}
policy: {strategy: multi-stream, order: fp, levels: 2}
tasks:
  - {name: urgent, period: 1000ns, offset: 25ns, priority: 2, exclusive: 5ns}
  - {name: other, period: 1000ns, offset: 25ns, priority: 1, segments: [{cpu: 3ns}]}
  - {name: background, arrival: best-effort, preemptible: true, kernel: {grid: 100, block: 32, block_time: 10ns}}
)",
                                      "test.yaml");
  ASSERT_TRUE(read.problems.empty()) << read.problems.front().message;
  trace::Recorder recorder{{.keep = {.cpus = true, .ends = true}}};
  const std::array<trace::Observer*, 1> observers{&recorder};
  device::SimDevice device;
  ExecutiveOptions options;  // the device's clock is the only one: engine time is not played
  options.horizon = nanoseconds(200);
  Executive{*read.system, device, options, observers}.run();
  const trace::Recording recording = recorder.take();
  ASSERT_FALSE(recording.cpus.empty());
  EXPECT_EQ(in_ns(recording.cpus.front().start), 25);
  const auto urgent = std::find_if(recording.ends.begin(), recording.ends.end(),
                                   [](const trace::JobEnded& job) { return job.job.task == 0; });
  ASSERT_NE(urgent, recording.ends.end());
  EXPECT_EQ(in_ns(urgent->completion), 30 + 5);  // the block that runs ends first
}

/// What happens while it handles events is handled, too, before it decides.
TEST(EngineTimeOfARun, NothingIsSubmittedWhileEventsCanBeSeen) {
  const ReadResult read = read_system(R"(tactus: 1
platform: {gpu: {sms: 4, virtual_sms_per_sm: 1}, overheads: {engine: {submit: 1ns}}}
policy: {strategy: federated, virtual_sms: {a: 1, b: 1, c: 1, d: 1}}
tasks:
  - {name: a, period: 101ns, exclusive: 30ns}
  - {name: b, period: 103ns, exclusive: 33ns}
  - {name: c, period: 107ns, exclusive: 27ns}
  - {name: d, period: 109ns, exclusive: 31ns}
)",
                                      "test.yaml");
  ASSERT_TRUE(read.problems.empty()) << read.problems.front().message;
  test::TickingDevice device;
  ExecutiveOptions options;
  options.horizon = nanoseconds(100'000);
  const Outcome outcome = Executive{*read.system, device, options, {}}.run();
  EXPECT_GT(outcome.completed, 3000U);
  EXPECT_EQ(device.submitted_right_after_events, 0);
}

}  // namespace
}  // namespace tactus::runtime
