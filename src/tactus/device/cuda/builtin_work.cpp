#include "tactus/device/cuda/builtin_work.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/device/cuda/copies.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/query.hpp"

namespace tactus::cuda {

namespace {

using Kind = device::OperationKind;

constexpr unsigned max_block_threads = 1024;
constexpr std::int64_t max_blocks = 0x7fffffff;
/// The block length at which the rate of a kernel is measured.
constexpr Duration rate_time = std::chrono::microseconds{100};

int attribute(cudaDeviceAttr which, int device) {
  return device_attribute(device, which, "cannot read a property of the device");
}

bool is_built_in(const SegmentWork& work, Kind kind) { return work.is(kind) && work.is_built_in(); }

/// The number of loops that can be in the streams at once. Beyond the limit, work waits for a loop.
std::size_t loops_needed(const SegmentWorks& works, const LaneStreams& streams) {
  constexpr std::size_t spare = 4;  // for aborted work that is still on the GPU
  constexpr std::size_t most = 1024;
  const bool needed = device::any_plan(works, [&](const SegmentWork& work) {
    const bool stops = work.preemptible || work.may_abort || work.preemptible_anywhere;
    return work.is_built_in() && work.needs_sms() && (stops || streams.pins());
  });
  return needed ? std::min(most, loops_in_stream * streams.size() + spare) : 0;
}

/// The size of the blocks that fill an SM, or of the one that fills a part of it.
unsigned threads_to_fill(BuiltinKernel kernel, unsigned parts_per_sm) {
  constexpr unsigned warp = 32;
  if (parts_per_sm == 1) return max_block_threads;
  const unsigned on_sm =
      max_block_threads * static_cast<unsigned>(resident_blocks_per_sm(kernel, max_block_threads));
  return std::clamp(on_sm / parts_per_sm / warp * warp, warp, max_block_threads);
}

unsigned to_blocks(std::int64_t blocks) {
  if (blocks > max_blocks) throw FailureError{"a launch has more blocks than the device can count"};
  return static_cast<unsigned>(std::max<std::int64_t>(1, blocks));
}

}  // namespace

BuiltinWork::BuiltinWork(const System& system, SegmentWorks& works, const LaneStreams& streams,
                         const Settings& settings)
    : settings_{settings},
      full_block_threads_{
          threads_to_fill(settings.kernel, static_cast<unsigned>(system.platform.gpu.parts_per_sm))},
      full_blocks_per_sm_{
          static_cast<unsigned>(resident_blocks_per_sm(settings.kernel, full_block_threads_))},
      loops_{loops_needed(works, streams)} {
  const bool fills =
      device::any_plan(works, [](const SegmentWork& work) { return is_built_in(work, Kind::exclusive); });
  if (fills && full_blocks_per_sm_ < static_cast<unsigned>(system.platform.gpu.parts_per_sm)) {
    throw InputError{"an SM of the device holds only " + std::to_string(full_blocks_per_sm_) +
                         " blocks of the built-in kernel",
                     "set platform.gpu.parts_per_sm to at most that"};
  }
  prepare_builtin(settings.kernel);
  const Stream stream = make_stream();
  // Partitions have their own streams, but the rates are the same on the whole device.
  const int sms = attribute(cudaDevAttrMultiProcessorCount, settings.device);
  bool in_waves = false;
  for (std::size_t task = 0; task < works.size(); ++task) {
    for (std::size_t segment = 0; segment < works[task].size(); ++segment) {
      SegmentWork& work = works[task][segment];
      prepare(work, "task '" + system.tasks[task].name + "', segment " + std::to_string(segment), sms,
              stream.get());
      const bool in_loop = work.preemptible || work.may_abort || streams.pins();
      in_waves = in_waves || (is_built_in(work, Kind::exclusive) && (work.slice.has_value() || in_loop)) ||
                 (is_built_in(work, Kind::kernel) && in_loop);
    }
  }
  if (in_waves) cost_ = measure_block_cost(sms, stream.get());
  for (std::uint32_t i = 0; i < streams.size(); ++i) warm_up(streams[i]);
}

void BuiltinWork::warm_up(cudaStream_t stream) {
  launch_builtin(full_launch(Duration{}, 1), data_, stream);
  if (loops_.size() > 0) {
    launch_builtin(full_launch(Duration{}, 1), loops_[0].begin_launch(), data_, stream);
  }
  check(cudaStreamSynchronize(stream), "cannot run a built-in kernel");
}

void BuiltinWork::prepare(SegmentWork& work, const std::string& where, int sms, cudaStream_t stream) {
  if (is_built_in(work, Kind::kernel)) {
    set_shared_memory(work, where);
    learn_rate(static_cast<unsigned>(work.threads), static_cast<std::size_t>(work.shared_memory), sms,
               stream);
  }
  if (!is_built_in(work, Kind::exclusive)) return;
  learn_rate(full_block_threads_, 0, sms, stream);
  const Waves waves = cut_into_waves(work.time.worst, longest_block(work));
  if (Int128{waves.count} * sms * full_blocks_per_sm_ > max_blocks) {
    throw InputError{where + ": its time is too long to be cut into blocks that short"};
  }
}

Duration BuiltinWork::longest_block(const SegmentWork& work) const {
  return work.preemptible_anywhere ? settings_.yield_interval : work.slice.value_or(Duration{});
}

/// Limits the blocks on an SM to the number in the model, by requesting shared memory that is not used.
void BuiltinWork::set_shared_memory(SegmentWork& work, const std::string& where) {
  const int most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, settings_.device);
  const int reserved = attribute(cudaDevAttrReservedSharedMemoryPerBlock, settings_.device);
  const int all = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, settings_.device);
  constexpr int own = 128;  // what the loop needs, plus one allocation unit
  const auto threads = static_cast<unsigned>(work.threads);
  const auto resident = [&] {
    return std::int64_t{
        resident_blocks_per_sm(settings_.kernel, threads, static_cast<std::size_t>(work.shared_memory))};
  };
  work.shared_memory = std::min<std::int64_t>(work.shared_memory, most - own);
  if (resident() > work.blocks_per_sm) {
    const std::int64_t share = all / work.blocks_per_sm - reserved - own;
    work.shared_memory = std::clamp<std::int64_t>(share / own * own, 0, most - own);
  }
  work.resident = std::max<std::int64_t>(1, resident());
  if (work.resident != work.blocks_per_sm) {
    not_enforced_.push_back(where + ": the model has " + std::to_string(work.blocks_per_sm) +
                            " of its blocks on an SM, the device " + std::to_string(work.resident));
  }
}

