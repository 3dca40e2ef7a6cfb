#include "tactus/device/cuda/completion.hpp"

#include "tactus/device/cuda/driver.hpp"

namespace tactus::cuda {

CompletionWords::CompletionWords(std::size_t count) : lines_{count} { static_cast<void>(driver()); }

void CompletionWords::signal(cudaStream_t stream, std::size_t word, unsigned value) const {
  const auto address = reinterpret_cast<CUdeviceptr>(&lines_.data()[word].value);
  // The default includes a barrier: earlier writes become visible first.
  check(driver().stream_write_value(stream, address, value, CU_STREAM_WRITE_VALUE_DEFAULT),
        "cannot signal completion");
}

}  // namespace tactus::cuda
