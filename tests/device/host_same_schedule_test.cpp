// What is not bound runs on the host device exactly as on the simulated GPU: the same calls at the same
// instants give the same schedule, block for block.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "support/dice.hpp"
#include "support/host_run.hpp"
#include "tactus/device/sim/sim_gpu.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;

struct Called {
  TaskIndex task = 0;
  std::uint32_t slot = 0;
  HostRun::Place place;
  Time at{};
};

/// The simulated GPU, which tells what ran.
class Replay final : private device::GpuListener {
 public:
  explicit Replay(const System& system, const std::vector<std::vector<std::int32_t>>& sm_sets)
      : system_{system}, gpu_{system.platform.gpu, sm_sets} {
    for (int i = 0; i < 2; ++i) streams_.push_back(gpu_.open_stream());
    gpu_.listen({.listener = this, .blocks = true, .copies = true});
  }

  Recording run(const std::vector<Called>& calls) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      advance_to(calls[i].at);
      call(calls[i]);
      if (i + 1 == calls.size() || calls[i + 1].at > calls[i].at) gpu_.dispatch(calls[i].at);
    }
    while (gpu_.next_end() != never) {
      gpu_.dispatch(gpu_.advance(gpu_.next_end(), finished_));
    }
    return recording_;
  }

 private:
  void advance_to(Time limit) {
    for (Time reached{}; (reached = gpu_.advance(limit, finished_)) < limit;) gpu_.dispatch(reached);
  }

  void call(const Called& called) {
    const Task& task = system_.tasks[called.task];
    const Segment& segment = task.work.nodes.front().segment;
    device::TimedCall call;
    call.token = called.task * std::uint64_t{1000} + called.slot;
    call.length = drawn_time(segment).worst;
    call.last_length = call.length;
    call.call.level = called.place.level;
    call.call.sm_set = called.place.sms;
    if (const auto* kernel = std::get_if<KernelSegment>(&segment)) {
      call.call.blocks = kernel->blocks();
      call.call.demand = block_demand(*kernel, system_.platform.gpu);
    } else if (std::holds_alternative<CopySegment>(segment)) {
      call.call.kind = device::OperationKind::copy;
    } else {
      call.call.kind = device::OperationKind::exclusive;
      call.preemptible_anywhere = task.longest_block == Duration{};
      if (task.longest_block && *task.longest_block > Duration{} && call.length > *task.longest_block) {
        call.call.blocks = ceil_div(in_ns(call.length), in_ns(*task.longest_block));
        call.last_length = call.length - *task.longest_block * (call.call.blocks - 1);
        call.length = *task.longest_block;
      }
    }
    const device::StreamIndex stream =
        sched::is_own(called.place.stream) ? gpu_.open_stream() : streams_[called.place.stream];
    gpu_.call(stream, call, called.at);
  }

  void block_ran(std::uint64_t token, std::int64_t block, std::int32_t sm, Time start, Time end) override {
    recording_.blocks.push_back({name_of(token), 0, block, sm, start, end});
  }
  void copy_ran(std::uint64_t token, std::int32_t engine, Time start, Time end) override {
    recording_.copies.push_back({name_of(token), 0, engine, start, end});
  }
  static trace::JobName name_of(std::uint64_t token) {
    return {static_cast<TaskIndex>(token / 1000), token % 1000};
  }

  const System& system_;
  device::SimGpu gpu_;
  std::vector<device::StreamIndex> streams_;
  std::vector<device::Completion> finished_;
  Recording recording_;
};