void BuiltinWork::learn_rate(unsigned threads, std::size_t shared_memory, int sms, cudaStream_t stream) {
  if (settings_.kernel == BuiltinKernel::spin) return;  // its amounts are times
  const bool known = std::any_of(rates_.begin(), rates_.end(), [&](const Rate& rate) {
    return rate.threads == threads && rate.shared_memory == shared_memory;
  });
  if (known) return;
  BuiltinLaunch launch{.kernel = settings_.kernel, .grid = {}, .threads = threads};
  launch.shared_memory = shared_memory;
  launch.grid = to_blocks(std::int64_t{sms} *
                          std::max(1, resident_blocks_per_sm(settings_.kernel, threads, shared_memory)));
  const BuiltinCalibration calibration = calibrate_builtin(launch, rate_time, data_, stream);
  rates_.push_back({threads, shared_memory, calibration.amount, rate_time});
}

std::uint64_t BuiltinWork::amount_for(Duration time, unsigned threads, std::size_t shared_memory) const {
  const auto nanoseconds = static_cast<std::uint64_t>(std::max<std::int64_t>(0, in_ns(time)));
  if (settings_.kernel == BuiltinKernel::spin) return nanoseconds;
  const auto rate = std::find_if(rates_.begin(), rates_.end(), [&](const Rate& r) {
    return r.threads == threads && r.shared_memory == shared_memory;
  });
  if (rate == rates_.end()) return 0;
  return static_cast<std::uint64_t>(Int128{rate->amount} * nanoseconds / in_ns(rate->time));
}

