#include "tactus/device/cuda/gpu_run.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

#include "tactus/base/error.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/device/cuda/error.hpp"

namespace tactus::cuda {

namespace {

using Kind = SegmentWork::Kind;

constexpr std::size_t most_rows = std::size_t{1} << 20U;
/// How long nothing may be heard before CUDA is asked.
constexpr Duration quiet_time = std::chrono::milliseconds{10};

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
    const bool on_sms = work.kind == Kind::kernel || work.kind == Kind::exclusive;
    if (work.calls != nullptr && on_sms) ++segments;
  });
  return std::min(most, of_each * segments);
}

/// CUDA remembers errors, this answer among them; whoever asks for the last one next must not get it.
cudaError_t query(cudaStream_t stream) {
  const cudaError_t status = cudaStreamQuery(stream);
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  return status;
}

unsigned to_unsigned(std::int64_t value) { return static_cast<unsigned>(std::max<std::int64_t>(1, value)); }

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
  try {
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
    call_bound(flight, row, stream);
    return;
  }
  const int sms = streams_.sms(flight.request.sms);
  switch (work.kind) {
    case Kind::cpu:
      throw FailureError{"a `cpu` segment reached the GPU"};
    case Kind::copy:
      copies_.enqueue(work, flight.part.time, stream);
      return;
    case Kind::kernel:
      if (flight.part.blocks > 0) builtin_.launch_kernel(work, flight.part, stream);
      return;
    case Kind::exclusive:
      break;
  }
  if (!work.is_preemptible_anywhere() || flight.request.extent == sched::Extent::whole) {
    builtin_.launch_exclusive(work, flight.part, sms, stream);
    return;
  }
  flight.loop = builtin_.launch_preemptible(flight.part, sms, stream);
  if (flight.loop == nothing) throw FailureError{"too much work that can be stopped is under way"};
  flight.ends_with_loop = true;
}

/// One call of a bound function.
class GpuRun::BoundCall final : public LoopSource {
 public:
  BoundCall(GpuRun& run, Flight& flight, JobRows::SegmentRow& row, cudaStream_t stream)
      : run_{run}, flight_{flight}, row_{row}, stream_{stream} {}

  BlockLoop begin_loop(dim3 grid) override {
    if (flight_.loop != nothing) throw InputError{"a call enqueues one kernel with a loop, not two"};
    if (flight_.work->kind == Kind::copy) throw InputError{"a `copy` segment has no loop"};
    if (flight_.work->kind == Kind::kernel && flight_.request.extent == sched::Extent::slice) {
      throw InputError{
          "the scheduler cuts this kernel into parts: launch the blocks from first_block() on, blocks() of "
          "them, instead of a loop"};
    }
    if (row_.loop == nothing) {
      row_.loop = run_.bound_loops_.take(grid, stream_);
      if (row_.loop == nothing) throw FailureError{"too many jobs are stopped half-way"};
    }
    PreemptibleWork& work = run_.bound_loops_[row_.loop];
    if (work.blocks() != std::uint64_t{grid.x} * grid.y * grid.z) {
      throw InputError{"the loop of a job has another grid than before"};
    }
    flight_.loop = row_.loop;
    return work.begin_launch();
  }

 private:
  GpuRun& run_;
  Flight& flight_;
  JobRows::SegmentRow& row_;
  cudaStream_t stream_;
};

void GpuRun::call_bound(Flight& flight, JobRows::SegmentRow& row, cudaStream_t stream) {
  const SegmentWork& work = *flight.work;
  const device::Request& request = flight.request;
  BoundCall call{*this, flight, row, stream};
  const std::array<std::int64_t, 3>& shape = work.shape;
  Job job{{.task = setup_.system.tasks[request.task].name,
           .task_index = request.task,
           .number = request.number,
           .segment = request.operation.segment,
           .release = request.release,
           .deadline = request.deadline,
           .first_block = flight.part.first_block,
           .blocks = flight.part.blocks},
          {.stream = stream,
           .sms = streams_.sms(request.sms),
           .grid = dim3{to_unsigned(shape[0]), to_unsigned(shape[1]), to_unsigned(shape[2])},
           .loops = &call}};
  work.calls->work(job);
  check(cudaGetLastError(), "a call of the bound function");
}

bool GpuRun::request_stop(sched::Operation operation) {
  const JobRows::SegmentRow* row = rows_.find(operation);
  if (row == nullptr || row->flight == nothing) return false;
  Flight& flight = flights_[row->flight];
  if (operation.part != 0 && operation.part != flight.request.operation.part) return false;
  if (flight.loop == nothing || flight.stopping || broken_ != cudaSuccess) return true;
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
  return true;
}

