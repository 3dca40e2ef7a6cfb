#include "tactus/cli/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/cli/usage.hpp"
#include "tactus/device/host/host_device.hpp"

namespace tactus::cli {

namespace {

/// Before an instant, where the engine sleeps.
constexpr Duration usual_spin = std::chrono::microseconds{200};

void require_usable(std::optional<int> core) {
  if (!core) return;
  const std::vector<int> usable = available_cpus();
  if (std::find(usable.begin(), usable.end(), *core) != usable.end()) return;
  throw InputError{fmt::format("--core: this program may not use CPU {}", *core),
                   fmt::format("it may use {}", fmt::join(usable, ", "))};
}

}  // namespace

void add_device_options(Verb verb, DeviceChoice& choice) {
  verb.add_option("--device", choice.device, "host: threads of this machine; cuda: a GPU")
      .required()
      .one_of({"host", "cuda"});
  verb.add_option(
          "--wait", choice.waiting,
          "How the engine waits: spin keeps a core busy, sleep wakes up shortly before (default: spin "
          "with cuda, sleep with host)")
      .one_of({"spin", "sleep"});
  verb.add_option("--core", choice.core,
                  "The CPU of the engine; threads of the device keep off it (default: any)");
}

std::string words_of(const DeviceChoice& choice) {
  std::string words = "--device " + choice.device;
  if (!choice.waiting.empty()) words += " --wait " + choice.waiting;
  if (choice.core) words += fmt::format(" --core {}", *choice.core);
  return words;
}

std::unique_ptr<device::Device> make_device(const DeviceChoice& choice, const std::string& kernel) {
  require_usable(choice.core);
  if (choice.device == "cuda") {
    // A core that never sleeps is woken up by nobody, and so never late: some machines take milliseconds.
    return make_cuda_device(kernel, choice.waiting == "sleep" ? usual_spin : device::always_spins);
  }
  if (kernel != usual_kernel) {
    throw InputError{"--kernel: the host device has no kernel `" + kernel + "`",
                     "its work takes its time (`spin`); other kernels need `--device cuda`"};
  }
  device::HostOptions host;
  if (choice.waiting == "spin") host.spin = device::always_spins;
  return device::make_host_device(host);
}

}  // namespace tactus::cli
