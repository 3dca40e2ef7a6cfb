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

/// Which of its GPU segments a job does: a switch in the graph. Without one there is a single segment.
struct SegmentSwitch {
  cudaGraphConditionalHandle handle = 0;
  bool exists = false;
};

/// Before the first job, and after every one: notes the end of the job before, and waits until the next is
/// near. The loop then takes some microseconds to begin anew, so the rest is waited for inside.
__global__ void go_on(ResidentPace pace, cudaGraphConditionalHandle loop, bool is_first) {
  unsigned round = pace.state->round;
  bool goes_on = true;
  if (is_first) {
    pace.state->present = 1;
  } else {
    if (pace.period == 0) {
      detail::tell_done(pace, round, 0);
    } else {
      goes_on = detail::note_end(pace, round);
    }
    detail::go_to_next(pace, round);
    ++round;
  }
  const BegunWord begun = goes_on ? detail::await_next(pace, round, 1) : BegunWord{BegunWord::none};
  pace.state->segment = begun.segment();
  cudaGraphSetConditional(loop, begun.jobs() != BegunWord::none ? 1U : 0U);
}

/// The first in the loop.
__global__ void begin_repeated(ResidentPace pace, SegmentSwitch segments) {
  if (segments.exists) cudaGraphSetConditional(segments.handle, pace.state->segment);
  detail::await_release(pace);
  pace.state->start = global_time();
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

/// Captures into a graph within another, which is given up where that fails: what is in it may be gone.
void capture_or_refuse(Graph& whole, cudaGraph_t graph, cudaStream_t stream,
                       const std::function<void()>& enqueue) {
  if (const Obstacle obstacle = capture_into(graph, stream, enqueue); !obstacle.what.empty()) {
    static_cast<void>(whole.release());
    throw InputError{obstacle.what, obstacle.hint};
  }
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
             "allocate before the run; cuBLAS needs cublasSetWorkspace after cublasSetStream";
    case cudaGraphNodeTypeHost:
      return "its function enqueues a function of the host, which a loop on the device cannot call: leave it "
             "out, or write `dispatch: launch`";
    default:
      return "its function enqueues an event or a semaphore, which a loop on the device cannot repeat: leave "
             "it out, or write `dispatch: launch`";
  }
}

void refuse_what_cannot_loop(cudaGraph_t graph) {
  for (const cudaGraphNodeType type : node_types_in(graph)) {
    if (std::string why = objection(type); !why.empty()) throw InputError{std::move(why)};
  }
}

/// A node with graphs of its own, of which a value that the device sets says which one runs. After all others
/// of the graph.
std::vector<cudaGraph_t> add_choice(cudaGraph_t graph, CUgraphConditionalHandle handle,
                                    CUgraphConditionalNodeType type, std::size_t graphs, CUcontext context) {
  std::vector<cudaGraphNode_t> before = nodes_of(graph);
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  parameters.conditional.handle = handle;
  parameters.conditional.type = type;
  parameters.conditional.size = static_cast<unsigned>(graphs);
  parameters.conditional.ctx = context;  // else its graphs would leave the partition
  CUgraphNode node = nullptr;
  check(driver().graph_add_node(&node, graph, before.data(), nullptr, before.size(), &parameters),
        "cannot create a loop");
  return {parameters.conditional.phGraph_out, parameters.conditional.phGraph_out + graphs};
}

CUgraphConditionalHandle make_handle(cudaGraph_t graph, CUcontext context) {
  CUgraphConditionalHandle handle = 0;
  check(driver().conditional_handle_create(&handle, graph, context, 0, CU_GRAPH_COND_ASSIGN_DEFAULT),
        "cannot create a loop");
  return handle;
}

}  // namespace

