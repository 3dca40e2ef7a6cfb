#include "tactus/device/cuda/graph_capture.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <string_view>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/error.hpp"

namespace tactus::cuda {

namespace detail {

void DestroyGraph::operator()(cudaGraph_t graph) const noexcept {
  static_cast<void>(cudaGraphDestroy(graph));
}
void DestroyGraph::operator()(cudaGraphExec_t graph) const noexcept {
  static_cast<void>(cudaGraphExecDestroy(graph));
}

}  // namespace detail

namespace {

/// The driver writes a log of calls that failed, with their names. Older ones do not.
class DriverLog {
 public:
  DriverLog() {
#if CUDART_VERSION >= 13000
    is_known_ = cudaLogsCurrent(&begin_, 0) == cudaSuccess;
    static_cast<void>(cudaGetLastError());
#endif
  }

  /// The first line since then; empty when there is none.
  [[nodiscard]] std::string first_line() {
#if CUDART_VERSION >= 13000
    std::array<char, 4096> text{};
    std::size_t size = text.size();
    if (!is_known_ || cudaLogsDumpToMemory(&begin_, text.data(), &size, 0) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return {};
    }
    const std::string_view all{text.data(), std::min(size, text.size())};
    return std::string{all.substr(0, all.find('\n'))};
#else
    return {};
#endif
  }

 private:
#if CUDART_VERSION >= 13000
  cudaLogIterator begin_ = 0;
  bool is_known_ = false;
#endif
};

/// What an error during a capture means.
Obstacle obstacle_of(cudaError_t status) {
  switch (status) {
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
      return {
          "it makes a call that cannot be captured: one that waits (cudaStreamSynchronize, "
          "cudaDeviceSynchronize, cudaStreamQuery, cudaEventQuery, cudaMemcpy), or one that allocates or "
          "frees (cudaMalloc, cudaFree, cudaHostAlloc)",
          "only enqueue in it; allocate before the run"};
    case cudaErrorStreamCaptureImplicit:
      return {"it uses the legacy default stream", "give every launch and copy job.stream()"};
    case cudaErrorStreamCaptureUnjoined:
      return {"it enqueues work in another stream, which job.stream() does not wait for at the end",
              "record an event there, and let job.stream() wait for it"};
    case cudaErrorStreamCaptureIsolation:
      return {"it waits for work that was enqueued outside of it",
              "only wait for events that the function itself records"};
    case cudaErrorStreamCaptureUnmatched:
    case cudaErrorStreamCaptureMerge:
    case cudaErrorStreamCaptureWrongThread:
    case cudaErrorIllegalState:
      return {"it begins or ends a capture itself", "only enqueue in it"};
    default:
      return {};
  }
}

bool is_about_capture(cudaError_t status) { return !obstacle_of(status).what.empty(); }

/// Calls `enqueue` in the capture that has begun, and ends it. Sets the graph, if there is one.
Obstacle finish_capture(cudaStream_t stream, const std::function<void()>& enqueue, cudaGraph_t& graph) {
  DriverLog log;
  Obstacle obstacle;
  try {
    enqueue();
  } catch (const InputError& error) {
    const Problem& first = error.problems().front();
    obstacle = {first.message, first.hint};
  } catch (const std::exception& error) {
    obstacle = {std::string{"its function throws: "} + error.what(), {}};
  } catch (...) {
    obstacle = {"its function throws an exception", {}};
  }
  const cudaError_t seen = cudaGetLastError();
  const cudaError_t status = cudaStreamEndCapture(stream, &graph);
  static_cast<void>(cudaGetLastError());
  const cudaError_t told = is_about_capture(seen) ? seen : status;
  if (obstacle.what.empty() && told == cudaSuccess) return {};
  const Obstacle known = obstacle_of(told);
  // A call that was refused may have made the function throw. What it says of its own accord comes first.
  if (obstacle.hint.empty() && !known.what.empty()) {
    obstacle = known;
  } else if (obstacle.what.empty()) {
    obstacle.what = failure_text("it cannot be captured", told);
  }
  if (const std::string line = log.first_line(); !line.empty()) obstacle.what += "; the driver says: " + line;
  return obstacle;
}

}  // namespace

Graph make_graph() {
  cudaGraph_t graph = nullptr;
  check(cudaGraphCreate(&graph, 0), "cannot create a graph");
  return Graph{graph};
}

Captured capture(cudaStream_t stream, const std::function<void()>& enqueue) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cannot capture a stream");
  cudaGraph_t made = nullptr;
  Obstacle obstacle = finish_capture(stream, enqueue, made);
  Graph graph{made};
  if (!obstacle.what.empty()) graph.reset();
  return {std::move(graph), std::move(obstacle)};
}

Obstacle capture_into(cudaGraph_t graph, cudaStream_t stream, const std::function<void()>& enqueue) {
  const std::vector<cudaGraphNode_t> before = nodes_of(graph);
  check(cudaStreamBeginCaptureToGraph(stream, graph, before.data(), nullptr, before.size(),
                                      cudaStreamCaptureModeThreadLocal),
        "cannot capture a stream");
  return finish_capture(stream, enqueue, graph);
}

std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "cannot read a captured graph");
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) check(cudaGraphGetNodes(graph, nodes.data(), &count), "cannot read a captured graph");
  return nodes;
}

std::vector<cudaGraphNodeType> node_types_in(cudaGraph_t graph) {
  std::vector<cudaGraphNodeType> types;
  for (cudaGraphNode_t node : nodes_of(graph)) {
    cudaGraphNodeType& type = types.emplace_back();
    check(cudaGraphNodeGetType(node, &type), "cannot read a captured graph");
    if (type != cudaGraphNodeTypeGraph) continue;
    cudaGraph_t inner = nullptr;
    check(cudaGraphChildGraphNodeGetGraph(node, &inner), "cannot read a captured graph");
    const std::vector<cudaGraphNodeType> within = node_types_in(inner);
    types.insert(types.end(), within.begin(), within.end());
  }
  return types;
}

GraphExec instantiate(cudaGraph_t graph, cudaStream_t stream) {
  cudaGraphExec_t made = nullptr;
  check(cudaGraphInstantiate(&made, graph, 0), "cannot instantiate a captured graph");
  GraphExec executable{made};
  check(cudaGraphUpload(made, stream), "cannot upload a captured graph");
  check(cudaStreamSynchronize(stream), "cannot upload a captured graph");
  return executable;
}

}  // namespace tactus::cuda
