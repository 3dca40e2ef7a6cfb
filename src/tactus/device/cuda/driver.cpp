#include "tactus/device/cuda/driver.hpp"

#include <string>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/error.hpp"

namespace tactus::cuda {

namespace {

/// Looks up a function; false if it is missing. `version`: the first CUDA version with this signature, as
/// 1000 * major + 10 * minor.
template <class Function>
bool look_for(Function& function, const char* name, unsigned version) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  check(cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found),
        std::string{"cannot find the driver's "} + name);
  if (found != cudaDriverEntryPointSuccess || address == nullptr) return false;
  function = reinterpret_cast<Function>(address);
  return true;
}

template <class Function>
void find(Function& function, const char* name, unsigned version) {
  if (look_for(function, name, version)) return;
  throw FailureError{std::string{"CUDA: the driver has no "} + name + "; it is older than CUDA " +
                     std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10)};
}

void find_green_contexts(Driver& calls) {
  // The newest function comes last: if it exists, all do.
  if (look_for(calls.device_get_resource, "cuDeviceGetDevResource", 12040) &&
      look_for(calls.split_sms, "cuDevSmResourceSplitByCount", 12040) &&
      look_for(calls.describe_resources, "cuDevResourceGenerateDesc", 12040) &&
      look_for(calls.green_context_create, "cuGreenCtxCreate", 12040) &&
      look_for(calls.green_context_destroy, "cuGreenCtxDestroy", 12040) &&
      look_for(calls.green_context_get_resource, "cuGreenCtxGetDevResource", 12040)) {
    static_cast<void>(look_for(calls.context_from_green, "cuCtxFromGreenCtx", 12040) &&
                      look_for(calls.green_context_stream_create, "cuGreenCtxStreamCreate", 12050));
  }
}

Driver find_all() {
  Driver calls;
  find(calls.get_error_name, "cuGetErrorName", 6000);
  find(calls.get_error_string, "cuGetErrorString", 6000);
  find(calls.device_get, "cuDeviceGet", 2000);
  find(calls.stream_write_value, "cuStreamWriteValue32", 11070);
  find(calls.context_get_current, "cuCtxGetCurrent", 4000);
  find(calls.stream_batch_mem_op, "cuStreamBatchMemOp", 11070);
  find_green_contexts(calls);
  static_cast<void>(look_for(calls.conditional_handle_create, "cuGraphConditionalHandleCreate", 12030) &&
                    look_for(calls.graph_add_node, "cuGraphAddNode", 12030));
  return calls;
}

}  // namespace

const Driver& driver() {
  static const Driver calls = find_all();
  return calls;
}

void check(CUresult status, std::string_view what) {
  if (status == CUDA_SUCCESS) return;
  const char* name = nullptr;
  const char* message = nullptr;
  driver().get_error_name(status, &name);
  driver().get_error_string(status, &message);
  throw FailureError{"CUDA: " + std::string{what} + ": " + (name == nullptr ? "unknown error" : name) + ": " +
                     (message == nullptr ? std::to_string(static_cast<int>(status)) : message)};
}

}  // namespace tactus::cuda
