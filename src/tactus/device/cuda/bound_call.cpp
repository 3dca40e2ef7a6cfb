#include "tactus/device/cuda/bound_call.hpp"

#include <algorithm>
#include <array>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/job.hpp"

namespace tactus::cuda {

namespace {

using Kind = device::OperationKind;

unsigned to_unsigned(std::int64_t value) { return static_cast<unsigned>(std::max<std::int64_t>(1, value)); }

class SubmissionLoop final : public LoopSource {
 public:
  SubmissionLoop(const BoundCallContext& context, StreamEntry& entry, SegmentRow& row, cudaStream_t stream)
      : pool_{context.loops}, place_{context.place}, entry_{entry}, row_{row}, stream_{stream} {}

  BlockLoop begin_loop(dim3 grid) override {
    if (entry_.loop != nothing) throw InputError{"a call enqueues one kernel with a loop, not two"};
    if (entry_.work->is(Kind::copy)) throw InputError{"a `copy` segment has no loop"};
    if (entry_.work->is(Kind::kernel) && entry_.request.extent == sched::Extent::slice) {
      throw InputError{
          "the scheduler cuts this kernel into parts: launch the blocks from first_block() on, blocks() of "
          "them, instead of a loop"};
    }
    if (row_.loop == nothing) {
      row_.loop = pool_.take(grid, place_.of_loops(), stream_);
      if (row_.loop == nothing)
        throw FailureError{"too many jobs with a loop are in flight or stopped half-way"};
    }
    PreemptibleWork& work = pool_[row_.loop];
    if (work.blocks() != std::uint64_t{grid.x} * grid.y * grid.z) {
      throw InputError{"the loop of a job has another grid than before"};
    }
    entry_.loop = row_.loop;
    return work.begin_launch();
  }

 private:
  LoopPool& pool_;
  const SmPlace& place_;
  StreamEntry& entry_;
  SegmentRow& row_;
  cudaStream_t stream_;
};

tactus::Job::Facts facts_of(const device::Setup& setup, const StreamEntry& entry) {
  const device::Request& request = entry.request;
  return {.task = setup.system.tasks[request.task].name,
          .task_index = request.task,
          .number = request.number,
          .segment = request.id.segment,
          .release = request.release,
          .deadline = request.deadline,
          .first_block = entry.part.first_block,
          .blocks = entry.part.blocks};
}

}  // namespace

MemoryCopy copy_of(const device::Setup& setup, const StreamEntry& entry, SegmentRow& row) {
  if (!row.copy) {
    const tactus::Job job{facts_of(setup, entry)};
    row.copy = device::ask_for_copy(*entry.work->copy, job, entry.work->bytes);
  }
  return *row.copy;
}

void call_bound(const BoundCallContext& context, StreamEntry& entry, SegmentRow& row, cudaStream_t stream) {
  const SegmentWork& work = *entry.work;
  const std::array<std::int64_t, 3>& shape = work.shape;
  SubmissionLoop loop{context, entry, row, stream};
  Job job{facts_of(context.setup, entry),
          {.stream = stream,
           .sms = context.place.launch_sms,
           .virtual_sms = std::max(1U, context.place.virtual_sms),
           .grid = dim3{to_unsigned(shape[0]), to_unsigned(shape[1]), to_unsigned(shape[2])},
           .loops = &loop}};
  work.calls->work(job);
  check(cudaGetLastError(), "a call of the bound function failed");
}

}  // namespace tactus::cuda