ResidentLoop::ResidentLoop(const Timing& timing) : host_{1}, state_{1}, work_{dim3{1}}, facts_{1} {
  HostPart& host = *host_.data();
  pace_ = {.control = &host.control,
           .answer = &host.answer,
           .ring = host.ring.data(),
           .done = host.done.data(),
           .state = state_.data(),
           .ring_size = ring_size,
           .period = static_cast<unsigned long long>(in_ns(timing.period)),
           .skip_after = static_cast<unsigned long long>(
               timing.skips_after_miss ? in_ns(timing.deadline.value_or(Duration{})) : 0),
           .facts = facts_.data(),
           .offset = in_ns(timing.offset),
           .deadline = in_ns(timing.deadline.value_or(Duration{}))};
}

const JobFacts* ResidentLoop::facts() {
  wants_facts_ = true;
  return facts_.data();
}

BlockLoop ResidentLoop::block_loop(dim3 grid, const Placement& placement) {
  if (has_block_loop_) throw InputError{"a function asks for one loop, not two"};
  has_block_loop_ = true;
  work_.set_grid(grid);
  work_.set_placement(placement);
  BlockLoop loop = work_.begin_launch();
  loop.pace = pace_;
  loop.anywhere = !placement.is_pinned;
  if (placement.is_pinned) loop.staying = placement.blocks();
  return loop;
}

