#include "tactus/device/cuda/builtin_kernels.hpp"

#include <gtest/gtest.h>

#include <set>

#include "device/cuda/gpu_test.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/cuda/preemptible_work.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::cuda {
namespace {

class CudaBuiltinKernels : public GpuTest {};

TEST(CudaBuiltinKernelNames, AreDistinctAndFound) {
  std::set<std::string_view> names;
  for (const BuiltinKernel kernel : builtin_kernels) {
    names.insert(name_of(kernel));
    EXPECT_EQ(find_builtin_kernel(name_of(kernel)), kernel);
  }
  EXPECT_EQ(names.size(), 6U);
  EXPECT_EQ(find_builtin_kernel("sleep"), std::nullopt);
}

TEST_F(CudaBuiltinKernels, RunAsAPlainGridAndPreemptible) {
  const BuiltinData data;
  const Stream stream = make_stream();
  for (const BuiltinKernel kernel : builtin_kernels) {
    SCOPED_TRACE(name_of(kernel));
    const BuiltinLaunch launch{.kernel = kernel, .amount = 200, .grid = dim3{2 * sms}, .threads = 512};
    EXPECT_GT(measure_builtin_block(launch, 2, data, stream.get()), Duration{0});
    PreemptibleWork work{dim3{1000}};
    launch_builtin(launch, work.begin_launch(), data, stream.get());
    stream.synchronize();
    EXPECT_TRUE(work.finished());
    EXPECT_GE(resident_blocks_per_sm(kernel, 1024), 1);
  }
}

TEST_F(CudaBuiltinKernels, MoreWorkTakesLonger) {
  const BuiltinData data;
  const Stream stream = make_stream();
  for (const BuiltinKernel kernel : builtin_kernels) {
    SCOPED_TRACE(name_of(kernel));
    BuiltinLaunch launch{.kernel = kernel, .amount = 1000, .grid = dim3{2 * sms}, .threads = 1024};
    const Duration little = measure_builtin_block(launch, 3, data, stream.get());
    launch.amount = 100'000;
    EXPECT_GT(measure_builtin_block(launch, 1, data, stream.get()), 5 * little);
  }
}

TEST_F(CudaBuiltinKernels, CalibrationStaysBelowWhatWasAsked) {
  const BuiltinData data;
  const Stream stream = make_stream();
  for (const BuiltinKernel kernel : builtin_kernels) {
    SCOPED_TRACE(name_of(kernel));
    const BuiltinLaunch launch{.kernel = kernel, .grid = dim3{2 * sms}, .threads = 1024};
    const BuiltinCalibration result = calibrate_builtin(launch, nanoseconds(200'000), data, stream.get());
    EXPECT_GE(result.amount, 1U);
    EXPECT_LE(result.measured, nanoseconds(200'000));
    EXPECT_GT(result.measured, Duration{0});
  }
  const BuiltinLaunch launch{.kernel = BuiltinKernel::compute, .grid = dim3{2 * sms}, .threads = 1024};
  EXPECT_THROW(calibrate_builtin(launch, nanoseconds(1), data, stream.get()), FailureError);
}

}  // namespace
}  // namespace tactus::cuda