bool GpuRun::has_ended(std::uint32_t index) {
  const Flight& flight = flights_[index];
  if (flight.ends_with_loop) return builtin_.has_ended(flight.loop);
  return words_.value(index) == flight.signal;
}

bool GpuRun::has_news() {
  if (!refused_.empty()) return true;
  if (broken_ != cudaSuccess) return flights_.size() > 0;
  return std::any_of(flights_.busy().begin(), flights_.busy().end(),
                     [&](std::uint32_t queue) { return has_ended(flights_.first(queue)); });
}

void GpuRun::poll(Time now, sched::Events& events) {
  for (std::size_t i = 0; i < flights_.busy().size();) {
    const std::uint32_t queue = flights_.busy()[i];
    const std::uint32_t index = flights_.first(queue);
    if (!has_ended(index)) {
      ++i;
      continue;
    }
    flights_.pop(queue);  // another queue may take its place in the list
    conclude(index, now, events);
  }
  if (broken_ != cudaSuccess) fail_all(events);
  for (const sched::Operation& operation : refused_) events.emplace_back(sched::Failed{operation});
  refused_.clear();
}

Time GpuRun::start_of(const Flight& flight) const { return std::max(flight.called, last_end_[flight.queue]); }

void GpuRun::conclude(std::uint32_t index, Time now, sched::Events& events) {
  const Flight& flight = flights_[index];
  const sched::Operation operation = flight.request.operation;
  const Time start = start_of(flight);
  heard_ = now;
  rows_.note_start(operation.job, start);
  tell_trace(flight, start, now);
  last_end_[flight.queue] = now;
  if (JobRows::SegmentRow* row = rows_.find(operation)) {
    const Result result = result_of(flight, *row);
    row->flight = nothing;
    row->done = result.done;
    switch (result.kind) {
      case Result::Kind::finished:
        events.emplace_back(sched::Finished{operation});
        break;
      case Result::Kind::stopped:
        events.emplace_back(sched::Stopped{operation, result.done.time});
        break;
      case Result::Kind::failed:
        events.emplace_back(sched::Failed{operation});
        break;
    }
  }
  flights_.close(index);
}

GpuRun::Result GpuRun::result_of(const Flight& flight, JobRows::SegmentRow& row) {
  using enum Result::Kind;
  if (flight.ends_with_loop) {
    const Duration done = builtin_.end(flight.loop, flight.part);
    Result result{.kind = done == flight.part.time ? finished : stopped, .done = flight.before};
    ++result.done.blocks;
    result.done.time += done;
    return result;
  }
  if (flight.loop != nothing) return result_of_bound_loop(flight, row);
  return {.kind = flight.part.is_last ? finished : stopped,
          .done = after_part(*flight.work, flight.part, flight.before, model_sms(flight.request.sms))};
}

GpuRun::Result GpuRun::result_of_bound_loop(const Flight& flight, JobRows::SegmentRow& row) {
  using enum Result::Kind;
  const PreemptibleWork& work = bound_loops_[flight.loop];
  Result result{.done = flight.before};
  if (!work.launch_ended()) {
    keep_failure(flight.request, "the function asked for a loop, but no kernel used it");
    result.kind = failed;
  } else if (!work.finished()) {
    result.kind = stopped;
    // The loop counts the blocks of all launches of the job.
    const Duration whole =
        after_part(*flight.work, flight.part, flight.before, model_sms(flight.request.sms)).time;
    result.done.time =
        nanoseconds(static_cast<std::int64_t>(Int128{count(whole)} * work.done() / work.blocks()));
    return result;
  }
  bound_loops_.give_back(flight.loop, result.kind == finished);
  row.loop = nothing;
  return result;
}

void GpuRun::tell_trace(const Flight& flight, Time start, Time end) const {
  if (setup_.trace == nullptr) return;
  const device::Request& request = flight.request;
  const trace::JobName job{request.task, request.number};
  const std::uint32_t segment = request.operation.segment;
  const bool named = request.stream != sched::own_stream;
  setup_.trace->tell(trace::OperationFinished{
      job, segment, named ? static_cast<std::int32_t>(request.stream) : -1, flight.called, start, end});
  if (flight.work->kind == Kind::copy) {
    const bool second_engine = flight.work->from_device && setup_.system.platform.gpu.copy_engines > 1;
    setup_.trace->tell(trace::CopyRan{job, segment, second_engine ? 1 : 0, start, end});
    return;
  }
  if (!setup_.trace->wants<trace::BlockRan>()) return;
  for (const std::int32_t sm : setup_.sm_sets[request.sms]) {
    setup_.trace->tell(trace::BlockRan{job, segment, flight.before.blocks, sm, start, end});
  }
}

