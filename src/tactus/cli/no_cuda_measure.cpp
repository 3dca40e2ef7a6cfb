// A build without CUDA has no GPU to measure.
#include "tactus/base/error.hpp"
#include "tactus/cli/measure.hpp"

namespace tactus::cli {

namespace {

[[noreturn]] void refuse() {
  throw InputError{
      "this build of tactus has no CUDA device",
      "configure it with -DTACTUS_CUDA=ON (needs nvcc); `tactus measure overheads --device host` "
      "works without"};
}

}  // namespace

CudaPlatform cuda_platform() { refuse(); }

std::vector<measure::KernelMeasurement> measure_kernels(const KernelQuestion& /*question*/,
                                                        const Watch& /*watch*/) {
  refuse();
}

std::vector<CopyPoint> measure_copies(const CopySizes& /*question*/, const Watch& /*watch*/) { refuse(); }

CudaOverheads measure_cuda_overheads(device::Device& /*device*/,
                                     const measure::OverheadQuestion& /*question*/) {
  refuse();
}

}  // namespace tactus::cli
