// Streams and events that end with their owner.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

namespace tactus::cuda {

namespace detail {

struct DestroyStream {
  void operator()(cudaStream_t stream) const noexcept;
};
struct DestroyEvent {
  void operator()(cudaEvent_t event) const noexcept;
};

}  // namespace detail

/// The numbers of the stream priorities: smaller is more urgent.
struct PriorityRange {
  int least_urgent = 0;
  int most_urgent = 0;
};
PriorityRange stream_priorities();

/// A stream that waits for no other, the default stream included.
class Stream {
 public:
  Stream() = default;
  /// Takes over a stream made elsewhere.
  explicit Stream(cudaStream_t stream) : stream_{stream} {}

  [[nodiscard]] cudaStream_t get() const { return stream_.get(); }
  /// Waits until everything in the stream has ended; FailureError if some of it failed.
  void synchronize() const;

 private:
  std::unique_ptr<std::remove_pointer_t<cudaStream_t>, detail::DestroyStream> stream_;
};
/// On the current device. The priority must lie in stream_priorities(): CUDA would silently use another one.
Stream make_stream(int priority = 0);

/// An event without a time stamp: cheaper, and enough to see completion.
class Event {
 public:
  Event();

  [[nodiscard]] cudaEvent_t get() const { return event_.get(); }
  void record(cudaStream_t stream) const;
  /// Whether all that was in the stream when it was recorded has ended; FailureError if some of it failed.
  [[nodiscard]] bool reached() const;

 private:
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, detail::DestroyEvent> event_;
};

}  // namespace tactus::cuda
