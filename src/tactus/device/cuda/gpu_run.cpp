#include "tactus/device/cuda/gpu_run.hpp"

#include <algorithm>
#include <exception>

#include "tactus/device/cuda/error.hpp"
#include "tactus/sched/draws.hpp"

namespace tactus::cuda {

namespace {

std::vector<std::string> names_of(const System& system) {
  std::vector<std::string> names;
  for (const Task& task : system.tasks) names.push_back(task.name);
  return names;
}

device::Setup with_bindings(device::Setup setup, const device::Bindings& bindings) {
  setup.bindings = &bindings;
  return setup;
}

std::size_t entries_for(const device::Setup& setup, const device::CudaOptions& options) {
  constexpr std::size_t least = 16;
  const std::size_t all = max_submissions(setup, "the CUDA device");
  return std::max(least, std::min(options.max_entries, all + least));
}

/// The number of loops for bound work that can be stopped: several jobs of a segment may be in a stream, or
/// stopped.
std::size_t bound_loops_for(const SegmentWorks& works) {
  constexpr std::size_t of_each = 8;
  constexpr std::size_t most = 128;
  std::size_t segments = 0;
  device::for_each_plan(works, [&](const SegmentWork& work) {
    if (work.calls != nullptr && !work.is_captured() && work.needs_sms()) ++segments;
  });
  return std::min(most, of_each * segments);
}

}  // namespace

GpuRun::GpuRun(const device::Setup& setup, const device::CudaOptions& options)
    : bindings_{setup.bindings == nullptr ? device::Bindings{} : *setup.bindings},
      names_{names_of(setup.system)},
      setup_{with_bindings(setup, bindings_)},
      options_{options},
      works_{make_segment_works(setup.system, setup_.bindings)},
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
      captured_{setup_, works_, streams_},
      bound_loops_{bound_loops_for(works_)},
      facts_{streams_.size()},
      entries_{entries_for(setup, options), streams_.size()},
      words_{entries_.capacity()},
      starts_{setup.max_pending},
      rows_{setup.max_pending, max_segments(setup.system)},
      last_end_(streams_.size(), origin),
      seen_(setup.system.tasks.size()) {
  refused_.reserve(entries_.capacity());
  launchers_.resize(setup.system.tasks.size());
  for (std::size_t task = 0; task < works_.size(); ++task) {
    const bool calls = std::ranges::any_of(
        works_[task], [](const SegmentWork& work) { return work.calls != nullptr && !work.is_captured(); });
    if (!calls || !setup.system.tasks[task].launcher) continue;
    launchers_[task] = std::make_unique<CallLauncher>(
        streams_.size(),
        CallLauncher::Manner{.waits_busily = options.spin >= device::always_spins,
                             // The current device is a setting of each thread. An error shows in later calls.
                             .prepare = [id = options.device] { static_cast<void>(cudaSetDevice(id)); }});
  }
  // CUDA prepares a stream at its first signal. The value 0 is never waited for.
  words_.signal(control_.get(), 0, 0);
  control_.synchronize();
  for (std::uint32_t i = 0; i < streams_.size(); ++i) words_.signal(streams_[i], 0, 0);
  for (std::uint32_t i = 0; i < streams_.size(); ++i) {
    check(cudaStreamSynchronize(streams_[i]), "a stream does not work");
  }
  resident_.emplace(setup_, works_, streams_, builtin_);
  resident_->wait_until_ready();
}

void GpuRun::submit(const device::Request& request, Time now) {
  now_ = now;
  if (broken_ != cudaSuccess) {
    fail(request, "the device does not work any more");
    return;
  }
  if (request.server == ServerKind::gpu && resident_->rings(request.task)) {
    if (is_idle()) heard_ = now;
    starts_.open(request.id.job);
    resident_->ring(request, now);
    return;
  }
  const std::uint32_t queue = streams_.find(request);
  if (queue == LaneStreams::no_stream) {
    fail(request, "no stream was made for it");
    return;
  }
  const std::uint32_t index = entries_.open();
  if (index == nothing) {
    fail(request, "the device has too much work");
    return;
  }
  if (entries_.size() == 1) heard_ = now;
  starts_.open(request.id.job);
  StreamEntry& entry = entries_[index];
  entry.request = request;
  entry.work = &works_[request.task][request.id.segment];
  entry.called = entry.launched = now;
  const Duration whole =
      setup_.draws.execution(request.task, request.number, request.id.segment, entry.work->time);
  entry.part = part_of(*entry.work, request.stretch, whole);
  row_of(request.id).entry = index;
  const std::uint32_t before = entries_.last(queue);
  entries_.enqueue(index, queue);
  // Work waits until everything before it in its stream is enqueued.
  if (before != nothing && !entries_[before].is_enqueued()) {
    holds_ = true;
  } else {
    send(index);
  }
}

/// The device cannot preempt a kernel that takes its blocks from a loop, as it does other kernels at block
/// boundaries. So such a slice is stopped when more urgent work needs its SMs.
void GpuRun::make_way_for(const device::Request& request) {
  const auto is_in_the_way = [&](const StreamEntry& entry) {
    const sched::SmSetId sms = entry.request.sms;
    return (entry.loop != nothing || entry.launch != nothing) &&
           entry.request.extent != sched::Extent::whole && entry.request.level > request.level &&
           (sms == request.sms || sms == 0 || request.sms == 0);
  };
  entries_.for_each([&](StreamEntry& entry) {
    if (!is_in_the_way(entry)) return;
    entry.stop_when_launched = entry.launch != nothing;
    stop_loop(entry);
  });
}

bool GpuRun::request_stop(sched::SubmissionId submission) {
  const SegmentRow* row = find_row(submission);
  if (row == nullptr || row->entry == nothing) return false;
  StreamEntry& entry = entries_[row->entry];
  if (submission.part != 0 && submission.part != entry.request.id.part) return false;
  cut(entry);
  return true;
}

void GpuRun::cut(StreamEntry& entry) {
  if (entry.launch != nothing) {
    stop_launched(entry);
    return;
  }
  entry.cut = entry.cut || !entry.is_sent || entry.bytes_left > 0;
  entry.bytes_left = 0;
  stop_loop(entry);
}

void GpuRun::stop_loop(StreamEntry& entry) {
  if (entry.loop == nothing || entry.stopping || broken_ != cudaSuccess) return;
  entry.stopping = true;
  try {
    if (entry.ends_with_loop) {
      builtin_.request_stop(entry.loop, control_.get());
    } else {
      bound_loops_[entry.loop].request_stop(control_.get());
    }
  } catch (const std::exception& error) {
    keep_failure(entry.request, error.what());
    static_cast<void>(find_breakage(control_.get()));
  }
}

std::vector<std::string> GpuRun::not_enforced() const {
  std::vector<std::string> all = streams_.not_enforced();
  for (std::string& note : resident_->notes()) all.push_back(std::move(note));
  all.insert(all.end(), builtin_.not_enforced().begin(), builtin_.not_enforced().end());
  const bool stops = device::any_plan(
      works_, [](const SegmentWork& work) { return work.preemptible_anywhere && work.is_built_in(); });
  for (std::size_t task = 0; task < seen_.size(); ++task) {
    const std::string who = "task '" + setup_.system.tasks[task].name + "': ";
    if (seen_[task].cannot_stop) {
      all.push_back(who + "its kernel cannot be stopped: an abort waits for its end");
    }
    if (setup_.system.tasks[task].on_overrun == OnOverrun::abort &&
        resident_->rings(static_cast<TaskIndex>(task))) {
      all.push_back(who + "its work waits on its SMs and cannot be stopped: an abort waits for its end");
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
                  std::to_string(in_ns(options_.yield_interval)) + " ns");
  }
  return all;
}

}  // namespace tactus::cuda
