// A long copy in chunks, few of them in the stream at a time: a more urgent copy waits only for those.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "tactus/device/cuda/completion.hpp"

namespace tactus::probe {

struct ChunkSize {
  std::size_t bytes = std::size_t{1} << 20U;
  unsigned ahead = 2;  // chunks in the stream at a time: with two the copy engine does not wait for the host
};

/// One copy at a time. It proceeds only while advance() is called, so not calling it pauses the copy.
class ChunkedCopy {
 public:
  explicit ChunkedCopy(ChunkSize chunk = {});

  /// From or to pinned host memory. Nothing is enqueued before the first advance(). The previous copy must
  /// have ended.
  void begin(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);

  /// Enqueues the chunks that may be enqueued now, without waiting. True when everything has been copied.
  bool advance();

 private:
  void submit_chunk();

  ChunkSize chunk_;
  cuda::CompletionWords words_{1};
  std::byte* to_ = nullptr;
  const std::byte* from_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t submitted_bytes_ = 0;
  unsigned submitted_ = 0;  // chunks of all copies; may wrap around
  cudaMemcpyKind kind_ = cudaMemcpyDefault;
  cudaStream_t stream_ = nullptr;
};

}  // namespace tactus::probe
