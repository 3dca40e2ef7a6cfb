#include "tactus/device/cuda/measure.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/kernel.cuh"
#include "tactus/device/cuda/partition.hpp"
#include "tactus/device/cuda/query.hpp"

namespace tactus::cuda {

namespace {

constexpr unsigned long long longest_gate_ns = 2'000'000;

/// In host memory.
struct Stamps {
  unsigned gate;
  unsigned long long begin;
  unsigned long long end;
};

/// Holds the stream until the host has enqueued everything that follows. Has a timeout, because the host may
/// be waiting for the stream.
__global__ void open_gate(Stamps* stamps, unsigned number) {
  const unsigned long long arrived = global_time();
  while (*static_cast<volatile unsigned*>(&stamps->gate) != number &&
         global_time() - arrived < longest_gate_ns) {
  }
  stamps->begin = global_time();
}

__global__ void note_end(Stamps* stamps) { stamps->end = global_time(); }

/// Times work in a stream. Frees its memory only at destruction, since that waits for the whole device,
/// including a co-runner.
class Stopwatch {
 public:
  Duration time(const WorkPlace& place, const EnqueueWork& enqueue) {
    const std::atomic_ref<unsigned> gate{stamps_.data()->gate};
    ++number_;
    open_gate<<<1, 1, 0, place.stream>>>(stamps_.data(), number_);
    check(cudaGetLastError(), "cannot measure work");
    enqueue(place);
    note_end<<<1, 1, 0, place.stream>>>(stamps_.data());
    check(cudaGetLastError(), "cannot measure work");
    gate.store(number_, std::memory_order_release);
    check(cudaStreamSynchronize(place.stream), "work that is measured failed");
    return nanoseconds(static_cast<std::int64_t>(stamps_.data()->end - stamps_.data()->begin));
  }

 private:
  PinnedBuffer<Stamps> stamps_{1};
  unsigned number_ = 0;
};

/// `place_number` of `places` to be measured.
std::vector<Duration> sample(Stopwatch& stopwatch, const WorkPlace& place, const EnqueueWork& enqueue,
                             const MeasureOptions& options, std::size_t place_number = 0,
                             std::size_t places = 1) {
  std::vector<Duration> times;
  const double rounds = options.warm_up + options.samples;
  times.reserve(static_cast<std::size_t>(std::max(options.samples, 0)));
  for (int i = -options.warm_up; i < options.samples; ++i) {
    const double part = (i + options.warm_up) / rounds;
    options.watch.show((static_cast<double>(place_number) + part) / static_cast<double>(places));
    if (options.watch.stopped()) break;
    const Duration time = stopwatch.time(place, enqueue);
    if (i >= 0) times.push_back(time);
  }
  return times;
}

/// Keeps SMs busy until it is destroyed.
class CoRunner {
 public:
  CoRunner(BuiltinKernel kernel, const Partition& partition, const BuiltinData& data)
      : stream_{partition.make_stream()}, urgent_{make_stream(stream_priorities().most_urgent)} {
    constexpr unsigned threads = 1024;
    constexpr Duration block_time = std::chrono::microseconds{10};
    launch_.kernel = kernel;
    launch_.threads = threads;
    launch_.amount = amount_for(kernel, threads, block_time, data);
    launch_.grid = dim3{static_cast<unsigned>(partition.sms() * resident_blocks_per_sm(kernel, threads))};
    launch_builtin(launch_, work_.begin_launch(), data, stream_.get());
  }
  CoRunner(const CoRunner&) = delete;
  CoRunner& operator=(const CoRunner&) = delete;
  ~CoRunner() {
    try {
      work_.request_stop(urgent_.get());
      stream_.synchronize();
    } catch (const FailureError&) {  // failures are reported by the measurement
    }
  }
  [[nodiscard]] bool ended() const { return work_.launch_ended(); }

