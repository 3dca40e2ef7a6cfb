#include "tactus/device/cuda/resident_tasks.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/bound_call.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::cuda {

namespace {

using namespace std::chrono_literals;

constexpr Duration pause_between_comparisons = 20ms;
/// Answers that took longer say too little.
constexpr Duration longest_answer = 40us;
constexpr Duration patience = 5s;

class ResidentServices final : public JobServices {
 public:
  ResidentServices(ResidentLoop& loop, const SmPlace& place) : loop_{loop}, place_{place} {}
  BlockLoop begin_loop(dim3 grid) override {
    asked_ = true;
    return loop_.block_loop(grid, place_.of_loops());
  }
  const JobFacts* device_facts() override { return loop_.facts(); }
  /// Whether a loop was asked for.
  [[nodiscard]] bool asked() const { return asked_; }

 private:
  ResidentLoop& loop_;
  const SmPlace& place_;
  bool asked_ = false;
};

std::vector<std::uint32_t> gpu_segments_of(const Task& task) {
  std::vector<std::uint32_t> segments;
  for (std::uint32_t i = 0; i < task.work.nodes.size(); ++i) {
    if (server_of(task.work.nodes[i].segment) == ServerKind::gpu) segments.push_back(i);
  }
  return segments;
}

/// Waits until all of it is on its SMs; false if it does not get there.
bool becomes_ready(const ResidentLoop& loop) {
  const auto limit = std::chrono::steady_clock::now() + patience;
  while (!loop.is_ready() && std::chrono::steady_clock::now() < limit) {
  }
  return loop.is_ready();
}

}  // namespace

ResidentTasks::ResidentTasks(const device::Setup& setup, const SegmentWorks& works,
                             const LaneStreams& streams, const BuiltinWork& builtin) {
  const System& system = setup.system;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    const bool is_released_here =
        std::find(setup.resident.begin(), setup.resident.end(), index) != setup.resident.end();
    const bool is_rung = dispatch_of(system, task) == Dispatch::doorbell;
    if (!is_released_here && !is_rung) continue;
    OfTask& one = tasks_.emplace_back();
    one.task = index;
    one.is_rung = is_rung;
    one.offset = task.offset;
    one.period = task.period.value_or(Duration{});
    one.segments = gpu_segments_of(task);
    one.sms = setup.sm_sets_of(index, one.segments.front()).front();
    one.stream = streams.make_stream_for(one.sms);
    ResidentLoop::Timing timing;
    if (!is_rung) timing.period = *task.period;
    timing.offset = task.offset;
    timing.deadline = task.deadline;
    timing.skips_after_miss = !is_rung && task.on_miss == OnMiss::skip_next;
    one.loop = std::make_unique<ResidentLoop>(timing);
  }
  if (tasks_.empty()) return;
  first_ = compare_clocks(tasks_.front().stream.get());
  for (OfTask& one : tasks_) {
    try {
      capture(one, setup, works[one.task], streams, builtin);
    } catch (const std::exception& error) {
      throw InputError{"task '" + system.tasks[one.task].name + "' cannot stay on its SMs: " + error.what(),
                       "or write `dispatch: launch`"};
    }
  }
  try {
    for (OfTask& one : tasks_) {
      one.loop->launch(one.stream.get());
      // Blocks that are not to stay exit, but until then they could take the places of the next task.
      if (streams.pins() && !becomes_ready(*one.loop)) return;
    }
  } catch (...) {
    end();
    throw;
  }
}

