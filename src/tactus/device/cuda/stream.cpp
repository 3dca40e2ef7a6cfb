#include "tactus/device/cuda/stream.hpp"

#include <string>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/error.hpp"

namespace tactus::cuda {

namespace detail {

// An error here was reported when it occurred.
void DestroyStream::operator()(cudaStream_t stream) const noexcept {
  static_cast<void>(cudaStreamDestroy(stream));
}
void DestroyEvent::operator()(cudaEvent_t event) const noexcept {
  static_cast<void>(cudaEventDestroy(event));
}

}  // namespace detail

PriorityRange stream_priorities() {
  PriorityRange range;
  check(cudaDeviceGetStreamPriorityRange(&range.least_urgent, &range.most_urgent),
        "cannot read the stream priorities");
  return range;
}

Stream make_stream(int priority) {
  const PriorityRange range = stream_priorities();
  if (priority > range.least_urgent || priority < range.most_urgent) {
    throw InputError{"the device has no stream priority " + std::to_string(priority),
                     "its priorities are " + std::to_string(range.least_urgent) + " to " +
                         std::to_string(range.most_urgent)};
  }
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority), "cannot create a stream");
  return Stream{stream};
}

void Stream::synchronize() const { check(cudaStreamSynchronize(get()), "work in a stream failed"); }

Event::Event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cannot create an event");
  event_.reset(event);
}

void Event::record(cudaStream_t stream) const {
  check(cudaEventRecord(get(), stream), "cannot record an event");
}

bool Event::reached() const {
  const cudaError_t status = cudaEventQuery(get());
  if (status == cudaErrorNotReady) return false;
  check(status, "work before an event failed");
  return true;
}

}  // namespace tactus::cuda
