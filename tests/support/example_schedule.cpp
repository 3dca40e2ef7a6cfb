#include "support/example_schedule.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

namespace tactus::test {

namespace {

using namespace std::chrono_literals;

constexpr int sms = 2;
constexpr int slots = 4;

struct Slot {
  Time free_from{};
};

}  // namespace

Schedule schedule_by_hand(std::span<const KernelExample> kernels) {
  Schedule result;
  result.system.name = "by hand";
  result.system.platform.gpu.sms = sms;
  std::array<std::array<Slot, slots>, sms> gpu{};
  Time now{};
  for (TaskIndex index = 0; index < kernels.size(); ++index) {
    const KernelExample& kernel = kernels[index];
    Task task;
    task.name = kernel.name;
    task.arrival = Arrival::once;
    task.deadline = kernel.deadline;
    task.work.nodes.push_back({.name = {},
                               .segment = KernelSegment{.grid = {kernel.blocks, 1, 1},
                                                        .block = 512,
                                                        .block_time = Interval::exactly(kernel.block_time)}});
    result.system.tasks.push_back(task);
    trace::JobEnded job{.job = {index, 0}, .completion = origin, .deadline = time_at(kernel.deadline)};
    for (std::int64_t block = 0; block < kernel.blocks; ++block) {
      const auto free_slots = [&](const auto& sm) {
        return std::count_if(sm.begin(), sm.end(), [&](const Slot& slot) { return slot.free_from <= now; });
      };
      while (std::all_of(gpu.begin(), gpu.end(), [&](const auto& sm) { return free_slots(sm) == 0; })) {
        Time next = never;
        for (const auto& sm : gpu) {
          for (const Slot& slot : sm) next = std::min(next, slot.free_from);
        }
        now = next;
      }
      const auto sm = std::max_element(gpu.begin(), gpu.end(), [&](const auto& a, const auto& b) {
        return free_slots(a) < free_slots(b);
      });
      const auto slot =
          std::find_if(sm->begin(), sm->end(), [&](const Slot& s) { return s.free_from <= now; });
      slot->free_from = now + kernel.block_time;
      job.start = std::min(job.start, now);
      job.completion = std::max(job.completion, slot->free_from);
      result.recording.blocks.push_back({.job = job.job,
                                         .segment = 0,
                                         .block = block,
                                         .sm = static_cast<std::int32_t>(sm - gpu.begin()),
                                         .start = now,
                                         .end = slot->free_from});
    }
    job.missed = job.completion > job.deadline;
    result.recording.releases.push_back({.job = job.job, .release = origin, .deadline = job.deadline});
    result.recording.operations.push_back({.job = job.job,
                                           .segment = 0,
                                           .stream = -1,
                                           .called = origin,
                                           .start = job.start,
                                           .end = job.completion});
    result.recording.ends.push_back(job);
  }
  trace::sort_canonically(result.recording);
  return result;
}

Schedule four_kernels() {
  const std::array<KernelExample, 4> kernels{{{"detector", 4ms, 2, 11ms},
                                              {"lidar", 6ms, 7, 11ms},
                                              {"planner", 6ms, 2, 11ms},
                                              {"mapper", 5ms, 5, 11ms}}};
  return schedule_by_hand(kernels);
}

void replay(const trace::Recording& recording, trace::Observer& observer) {
  std::vector<std::pair<Time, std::function<void()>>> calls;
  const auto add = [&](const auto& events, auto time_of) {
    for (const auto& event : events) {
      calls.emplace_back(time_of(event), [&observer, &event] { observer.on(event); });
    }
  };
  add(recording.releases, [](const trace::JobReleased& event) { return event.release; });
  add(recording.blocks, [](const trace::BlockRan& event) { return event.start; });
  add(recording.copies, [](const trace::CopyRan& event) { return event.start; });
  add(recording.operations, [](const trace::OperationFinished& event) { return event.end; });
  add(recording.ends, [](const trace::JobEnded& event) { return event.completion; });
  std::stable_sort(calls.begin(), calls.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [time, call] : calls) call();
}

}  // namespace tactus::test
