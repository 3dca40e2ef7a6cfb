#include "tactus/device/cuda/gpu_run.hpp"

#include <algorithm>
#include <exception>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/error.hpp"

namespace tactus::cuda {

namespace {

constexpr std::size_t most_rows = std::size_t{1} << 20U;

const device::Setup& checked(const device::Setup& setup) {
  if (setup.most_pending * max_segments(setup.system) > most_rows) {
    throw InputError{"the CUDA device cannot keep track of " + std::to_string(setup.most_pending) +
                         " jobs of up to " + std::to_string(max_segments(setup.system)) +
                         " segments in progress",
                     "allow fewer jobs to be pending"};
  }
  return setup;
}

std::size_t flights_for(const device::Setup& setup, const device::CudaOptions& options) {
  constexpr std::size_t least = 16;
  const std::size_t all = std::size_t{setup.most_pending} * max_segments(setup.system);
  return std::max(least, std::min(options.most_flights, all + least));
}

/// Loops for bound work that can be stopped: a few jobs of every segment may be in a stream, or half done.
std::size_t bound_loops_for(const SegmentWorks& works) {
  constexpr std::size_t of_each = 8;
  constexpr std::size_t most = 128;
  std::size_t segments = 0;
  for_each_work(works, [&](const SegmentWork& work) {
    if (work.calls != nullptr && work.needs_sms()) ++segments;
  });
  return std::min(most, of_each * segments);
}

}  // namespace

GpuRun::GpuRun(const device::Setup& setup, const device::CudaOptions& options)
    : setup_{checked(setup)},
      options_{options},
      works_{make_segment_works(setup.system, setup.bindings)},
      streams_{setup_,
               {.device = options.device,
                .coscheduling = options.coscheduling,
                .own_streams = options.own_streams,
                .sm_sets_by = options.sm_sets_by}},
      control_{make_stream(stream_priorities().most_urgent)},
      chunk_rule_{make_chunk_rule(setup_, options.copy_chunk)},
      copies_{works_},
      builtin_{
          setup_.system,
          works_,
          streams_,
          {.device = options.device, .kernel = options.kernel, .yield_interval = options.yield_interval}},
      bound_loops_{bound_loops_for(works_)},
      flights_{flights_for(setup, options), streams_.size()},
      words_{flights_.capacity()},
      rows_{setup.most_pending, max_segments(setup.system)},
      last_end_(streams_.size(), origin),
      seen_(setup.system.tasks.size()) {
  refused_.reserve(flights_.capacity());
  // The first signal of a stream makes CUDA prepare it. Flights never wait for the value 0.
  words_.signal(control_.get(), 0, 0);
  control_.synchronize();
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
  flight.called = flight.launched = now;
  const Duration whole =
      setup_.draws.execution(request.task, request.number, request.operation.segment, flight.work->time);
  flight.part = part_of(*flight.work, request.stretch, whole);
  row.flight = index;
  const std::uint32_t before = flights_.last(queue);
  flights_.enqueue(index, queue);
  // What comes behind a copy in its stream waits for all of it.
  if (before != nothing && (!flights_[before].is_sent || flights_[before].bytes_left > 0)) {
    holds_ = true;
  } else {
    send(index);
  }
}

/// The device cannot preempt a kernel that takes its blocks one by one, as it does others at the ends of
/// their blocks. So a slice of such work is over when something more urgent wants its SMs.
void GpuRun::make_way_for(const device::Request& request) {
  const auto is_in_the_way = [&](const Flight& flight) {
    const sched::SmSetId sms = flight.request.sms;
    return flight.loop != nothing && flight.request.extent != sched::Extent::whole &&
           flight.request.level > request.level && (sms == request.sms || sms == 0 || request.sms == 0);
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
  cut(flight);
  return true;
}

void GpuRun::cut(Flight& flight) {
  flight.cut = flight.cut || !flight.is_sent || flight.bytes_left > 0;
  flight.bytes_left = 0;
  stop_loop(flight);
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
    stops = stops || (work.is_preemptible_anywhere() && work.is_built_in());
  });
  for (std::size_t task = 0; task < seen_.size(); ++task) {
    const std::string who = "task '" + setup_.system.tasks[task].name + "': ";
    if (seen_[task].cannot_stop) {
      all.push_back(who + "its kernel cannot be stopped: an abort waits for its end");
    }
    if (seen_[task].strays) {
      all.push_back(who + "its kernel takes no loop, so nothing keeps it on its SMs");
    }
    if (seen_[task].never_yields) {
      all.push_back(who + "its kernel takes no loop, so it does not stop when more urgent work comes");
    }
  }
  if (stops) {
    all.push_back("stops at any instant: work with longest_block 0 stops within its yield interval of " +
                  std::to_string(count(options_.yield_interval)) + " ns");
  }
  return all;
}

}  // namespace tactus::cuda