void ResidentTasks::capture(OfTask& task, const device::Setup& setup, const std::vector<SegmentWork>& works,
                            const LaneStreams& streams, const BuiltinWork& builtin) {
  const SmPlace& place = streams.place(task.sms);
  const cudaStream_t stream = task.stream.get();
  const auto work_of = [&](std::uint32_t segment) -> const SegmentWork& { return works[segment]; };
  const bool all_built_in = std::ranges::all_of(
      task.segments, [](const SegmentWork& work) { return work.calls == nullptr; }, work_of);
  if (all_built_in) {
    std::vector<const SegmentWork*> built_in;
    for (const std::uint32_t segment : task.segments) built_in.push_back(&works[segment]);
    builtin.capture_resident(built_in, place, *task.loop, stream);
    return;
  }
  ResidentServices services{*task.loop, place};
  std::vector<std::function<void()>> enqueue;
  for (const std::uint32_t segment : task.segments) {
    enqueue.emplace_back([&, segment] {
      const SegmentWork& work = works[segment];
      if (work.calls == nullptr) {
        builtin.launch_plain(work, place, stream);
        return;
      }
      const tactus::Job::Facts facts{.task = setup.system.tasks[task.task].name,
                                     .task_index = task.task,
                                     .segment = segment,
                                     .blocks = work.call.blocks};
      call_function(work, facts, place, stream, services);
    });
  }
  if (enqueue.size() == 1) {
    // Whether it asks for a loop shows only when it is called.
    task.loop->capture(stream, enqueue.front());
    if (services.asked()) return;
  }
  if (place.is_pinned) throw InputError{"its kernels take no loop, and " + streams.way_to_partitions()};
  task.loop->capture_repeated(stream, streams.context_of(task.sms), enqueue);
  if (services.asked()) {
    throw InputError{"a kernel of it takes its blocks from job.loop(), and it has several GPU segments"};
  }
}

void ResidentTasks::wait_until_ready() const {
  for (const OfTask& one : tasks_) {
    if (becomes_ready(*one.loop)) continue;
    const cudaError_t status = cudaStreamQuery(one.stream.get());
    if (status == cudaSuccess) {
      throw FailureError{
          "resident work has ended before its first job: a function that takes job.loop() must pass it "
          "to the kernel that it launches"};
    }
    if (status != cudaErrorNotReady) check(status, "resident work does not start");
    throw FailureError{
        "resident work does not get its SMs: a launch with a loop may have at most as many blocks as fit "
        "there at once (job.resident_blocks); where only the loop keeps it on its SMs, it needs so many, and "
        "job.virtual_sms() of them must fit an SM"};
  }
}

void ResidentTasks::begin(HostInstant origin) {
  if (tasks_.empty()) return;
  const std::uint64_t device_origin = first_.device + static_cast<std::uint64_t>(in_ns(origin - first_.host));
  bool has_clock = false;
  for (OfTask& one : tasks_) {
    one.loop->begin(device_origin + static_cast<std::uint64_t>(in_ns(one.offset)));
    has_clock = has_clock || !one.is_rung;
  }
  if (has_clock) {
    clock_watch_ = std::jthread{[this](const std::stop_token& stop) { watch_clock(stop); }};
  }
}

/// The best of a few questions to the first task that answers; nothing when none waited for a release.
std::optional<ClockPair> ResidentTasks::compare() {
  constexpr int questions = 5;
  std::optional<ClockPair> best;
  for (const OfTask& asked : tasks_) {
    for (int i = 0; i < questions && !asked.is_rung; ++i) {
      const HostInstant before = host_now();
      asked.loop->ask(shift_);
      std::optional<std::uint64_t> answer;
      while (!(answer = asked.loop->answer()) && host_now() - before < longest_answer) {
      }
      const Duration half = (host_now() - before) / 2;
      if (!answer || (best && half >= best->uncertainty)) continue;
      best = ClockPair{before + half, *answer, half};
    }
    if (best) return best;
  }
  return std::nullopt;
}

/// For the first time during the head start, as soon as the tasks wait for their first releases.
void ResidentTasks::watch_clock(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    correct_releases();
    std::unique_lock lock{pausing_};
    no_pause_.wait_for(lock, stop, pause_between_comparisons, [] { return false; });
  }
}

void ResidentTasks::correct_releases() {
  const std::optional<ClockPair> pair = compare();
  if (!pair) return;
  const std::int64_t ahead =
      static_cast<std::int64_t>(pair->device - first_.device) - in_ns(pair->host - first_.host);
  // Less than the error of a comparison is no drift.
  const std::int64_t error = in_ns(pair->uncertainty + first_.uncertainty);
  shift_ = std::clamp(shift_, ahead - error, ahead + error);
  compared_.fetch_add(1, std::memory_order_relaxed);
  for (OfTask& one : tasks_) {
    if (!one.is_rung) one.loop->ask(shift_);
  }
}

bool ResidentTasks::rings(TaskIndex task) const noexcept {
  return std::any_of(tasks_.begin(), tasks_.end(),
                     [&](const OfTask& one) { return one.task == task && one.is_rung; });
}