void GpuRun::keep_failure(const device::Request& request, std::string_view what) {
  failure_.keep(setup_.system.tasks[request.task].name, request.number, request.operation.segment, what);
}

void GpuRun::fail(const device::Request& request, std::string_view what) {
  keep_failure(request, what);
  if (refused_.size() < refused_.capacity()) refused_.push_back(request.operation);
}

void GpuRun::look_for_errors(Time now) {
  if (flights_.busy().empty() || broken_ != cudaSuccess || now - heard_ < quiet_time) return;
  heard_ = now;
  // One stream at a time: an error that spoils the device is told by all of them.
  const std::uint32_t queue = flights_.busy()[next_look_++ % flights_.busy().size()];
  static_cast<void>(find_breakage(streams_[queue]));
}

bool GpuRun::find_breakage(cudaStream_t stream) {
  if (broken_ != cudaSuccess) return true;
  const cudaError_t status = query(stream);
  if (status == cudaSuccess || status == cudaErrorNotReady) return false;
  broken_ = status;
  blame(status);
  return true;
}

/// CUDA does not say whose work it was. Of what may have run, bound work is the more likely culprit, and
/// of that what is there longest.
void GpuRun::blame(cudaError_t status) {
  const Flight* culprit = nullptr;
  for (const std::uint32_t queue : flights_.busy()) {
    const Flight& flight = flights_[flights_.first(queue)];
    const bool bound = flight.work->calls != nullptr;
    const bool better = culprit == nullptr || (bound && culprit->work->calls == nullptr) ||
                        (bound == (culprit->work->calls != nullptr) && flight.called < culprit->called);
    if (better) culprit = &flight;
  }
  if (culprit == nullptr) return;
  std::string what = failure_text("its work on the device failed", status);
  if (const std::size_t others = flights_.busy().size() - 1; others > 0) {
    what += " (or that of " + std::to_string(others) + (others == 1 ? " other" : " others") + " under way)";
  }
  keep_failure(culprit->request, what);
}

void GpuRun::fail_all(sched::Events& events) {
  while (!flights_.busy().empty()) {
    const std::uint32_t queue = flights_.busy().front();
    const std::uint32_t index = flights_.first(queue);
    const Flight& flight = flights_[index];
    const sched::Operation operation = flight.request.operation;
    rows_.note_start(operation.job, start_of(flight));
    if (JobRows::SegmentRow* row = rows_.find(operation)) row->flight = nothing;
    events.emplace_back(sched::Failed{operation});
    flights_.pop(queue);
    flights_.close(index);
  }
}

Time GpuRun::job_over(sched::JobId job) {
  if (!rows_.knows(job)) return never;
  streams_.job_over(job);
  for (std::uint32_t segment = 0; segment < rows_.most_segments(); ++segment) {
    JobRows::SegmentRow& row = *rows_.find({job, segment});
    if (row.loop == nothing) continue;
    bound_loops_.give_back(std::exchange(row.loop, nothing), false);
  }
  return rows_.start(job);
}

void GpuRun::stop_all() {
  for (const std::uint32_t queue : flights_.busy()) {
    for (std::uint32_t index = flights_.first(queue); index != nothing; index = flights_[index].next) {
      static_cast<void>(request_stop(flights_[index].request.operation));
    }
  }
}

bool GpuRun::wait_for_streams() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point limit = Clock::now() + options_.patience;
  const auto is_running = [](cudaStream_t stream) { return query(stream) == cudaErrorNotReady; };
  for (std::uint32_t i = 0; i < streams_.size(); ++i) {
    while (is_running(streams_[i])) {
      if (Clock::now() > limit) return false;
      std::this_thread::sleep_for(std::chrono::microseconds{50});
    }
  }
  while (is_running(control_.get())) {
    if (Clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::microseconds{50});
  }
  return true;
}

bool GpuRun::close(Time now) {
  sched::Events unheard;
  poll(now, unheard);
  stop_all();
  for (const std::uint32_t queue : flights_.busy()) {
    const Flight& flight = flights_[flights_.first(queue)];
    rows_.note_start(flight.request.operation.job, start_of(flight));
  }
  const bool ended = wait_for_streams();
  static_cast<void>(find_breakage(control_.get()));
  if (!ended) {
    for (const std::uint32_t queue : flights_.busy()) {
      keep_failure(flights_[flights_.first(queue)].request, "it did not end when the run was over");
    }
  }
  return ended;
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
