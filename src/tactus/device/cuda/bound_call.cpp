#include "tactus/device/cuda/bound_call.hpp"

#include <algorithm>
#include <array>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/error.hpp"

namespace tactus::cuda {

namespace {

using Kind = device::OperationKind;

unsigned to_unsigned(std::int64_t value) { return static_cast<unsigned>(std::max<std::int64_t>(1, value)); }

class SubmissionServices final : public JobServices {
 public:
  explicit SubmissionServices(BoundCall& call) : call_{call} {}

  BlockLoop begin_loop(dim3 grid) override {
    if (call_.has_taken_loop) throw InputError{"a call enqueues one kernel with a loop, not two"};
    if (call_.work->is(Kind::copy)) throw InputError{"a `copy` segment has no loop"};
    if (call_.is_cut) {
      throw InputError{
          "the scheduler cuts this kernel into parts: launch the blocks from first_block() on, blocks() of "
          "them, instead of a loop"};
    }
    if (call_.loop == nullptr) {
      throw FailureError{"too many jobs with a loop are in flight or stopped half-way"};
    }
    if (!call_.continues) call_.loop->begin(grid, call_.place->of_loops(), call_.stream);
    PreemptibleWork& work = call_.loop->work;
    if (work.blocks() != std::uint64_t{grid.x} * grid.y * grid.z) {
      throw InputError{"the loop of a job has another grid than before"};
    }
    call_.has_taken_loop = true;
    return work.begin_launch();
  }

  const JobFacts* device_facts() override {
    write_facts(device_facts_of(call_.facts), call_.device_facts, call_.stream);
    return call_.device_facts;
  }

 private:
  BoundCall& call_;
};

}  // namespace

tactus::Job::Facts facts_of(const device::Setup& setup, const StreamEntry& entry) {
  const device::Request& request = entry.request;
  const device::Binding* binding = device::find_binding(setup.bindings, request.task, request.id.segment);
  return {.task = setup.system.tasks[request.task].name,
          .task_index = request.task,
          .number = request.number,
          .segment = request.id.segment,
          .release = request.release,
          .deadline = request.deadline,
          .first_block = entry.part.first_block,
          .blocks = entry.part.blocks,
          .buffers = binding == nullptr ? nullptr : binding->buffers.get(),
          .place = request.place};
}

JobFacts device_facts_of(const tactus::Job::Facts& facts) {
  return {.number = facts.number,
          .release_ns = in_ns(facts.release.time_since_epoch()),
          .deadline_ns = in_ns(facts.deadline.time_since_epoch())};
}

MemoryCopy copy_of(const device::Setup& setup, const StreamEntry& entry, SegmentRow& row) {
  if (!row.copy) {
    const tactus::Job job{facts_of(setup, entry)};
    row.copy = device::ask_for_copy(*entry.work->copy, job, entry.work->bytes);
  }
  return *row.copy;
}

void call_function(const SegmentWork& work, const tactus::Job::Facts& facts, const SmPlace& place,
                   cudaStream_t stream, JobServices& services) {
  const std::array<std::int64_t, 3>& shape = work.shape;
  Job job{facts,
          {.stream = stream,
           .sms = place.launch_sms,
           .virtual_sms = std::max(1U, place.virtual_sms) * place.parts_per_sm,
           .grid = dim3{to_unsigned(shape[0]), to_unsigned(shape[1]), to_unsigned(shape[2])},
           .services = &services}};
  work.calls->work(job);
  check(cudaGetLastError(), "a call of the bound function failed");
}

void BoundCall::operator()() {
  SubmissionServices services{*this};
  call_function(*work, facts, *place, stream, services);
}

}  // namespace tactus::cuda
