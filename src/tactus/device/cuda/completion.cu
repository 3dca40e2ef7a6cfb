#include "tactus/device/cuda/completion.hpp"
#include "tactus/device/cuda/driver.hpp"
#include "tactus/device/cuda/error.hpp"

namespace tactus::cuda {

namespace {

__global__ void write_word(unsigned* word, unsigned value) {
  __threadfence_system();
  *static_cast<volatile unsigned*>(word) = value;
}

}  // namespace

CompletionWords::CompletionWords(std::size_t count, SignalBy signal_by)
    : lines_{count}, signal_by_{signal_by} {
  if (signal_by == SignalBy::write_value) static_cast<void>(driver());
}

void CompletionWords::signal(cudaStream_t stream, std::size_t word, unsigned value) const {
  unsigned* const address = &lines_.data()[word].value;
  if (signal_by_ == SignalBy::write_value) {
    // With the barrier that is the default: what was written before is visible first.
    check(driver().stream_write_value(stream, reinterpret_cast<CUdeviceptr>(address), value,
                                      CU_STREAM_WRITE_VALUE_DEFAULT),
          "cannot signal completion");
    return;
  }
  write_word<<<1, 1, 0, stream>>>(address, value);
  check(cudaGetLastError(), "cannot signal completion");
}

}  // namespace tactus::cuda
