// Functions of the driver API that the runtime API does not offer. They are looked up at run time, so that a
// program linked with Tactus starts on a machine without a driver.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

#include <string_view>

namespace tactus::cuda {

struct Driver {
  PFN_cuGetErrorName_v6000 get_error_name = nullptr;
  PFN_cuGetErrorString_v6000 get_error_string = nullptr;
  PFN_cuDeviceGet_v2000 device_get = nullptr;
  PFN_cuDeviceGetDevResource_v12040 device_get_resource = nullptr;
  PFN_cuDevSmResourceSplitByCount_v12040 split_sms = nullptr;
  PFN_cuDevResourceGenerateDesc_v12040 describe_resources = nullptr;
  PFN_cuGreenCtxCreate_v12040 green_context_create = nullptr;
  PFN_cuGreenCtxDestroy_v12040 green_context_destroy = nullptr;
  PFN_cuGreenCtxGetDevResource_v12040 green_context_get_resource = nullptr;
  PFN_cuGreenCtxStreamCreate_v12050 green_context_stream_create = nullptr;
  PFN_cuStreamWriteValue32_v11070 stream_write_value = nullptr;
  PFN_cuCtxFromGreenCtx_v12040 context_from_green = nullptr;
  PFN_cuCtxGetCurrent_v4000 context_get_current = nullptr;
  PFN_cuGraphConditionalHandleCreate_v12030 conditional_handle_create = nullptr;
  PFN_cuGraphAddNode_v12030 graph_add_node = nullptr;
  PFN_cuStreamBatchMemOp_v11070 stream_batch_mem_op = nullptr;

  /// Older drivers lack green contexts; then the functions for them are null.
  [[nodiscard]] bool has_green_contexts() const { return green_context_stream_create != nullptr; }
  /// Loops in graphs, also within green contexts.
  [[nodiscard]] bool has_graph_loops() const { return graph_add_node != nullptr && has_green_contexts(); }
};

/// The functions of the driver, looked up once. FailureError when there is no driver, or it lacks a required
/// function.
const Driver& driver();

/// FailureError unless the driver call succeeded.
void check(CUresult status, std::string_view what);

}  // namespace tactus::cuda
