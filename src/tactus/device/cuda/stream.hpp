// RAII wrappers for streams and events.
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

/// The range of stream priorities: smaller numbers are more urgent.
struct PriorityRange {
  int least_urgent = 0;
  int most_urgent = 0;
};
PriorityRange stream_priorities();

/// A stream that waits for no other, including the default stream.
class Stream {
 public:
  Stream() = default;
  /// Takes ownership of an existing stream.
  explicit Stream(cudaStream_t stream) : stream_{stream} {}

  [[nodiscard]] cudaStream_t get() const { return stream_.get(); }
  /// Waits until everything in the stream has ended; FailureError if any of it failed.
  void synchronize() const;

 private:
  std::unique_ptr<std::remove_pointer_t<cudaStream_t>, detail::DestroyStream> stream_;
};
/// On the current device. The priority must be within stream_priorities(): CUDA would silently use another
/// one.
Stream make_stream(int priority = 0);

/// An event without a time stamp: cheaper, and sufficient to detect completion.
class Event {
 public:
  Event();

  [[nodiscard]] cudaEvent_t get() const { return event_.get(); }
  void record(cudaStream_t stream) const;
  /// Whether everything in the stream before the recording has ended; FailureError if any of it failed.
  [[nodiscard]] bool reached() const;

 private:
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, detail::DestroyEvent> event_;
};

}  // namespace tactus::cuda
