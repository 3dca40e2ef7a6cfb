// All observers on one simulation agree with each other.
#include <array>
#include <map>

#include "support/perfetto_file.hpp"
#include "support/temporary_folder.hpp"
#include "tactus/model/presets.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/perfetto.hpp"
#include "tactus/trace/recorder.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::trace {
namespace {

using namespace std::chrono_literals;

Segment kernel(std::int64_t blocks, std::int64_t threads, Duration best, Duration worst) {
  return KernelSegment{.grid = {blocks, 1, 1}, .block = threads, .block_time = {best, worst}};
}

Segment copy(Duration time) {
  CopySegment segment;
  segment.time = Interval::exactly(time);
  return segment;
}

Task periodic(std::string name, Duration period, std::vector<Segment> segments) {
  Task task;
  task.name = std::move(name);
  task.period = period;
  task.deadline = period;
  task.work.form = segments.size() == 1 ? WorkForm::single : WorkForm::chain;
  for (Segment& segment : segments) task.work.nodes.push_back({.name = {}, .segment = std::move(segment)});
  return task;
}

// Busier than the GPU can bear, so that jobs pile up, miss and are cut off.
System busy_system() {
  System system;
  system.name = "busy";
  system.platform = *find_preset("jetson-tx2");
  system.tasks.push_back(periodic("camera", 5ms, {kernel(6, 512, 100us, 900us)}));
  system.tasks.push_back(periodic("lidar", 7ms, {kernel(20, 256, 1ms, 3ms)}));
  system.tasks.push_back(periodic("planner", 11ms, {copy(1ms), kernel(9, 1024, 1ms, 2ms), copy(500us)}));
  system.tasks.push_back(periodic("mapper", 9ms, {kernel(3, 700, 2ms, 4ms)}));
  system.tasks[2].stream = "maps";
  system.tasks[3].stream = "maps";
  system.tasks[1].stream_priority = -1;
  return system;
}

TEST(SimulatedTrace, ObserversAgree) {
  const System system = busy_system();
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "trace.json";
  Recorder recorder{{.keep = {.releases = true,
                              .blocks = true,
                              .copies = true,
                              .cpus = true,
                              .operations = true,
                              .ends = true}}};
  Statistics statistics{system.tasks.size()};
  PerfettoExporter exporter{path, system};
  const std::array<Observer*, 3> observers{&recorder, &statistics, &exporter};
  sim::SimulationOptions options;
  options.horizon = 200ms;
  options.seed = 7;
  options.execution = Execution::random;
  const sim::Outcome outcome = sim::simulate(system, options, observers);
  exporter.finish(outcome.reached);
  const Recording recording = recorder.take();
  const test::PerfettoFile file = test::read_perfetto_file(path);

  std::vector<TaskStatistics> counted(system.tasks.size());
  for (const JobReleased& job : recording.releases) ++counted[job.job.task].released;
  for (const JobEnded& job : recording.ends) {
    if (job.completion != never) ++counted[job.job.task].completed;
    if (job.missed) ++counted[job.job.task].misses;
  }
  std::uint64_t misses = 0;
  for (TaskIndex task = 0; task < counted.size(); ++task) {
    TaskStatistics measured = statistics.of(task);
    measured.response.reset();
    EXPECT_EQ(measured, counted[task]) << system.tasks[task].name;
    misses += counted[task].misses;
  }
  EXPECT_GT(misses, 0U);
  EXPECT_GT(outcome.pending, 0U);
  EXPECT_EQ(recording.releases.size(), outcome.released);

  EXPECT_EQ(test::find_overlap(file), "");
  EXPECT_EQ(test::find_broken_flow(file), "");
  EXPECT_EQ(test::find_broken_counter(file), "");
  std::size_t blocks = 0;
  std::size_t copies = 0;
  std::size_t operations = 0;
  std::size_t marked_misses = 0;
  std::size_t max_slots = 0;
  for (const test::PerfettoFile::Track& track : file.tracks) {
    if (const std::size_t slot = track.name.find(" slot "); slot != std::string::npos) {
      max_slots = std::max(max_slots, std::stoul(track.name.substr(slot + 6)) + 1);
    }
    for (const auto& slice : track.slices) {
      blocks += slice.event["cat"] == "block" ? 1U : 0U;
      copies += slice.event["cat"] == "copy" ? 1U : 0U;
      operations += slice.event["cat"] == "operation" ? 1U : 0U;
    }
    for (const auto& mark : track.instants) marked_misses += mark.event["cat"] == "miss" ? 1U : 0U;
  }
  EXPECT_EQ(blocks, recording.blocks.size());
  EXPECT_EQ(copies, recording.copies.size());
  EXPECT_EQ(operations, recording.operations.size());
  EXPECT_EQ(marked_misses, misses);
  EXPECT_LE(max_slots, 8U) << "no more than eight of the smallest blocks fit an SM";
  EXPECT_NE(file.find("stream maps"), nullptr);
  EXPECT_EQ(file.find("stream maps (2)"), nullptr) << "a stream does one thing at a time";
}

// What the counters say at an instant, from all that was recorded.
TEST(SimulatedTrace, CountersAreTrueAtEveryInstant) {
  const System system = busy_system();
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "trace.json";
  Recorder recorder{{.keep = {.blocks = true, .ends = true}}};
  PerfettoExporter exporter{path, system};
  const std::array<Observer*, 2> observers{&recorder, &exporter};
  sim::SimulationOptions options;
  options.horizon = 100ms;
  options.execution = Execution::random;
  exporter.finish(sim::simulate(system, options, observers).reached);
  const Recording recording = recorder.take();
  const test::PerfettoFile file = test::read_perfetto_file(path);

  const auto threads = test::counter_samples(file, "free threads");
  EXPECT_GT(threads.size(), 50U);
  for (const auto& [time, values] : threads) {
    std::map<std::string, std::int64_t> expected{{"of SM 0", 2048}, {"of SM 1", 2048}};
    for (const BlockRan& block : recording.blocks) {
      if (in_ns(block.start) > time || in_ns(block.end) <= time) continue;
      const auto& kernel =
          std::get<KernelSegment>(system.tasks[block.job.task].work.nodes[block.segment].segment);
      expected["of SM " + std::to_string(block.sm)] -= block_demand(kernel, system.platform.gpu).threads;
    }
    EXPECT_EQ(values, expected) << time;
  }
  const auto jobs = test::counter_samples(file, "jobs");
  EXPECT_GT(jobs.size(), 50U);
  for (const auto& [time, values] : jobs) {
    std::map<std::string, std::int64_t> expected{{"pending", 0}, {"waiting", 0}};
    for (const JobEnded& job : recording.ends) {
      if (in_ns(job.release) > time) continue;
      if (in_ns(job.completion) > time) ++expected["pending"];
      if (in_ns(job.start) > time) ++expected["waiting"];
    }
    EXPECT_EQ(values, expected) << time;
  }
}

}  // namespace
}  // namespace tactus::trace
