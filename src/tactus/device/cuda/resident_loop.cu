#include "tactus/device/cuda/resident_loop.hpp"

#include <atomic>
#include <string>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/driver.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/kernel.cuh"

namespace tactus::cuda {

namespace {

/// Before the first job, and after every one: notes the end of the job before, and waits until the next is
/// near. The loop then takes some microseconds to begin anew, so the rest is waited for inside.
__global__ void go_on(const ResidentPace* pace, cudaGraphConditionalHandle loop, bool is_first) {
  if (is_first) {
    pace->state->present = 1;
  } else {
    detail::end_job(*pace);
  }
  cudaGraphSetConditional(loop, detail::await_near(*pace, 1) ? 1U : 0U);
}

/// The first in the loop.
__global__ void begin_job(const ResidentPace* pace) {
  detail::await_release(*pace);
  pace->state->start = global_time();
}

template <class Value>
std::atomic_ref<Value> shared(Value& value) {
  return std::atomic_ref<Value>{value};
}

CUcontext context_for(void* green) {
  CUcontext context = nullptr;
  if (green == nullptr) {
    check(driver().context_get_current(&context), "cannot find the context");
  } else {
    check(driver().context_from_green(&context, static_cast<CUgreenCtx>(green)), "cannot use a partition");
  }
  return context;
}

/// Ends a capture also when what is captured throws.
void capture_into(cudaStream_t stream, cudaGraph_t graph, const std::function<void()>& enqueue) {
  check(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal),
        "cannot begin to capture");
  cudaGraph_t captured = nullptr;
  try {
    enqueue();
  } catch (...) {
    static_cast<void>(cudaStreamEndCapture(stream, &captured));
    static_cast<void>(cudaGetLastError());
    throw;
  }
  check(cudaStreamEndCapture(stream, &captured), "its function cannot be captured");
}

/// What a loop on the device can repeat; empty: it can. Otherwise what to do.
std::string objection(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
    case cudaGraphNodeTypeMemcpy:
    case cudaGraphNodeTypeMemset:
    case cudaGraphNodeTypeEmpty:
    case cudaGraphNodeTypeGraph:
    case cudaGraphNodeTypeConditional:
      return {};
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
      return "its function allocates memory of the device, which a loop on the device cannot repeat: "
             "allocate "
             "before the run; cuBLAS needs cublasSetWorkspace after cublasSetStream";
    case cudaGraphNodeTypeHost:
      return "its function enqueues a function of the host, which a loop on the device cannot call: leave it "
             "out, or write `dispatch: launch`";
    default:
      return "its function enqueues an event or a semaphore, which a loop on the device cannot repeat: leave "
             "it out, or write `dispatch: launch`";
  }
}

std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "cannot read a graph");
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph, nodes.data(), &count), "cannot read a graph");
  return nodes;
}

void refuse_what_cannot_loop(cudaGraph_t graph) {
  for (cudaGraphNode_t node : nodes_of(graph)) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "cannot read a graph");
    if (std::string why = objection(type); !why.empty()) throw InputError{std::move(why)};
  }
}

}  // namespace

ResidentLoop::ResidentLoop(const Timing& timing) : host_{1}, state_{1}, pace_{1}, work_{dim3{1}}, facts_{1} {
  HostPart& host = *host_.data();
  given_ = {.control = &host.control,
            .answer = &host.answer,
            .ring = host.ring.data(),
            .state = state_.data(),
            .ring_size = ring_size,
            .period = static_cast<unsigned long long>(in_ns(timing.period)),
            .skip_after = static_cast<unsigned long long>(
                timing.skips_after_miss ? in_ns(timing.deadline.value_or(Duration{})) : 0),
            .facts = nullptr,
            .offset = in_ns(timing.offset),
            .deadline = in_ns(timing.deadline.value_or(Duration{}))};
}

const JobFacts* ResidentLoop::facts() { return given_.facts = facts_.data(); }

BlockLoop ResidentLoop::block_loop(dim3 grid, const Placement& placement) {
  if (has_block_loop_) throw InputError{"a function asks for one loop, not two"};
  has_block_loop_ = true;
  work_.set_grid(grid);
  work_.set_placement(placement);
  BlockLoop loop = work_.begin_launch();
  loop.pace = pace_.data();
  if (placement.is_pinned) loop.staying = placement.blocks();
  return loop;
}

void ResidentLoop::capture(cudaStream_t stream, const std::function<void()>& enqueue) {
  cudaGraph_t graph = nullptr;
  check(cudaGraphCreate(&graph, 0), "cannot create a graph");
  graph_.reset(graph);
  capture_into(stream, graph, enqueue);
  instantiate(graph, stream);
}

