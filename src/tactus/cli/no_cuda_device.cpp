// A build without CUDA has no CUDA device.
#include "tactus/base/error.hpp"
#include "tactus/cli/devices.hpp"

namespace tactus::cli {

std::unique_ptr<device::Device> make_cuda_device(const std::string& /*kernel*/, Duration /*spin*/) {
  throw InputError{"this build of tactus has no CUDA device",
                   "configure it with -DTACTUS_CUDA=ON (needs nvcc), or use `--device host`"};
}

}  // namespace tactus::cli
