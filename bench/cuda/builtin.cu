// The built-in kernels: the amount of work for a block of a given length, and the variation of block times.
#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "probe.hpp"
#include "tactus/device/cuda/builtin_kernels.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::probe {

void measure_builtin_kernels() {
  int sms = 0;
  cuda::check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "cannot read the SMs");
  const cuda::BuiltinData data;
  const cuda::Stream stream = cuda::make_stream();
  for (const cuda::BuiltinKernel kernel : cuda::builtin_kernels) {
    for (const int block_us : {20, 200, 1000}) {
      cuda::BuiltinLaunch launch;
      launch.kernel = kernel;
      launch.grid = dim3{2 * static_cast<unsigned>(sms)};
      const double begin = now_us();
      const cuda::BuiltinCalibration found =
          cuda::calibrate_builtin(launch, nanoseconds(1000LL * block_us), data, stream.get());
      const double spent = now_us() - begin;
      launch.amount = found.amount;
      std::vector<double> times;
      for (int i = 0; i < 200; ++i) {
        times.push_back(
            static_cast<double>(in_ns(cuda::measure_builtin_block(launch, 1, data, stream.get()))) / 1e3);
      }
      const std::string what =
          std::string{cuda::name_of(kernel)} + ", block of " + std::to_string(block_us) + " us";
      print_value("builtin", what + ": work", static_cast<double>(found.amount), "iterations or ns");
      print_value("builtin", what + ": time to find that", spent / 1e3, "ms");
      print_samples("builtin", what + ": longest block of a launch", times);
    }
    print_value("builtin", std::string{cuda::name_of(kernel)} + ": blocks of 1024 threads on an SM",
                cuda::resident_blocks_per_sm(kernel, 1024), "blocks");
  }
}

}  // namespace tactus::probe
