// The registry entry of the CUDA device. A build without CUDA knows its name, and how to get a build that has
// it.
#include "tactus/cli/devices.hpp"

#ifdef TACTUS_WITH_CUDA
#include "tactus/base/error.hpp"
#include "tactus/cuda/facts.hpp"
#include "tactus/cuda/measurements.hpp"
#include "tactus/device/cuda/cuda_device.hpp"
#endif

namespace tactus::cli {

#ifdef TACTUS_WITH_CUDA

namespace {

/// The spin time before an instant, if the engine sleeps.
constexpr Duration usual_spin = std::chrono::microseconds{200};

std::unique_ptr<device::Device> make_cuda_device(const DeviceChoice& choice, const std::string& kernel) {
  device::CudaOptions options;
  const std::optional<cuda::BuiltinKernel> found = cuda::find_builtin_kernel(kernel);
  if (!found) throw InputError{"--kernel: there is no built-in kernel `" + kernel + "`"};
  options.kernel = *found;
  // By default the engine spins, because a wake-up can take milliseconds on some machines.
  options.spin = choice.waiting == "sleep" ? usual_spin : device::always_spins;
  return device::make_cuda_device(options);
}

}  // namespace

#endif

const DeviceEntry cuda_device{.name = "cuda",
                              .meaning = "a GPU",
                              .target = machine::Target::cuda,
                              .absent = "this build of tactus has no CUDA device",
                              .how_to_build = "configure it with -DTACTUS_CUDA=ON (needs nvcc)",
#ifdef TACTUS_WITH_CUDA
                              .make = &make_cuda_device,
                              .facts = &cuda::read_facts,
                              .measurements = &cuda::measurements
#endif
};

}  // namespace tactus::cli
