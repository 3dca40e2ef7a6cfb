// A host device driven by hand: submit, wait, poll.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/recording.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/device/rules/sm_array.hpp"
#include "tactus/sched/cutting.hpp"
#include "tactus/sched/draws.hpp"
#include "tactus/trace/fanout.hpp"

namespace tactus::test {

/// Two SMs of two slots, one copy engine, two priorities, two CPU cores, no tasks.
inline System small_host_system() {
  System system;
  system.name = "host";
  system.platform.clusters = {2};
  Gpu& gpu = system.platform.gpu;
  gpu.sms = 2;
  gpu.threads_per_sm = 64;
  gpu.blocks_per_sm = 2;
  gpu.priority_levels = 2;
  gpu.copy_engines = 1;
  return system;
}

inline Segment host_kernel(std::int64_t blocks, Duration block_time = {}, std::int64_t threads = 32) {
  return KernelSegment{.grid = {blocks, 1, 1}, .block = threads, .block_time = {block_time, block_time}};
}
inline Segment host_exclusive(Duration time) { return ExclusiveSegment{.time = {time, time}}; }
inline Segment host_copy(Duration time) { return CopySegment{.time = {time, time}, .bytes = {}}; }
inline Segment host_cpu(Duration time) { return CpuSegment{.time = {time, time}}; }

inline Task& add_task(System& system, const std::string& name, std::vector<Segment> segments) {
  Task& task = system.tasks.emplace_back();
  task.name = name;
  task.arrival = Arrival::once;
  task.work.form = segments.size() == 1 ? WorkForm::single : WorkForm::chain;
  for (Segment& segment : segments) task.work.nodes.push_back({.name = {}, .segment = std::move(segment)});
  return task;
}

inline device::Binding bound_blocks(WorkOfJob work) {
  return {.kind = device::Binding::Kind::blocks, .work = std::move(work)};
}
inline device::Binding bound_function(WorkOfJob work) {
  return {.kind = device::Binding::Kind::function, .work = std::move(work)};
}

/// Every task has one CPU segment on its core at a time.
inline std::vector<sched::CpuLane> cpu_lanes_of(const System& system) {
  std::vector<sched::CpuLane> lanes;
  for (const Task& task : system.tasks) {
    const bool has_cpu_work =
        std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                    [](const Node& node) { return server_of(node.segment) == ServerKind::cpu; });
    if (!has_cpu_work) continue;
    const auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const sched::CpuLane& other) {
      return other.cores.first == task.core;
    });
    if (lane == lanes.end()) {
      lanes.push_back({.cores = {.first = task.core}});
    } else {
      ++lane->width;
    }
  }
  return lanes;
}

/// SCHED_FIFO threads that are busy would hinder other tests; less room for events makes opening cheaper.
inline device::HostOptions plain_host() {
  device::HostOptions options;
  options.real_time = false;
  options.max_events = 1U << 13U;
  return options;
}

class HostRun {
 public:
  static constexpr std::uint32_t max_jobs = 256;

  explicit HostRun(System given, device::Bindings bound = {},
                   const device::HostOptions& options = plain_host())
      : system{std::move(given)}, bindings{std::move(bound)}, device{device::make_host_device(options)} {}

  void open(std::vector<std::vector<std::int32_t>> more_sm_sets = {}, std::size_t streams = 4,
            bool dedicated_sms = false) {
    device::Setup setup{.system = system,
                        .draws = draws,
                        .sm_sets = {device::all_sms(system.platform.gpu)},
                        .streams = {},
                        .lanes = {},
                        .cpu_lanes = cpu_lanes_of(system)};
    for (std::vector<std::int32_t>& set : more_sm_sets) setup.sm_sets.push_back(std::move(set));
    std::vector<std::int64_t> sizes;
    for (const std::vector<std::int32_t>& set : setup.sm_sets) {
      sizes.push_back(static_cast<std::int64_t>(set.size()));
    }
    cutting_.emplace(system, std::move(sizes), sched::Cutting::BestEffortCopies{});
    setup.streams = static_cast<std::uint32_t>(streams);
    setup.max_pending = max_jobs;
    setup.dedicated_sms = dedicated_sms;
    setup.bindings = &bindings;
    setup.trace = &trace;
    device->open(setup);
  }

