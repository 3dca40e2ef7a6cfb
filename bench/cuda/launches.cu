// The cost of a launch, and how fast the host learns of its end.
#include <cuda_runtime_api.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "probe.hpp"
#include "tactus/device/cuda/completion.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/partition.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::probe {

namespace {

using cuda::CompletionWords;

constexpr int warm_up = 200;
constexpr int repetitions = 10000;

__global__ void empty_kernel() {}

/// The kernel itself signals the host: its only block is the last one.
__global__ void telling_kernel(unsigned* word, unsigned value) {
  __threadfence_system();
  *static_cast<volatile unsigned*>(word) = value;
}

void launch(cudaStream_t stream) {
  empty_kernel<<<1, 32, 0, stream>>>();
  cuda::check(cudaGetLastError(), "cannot launch");
}

/// Times from before `submit` until it returns, and until `wait` returns.
void measure(const std::string& what, const std::function<void(unsigned)>& submit,
             const std::function<void(unsigned)>& wait) {
  std::vector<double> calls;
  std::vector<double> all;
  for (int i = -warm_up; i < repetitions; ++i) {
    const auto value = static_cast<unsigned>(i + warm_up + 1);
    const double begin = now_us();
    submit(value);
    const double submitted = now_us();
    wait(value);
    const double end = now_us();
    if (i < 0) continue;
    calls.push_back(submitted - begin);
    all.push_back(end - begin);
  }
  print_samples("launch", what + ": submission", calls);
  print_samples("launch", what + ": until known", all);
}

void measure_word(const std::string& what, cudaStream_t stream) {
  const CompletionWords words{1};
  measure(
      what,
      [&](unsigned value) {
        launch(stream);
        words.signal(stream, 0, value);
      },
      [&](unsigned value) {
        while (words.value(0) != value) {
        }
      });
}

/// A kernel of one thread after the work signals the host.
void measure_tail_kernel(const std::string& what, cudaStream_t stream) {
  const cuda::PinnedBuffer<unsigned> word{1};
  measure(
      what,
      [&](unsigned value) {
        launch(stream);
        telling_kernel<<<1, 1, 0, stream>>>(word.data(), value);
        cuda::check(cudaGetLastError(), "cannot launch");
      },
      [&](unsigned value) {
        while (*static_cast<volatile unsigned*>(word.data()) != value) {
        }
      });
}

void measure_stream(const std::string& where, cudaStream_t stream) {
  measure(
      where + "synchronise", [&](unsigned) { launch(stream); },
      [&](unsigned) { cuda::check(cudaStreamSynchronize(stream), "failed"); });
  measure(
      where + "stream query", [&](unsigned) { launch(stream); },
      [&](unsigned) {
        while (cudaStreamQuery(stream) == cudaErrorNotReady) {
        }
      });
  const cuda::Event event;
  measure(
      where + "event query",
      [&](unsigned) {
        launch(stream);
        event.record(stream);
      },
      [&](unsigned) {
        while (!event.reached()) {
        }
      });
  measure_word(where + "write value", stream);
  measure_tail_kernel(where + "tail kernel", stream);
}

void measure_telling_kernel(cudaStream_t stream) {
  const cuda::PinnedBuffer<unsigned> word{1};
  measure(
      "kernel tells",
      [&](unsigned value) {
        telling_kernel<<<1, 32, 0, stream>>>(word.data(), value);
        cuda::check(cudaGetLastError(), "cannot launch");
      },
      [&](unsigned value) {
        while (*static_cast<volatile unsigned*>(word.data()) != value) {
        }
      });
}

}  // namespace

void measure_launches() {
  const cuda::Stream stream = cuda::make_stream();
  measure_stream("", stream.get());
  measure_telling_kernel(stream.get());
  const cuda::Stream urgent = cuda::make_stream(cuda::stream_priorities().most_urgent);
  measure_word("most urgent stream, write value", urgent.get());
  constexpr std::array wanted{16};
  const cuda::Partitions partitions{0, wanted};
  const cuda::Stream inside = partitions[0].make_stream();
  measure_stream("partition, ", inside.get());
}

}  // namespace tactus::probe
