// The CUDA device of builds that have it.
#include "tactus/device/cuda/cuda_device.hpp"
#include "tactus/base/error.hpp"
#include "tactus/cli/devices.hpp"

namespace tactus::cli {

std::unique_ptr<device::Device> make_cuda_device(const std::string& kernel, Duration spin) {
  device::CudaOptions options;
  const std::optional<cuda::BuiltinKernel> found = cuda::find_builtin_kernel(kernel);
  if (!found) throw InputError{"--kernel: there is no built-in kernel `" + kernel + "`"};
  options.kernel = *found;
  options.spin = spin;
  return device::make_cuda_device(options);
}

}  // namespace tactus::cli