void BuiltinWork::launch_kernel(const SegmentWork& work, const Part& part, cudaStream_t stream) const {
  launch_builtin(kernel_launch(work, part.time, part.blocks), data_, stream);
}

BuiltinLaunch BuiltinWork::kernel_launch(const SegmentWork& work, Duration time, std::int64_t blocks) const {
  const auto threads = static_cast<unsigned>(work.threads);
  const auto shared_memory = static_cast<std::size_t>(work.shared_memory);
  return {.kernel = settings_.kernel,
          .amount = amount_for(time, threads, shared_memory),
          .grid = to_blocks(blocks),
          .threads = threads,
          .shared_memory = shared_memory};
}

BuiltinLaunch BuiltinWork::full_launch(Duration time, std::int64_t blocks) const {
  return {.kernel = settings_.kernel,
          .amount = amount_for(time, full_block_threads_, 0),
          .grid = to_blocks(blocks),
          .threads = full_block_threads_};
}

/// Where the device preempts at block boundaries, work that is preemptible anywhere consists of short blocks.
void BuiltinWork::launch_exclusive(const SegmentWork& work, const Part& part, int sms,
                                   cudaStream_t stream) const {
  const Waves waves = cut_into_waves(part.time, longest_block(work));
  const Duration each = waves.count == 1 ? waves.each : waves.each - cost_.in_grid;
  launch_builtin(full_launch(each, waves.count * sms * full_blocks_per_sm_), data_, stream);
}

BuiltinWork::LoopLaunch BuiltinWork::loop_launch(const SegmentWork& work, const Part& part,
                                                 const SmPlace& place, Blocks blocks) const {
  const bool all = blocks == Blocks::one_each;
  const Duration cost = all ? cost_.in_stoppable_grid : cost_.in_loop;
  LoopLaunch result;
  if (work.is(Kind::kernel)) {
    result.blocks = part.blocks;
    result.on_sm = static_cast<unsigned>(work.resident);
    std::int64_t launched = all ? part.blocks : place.launch_sms * work.resident;
    // Pinned work needs a block for every place, because blocks on other SMs exit at once.
    if (!place.is_pinned) launched = std::min(launched, part.blocks);
    result.launch = kernel_launch(work, part.time - cost, launched);
  } else {
    const Waves waves = cut_into_waves(part.time, longest_block(work));
    result.blocks = waves.count * place.builtin_blocks(full_blocks_per_sm_);
    result.on_sm = full_blocks_per_sm_;
    result.launch = full_launch(waves.each - cost,
                                all ? result.blocks : std::int64_t{place.launch_sms} * full_blocks_per_sm_);
  }
  return result;
}

std::uint32_t BuiltinWork::launch_stoppable(const SegmentWork& work, const Part& part, const SmPlace& place,
                                            Blocks blocks, cudaStream_t stream) {
  const LoopLaunch wanted = loop_launch(work, part, place, blocks);
  const std::uint32_t loop = loops_.take();
  if (loop == nothing) return nothing;
  try {
    loops_.loop(loop).begin(to_blocks(wanted.blocks), place.of_builtin_loops(), stream);
    launch_builtin(wanted.launch, loops_[loop].begin_launch(), data_, stream);
  } catch (...) {
    loops_.give_back(loop, false);  // the launch failed
    throw;
  }
  return loop;
}

