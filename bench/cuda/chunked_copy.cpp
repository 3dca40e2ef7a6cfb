#include "chunked_copy.hpp"

#include <algorithm>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/error.hpp"

namespace tactus::probe {

ChunkedCopy::ChunkedCopy(ChunkSize chunk) : chunk_{chunk} {
  if (chunk.bytes == 0 || chunk.ahead == 0)
    throw InputError{"a copy in chunks needs chunks of at least one byte"};
}

void ChunkedCopy::begin(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                        cudaStream_t stream) {
  to_ = static_cast<std::byte*>(to);
  from_ = static_cast<const std::byte*>(from);
  bytes_ = bytes;
  submitted_bytes_ = 0;
  kind_ = kind;
  stream_ = stream;
}

bool ChunkedCopy::advance() {
  const unsigned ended = words_.value(0);
  while (submitted_bytes_ < bytes_ && submitted_ - ended < chunk_.ahead) submit_chunk();
  return submitted_bytes_ == bytes_ && ended == submitted_;
}

void ChunkedCopy::submit_chunk() {
  const std::size_t size = std::min(chunk_.bytes, bytes_ - submitted_bytes_);
  cuda::check(cudaMemcpyAsync(to_ + submitted_bytes_, from_ + submitted_bytes_, size, kind_, stream_),
              "cannot submit a chunk of a copy");
  submitted_bytes_ += size;
  ++submitted_;
  words_.signal(stream_, 0, submitted_);
}

}  // namespace tactus::probe
