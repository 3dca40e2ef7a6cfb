#include "tactus/device/cuda/bound_call.hpp"

#include <algorithm>
#include <array>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/job.hpp"

namespace tactus::cuda {

namespace {

using Kind = SegmentWork::Kind;

unsigned to_unsigned(std::int64_t value) { return static_cast<unsigned>(std::max<std::int64_t>(1, value)); }

class FlightLoop final : public LoopSource {
 public:
  FlightLoop(LoopPool& pool, Flight& flight, JobRows::SegmentRow& row, cudaStream_t stream)
      : pool_{pool}, flight_{flight}, row_{row}, stream_{stream} {}

  BlockLoop begin_loop(dim3 grid) override {
    if (flight_.loop != nothing) throw InputError{"a call enqueues one kernel with a loop, not two"};
    if (flight_.work->kind == Kind::copy) throw InputError{"a `copy` segment has no loop"};
    if (flight_.work->kind == Kind::kernel && flight_.request.extent == sched::Extent::slice) {
      throw InputError{
          "the scheduler cuts this kernel into parts: launch the blocks from first_block() on, blocks() of "
          "them, instead of a loop"};
    }
    if (row_.loop == nothing) {
      row_.loop = pool_.take(grid, stream_);
      if (row_.loop == nothing) throw FailureError{"too many jobs are stopped half-way"};
    }
    PreemptibleWork& work = pool_[row_.loop];
    if (work.blocks() != std::uint64_t{grid.x} * grid.y * grid.z) {
      throw InputError{"the loop of a job has another grid than before"};
    }
    flight_.loop = row_.loop;
    return work.begin_launch();
  }

 private:
  LoopPool& pool_;
  Flight& flight_;
  JobRows::SegmentRow& row_;
  cudaStream_t stream_;
};

}  // namespace

void call_bound(const BoundCallContext& context, Flight& flight, JobRows::SegmentRow& row,
                cudaStream_t stream) {
  const SegmentWork& work = *flight.work;
  const device::Request& request = flight.request;
  const std::array<std::int64_t, 3>& shape = work.shape;
  FlightLoop loop{context.loops, flight, row, stream};
  Job job{{.task = context.setup.system.tasks[request.task].name,
           .task_index = request.task,
           .number = request.number,
           .segment = request.operation.segment,
           .release = request.release,
           .deadline = request.deadline,
           .first_block = flight.part.first_block,
           .blocks = flight.part.blocks},
          {.stream = stream,
           .sms = context.sms,
           .grid = dim3{to_unsigned(shape[0]), to_unsigned(shape[1]), to_unsigned(shape[2])},
           .loops = &loop}};
  work.calls->work(job);
  check(cudaGetLastError(), "a call of the bound function failed");
}

}  // namespace tactus::cuda
