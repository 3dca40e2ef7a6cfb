#include "tactus/device/cuda/gpu_run.hpp"

#include <algorithm>
#include <exception>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/bound_call.hpp"
#include "tactus/device/cuda/error.hpp"

namespace tactus::cuda {

namespace {

using Kind = SegmentWork::Kind;

constexpr std::size_t most_rows = std::size_t{1} << 20U;

std::size_t most_segments(const System& system) {
  std::size_t most = 1;
  for (const Task& task : system.tasks) most = std::max(most, task.work.nodes.size());
  return most;
}

const device::Setup& checked(const device::Setup& setup) {
  if (setup.most_pending * most_segments(setup.system) > most_rows) {
    throw InputError{"the CUDA device cannot keep track of " + std::to_string(setup.most_pending) +
                         " jobs of up to " + std::to_string(most_segments(setup.system)) +
                         " segments in progress",
                     "allow fewer jobs to be pending"};
  }
  return setup;
}

std::size_t flights_for(const device::Setup& setup, const device::CudaOptions& options) {
  constexpr std::size_t least = 16;
  const std::size_t all = std::size_t{setup.most_pending} * most_segments(setup.system);
  return std::max(least, std::min(options.most_flights, all + least));
}

/// Loops for bound work that can be stopped: a few jobs of every segment may be half done at once.
std::size_t bound_loops_for(const SegmentWorks& works) {
  constexpr std::size_t of_each = 4;
  constexpr std::size_t most = 64;
  std::size_t segments = 0;
  for_each_work(works, [&](const SegmentWork& work) {
    if (work.calls != nullptr && work.needs_sms()) ++segments;
  });
  return std::min(most, of_each * segments);
}

/// Whether a built-in submission may be asked to stop before its end.
bool is_stoppable(const SegmentWork& work, sched::Extent extent) {
  if (extent == sched::Extent::until_stopped) return true;
  return extent == sched::Extent::slice && work.is_preemptible_anywhere();
}

}  // namespace

GpuRun::GpuRun(const device::Setup& setup, const device::CudaOptions& options)
    : setup_{checked(setup)},
      options_{options},
      works_{make_segment_works(setup.system, setup.bindings)},
      streams_{setup_,
               {.device = options.device,
                .coscheduling = options.coscheduling,
                .own_streams = options.own_streams}},
      control_{make_stream(stream_priorities().most_urgent)},
      copies_{works_, options.copy_chunk},
      builtin_{
          setup_.system,
          works_,
          streams_,
          {.device = options.device, .kernel = options.kernel, .yield_interval = options.yield_interval}},
      bound_loops_{bound_loops_for(works_)},
      flights_{flights_for(setup, options), streams_.size()},
      words_{flights_.capacity()},
      rows_{setup.most_pending, most_segments(setup.system)},
      last_end_(streams_.size(), origin) {
  refused_.reserve(flights_.capacity());
  // The first signal of a stream makes CUDA prepare it. Flights never wait for the value 0.
  for (std::uint32_t i = 0; i < streams_.size(); ++i) words_.signal(streams_[i], 0, 0);
  for (std::uint32_t i = 0; i < streams_.size(); ++i) {
    check(cudaStreamSynchronize(streams_[i]), "a stream does not work");
  }
}

void GpuRun::submit(const device::Request& request, Time now) {
  if (broken_ != cudaSuccess) {
    fail(request, "the device does not work any more");
    return;
  }
  const std::uint32_t queue = streams_.find(request);
  if (queue == LaneStreams::no_stream) {
    fail(request, "no stream was made for it");
    return;
  }
  const std::uint32_t index = flights_.open();
  if (index == nothing) {
    fail(request, "the device has too much work");
    return;
  }
  if (flights_.size() == 1) heard_ = now;
  JobRows::SegmentRow& row = rows_.open(request.operation);
  Flight& flight = flights_[index];
  flight.request = request;
  flight.work = &works_[request.task][request.operation.segment];
  flight.called = now;
  flight.before = row.done;
  const Duration whole =
      setup_.draws.execution(request.task, request.number, request.operation.segment, flight.work->time);
  flight.part = next_part(*flight.work, request.extent, whole, row.done, model_sms(request.sms));
  if (loops_under_way_ > 0 && flight.work->needs_sms()) make_way_for(request);
  try {
    // What comes behind a copy in its stream waits for all of it.
    if (const std::uint32_t last = flights_.last(queue); last != nothing) feed(last, Chunks::all);
    enqueue(flight, row, streams_[queue]);
    if (!flight.ends_with_loop) words_.signal(streams_[queue], index, flight.signal);
  } catch (const std::exception& error) {
    withdraw(index, row, error.what());
    return;
  } catch (...) {
    withdraw(index, row, "an exception");
    return;
  }
  row.flight = index;
  flights_.enqueue(index, queue);
  if (flight.loop != nothing) ++loops_under_way_;
  // A slice is alone in its stream, so the rest of a long copy can wait until there is need of it.
  feed(index, request.extent == sched::Extent::whole ? Chunks::all : Chunks::few);
}

/// It could not be enqueued, or not all of it.
void GpuRun::withdraw(std::uint32_t index, JobRows::SegmentRow& row, std::string_view what) {
  const Flight& flight = flights_[index];
  if (flight.loop != nothing && flight.work->calls != nullptr) {
    bound_loops_.give_back(flight.loop, false);
    row.loop = nothing;
  }
  static_cast<void>(find_breakage(control_.get()));  // then something that runs is to blame
  fail(flight.request, what);
  flights_.close(index);
}

void GpuRun::enqueue(Flight& flight, JobRows::SegmentRow& row, cudaStream_t stream) {
  const SegmentWork& work = *flight.work;
  if (work.calls != nullptr) {
    call_bound({.setup = setup_, .loops = bound_loops_, .sms = streams_.sms(flight.request.sms)}, flight, row,
               stream);
    return;
  }
  const int sms = streams_.sms(flight.request.sms);
  if (work.needs_sms() && flight.part.blocks > 0 && is_stoppable(work, flight.request.extent)) {
    flight.loop = builtin_.launch_stoppable(work, flight.part, sms, stream);
    if (flight.loop == nothing) throw FailureError{"too much work that can be stopped is under way"};
    flight.ends_with_loop = true;
    return;
  }
  switch (work.kind) {
    case Kind::cpu:
      throw FailureError{"a `cpu` segment reached the GPU"};
    case Kind::copy:
      flight.bytes_left = copies_.bytes_of(work, flight.part.time);
      flight.bytes_left -= copies_.enqueue_chunk(work, flight.bytes_left, stream);
      return;
    case Kind::kernel:
      if (flight.part.blocks > 0) builtin_.launch_kernel(work, flight.part, stream);
      return;
    case Kind::exclusive:
      builtin_.launch_exclusive(work, flight.part, sms, stream);
      return;
  }
}

void GpuRun::feed(std::uint32_t index, Chunks chunks) {
  constexpr unsigned ahead = 2;  // so that the engine need not wait for the host
  Flight& flight = flights_[index];
  if (flight.bytes_left == 0) return;
  const cudaStream_t stream = streams_[flight.queue];
  try {
    while (flight.bytes_left > 0) {
      if (chunks == Chunks::few && flight.signal - words_.value(index) >= ahead) return;
      flight.bytes_left -= copies_.enqueue_chunk(*flight.work, flight.bytes_left, stream);
      if (chunks == Chunks::all && flight.bytes_left > 0) continue;
      words_.signal(stream, index, flight.signal + 1);
      ++flight.signal;
    }
  } catch (const std::exception& error) {
    flight.bytes_left = 0;
    flight.failed = true;
    keep_failure(flight.request, error.what());
    static_cast<void>(find_breakage(control_.get()));
  }
}

/// The device cannot preempt a kernel that takes its blocks one by one, as it does others at the ends of
/// their blocks. So a slice of such work is over when something more urgent wants its SMs.
void GpuRun::make_way_for(const device::Request& request) {
  const auto is_in_the_way = [&](const Flight& flight) {
    const sched::SmSetId sms = flight.request.sms;
    return flight.loop != nothing && flight.request.extent != sched::Extent::whole &&
           flight.request.rank > request.rank && (sms == request.sms || sms == 0 || request.sms == 0);
  };
  for (const std::uint32_t queue : flights_.busy()) {
    for (std::uint32_t index = flights_.first(queue); index != nothing; index = flights_[index].next) {
      if (is_in_the_way(flights_[index])) stop_loop(flights_[index]);
    }
  }
}

bool GpuRun::request_stop(sched::Operation operation) {
  const JobRows::SegmentRow* row = rows_.find(operation);
  if (row == nullptr || row->flight == nothing) return false;
  Flight& flight = flights_[row->flight];
  if (operation.part != 0 && operation.part != flight.request.operation.part) return false;
  if (flight.bytes_left > 0) {
    flight.bytes_left = 0;
    flight.cut = true;
  }
  stop_loop(flight);
  return true;
}

void GpuRun::stop_loop(Flight& flight) {
  if (flight.loop == nothing || flight.stopping || broken_ != cudaSuccess) return;
  flight.stopping = true;
  try {
    if (flight.ends_with_loop) {
      builtin_.request_stop(flight.loop, control_.get());
    } else {
      bound_loops_[flight.loop].request_stop(control_.get());
    }
  } catch (const std::exception& error) {
    keep_failure(flight.request, error.what());
    static_cast<void>(find_breakage(control_.get()));
  }
}

std::vector<std::string> GpuRun::not_enforced() const {
  std::vector<std::string> all = streams_.not_enforced();
  all.insert(all.end(), builtin_.not_enforced().begin(), builtin_.not_enforced().end());
  bool stops = false;
  for_each_work(works_, [&](const SegmentWork& work) {
    stops = stops || (work.is_preemptible_anywhere() && work.calls == nullptr);
  });
  if (stops) {
    all.push_back("stops at any instant: work with longest_block 0 stops within its yield interval of " +
                  std::to_string(count(options_.yield_interval)) + " ns");
  }
  return all;
}

}  // namespace tactus::cuda