const std::uint64_t* ResidentLoop::keep(std::span<const std::uint64_t> values) {
  kept_ = DeviceBuffer<std::uint64_t>{values.size()};
  check(cudaMemcpy(kept_.data(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice),
        "cannot prepare resident work");
  return kept_.data();
}

void ResidentLoop::capture(cudaStream_t stream, const std::function<void()>& enqueue) {
  Captured captured = cuda::capture(stream, enqueue);
  if (!captured.graph) throw InputError{captured.obstacle.what, captured.obstacle.hint};
  graph_ = std::move(captured.graph);
  if (!has_block_loop_) return;
  const std::vector<cudaGraphNodeType> types = node_types_in(graph_.get());
  if (types.size() != 1 || types.front() != cudaGraphNodeTypeKernel) {
    throw InputError{
        "its function takes job.loop() and enqueues more than the kernel with it, which would be done once, "
        "not for every job",
        "let the kernel do all of it; or take no loop: then everything is repeated"};
  }
  prepare(stream);
}

void ResidentLoop::prepare(cudaStream_t stream) {
  const unsigned wants_facts = wants_facts_ ? 1 : 0;
  check(cudaMemcpyAsync(&state_.data()->wants_facts, &wants_facts, sizeof wants_facts, cudaMemcpyHostToDevice,
                        stream),
        "cannot prepare resident work");
  executable_ = instantiate(graph_.get(), stream);
}

void ResidentLoop::launch(cudaStream_t stream) {
  check(cudaGraphLaunch(executable_.get(), stream), "cannot start resident work");
}

void ResidentLoop::capture_repeated(cudaStream_t stream, void* context,
                                    std::span<const std::function<void()>> segments) {
  if (!driver().has_graph_loops()) {
    throw FailureError{"CUDA: the driver has no loops in graphs; it is older than CUDA 12.5"};
  }
  graph_ = make_graph();
  const CUcontext of_stream = context_for(context);
  const CUgraphConditionalHandle loop = make_handle(graph_.get(), of_stream);
  const auto pace = [&](bool is_first) {
    go_on<<<1, 1, 0, stream>>>(pace_, loop, is_first);
    check(cudaGetLastError(), "cannot enqueue the pace of resident work");
  };
  const auto begin = [&](const SegmentSwitch& choice) {
    begin_repeated<<<1, 1, 0, stream>>>(pace_, choice);
    check(cudaGetLastError(), "cannot enqueue the pace of resident work");
  };
  capture_or_refuse(graph_, graph_.get(), stream, [&] { pace(true); });
  const cudaGraph_t body = add_choice(graph_.get(), loop, CU_GRAPH_COND_TYPE_WHILE, 1, of_stream).front();
  if (segments.size() == 1) {
    capture_or_refuse(graph_, body, stream, [&] {
      begin({});
      segments.front()();
      pace(false);
    });
    refuse_what_cannot_loop(body);
  } else {
    const CUgraphConditionalHandle choice = make_handle(body, of_stream);
    capture_or_refuse(graph_, body, stream, [&] { begin({choice, true}); });
    const std::vector<cudaGraph_t> graphs =
        add_choice(body, choice, CU_GRAPH_COND_TYPE_SWITCH, segments.size(), of_stream);
    for (std::size_t i = 0; i < segments.size(); ++i) {
      capture_or_refuse(graph_, graphs[i], stream, segments[i]);
      refuse_what_cannot_loop(graphs[i]);
    }
    capture_or_refuse(graph_, body, stream, [&] { pace(false); });
  }
  prepare(stream);
}

bool ResidentLoop::is_ready() const noexcept {
  return shared(host_.data()->answer.ready).load(std::memory_order_acquire) != 0;
}

void ResidentLoop::begin(std::uint64_t first) noexcept {
  shared(host_.data()->control.first).store(first, std::memory_order_release);
}

void ResidentLoop::ring(const JobFacts& facts, unsigned segment) noexcept {
  host_.data()->control.facts = facts;
  ++count_;
  blocks_done_ = 0;
  for (ResidentControl::Place& place : host_.data()->control.places) {
    shared(place.word).store(resident_word(count_, segment, stops_).bits, std::memory_order_release);
  }
}

/// Atomic: another thread may be asking.
void ResidentLoop::request_stop() noexcept {
  stops_ = true;
  for (ResidentControl::Place& place : host_.data()->control.places) {
    shared(place.word).fetch_or(1U, std::memory_order_release);
  }
}

void ResidentLoop::ask(std::int64_t shift) noexcept {
  shared(host_.data()->control.shift).store(shift, std::memory_order_relaxed);
  ++count_;
  shared(host_.data()->control.places[0].word)
      .fetch_add(resident_word(1, 0, false).bits, std::memory_order_release);
}

std::optional<std::uint64_t> ResidentLoop::answer() const noexcept {
  ResidentAnswer& answer = host_.data()->answer;
  if (shared(answer.question).load(std::memory_order_acquire) != count_) return std::nullopt;
  return shared(answer.time).load(std::memory_order_relaxed);
}

bool ResidentLoop::is_done() noexcept {
  HostPart& host = *host_.data();
  const std::size_t blocks = shared(host.answer.ready).load(std::memory_order_relaxed);
  const auto wanted = static_cast<std::uint32_t>(count_);
  while (blocks_done_ < blocks && shared(host.done[blocks_done_]).load(std::memory_order_acquire) == wanted) {
    ++blocks_done_;
  }
  return blocks_done_ == blocks;
}

std::optional<ResidentLoop::Ended> ResidentLoop::take() noexcept {
  ResidentRecord& record = host_.data()->ring[taken_ % ring_size];
  const std::uint64_t sequence = shared(record.sequence).load(std::memory_order_acquire);
  if (sequence <= taken_) return std::nullopt;
  if (sequence > taken_ + 1) {  // it was overwritten, as were all before the oldest that is still there
    lost_ += sequence - ring_size - taken_;
    taken_ = sequence - ring_size;
    return take();
  }
  ResidentRecord ended{};
  ended.number = shared(record.number).load(std::memory_order_relaxed);
  ended.release = shared(record.release).load(std::memory_order_relaxed);
  ended.start = shared(record.start).load(std::memory_order_relaxed);
  ended.end = shared(record.end).load(std::memory_order_relaxed);
  ended.sequence = sequence;
  const std::uint64_t check = shared(record.check).load(std::memory_order_relaxed);
  if (check != check_of(ended)) return std::nullopt;  // not all of it is there yet
  taken_ = sequence;
  return Ended{.number = ended.number,
               .start = nanoseconds(static_cast<std::int64_t>(ended.start - ended.release)),
               .end = nanoseconds(static_cast<std::int64_t>(ended.end - ended.release))};
}

}  // namespace tactus::cuda
