#include "tactus/device/cuda/completion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "device/cuda/gpu_test.hpp"
#include "device/cuda/test_kernels.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::cuda {
namespace {

class CudaCompletion : public GpuTest {};

TEST_F(CudaCompletion, AWordChangesAfterTheWorkBeforeIt) {
  constexpr unsigned blocks = 500;
  const CompletionWords words{3};
  const Stream stream = make_stream();
  const PinnedBuffer<unsigned> counts{blocks};
  const DeviceBuffer<unsigned> disagreements{1};
  CountedLaunch launch{.stay_ns = 10'000, .counts = counts.data()};
  launch.disagreements = disagreements.data();
  for (unsigned i = 1; i <= 50; ++i) {
    launch_counted(launch, dim3{blocks}, stream.get());
    words.signal(stream.get(), 1, i);
    for (unsigned value = words.value(1); value != i; value = words.value(1)) ASSERT_EQ(value, i - 1);
    // What the kernel wrote is there when the word is.
    ASSERT_TRUE(
        std::all_of(counts.values().begin(), counts.values().end(), [&](unsigned n) { return n == i; }));
  }
  stream.synchronize();
  EXPECT_EQ(words.value(0), 0U);
  EXPECT_EQ(words.value(2), 0U);
}

// A failed kernel spoils the process's context, so this test has one to itself.
TEST_F(CudaCompletion, AFailedKernelIsReportedByItsStream) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fail = [] {
    const Stream stream = make_stream();
    launch_bad_access(stream.get());
    try {
      stream.synchronize();
    } catch (const FailureError& error) {
      std::fprintf(stderr, "%s\n", error.what());
      std::_Exit(3);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(fail(), testing::ExitedWithCode(3), "CUDA: work in a stream failed: cudaErrorIllegalAddress");
}

}  // namespace
}  // namespace tactus::cuda
