// From the start of a run to its end nothing is allocated by `new` in the thread that drives the CUDA device.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>

#include "device/cuda/device_run.hpp"
#include "device/cuda/gpu_test.hpp"
#include "support/allocation_count.hpp"
#include "tactus/trace/relay.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::cuda {
namespace {

using namespace std::chrono_literals;

class CudaNoAllocation : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    const std::optional<std::uint64_t> before = test::allocations_of_this_thread();
    if (!before) GTEST_SKIP() << "a sanitizer has the allocator";
    const std::string text(1000, 'x');
    ASSERT_EQ(test::allocations_of_this_thread(), *before + 1) << "allocations are counted";
  }

  static void expect_none(const System& system, const device::Bindings& bindings) {
    const std::unique_ptr<device::Device> device = cuda_device(plain_options());
    trace::Statistics statistics{system.tasks.size()};
    const std::array<trace::Observer*, 1> observers{&statistics};
    trace::Relay relay{observers, 1U << 14U};
    const std::array<trace::Observer*, 1> relays{&relay};
    runtime::ExecutiveOptions options;
    options.horizon = 100ms;
    options.max_pending = 64;
    options.watchdog = 10s;
    options.bindings = &bindings;
    runtime::Executive executive{system, *device, options, relays};
    executive.start();
    const std::uint64_t before = *test::allocations_of_this_thread();
    while (executive.step()) {
    }
    const std::uint64_t after = *test::allocations_of_this_thread();
    const runtime::Outcome outcome = executive.finish();
    EXPECT_EQ(outcome.failure, "");
    EXPECT_GT(outcome.completed, 20U);
    EXPECT_EQ(after - before, 0U);
  }

  static device::Bindings nothing_bound(const System& system) {
    device::Bindings bindings;
    for (const Task& task : system.tasks) bindings.emplace_back(task.work.nodes.size());
    return bindings;
  }
};

TEST_F(CudaNoAllocation, BuiltInWorkThatIsStoppedAbortedAndCopiedInChunks) {
  const System system = system_from(R"(
platform: h200
policy: {strategy: multi-stream, levels: 3}
tasks:
  - {name: camera, period: 2ms, segments: [{copy: 50us}, {exclusive: 100us}]}
  - {name: map, period: 10ms, segments: [{copy: 1ms}, {kernel: {grid: 264, block: 1024, block_time: 100us}}]}
  - {name: late, period: 20ms, budget: 1ms, on_overrun: abort, kernel: {grid: 26400, block: 1024, block_time: 100us}}
  - {name: training, arrival: best-effort, exclusive: 10ms, longest_block: 0}
)");
  expect_none(system, nothing_bound(system));
}

TEST_F(CudaNoAllocation, BoundWork) {
  const System system = system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks:
  - {name: camera, period: 2ms, segments: [{copy: 50us}, {exclusive: 100us}]}
  - {name: training, arrival: best-effort, preemptible: true, kernel: {grid: 20000, block: 1024, block_time: 50us}}
)");
  const PinnedBuffer<unsigned char> frame{1U << 20U};
  const DeviceBuffer<unsigned char> there{1U << 20U};
  device::Bindings bindings = nothing_bound(system);
  bindings[0][0] = device::bind_copy([&](const tactus::Job&) {
    return MemoryCopy{there.data(), frame.data(), frame.size()};
  });
  const BuiltinData data;
  bindings[1][0] = calls([&](Job& job) {
    BuiltinLaunch launch{.kernel = BuiltinKernel::spin, .amount = 50'000, .grid = {}};
    launch.grid = static_cast<unsigned>(job.sms()) * 2;
    launch_builtin(launch, job.loop(), data, job.stream());
  });
  expect_none(system, bindings);
}

TEST_F(CudaNoAllocation, CapturedWorkAndLaunchers) {
  const System system = system_from(R"(
platform: {base: h200, gpu: {sms: 64, virtual_sms_per_sm: 1}}
policy: {strategy: federated, virtual_sms: {a: 8, b: 16}}
tasks:
  - {name: a, period: 2ms, kernel: {grid: 8, block: 1024, block_time: 100us}}
  - {name: b, period: 2ms, launcher: true, kernel: {grid: 16, block: 1024, block_time: 100us}}
)");
  device::Bindings bindings = nothing_bound(system);
  const BuiltinData data;
  const auto enqueue = [&](Job& job) {
    const BuiltinLaunch launch{.kernel = BuiltinKernel::spin, .amount = 10'000, .grid = dim3{8}};
    static_cast<void>(job.device_facts());
    for (int i = 0; i < 5; ++i) launch_builtin(launch, data, job.stream());
  };
  bindings[0][0] = captured(enqueue);
  bindings[1][0] = calls(enqueue);
  expect_none(system, bindings);
}

TEST_F(CudaNoAllocation, PartitionsAndCpuSegments) {
  const System system = system_from(R"(
platform: {base: h200, cpus: 2, gpu: {copy_bandwidth: 50GB/s}}
policy: {strategy: federated, virtual_sms: {lidar: 16, detector: 32}}
tasks:
  - {name: lidar, period: 5ms, segments: [{cpu: 100us}, {copy: 100us}, {gpu: {work: 8ms, overhead: 50us, interleave: 1.4}}, {copy: 50us}]}
  - {name: detector, core: 1, period: 10ms, segments: [{copy: {bytes: 256KiB}}, {gpu: {work: 32ms, overhead: 50us, interleave: 1.5}}]}
)");
  expect_none(system, nothing_bound(system));
}

}  // namespace
}  // namespace tactus::cuda
