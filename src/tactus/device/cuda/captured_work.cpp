#include "tactus/device/cuda/captured_work.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/bound_call.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::cuda {

namespace {

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

Obstacle obstacle_in(cudaGraph_t graph) {
  const std::vector<cudaGraphNodeType> types = node_types_in(graph);
  if (types.empty()) {
    return {"it enqueues nothing in job.stream()",
            "give every launch and copy job.stream(): without it, they go to the default stream"};
  }
  const bool allocates = std::ranges::any_of(types, [](cudaGraphNodeType type) {
    return type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree;
  });
  if (!allocates) return {};
  return {"it allocates or frees in the stream (cudaMallocAsync, cudaFreeAsync)",
          "allocate before the run; a library may take a workspace instead (cublasSetWorkspace, after "
          "cublasSetStream)"};
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
      const Obstacle obstacle = capture_all(setup, work, {task, segment}, streams);
      if (obstacle.what.empty()) continue;
      Problem problem = device::segment_problem(setup.system.tasks[task], segment,
                                                "its work cannot be captured: " + obstacle.what);
      problem.hint = obstacle.hint;
      problems.push_back(std::move(problem));
    }
  }
  if (!problems.empty()) throw InputError{std::move(problems)};
}

/// Ends at the first obstacle: it would be the same on other SMs and for other jobs.
Obstacle CapturedWorks::capture_all(const device::Setup& setup, const SegmentWork& work,
                                    const CapturedSegment& captured, const LaneStreams& streams) {
  const auto& [task, segment] = captured;
  const device::JobBuffers* buffers = work.calls->buffers.get();
  for (const sched::SmSetId set : setup.sm_sets_of(task, segment)) {
    const cudaStream_t stream = streams.first_on(set);
    if (stream == nullptr) continue;  // nothing will be submitted there
    for (std::uint32_t place = 0; place < (buffers == nullptr ? 1 : buffers->places()); ++place) {
      CaptureServices services;
      const tactus::Job::Facts facts{.task = setup.system.tasks[task].name,
                                     .task_index = task,
                                     .segment = segment,
                                     .blocks = work.call.blocks,
                                     .buffers = buffers,
                                     .place = place};
      const Captured made =
          capture(stream, [&] { call_function(work, facts, streams.place(set), stream, services); });
      Obstacle obstacle = made.graph ? obstacle_in(made.graph.get()) : made.obstacle;
      if (!obstacle.what.empty()) return obstacle;
      Place& added = places_[task][segment].emplace_back(
          Place{set, place, instantiate(made.graph.get(), stream), {}, {}});
      if (services.needs_facts) added.facts = std::move(services.facts);
    }
  }
  return {};
}

void CapturedWorks::launch(const device::Setup& setup, const StreamEntry& entry, cudaStream_t stream) const {
  const device::Request& request = entry.request;
  const std::vector<Place>& places = places_[request.task][request.id.segment];
  const std::uint32_t job_place = entry.work->calls->buffers == nullptr ? 0 : request.place;
  const auto place = std::ranges::find_if(places, [&](const Place& captured) {
    return captured.sms == request.sms && captured.job_place == job_place;
  });
  if (place == places.end()) throw FailureError{"its work was not captured for these SMs"};
  const bool has_facts = place->facts.size() > 0;
  if (has_facts) {
    check(cudaStreamWaitEvent(stream, place->done.get()), "cannot wait for the job before");
    write_facts(device_facts_of(facts_of(setup, entry)), place->facts.data(), stream);
  }
  check(cudaGraphLaunch(place->graph.get(), stream), "cannot launch captured work");
  if (has_facts) place->done.record(stream);
}

}  // namespace tactus::cuda
