// What tests on a GPU share.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <vector>

#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/memory.hpp"
#include "tactus/device/cuda/query.hpp"

namespace tactus::cuda {

/// Skips its tests, visibly, where there is no GPU.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<DevicePlatform> devices = query_platforms();
    if (devices.empty()) GTEST_SKIP() << "there is no CUDA device on this machine";
    sms = static_cast<unsigned>(devices.front().platform.gpu.sms);
  }
  unsigned sms = 0;
};

/// So many jobs; one in twenty under a tool that makes every launch take a thousand times as long. Whoever
/// uses such a tool sets TACTUS_WATCHED, as scripts/h200 does.
inline int jobs_to_run(int all) {
  const bool is_watched = std::getenv("TACTUS_WATCHED") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  return is_watched ? all / 20 : all;
}

template <class Value>
std::vector<Value> read_back(const DeviceBuffer<Value>& buffer) {
  std::vector<Value> values(buffer.size());
  check(cudaMemcpy(values.data(), buffer.data(), values.size() * sizeof(Value), cudaMemcpyDeviceToHost),
        "cannot read back");
  return values;
}

}  // namespace tactus::cuda
