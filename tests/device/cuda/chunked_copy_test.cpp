#include "tactus/device/cuda/chunked_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "device/cuda/gpu_test.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::cuda {
namespace {

class CudaChunkedCopy : public GpuTest {};

TEST_F(CudaChunkedCopy, EveryByteArrivesInBothDirections) {
  const Stream stream = make_stream();
  ChunkedCopy copy{{.bytes = 1000, .ahead = 3}};
  for (const std::size_t size : {std::size_t{1}, std::size_t{999}, std::size_t{1000}, std::size_t{12'345}}) {
    const PinnedBuffer<unsigned char> source{size};
    const PinnedBuffer<unsigned char> result{size};
    const DeviceBuffer<unsigned char> device{size};
    for (std::size_t i = 0; i < size; ++i) source.data()[i] = static_cast<unsigned char>(i * 7 % 251 + 1);
    copy.begin(device.data(), source.data(), size, cudaMemcpyHostToDevice, stream.get());
    EXPECT_EQ(copy.copied(), 0U);
    while (!copy.advance()) EXPECT_LE(copy.copied(), size);
    EXPECT_EQ(copy.copied(), size);
    copy.begin(result.data(), device.data(), size, cudaMemcpyDeviceToHost, stream.get());
    while (!copy.advance()) {
    }
    EXPECT_TRUE(std::equal(source.values().begin(), source.values().end(), result.values().begin())) << size;
  }
}

TEST_F(CudaChunkedCopy, NothingIsCopiedAtOnce) {
  ChunkedCopy copy;
  copy.begin(nullptr, nullptr, 0, cudaMemcpyHostToDevice, nullptr);
  EXPECT_TRUE(copy.advance());
  EXPECT_EQ(copy.copied(), 0U);
}

TEST_F(CudaChunkedCopy, NoMoreThanAFewChunksAreOnTheirWay) {
  const Stream stream = make_stream();
  const PinnedBuffer<unsigned char> source{10'000};
  const DeviceBuffer<unsigned char> device{10'000};
  ChunkedCopy copy{{.bytes = 1000, .ahead = 2}};
  copy.begin(device.data(), source.data(), 10'000, cudaMemcpyHostToDevice, stream.get());
  EXPECT_FALSE(copy.advance());
  stream.synchronize();
  EXPECT_EQ(copy.copied(), 2000U);
  EXPECT_FALSE(copy.advance());
  stream.synchronize();
  EXPECT_EQ(copy.copied(), 4000U);
}

TEST_F(CudaChunkedCopy, ChunksWithoutASizeAreRefused) {
  EXPECT_THROW((ChunkedCopy{{.bytes = 0, .ahead = 1}}), InputError);
  EXPECT_THROW((ChunkedCopy{{.bytes = 1, .ahead = 0}}), InputError);
}

}  // namespace
}  // namespace tactus::cuda