void BuiltinWork::capture_resident(std::span<const SegmentWork* const> segments, const SmPlace& place,
                                   ResidentLoop& loop, cudaStream_t stream) const {
  std::vector<LoopLaunch> wanted;
  std::vector<std::uint64_t> amounts;
  for (const SegmentWork* work : segments) {
    const Part part{.blocks = work->call.blocks, .time = work->time.worst};
    wanted.push_back(loop_launch(*work, part, place, Blocks::many_each));
    amounts.push_back(wanted.back().launch.amount);
  }
  LoopLaunch& first = wanted.front();
  // Blocks that exit make room for others that exit again, while one may still be missing on a chosen SM.
  if (place.is_pinned) first.launch.grid.x *= 4;
  const bool are_alike = std::ranges::all_of(wanted, [&](const LoopLaunch& other) {
    return other.blocks == first.blocks && other.launch.threads == first.launch.threads &&
           other.launch.shared_memory == first.launch.shared_memory;
  });
  if (!are_alike)
    throw InputError{"its GPU segments have different blocks, and no function is bound to them"};
  if (segments.size() > 1) first.launch.amounts = loop.keep(amounts);
  loop.capture(stream, [&] {
    launch_builtin(first.launch,
                   loop.block_loop(to_blocks(first.blocks), place.of_builtin_loops(first.on_sm)), data_,
                   stream);
  });
}

void BuiltinWork::launch_plain(const SegmentWork& work, const SmPlace& place, cudaStream_t stream) const {
  const Part part{.blocks = work.call.blocks, .time = work.time.worst};
  if (work.is(Kind::kernel)) {
    launch_kernel(work, part, stream);
  } else {
    launch_exclusive(work, part, place.sms, stream);
  }
}

void BuiltinWork::launch_again(std::uint32_t loop, const SegmentWork& work, const Part& part,
                               const SmPlace& place, cudaStream_t stream) {
  const LoopLaunch wanted = loop_launch(work, part, place, Blocks::many_each);
  launch_builtin(wanted.launch, loops_[loop].begin_launch(), data_, stream);
}

Part BuiltinWork::end_stoppable(std::uint32_t loop, const SegmentWork& work, const Part& part) {
  const PreemptibleWork& loop_work = loops_[loop];
  const bool finished = loop_work.finished();
  Part done = part;
  done.is_last = finished && part.is_last;
  if (!finished && work.is(Kind::kernel)) {
    done.blocks = static_cast<std::int64_t>(loop_work.done());
  } else if (!finished) {
    done.time = nanoseconds(
        static_cast<std::int64_t>(Int128{in_ns(part.time)} * loop_work.done() / loop_work.blocks()));
  }
  loops_.give_back(loop, finished);
  return done;
}

/// Compares two lengths, so that launch and completion times cancel out.
BuiltinWork::BlockCost BuiltinWork::measure_block_cost(int sms, cudaStream_t stream) {
  constexpr std::int64_t few = 8;
  constexpr std::int64_t many = 40;
  const std::int64_t places = std::int64_t{sms} * full_blocks_per_sm_;
  const Duration length = settings_.yield_interval;
  const auto cost = [&](auto&& run) {
    static_cast<void>(
        shortest_time(3, stream, "cannot measure built-in work", [&] { run(few); }));  // warm-up
    const Duration difference = shortest_time(3, stream, "cannot measure built-in work", [&] { run(many); }) -
                                shortest_time(3, stream, "cannot measure built-in work", [&] { run(few); });
    return std::clamp(difference / (many - few) - length, Duration{}, length / 2);
  };
  BlockCost result;
  result.in_grid =
      cost([&](std::int64_t waves) { launch_builtin(full_launch(length, waves * places), data_, stream); });
  PreemptibleWork work{dim3{1}};
  result.in_loop = cost([&](std::int64_t waves) {
    work.set_grid(to_blocks(waves * places));
    launch_builtin(full_launch(length, places), work.begin_launch(), data_, stream);
  });
  result.in_stoppable_grid = cost([&](std::int64_t waves) {
    work.set_grid(to_blocks(waves * places));
    launch_builtin(full_launch(length, waves * places), work.begin_launch(), data_, stream);
  });
  return result;
}

}  // namespace tactus::cuda