void ResidentTasks::ring(const device::Request& request, Time now) noexcept {
  for (OfTask& one : tasks_) {
    if (one.task != request.task) continue;
    one.in_progress = Rung{request, now};
    ++rung_;
    const auto segment = std::ranges::find(one.segments, request.id.segment) - one.segments.begin();
    one.loop->ring({.number = request.number,
                    .release_ns = in_ns(request.release),
                    .deadline_ns = in_ns(request.deadline)},
                   static_cast<unsigned>(segment));
  }
}

bool ResidentTasks::has_news() noexcept {
  if (rung_ == 0) return false;
  return std::any_of(tasks_.begin(), tasks_.end(),
                     [](const OfTask& one) { return one.in_progress && one.loop->is_done(); });
}

std::optional<ResidentTasks::Rung> ResidentTasks::take_rung() noexcept {
  if (rung_ == 0) return std::nullopt;
  for (OfTask& one : tasks_) {
    if (!one.in_progress || !one.loop->is_done()) continue;
    --rung_;
    return std::exchange(one.in_progress, std::nullopt);
  }
  return std::nullopt;
}

std::optional<ResidentTasks::Rung> ResidentTasks::give_up_rung() noexcept {
  for (OfTask& one : tasks_) {
    if (!one.in_progress) continue;
    --rung_;
    return std::exchange(one.in_progress, std::nullopt);
  }
  return std::nullopt;
}

const ResidentTasks::Rung* ResidentTasks::first_rung() const noexcept {
  const auto found =
      std::ranges::find_if(tasks_, [](const OfTask& one) { return one.in_progress.has_value(); });
  return found == tasks_.end() ? nullptr : &*found->in_progress;
}

cudaStream_t ResidentTasks::some_stream() const noexcept {
  const auto found = std::ranges::find_if(
      tasks_, [](const OfTask& one) { return !one.is_rung || one.in_progress.has_value(); });
  return found == tasks_.end() ? nullptr : found->stream.get();
}

std::size_t ResidentTasks::released() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(tasks_, [](const OfTask& one) { return !one.is_rung; }));
}

std::optional<device::ResidentJob> ResidentTasks::next_released() const noexcept {
  const auto found = std::ranges::find_if(tasks_, [](const OfTask& one) { return !one.is_rung; });
  if (found == tasks_.end()) return std::nullopt;
  return device::ResidentJob{.task = found->task, .number = found->next};
}

std::optional<device::ResidentJob> ResidentTasks::take_resident() noexcept {
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    OfTask& one = tasks_[next_];
    next_ = (next_ + 1) % tasks_.size();
    if (one.is_rung) continue;
    const std::optional<ResidentLoop::Ended> ended = one.loop->take();
    if (!ended) continue;
    const std::uint64_t lost = one.loop->lost();
    one.next = ended->number + 1;
    const Time release = time_at(one.offset + static_cast<std::int64_t>(ended->number) * one.period);
    return device::ResidentJob{.task = one.task,
                               .number = ended->number,
                               .start = release + ended->start,
                               .end = release + ended->end,
                               .lost_before = lost - std::exchange(one.lost, lost)};
  }
  return std::nullopt;
}

sched::SmSetId ResidentTasks::sms_of(TaskIndex task) const noexcept {
  const auto found = std::ranges::find(tasks_, task, &OfTask::task);
  return found == tasks_.end() ? 0 : found->sms;
}

ResidentTasks::~ResidentTasks() { end(); }

void ResidentTasks::end() noexcept {
  stop();
  const auto limit = std::chrono::steady_clock::now() + patience;
  while (!has_ended() && std::chrono::steady_clock::now() < limit) std::this_thread::sleep_for(50us);
  if (has_ended()) return;
  for (OfTask& one : tasks_) static_cast<void>(one.loop.release());
}

void ResidentTasks::stop() noexcept {
  for (const OfTask& one : tasks_) one.loop->request_stop();
  clock_watch_ = {};
}

bool ResidentTasks::has_ended() const noexcept {
  return std::all_of(tasks_.begin(), tasks_.end(), [](const OfTask& one) {
    const cudaError_t status = cudaStreamQuery(one.stream.get());
    if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
    return status != cudaErrorNotReady;
  });
}

std::vector<std::string> ResidentTasks::notes() const {
  const bool has_clock =
      std::any_of(tasks_.begin(), tasks_.end(), [](const OfTask& one) { return !one.is_rung; });
  if (!has_clock || compared_.load(std::memory_order_relaxed) > 0) return {};
  return {"releases by the clock of the run: the device's clock could not be compared with it meanwhile"};
}

}  // namespace tactus::cuda
