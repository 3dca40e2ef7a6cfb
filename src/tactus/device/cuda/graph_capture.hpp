// Captures what a function enqueues into a CUDA graph, and says why when it cannot.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace tactus::cuda {

namespace detail {

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const noexcept;
  void operator()(cudaGraphExec_t graph) const noexcept;
};

}  // namespace detail

using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, detail::DestroyGraph>;
using GraphExec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, detail::DestroyGraph>;

Graph make_graph();

/// Why a function cannot be captured, and what to do. Without text it can.
struct Obstacle {
  std::string what;
  std::string hint;
};

struct Captured {
  Graph graph;  // null where there is an obstacle
  Obstacle obstacle;
};

/// What `enqueue` puts into the stream. It does not let exceptions through: they are obstacles.
[[nodiscard]] Captured capture(cudaStream_t stream, const std::function<void()>& enqueue);

/// Adds it to the graph, behind what is there already. Where there is an obstacle the driver may have
/// destroyed the graph (580 does, and the documentation does not say so): nobody may destroy it again.
[[nodiscard]] Obstacle capture_into(cudaGraph_t graph, cudaStream_t stream,
                                    const std::function<void()>& enqueue);

/// All nodes, without those of graphs within it.
std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph);
/// The types of all nodes, also of graphs within it.
std::vector<cudaGraphNodeType> node_types_in(cudaGraph_t graph);

/// Ready to be launched: the first launch takes no longer than others. Waits for the stream.
GraphExec instantiate(cudaGraph_t graph, cudaStream_t stream);

}  // namespace tactus::cuda