  struct Place {
    sched::StreamId stream = sched::own_stream;
    std::uint32_t level = 0;  // on a CPU, its rank
    sched::SmSetId sms = 0;
    sched::Extent extent = sched::Extent::whole;
  };

  /// Job `slot` of the table is job `slot` of its task.
  sched::SubmissionId submit(TaskIndex task, std::uint32_t slot, std::uint32_t segment, const Place& place) {
    const sched::SubmissionId submission{{slot, 0}, segment, ++parts_};
    device::Request request;
    request.id = submission;
    request.task = task;
    request.number = slot;
    request.stream = place.stream;
    request.level = place.level;
    request.urgency.rank = place.level;
    const Node& node = system.tasks[task].work.nodes[segment];
    request.server = server_of(node.segment);
    request.cores = {.first = core_of(system.tasks[task], node)};
    request.sms = place.sms;
    request.extent = place.extent;
    const sched::Submit submit{.id = submission, .sms = place.sms, .extent = place.extent};
    request.stretch = cutting_->stretch(task, submit, done_so_far({slot, 0}, segment));
    device->submit(request);
    return submission;
  }
  sched::SubmissionId submit(TaskIndex task, std::uint32_t slot, std::uint32_t segment = 0) {
    return submit(task, slot, segment, Place{});
  }

  /// Waits and polls until something holds. False after so long that it never will.
  bool pump(const std::function<bool()>& done) {
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (!done()) {
      if (std::chrono::steady_clock::now() > patience) return false;
      device->wait(device->now() + std::chrono::milliseconds{20});
      device->poll(events);
    }
    return true;
  }
  bool pump_until_heard_of(sched::SubmissionId submission) {
    return pump([&] { return !heard_of(submission).empty(); });
  }

  /// All that was heard of a submission: "finished", "stopped" or "failed".
  [[nodiscard]] std::string heard_of(sched::SubmissionId submission) const {
    std::string text;
    for (const sched::Event& event : events) {
      if (const auto* finished = std::get_if<sched::Finished>(&event)) {
        if (finished->id == submission) text += "finished";
      } else if (const auto* stopped = std::get_if<sched::Stopped>(&event)) {
        if (stopped->id == submission) text += "stopped";
      } else if (const auto* failed = std::get_if<sched::Failed>(&event)) {
        if (failed->id == submission) text += "failed";
      }
    }
    return text;
  }
  [[nodiscard]] std::optional<Duration> progress_of(sched::SubmissionId submission) const {
    for (const sched::Event& event : events) {
      const auto* stopped = std::get_if<sched::Stopped>(&event);
      if (stopped != nullptr && stopped->id == submission) return stopped->progress.time;
    }
    return std::nullopt;
  }

  System system;
  device::Bindings bindings;
  sched::Draws draws{system, 1, Execution::worst};
  Recorder recorder{Recorder::Blocks::wanted};
  std::array<trace::Observer*, 1> observers{&recorder};
  trace::Fanout trace{observers};
  sched::Events events;
  std::unique_ptr<device::Device> device;

 private:
  /// As the scheduler core knows it from what the device told.
  [[nodiscard]] sched::SegmentProgress done_so_far(sched::JobId job, std::uint32_t segment) const {
    sched::SegmentProgress done;
    for (const sched::Event& event : events) {
      const auto* stopped = std::get_if<sched::Stopped>(&event);
      if (stopped == nullptr || stopped->id.segment != segment) continue;
      if (stopped->id.job == job) done = stopped->progress;
    }
    return done;
  }

  std::uint32_t parts_ = 0;
  std::optional<sched::Cutting> cutting_;
};

}  // namespace tactus::test