 private:
  static constexpr unsigned endless = 4'000'000'000;  // blocks: minutes on the largest device
  Stream stream_;
  Stream urgent_;
  BuiltinLaunch launch_;
  PreemptibleWork work_{dim3{endless}};
};

int count_sms(int device) {
  return device_attribute(device, cudaDevAttrMultiProcessorCount, "cannot read the number of SMs");
}

SmSet first_of(const SmSet& set, int count) {
  SmSet first;
  for (const unsigned sm : set.ids()) {
    if (first.size() < count) first.insert(sm);
  }
  return first;
}

/// A partition of the requested size and, with a co-runner, one of the rest; or the whole device.
struct Division {
  std::unique_ptr<Partitions> partitions;  // null: the whole device
  Stream stream;
  int sms = 0;
  SmSet ids;
};

std::optional<Division> divide(int device, int sms, bool with_rest) {
  const PartitionGranularity sizes = partition_granularity(device, Coscheduling::ignored);
  const int groups = sizes.group == 0 ? 0 : (sms + sizes.group - 1) / sizes.group;
  Division division;
  if (groups > sizes.groups || groups == 0 || (sms == sizes.sms && !with_rest)) {
    if (sms != sizes.sms || with_rest) return std::nullopt;
    division.stream = make_stream();
    division.sms = sms;
    division.ids = find_sm_ids(division.stream.get(), sms);
    return division;
  }
  std::vector<int> wanted{groups * sizes.group};
  if (with_rest) {
    if (groups == sizes.groups) return std::nullopt;
    wanted.push_back((sizes.groups - groups) * sizes.group);
  }
  division.partitions = std::make_unique<Partitions>(device, wanted);
  const Partition& part = (*division.partitions)[0];
  division.stream = part.make_stream();
  division.sms = part.sms();
  division.ids = part.ids();
  return division;
}

}  // namespace

std::vector<Duration> measure_work(const WorkPlace& place, const EnqueueWork& enqueue,
                                   const MeasureOptions& options) {
  Stopwatch stopwatch;
  return sample(stopwatch, place, enqueue, options);
}

std::vector<SmTimes> measure_against_sms(int device, std::span<const int> sms, const EnqueueWork& enqueue,
                                         const MeasureOptions& options) {
  const int all = count_sms(device);
  check(cudaSetDevice(device), "cannot use the device");
  std::optional<BuiltinData> data;
  if (options.co_runner) data.emplace();
  Stopwatch stopwatch;
  std::vector<SmTimes> results;
  for (std::size_t i = 0; i < sms.size(); ++i) {
    const int count = sms[i];
    if (count < 1 || count > all) {
      throw InputError{"the device has no " + std::to_string(count) + " SMs",
                       "it has " + std::to_string(all)};
    }
    const std::optional<Division> division = divide(device, count, options.co_runner.has_value());
    if (!division || (options.virtual_sms == 0 && division->sms != count)) continue;
    WorkPlace place;
    place.stream = division->stream.get();
    place.sms = count;
    place.stream_sms = division->sms;
    place.placement.sms = first_of(division->ids, count);
    place.placement.virtual_sms = options.virtual_sms;
    std::optional<CoRunner> co_runner;
    if (options.co_runner) {
      stopwatch.time(place, enqueue);  // loads kernels, which may wait for the whole device
      co_runner.emplace(*options.co_runner, (*division->partitions)[1], *data);
    }
    std::vector<Duration> times = sample(stopwatch, place, enqueue, options, i, sms.size());
    if (co_runner && co_runner->ended()) throw FailureError{"CUDA: the work beside ended too early"};
    if (!times.empty()) results.push_back({count, std::move(times)});
    if (options.watch.stopped()) break;
  }
  return results;
}

std::vector<int> usual_sm_counts(int sms) {
  std::vector<int> counts;
  for (int count = 1; count < sms; count += count < 64 ? count : 32) counts.push_back(count);
  counts.push_back(sms);
  return counts;
}

MeasuredKernel::MeasuredKernel(BuiltinKernel kernel, unsigned blocks, unsigned threads, std::uint64_t amount,
                               const BuiltinData& data)
    : data_{data}, loop_{dim3{blocks}} {
  launch_.kernel = kernel;
  launch_.amount = amount;
  launch_.grid = dim3{blocks};
  launch_.threads = threads;
}

int MeasuredKernel::max_virtual_sms() const {
  return resident_blocks_per_sm(launch_.kernel, launch_.threads);
}

void MeasuredKernel::operator()(const WorkPlace& place) {
  if (place.placement.virtual_sms == 0) {
    launch_builtin(launch_, data_, place.stream);
    return;
  }
  if (place.placement.virtual_sms > static_cast<unsigned>(max_virtual_sms())) {
    throw InputError{"an SM does not hold " + std::to_string(place.placement.virtual_sms) + " blocks of " +
                     std::to_string(launch_.threads) + " threads of the kernel " +
                     std::string{name_of(launch_.kernel)}};
  }
  if (launched_ && !loop_.finished()) {
    throw FailureError{"CUDA: work that is measured was left undone"};
  }
  launched_ = true;
  loop_.set_placement(place.placement);
  BuiltinLaunch launch = launch_;
  launch.grid = dim3{static_cast<unsigned>(place.stream_sms * max_virtual_sms())};
  launch_builtin(launch, loop_.begin_launch(), data_, place.stream);
}

std::uint64_t amount_for(BuiltinKernel kernel, unsigned threads, Duration block_time,
                         const BuiltinData& data) {
  int device = 0;
  check(cudaGetDevice(&device), "cannot use the device");
  const Stream stream = make_stream();
  BuiltinLaunch launch;
  launch.kernel = kernel;
  launch.threads = threads;
  launch.grid = dim3{static_cast<unsigned>(count_sms(device))};
  return calibrate_builtin(launch, block_time, data, stream.get()).amount;
}

}  // namespace tactus::cuda
