#include "tactus/device/cuda/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/driver.hpp"
#include "tactus/device/cuda/query.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(CudaError, SaysWhatCouldNotBeDoneAndWhy) {
  try {
    check(cudaErrorInvalidValue, "cannot copy the map");
    FAIL() << "an error passed as success";
  } catch (const FailureError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("CUDA: cannot copy the map"),
                                    HasSubstr("cudaErrorInvalidValue"), HasSubstr("invalid argument")));
  }
}

TEST(CudaError, SuccessIsNoFailure) { EXPECT_NO_THROW(check(cudaSuccess, "cannot happen")); }

TEST(CudaError, WithoutADriverItsCallsAreAFailureAndNoCrash) {
  if (!query_platforms().empty()) GTEST_SKIP() << "there is a driver on this machine";
  EXPECT_THROW(driver(), FailureError);
}

TEST(CudaError, TheDriversErrorsHaveTheirNames) {
  if (query_platforms().empty()) GTEST_SKIP() << "there is no CUDA device on this machine";
  try {
    check(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, "cannot split the SMs");
    FAIL() << "an error passed as success";
  } catch (const FailureError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("cannot split the SMs"),
                                    HasSubstr("CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION")));
  }
}

TEST(CudaError, APriorityThatTheDeviceLacksIsRefused) {
  if (query_platforms().empty()) GTEST_SKIP() << "there is no CUDA device on this machine";
  const PriorityRange range = stream_priorities();
  EXPECT_THROW(make_stream(range.most_urgent - 1), InputError);
  EXPECT_THROW(make_stream(range.least_urgent + 1), InputError);
  EXPECT_NO_THROW(make_stream(range.most_urgent));
}

}  // namespace
}  // namespace tactus::cuda