void ResidentLoop::instantiate(cudaGraph_t graph, cudaStream_t stream) {
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph, 0), "cannot keep on the device what its function enqueues");
  executable_.reset(executable);
  check(cudaMemcpyAsync(pace_.data(), &given_, sizeof given_, cudaMemcpyHostToDevice, stream),
        "cannot prepare resident work");
  check(cudaGraphUpload(executable, stream), "cannot prepare resident work");
  check(cudaStreamSynchronize(stream), "cannot prepare resident work");
}

void ResidentLoop::launch(cudaStream_t stream) {
  check(cudaGraphLaunch(executable_.get(), stream), "cannot start resident work");
}

void ResidentLoop::capture_repeated(cudaStream_t stream, void* context,
                                    const std::function<void()>& enqueue) {
  if (!driver().has_graph_loops()) {
    throw FailureError{"CUDA: the driver has no loops in graphs; it is older than CUDA 12.5"};
  }
  cudaGraph_t graph = nullptr;
  check(cudaGraphCreate(&graph, 0), "cannot create a graph");
  graph_.reset(graph);
  const CUcontext of_stream = context_for(context);
  CUgraphConditionalHandle handle = 0;
  check(driver().conditional_handle_create(&handle, graph, of_stream, 0, CU_GRAPH_COND_ASSIGN_DEFAULT),
        "cannot create a loop");
  const auto pace = [&](bool is_first) {
    go_on<<<1, 1, 0, stream>>>(pace_.data(), handle, is_first);
    check(cudaGetLastError(), "cannot enqueue the pace of resident work");
  };
  capture_into(stream, graph, [&] { pace(true); });
  std::vector<cudaGraphNode_t> first = nodes_of(graph);
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  parameters.conditional.handle = handle;
  parameters.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  parameters.conditional.size = 1;
  parameters.conditional.ctx = of_stream;  // else the body would leave the partition
  CUgraphNode loop = nullptr;
  check(driver().graph_add_node(&loop, graph, first.data(), nullptr, first.size(), &parameters),
        "cannot create a loop");
  const cudaGraph_t body = parameters.conditional.phGraph_out[0];
  capture_into(stream, body, [&] {
    begin_job<<<1, 1, 0, stream>>>(pace_.data());
    enqueue();
    pace(false);
  });
  refuse_what_cannot_loop(body);
  instantiate(graph, stream);
}

bool ResidentLoop::is_ready() const noexcept {
  return shared(host_.data()->answer.ready).load(std::memory_order_acquire) != 0;
}

void ResidentLoop::begin(std::uint64_t first) noexcept {
  shared(host_.data()->control.first).store(first, std::memory_order_release);
}

void ResidentLoop::set_word() noexcept {
  shared(host_.data()->control.word).store(count_ << 1U | (stops_ ? 1U : 0U), std::memory_order_release);
}

void ResidentLoop::ring(const JobFacts& facts) noexcept {
  host_.data()->control.facts = facts;
  ++count_;
  set_word();
}

void ResidentLoop::request_stop() noexcept {
  stops_ = true;
  set_word();
}

void ResidentLoop::ask(std::int64_t shift) noexcept {
  shared(host_.data()->control.shift).store(shift, std::memory_order_relaxed);
  ++count_;
  set_word();
}

std::optional<std::uint64_t> ResidentLoop::answer() const noexcept {
  ResidentAnswer& answer = host_.data()->answer;
  if (shared(answer.question).load(std::memory_order_acquire) != count_) return std::nullopt;
  return shared(answer.time).load(std::memory_order_relaxed);
}

std::optional<ResidentLoop::Ended> ResidentLoop::take() noexcept {
  ResidentRecord& record = host_.data()->ring[taken_ % ring_size];
  const std::uint64_t sequence = shared(record.sequence).load(std::memory_order_acquire);
  if (sequence <= taken_) return std::nullopt;
  const Ended ended{shared(record.number).load(std::memory_order_relaxed),
                    shared(record.start).load(std::memory_order_relaxed),
                    shared(record.end).load(std::memory_order_relaxed)};
  const std::uint64_t check = shared(record.check).load(std::memory_order_relaxed);
  if (check != check_of(sequence, ended.number, ended.start, ended.end)) return std::nullopt;  // not all yet
  lost_ += sequence - taken_ - 1;
  taken_ = sequence;
  return ended;
}

}  // namespace tactus::cuda