System random_system(Dice& dice) {
  System system = small_host_system();
  Gpu& gpu = system.platform.gpu;
  gpu.sms = dice.small(1, 4);
  gpu.blocks_per_sm = dice.small(1, 4);
  gpu.threads_per_sm = 128;
  gpu.copy_engines = dice.small(1, 2);
  gpu.sm_choice =
      dice.pick({SmChoice::most_free, SmChoice::first_fit, SmChoice::best_fit, SmChoice::round_robin});
  for (int i = 0; i < 8; ++i) {
    const Duration time = dice.percent(10) ? Duration{} : dice.duration(1'000, 150'000);
    const std::string name = "task" + std::to_string(i);
    if (dice.percent(60)) {
      add_task(system, name, {host_kernel(dice.between(1, 12), time, 32 * dice.between(1, 4))});
    } else if (dice.percent(50)) {
      add_task(system, name, {host_copy(time)});
    } else {
      Task& task = add_task(system, name, {host_exclusive(time)});
      if (dice.percent(70)) task.longest_block = dice.percent(50) ? Duration{} : time / dice.between(1, 4);
    }
  }
  return system;
}

/// Nothing when the round was disturbed: the front end was late, or saw a request late.
std::optional<std::string> compare(std::uint64_t seed, bool& disturbed) {
  Dice dice{seed};
  HostRun run{random_system(dice)};
  const std::int32_t sms = run.system.platform.gpu.sms;
  std::vector<std::vector<std::int32_t>> sets{{0}, {sms - 1}};
  if (sms > 2) sets.push_back({1, 2});
  run.open(sets, 2);
  std::vector<Called> calls;
  std::vector<Time> latest;
  std::vector<sched::SubmissionId> submissions;
  for (std::uint32_t i = 0; i < 30; ++i) {
    Called called;
    called.task = static_cast<TaskIndex>(dice.between(0, 7));
    called.slot = i;
    called.place.level = static_cast<std::uint32_t>(dice.between(0, 1));
    if (dice.percent(40)) called.place.sms = static_cast<std::uint32_t>(dice.between(0, std::ssize(sets)));
    if (dice.percent(50)) called.place.stream = static_cast<std::uint32_t>(dice.between(0, 1));
    called.at = run.device->now();
    submissions.push_back(run.submit(called.task, i, 0, called.place));
    latest.push_back(run.device->now());
    calls.push_back(called);
    if (dice.percent(30)) run.device->wait(run.device->now() + dice.duration(0, 100'000));
  }
  for (const sched::SubmissionId& submission : submissions) {
    if (!run.pump_until_heard_of(submission)) return "something never ended";
  }
  run.device->close();
  disturbed = !run.device->not_enforced().empty();
  for (const trace::OperationFinished& finished : run.recorder.recording.operations) {
    Called& called = calls[finished.job.number];
    disturbed = disturbed || finished.called < called.at || finished.called > latest[finished.job.number];
    called.at = finished.called;
    // The device may have handled the end of a block when it sees a request that it then counts from there.
    disturbed =
        disturbed || std::ranges::any_of(run.recorder.recording.blocks,
                                         [&](const trace::BlockRan& ran) { return ran.end == called.at; });
  }
  std::stable_sort(calls.begin(), calls.end(), [](const Called& a, const Called& b) { return a.at < b.at; });
  Recording ran = run.recorder.recording;
  ran.operations.clear();
  sets.insert(sets.begin(), device::all_sms(run.system.platform.gpu));
  Recording expected = Replay{run.system, sets}.run(calls);
  sort_events(ran);
  sort_events(expected);
  return difference(expected, ran, "simulated", "run");
}

TEST(HostSameSchedule, BlockForBlock) {
  int compared = 0;
  // A machine that is busy with other things compares less.
  const auto enough = std::chrono::steady_clock::now() + 3s;
  for (std::uint64_t seed = 1; seed <= 40 && std::chrono::steady_clock::now() < enough; ++seed) {
    bool disturbed = false;
    const std::optional<std::string> found = compare(seed, disturbed);
    if (disturbed) continue;
    ++compared;
    ASSERT_FALSE(found) << "seed " << seed << "\n" << *found;
  }
  if (compared == 0) GTEST_SKIP() << "the machine is too busy to compare anything";
}

}  // namespace
}  // namespace tactus::test
