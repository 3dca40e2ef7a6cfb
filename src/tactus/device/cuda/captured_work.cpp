#include "tactus/device/cuda/captured_work.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/bound_call.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/model/dispatch.hpp"

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

/// Why a function cannot be captured, and what to do.
struct Obstacle {
  std::string what;
  std::string hint;
};

class CaptureServices final : public JobServices {
 public:
  BlockLoop begin_loop(dim3 /*grid*/) override {
    throw InputError{"it asks for job.loop(), whose argument is another one at every launch",
                     "bind it with bind(): work that is stopped and continued cannot be captured"};
  }
  const JobFacts* device_facts() override {
    needs_facts = true;
    return facts.data();
  }

  DeviceBuffer<JobFacts> facts{1};  // allocated before the capture, in which it is not allowed
  bool needs_facts = false;
};

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

/// Whether the graph, or one within it, allocates.
bool allocates(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "cannot read a captured graph");
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph, nodes.data(), &count), "cannot read a captured graph");
  return std::ranges::any_of(nodes, [](cudaGraphNode_t node) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "cannot read a captured graph");
    if (type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree) return true;
    cudaGraph_t inner = nullptr;
    if (type != cudaGraphNodeTypeGraph) return false;
    check(cudaGraphChildGraphNodeGetGraph(node, &inner), "cannot read a captured graph");
    return allocates(inner);
  });
}

bool is_empty(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "cannot read a captured graph");
  return count == 0;
}

Obstacle obstacle_in(cudaGraph_t graph) {
  if (is_empty(graph)) {
    return {"it enqueues nothing in job.stream()",
            "give every launch and copy job.stream(): without it, they go to the default stream"};
  }
  if (allocates(graph)) {
    return {"it allocates or frees in the stream (cudaMallocAsync, cudaFreeAsync)",
            "allocate before the run; a library may take a workspace instead (cublasSetWorkspace, after "
            "cublasSetStream)"};
  }
  return {};
}

std::string message_of(const std::exception& error) {
  return std::string{"its function throws: "} + error.what();
}

/// The graph of what `enqueue` puts into the stream; or why there is none.
template <class Enqueue>
Graph capture(cudaStream_t stream, Obstacle& obstacle, Enqueue&& enqueue) {
  DriverLog log;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cannot capture a stream");
  try {
    enqueue();
  } catch (const InputError& error) {
    const Problem& first = error.problems().front();
    obstacle = {first.message, first.hint};
  } catch (const std::exception& error) {
    obstacle = {message_of(error), {}};
  } catch (...) {
    obstacle = {"its function throws an exception", {}};
  }
  const cudaError_t seen = cudaGetLastError();
  cudaGraph_t captured = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream, &captured);
  static_cast<void>(cudaGetLastError());
  Graph graph{captured};
  const cudaError_t told = is_about_capture(seen) ? seen : status;
  if (obstacle.what.empty() && told == cudaSuccess && graph != nullptr) {
    obstacle = obstacle_in(graph.get());
    return graph;
  }
  const Obstacle known = obstacle_of(told);
  // A call that was refused may have made the function throw. What it says of its own accord comes first.
  if (obstacle.hint.empty() && !known.what.empty()) {
    obstacle = known;
  } else if (obstacle.what.empty()) {
    obstacle.what = failure_text("it cannot be captured", told);
  }
  if (const std::string line = log.first_line(); !line.empty()) obstacle.what += "; the driver says: " + line;
  return {};
}

GraphExec instantiate(cudaGraph_t graph, cudaStream_t stream) {
  cudaGraphExec_t made = nullptr;
  check(cudaGraphInstantiate(&made, graph, 0), "cannot instantiate a captured graph");
  GraphExec exec{made};
  // So that the first launch takes no longer than others.
  check(cudaGraphUpload(made, stream), "cannot upload a captured graph");
  check(cudaStreamSynchronize(stream), "cannot upload a captured graph");
  return exec;
}

}  // namespace

CapturedWorks::CapturedWorks(const device::Setup& setup, const SegmentWorks& works,
                             const LaneStreams& streams)
    : places_(works.size()) {
  std::vector<Problem> problems;
  for (TaskIndex task = 0; task < works.size(); ++task) {
    places_[task].resize(works[task].size());
    for (std::uint32_t segment = 0; segment < works[task].size(); ++segment) {
      const SegmentWork& work = works[task][segment];
      const bool stays = dispatch_of(setup.system, setup.system.tasks[task]) != Dispatch::launch;
      if (!work.is_captured() || stays) continue;
      for (const sched::SmSetId set : setup.sm_sets_of(task, segment)) {
        const cudaStream_t stream = streams.first_on(set);
        if (stream == nullptr) continue;  // nothing will be submitted there
        CaptureServices services;
        const tactus::Job::Facts facts{.task = setup.system.tasks[task].name,
                                       .task_index = task,
                                       .segment = segment,
                                       .blocks = work.call.blocks};
        Obstacle obstacle;
        const Graph graph = capture(
            stream, obstacle, [&] { call_function(work, facts, streams.place(set), stream, services); });
        if (obstacle.what.empty()) {
          Place& place =
              places_[task][segment].emplace_back(Place{set, instantiate(graph.get(), stream), {}});
          if (services.needs_facts) place.facts = std::move(services.facts);
          continue;
        }
        Problem problem = device::segment_problem(setup.system.tasks[task], segment,
                                                  "its work cannot be captured: " + obstacle.what);
        problem.hint = obstacle.hint;
        problems.push_back(std::move(problem));
        break;  // it would be the same on other SMs
      }
    }
  }
  if (!problems.empty()) throw InputError{std::move(problems)};
}

void CapturedWorks::launch(const device::Setup& setup, const StreamEntry& entry, cudaStream_t stream) const {
  const device::Request& request = entry.request;
  const std::vector<Place>& places = places_[request.task][request.id.segment];
  const auto place = std::ranges::find(places, request.sms, &Place::sms);
  if (place == places.end()) throw FailureError{"its work was not captured for these SMs"};
  if (place->facts.size() > 0) {
    write_facts(device_facts_of(facts_of(setup, entry)), place->facts.data(), stream);
  }
  check(cudaGraphLaunch(place->graph.get(), stream), "cannot launch captured work");
}

}  // namespace tactus::cuda
