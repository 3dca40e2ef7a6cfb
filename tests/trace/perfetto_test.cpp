#include "tactus/trace/perfetto.hpp"

#include "support/example_schedule.hpp"
#include "support/perfetto_file.hpp"
#include "support/temporary_folder.hpp"
#include "tactus/base/file.hpp"

namespace tactus::trace {
namespace {

using namespace std::chrono_literals;
using test::PerfettoFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> track_names(const PerfettoFile& file) {
  std::vector<std::string> names;
  for (const PerfettoFile::Track& track : file.tracks) names.push_back(track.process + "/" + track.name);
  return names;
}

class Perfetto : public ::testing::Test {
 protected:
  test::TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "trace.json";

  PerfettoFile exported(const test::Schedule& schedule, Time reached = time_at(20ms),
                        PerfettoOptions options = {}) {
    PerfettoExporter exporter{path, schedule.system, options};
    test::replay(schedule.recording, exporter);
    exporter.finish(reached);
    return test::read_perfetto_file(path);
  }
};

TEST_F(Perfetto, HasATrackForEverySlotAndTask) {
  const PerfettoFile file = exported(test::four_kernels());
  EXPECT_THAT(track_names(file),
              ElementsAre("Tasks/detector", "Tasks/detector releases", "Tasks/detector completions",
                          "Tasks/detector deadlines", "Tasks/lidar", "Tasks/lidar releases",
                          "Tasks/lidar completions", "Tasks/lidar deadlines", "Tasks/planner",
                          "Tasks/planner releases", "Tasks/planner completions", "Tasks/planner deadlines",
                          "Tasks/mapper", "Tasks/mapper releases", "Tasks/mapper completions",
                          "Tasks/mapper deadlines", "GPU/SM 0 slot 0", "GPU/SM 0 slot 1", "GPU/SM 0 slot 2",
                          "GPU/SM 0 slot 3", "GPU/SM 1 slot 0", "GPU/SM 1 slot 1", "GPU/SM 1 slot 2",
                          "GPU/SM 1 slot 3", "Streams/detector (a stream each job)",
                          "Streams/lidar (a stream each job)", "Streams/planner (a stream each job)",
                          "Streams/mapper (a stream each job)"));
  EXPECT_EQ(test::find_overlap(file), "");
  EXPECT_EQ(file.json["otherData"]["truncated"], false);
  EXPECT_EQ(file.json["displayTimeUnit"], "ns");
}

TEST_F(Perfetto, ShowsEveryBlockInItsPlace) {
  const test::Schedule schedule = test::four_kernels();
  const PerfettoFile file = exported(schedule);
  std::size_t blocks = 0;
  for (const PerfettoFile::Track& track : file.tracks) {
    if (track.process != "GPU") continue;
    for (const PerfettoFile::Slice& slice : track.slices) {
      ++blocks;
      const auto& args = slice.event["args"];
      const auto recorded = std::find_if(
          schedule.recording.blocks.begin(), schedule.recording.blocks.end(), [&](const BlockRan& block) {
            return args["task"] == schedule.system.tasks[block.job.task].name && args["block"] == block.block;
          });
      ASSERT_NE(recorded, schedule.recording.blocks.end());
      EXPECT_EQ(slice.start_ns, in_ns(recorded->start));
      EXPECT_EQ(slice.end_ns, in_ns(recorded->end));
      EXPECT_EQ(args["sm"], recorded->sm);
      EXPECT_EQ(args["segment"], 0);
      EXPECT_EQ(args["job"], 0);
      EXPECT_THAT(track.name, HasSubstr("SM " + std::to_string(recorded->sm) + " slot "));
    }
  }
  EXPECT_EQ(blocks, schedule.recording.blocks.size());
}

TEST_F(Perfetto, MarksEveryMiss) {
  const PerfettoFile file = exported(test::four_kernels());
  std::vector<std::string> missed;
  for (const PerfettoFile::Track& track : file.tracks) {
    for (const PerfettoFile::Slice& mark : track.instants) {
      if (mark.event["cat"] != "miss") continue;
      missed.push_back(track.name + ": " + mark.name);
      EXPECT_EQ(mark.start_ns, 11'000'000);
      EXPECT_EQ(mark.event["cname"], "terrible");
      EXPECT_EQ(mark.event["args"]["missed"], true);
      EXPECT_EQ(mark.event["args"]["completion_ns"], 12'000'000);
    }
  }
  EXPECT_THAT(missed, ElementsAre("planner deadlines: MISSED deadline #0"));

  const PerfettoFile::Track* planner = file.find("planner");
  ASSERT_NE(planner, nullptr);
  ASSERT_EQ(planner->slices.size(), 3U);
  EXPECT_EQ(planner->slices[0].event["cat"], "waiting");
  EXPECT_EQ(planner->slices[1].name, "planner #0");
  EXPECT_EQ(planner->slices[1].start_ns, 4'000'000);
  EXPECT_EQ(planner->slices[1].event["args"]["response_ns"], 12'000'000);
  EXPECT_EQ(planner->slices[1].event["args"]["deadline_ns"], 11'000'000);
  EXPECT_EQ(planner->slices[2].name, "late");
  EXPECT_EQ(planner->slices[2].start_ns, 11'000'000);
  EXPECT_EQ(planner->slices[2].end_ns, 12'000'000);

  const PerfettoFile::Track* met = file.find("mapper deadlines");
  ASSERT_NE(met, nullptr);
  ASSERT_EQ(met->instants.size(), 1U);
  EXPECT_EQ(met->instants[0].name, "deadline #0");
  const PerfettoFile::Track* releases = file.find("mapper releases");
  ASSERT_NE(releases, nullptr);
  ASSERT_EQ(releases->instants.size(), 1U);
  EXPECT_EQ(releases->instants[0].start_ns, 0);
}

TEST_F(Perfetto, ShowsHowAJobWaits) {
  const PerfettoFile file = exported(test::four_kernels());
  const PerfettoFile::Track* track = file.find("mapper");
  ASSERT_NE(track, nullptr);
  ASSERT_EQ(track->slices.size(), 2U);
  const PerfettoFile::Slice& wait = track->slices[0];
  EXPECT_EQ(wait.name, "waiting #0");
  EXPECT_EQ(wait.event["cat"], "waiting");
  EXPECT_EQ(wait.start_ns, 0);
  EXPECT_EQ(wait.end_ns, 6'000'000);
  EXPECT_EQ(wait.event["args"]["task"], "mapper");
  EXPECT_EQ(wait.event["args"]["job"], 0);
  EXPECT_EQ(wait.event["args"]["release_ns"], 0);
  EXPECT_EQ(wait.event["args"]["waiting_ns"], 6'000'000);
  EXPECT_EQ(track->slices[1].start_ns, wait.end_ns) << "the job follows on the same track";
  EXPECT_EQ(file.find("detector")->slices.size(), 1U) << "it did not wait";
}

TEST_F(Perfetto, KeepsWaitingJobsOnFewTracks) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording = {};
  for (int job = 0; job < 500; ++job) {  // half as fast as they come
    schedule.recording.ends.push_back({.job = {0, static_cast<std::uint64_t>(job)},
                                       .release = time_at(job * 1ms),
                                       .start = time_at(job * 2ms),
                                       .completion = time_at(job * 2ms + 2ms)});
  }
  const PerfettoFile file = exported(schedule, time_at(1s));
  EXPECT_EQ(test::find_overlap(file), "");
  EXPECT_NE(file.find("detector (8)"), nullptr);
  EXPECT_EQ(file.find("detector (9)"), nullptr);
  std::size_t jobs = 0;
  for (const PerfettoFile::Track& track : file.tracks) {
    for (const PerfettoFile::Slice& slice : track.slices) jobs += slice.event["cat"] == "job" ? 1U : 0U;
  }
  EXPECT_EQ(jobs, 500U);
  EXPECT_EQ(file.json["otherData"]["events_left_out"], 0);
}

TEST_F(Perfetto, JoinsReleaseOperationsAndCompletionOfAJob) {
  const PerfettoFile file = exported(test::four_kernels());
  EXPECT_EQ(test::find_broken_flow(file), "");
  std::map<std::uint64_t, std::string> flows;  // id -> phases and times in ms
  for (const nlohmann::json& event : file.json["traceEvents"]) {
    if (event.value("cat", "") != "flow") continue;
    flows[event["id"]] += event["ph"].get<std::string>() +
                          std::to_string(static_cast<int>(event["ts"].get<double>() / 1000)) + " ";
  }
  using ::testing::Pair;
  EXPECT_THAT(flows, ElementsAre(Pair(0, "s0 t0 f4 "), Pair(1, "s0 t0 f10 "), Pair(2, "s0 t4 f12 "),
                                 Pair(3, "s0 t6 f11 ")));
  const PerfettoFile::Track* done = file.find("lidar completions");
  ASSERT_NE(done, nullptr);
  ASSERT_EQ(done->instants.size(), 1U);
  EXPECT_EQ(done->instants[0].name, "completion #0");
  EXPECT_EQ(done->instants[0].event["args"]["response_ns"], 10'000'000);
}

TEST_F(Perfetto, CountsFreeThreadsAndJobs) {
  const PerfettoFile file = exported(test::four_kernels());
  EXPECT_EQ(test::find_broken_counter(file), "");
  const auto threads = test::counter_samples(file, "free threads");
  // 2 SMs of 2048 threads, blocks of 512: full until 4 ms, and empty from 12 ms on.
  ASSERT_EQ(threads.size(), 4U);
  EXPECT_EQ(threads[0].first, 0);
  EXPECT_THAT(threads[0].second, ElementsAre(::testing::Pair("of SM 0", 0), ::testing::Pair("of SM 1", 0)));
  EXPECT_EQ(threads[1].first, 10'000'000) << "at 4 and 6 ms others follow at once";
  EXPECT_EQ(threads.back().first, 12'000'000);
  EXPECT_THAT(threads.back().second,
              ElementsAre(::testing::Pair("of SM 0", 2048), ::testing::Pair("of SM 1", 2048)));
  const auto jobs = test::counter_samples(file, "jobs");
  ASSERT_GE(jobs.size(), 5U);
  EXPECT_THAT(jobs[0].second, ElementsAre(::testing::Pair("pending", 4), ::testing::Pair("waiting", 2)));
  EXPECT_THAT(jobs.back().second, ElementsAre(::testing::Pair("pending", 0), ::testing::Pair("waiting", 0)));
}

TEST_F(Perfetto, GroupsTheSmsOfALargeGpuAndLeavesOutIdleOnes) {
  test::Schedule schedule = test::four_kernels();
  schedule.system.platform.gpu.sms = 132;
  schedule.recording = {};
  for (const std::int32_t sm : {0, 3, 17, 131}) {
    schedule.recording.blocks.push_back(
        {.job = {0, 0}, .block = sm, .sm = sm, .start = time_at(1ms), .end = time_at(2ms)});
  }
  const PerfettoFile file = exported(schedule);
  EXPECT_THAT(track_names(file),
              ElementsAre("GPU: SM 0 to 15/SM 0 slot 0", "GPU: SM 0 to 15/SM 3 slot 0",
                          "GPU: SM 16 to 31/SM 17 slot 0", "GPU: SM 128 to 131/SM 131 slot 0"));
  const auto threads = test::counter_samples(file, "free threads");
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_THAT(threads[0].second, ElementsAre(::testing::Pair("of the GPU", 132 * 2048 - 4 * 512)))
      << "one sum instead of 132 counters";
}

TEST_F(Perfetto, LeavesOutFlowsAndCountersBeyondTheirLimitAndSaysSo) {
  const test::Schedule schedule = test::four_kernels();
  const PerfettoFile file = exported(schedule, time_at(20ms), {.max_events = 40});
  std::size_t extras = 0;
  for (const nlohmann::json& event : file.json["traceEvents"]) {
    extras += event["ph"] == "C" || event.value("cat", "") == "flow" ? 1U : 0U;
  }
  EXPECT_EQ(extras, 20U);
  EXPECT_GT(file.json["otherData"]["flows_and_counters_left_out"], 0);
  EXPECT_EQ(exported(schedule).json["otherData"]["flows_and_counters_left_out"], 0);
}

TEST_F(Perfetto, WritesNanosecondsAsExactFractionsOfMicroseconds) {
  test::Schedule schedule = test::four_kernels();
  PerfettoExporter exporter{path, schedule.system};
  exporter.on(BlockRan{
      .job = {0, 0}, .start = time_at(9'007'199'254'741'001ns), .end = time_at(9'007'199'254'742'003ns)});
  exporter.on(BlockRan{.job = {0, 0}, .start = time_at(5ns), .end = time_at(70ns)});
  exporter.finish(time_at(1s));
  const std::string text = read_file(path);
  EXPECT_THAT(text, HasSubstr(R"("ts":9007199254741.001,"dur":1.002,)"));
  EXPECT_THAT(text, HasSubstr(R"("ts":0.005,"dur":0.065,)"));
}

TEST_F(Perfetto, GivesOverlappingOperationsTheirOwnTracks) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording = {};
  schedule.system.tasks[2].stream = "left";
  schedule.system.tasks[1].stream = "right";
  schedule.system.tasks[3].stream = "right";
  for (std::uint64_t job = 0; job < 2; ++job) {
    const Time start = time_at(2ms * static_cast<int>(job));
    schedule.recording.operations.push_back(
        {.job = {0, job}, .segment = 0, .stream = -1, .called = origin, .start = start, .end = start + 3ms});
    schedule.recording.ends.push_back({.job = {0, job}, .start = start, .completion = start + 3ms});
  }
  schedule.recording.operations.push_back({.job = {3, 0},
                                           .segment = 0,
                                           .stream = 0,
                                           .called = time_at(1ms),
                                           .start = time_at(2ms),
                                           .end = time_at(3ms)});
  const PerfettoFile file = exported(schedule);
  EXPECT_THAT(track_names(file),
              ElementsAre("Tasks/detector", "Tasks/detector (2)", "Tasks/detector completions",
                          "Streams/stream right", "Streams/detector (a stream each job)",
                          "Streams/detector (a stream each job) (2)"));
  EXPECT_EQ(test::find_overlap(file), "");
  const auto& args = file.find("stream right")->slices.at(0).event["args"];
  EXPECT_EQ(args["task"], "mapper");
  EXPECT_EQ(args["called_ns"], 1'000'000);
  EXPECT_EQ(args["start_ns"], 2'000'000);
  EXPECT_EQ(args["end_ns"], 3'000'000);
}

TEST_F(Perfetto, ShowsCopiesByEngineAndNamesSegments) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording = {};
  Work& chain = schedule.system.tasks[0].work;
  chain.form = WorkForm::chain;
  chain.nodes.push_back({.name = {}, .segment = CopySegment{}});
  Work& graph = schedule.system.tasks[1].work;
  graph.form = WorkForm::graph;
  graph.nodes[0].name = "up\"load";
  schedule.recording.copies.push_back(
      {.job = {0, 4}, .segment = 1, .engine = 1, .start = time_at(1ms), .end = time_at(2ms)});
  schedule.recording.copies.push_back(
      {.job = {1, 0}, .segment = 0, .engine = 0, .start = time_at(1ms), .end = time_at(2ms)});
  const PerfettoFile file = exported(schedule);
  EXPECT_THAT(track_names(file), ElementsAre("GPU/copy engine 0", "GPU/copy engine 1"));
  EXPECT_EQ(file.find("copy engine 1")->slices.at(0).name, "detector #4 copy 1");
  EXPECT_EQ(file.find("copy engine 0")->slices.at(0).name, "lidar #0 up\"load");
}

TEST_F(Perfetto, ShowsWhenTheEngineWasAway) {
  const test::Schedule schedule = test::four_kernels();
  PerfettoExporter exporter{path, schedule.system};
  EXPECT_TRUE(exporter.interests().absences);
  exporter.on(EngineAway{time_at(1ms), time_at(3ms)});
  exporter.on(EngineAway{time_at(4ms), time_at(5ms)});
  exporter.finish(time_at(20ms));
  const PerfettoFile file = test::read_perfetto_file(path);
  const auto track = std::find_if(file.tracks.begin(), file.tracks.end(), [](const PerfettoFile::Track& one) {
    return one.process == "CPUs" && one.name == "engine away";
  });
  ASSERT_NE(track, file.tracks.end());
  ASSERT_EQ(track->slices.size(), 2U);
  EXPECT_EQ(track->slices[0].start_ns, 1'000'000);
  EXPECT_EQ(track->slices[0].end_ns, 3'000'000);
  EXPECT_EQ(track->slices[0].event["cat"], "away");
}

TEST_F(Perfetto, DrawsJobsThatWereCutOff) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording = {};
  schedule.recording.ends.push_back(
      {.job = {0, 0}, .start = time_at(3ms), .completion = never, .deadline = time_at(5ms), .missed = true});
  schedule.recording.ends.push_back(
      {.job = {1, 0}, .start = never, .completion = never, .deadline = time_at(6ms), .missed = true});
  const PerfettoFile file = exported(schedule, time_at(8ms));
  const PerfettoFile::Track* jobs = file.find("detector");
  ASSERT_NE(jobs, nullptr);
  ASSERT_EQ(jobs->slices.size(), 3U);
  EXPECT_EQ(jobs->slices[0].name, "waiting #0");
  EXPECT_EQ(jobs->slices[1].name, "detector #0 (not completed)");
  EXPECT_EQ(jobs->slices[1].end_ns, 8'000'000);
  EXPECT_TRUE(jobs->slices[1].event["args"]["response_ns"].is_null());
  EXPECT_EQ(jobs->slices[2].name, "late");
  ASSERT_NE(file.find("lidar"), nullptr);
  ASSERT_EQ(file.find("lidar")->slices.size(), 1U) << "it never began";
  EXPECT_EQ(file.find("lidar")->slices[0].event["cat"], "waiting");
  EXPECT_EQ(file.find("lidar")->slices[0].end_ns, 8'000'000);
  ASSERT_NE(file.find("lidar deadlines"), nullptr);
  EXPECT_EQ(file.find("lidar deadlines")->instants.at(0).name, "MISSED deadline #0");
}

TEST_F(Perfetto, EscapesNames) {
  test::Schedule schedule = test::four_kernels();
  schedule.system.name = "back\\slash";
  schedule.system.tasks[0].name = "a\"},{\n\xE4\xBD\xA0";
  const PerfettoFile file = exported(schedule);
  EXPECT_EQ(file.json["otherData"]["system"], "back\\slash");
  ASSERT_NE(file.find(schedule.system.tasks[0].name), nullptr);
  EXPECT_EQ(file.find(schedule.system.tasks[0].name)->slices.at(0).event["args"]["task"],
            schedule.system.tasks[0].name);
}

TEST_F(Perfetto, LeavesOutDetailBeyondItsLimitAndSaysSo) {
  const test::Schedule schedule = test::four_kernels();
  PerfettoExporter exporter{path, schedule.system, {.max_events = 12}};
  EXPECT_TRUE(exporter.interests().blocks);
  test::replay(schedule.recording, exporter);
  EXPECT_TRUE(exporter.truncated());
  EXPECT_FALSE(exporter.interests().blocks);
  EXPECT_FALSE(exporter.interests().operations);
  exporter.finish(time_at(20ms));

  const PerfettoFile file = test::read_perfetto_file(path);
  std::size_t gpu = 0;
  std::size_t marks = 0;
  std::size_t jobs = 0;
  for (const PerfettoFile::Track& track : file.tracks) {
    if (track.process.starts_with("GPU")) gpu += track.slices.size();
    marks += track.instants.size();
    for (const PerfettoFile::Slice& slice : track.slices) jobs += slice.event["cat"] == "job" ? 1U : 0U;
  }
  EXPECT_EQ(gpu, 8U) << "four releases come first";
  EXPECT_EQ(jobs, 4U) << "jobs come after the detail";
  EXPECT_EQ(marks, 12U) << "releases, completions and deadlines";
  EXPECT_EQ(file.json["otherData"]["truncated"], true);
  EXPECT_EQ(file.json["otherData"]["events_left_out"], 8 + 4) << "blocks and operations";
  EXPECT_THAT(file.tracks.back().process, "GPU (cut: 12 events left out)");
}

TEST_F(Perfetto, StopsAltogetherAtTwiceItsLimit) {
  const test::Schedule schedule = test::four_kernels();
  PerfettoExporter exporter{path, schedule.system, {.max_events = 10}};
  for (std::uint64_t job = 0; job < 100; ++job) exporter.on(JobReleased{.job = {0, job}});
  EXPECT_FALSE(exporter.interests().releases);
  EXPECT_FALSE(exporter.interests().ends);
  exporter.finish(time_at(20ms));
  const PerfettoFile file = test::read_perfetto_file(path);
  EXPECT_EQ(file.find("detector releases")->instants.size(), 20U);
  EXPECT_EQ(file.json["otherData"]["events_left_out"], 80);
}

TEST_F(Perfetto, DrawsAThousandOverlappingJobsAndNoMore) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording = {};
  for (std::uint64_t job = 0; job < 1200; ++job) {
    schedule.recording.ends.push_back({.job = {0, job}, .start = time_at(1ms), .completion = time_at(2ms)});
  }
  const PerfettoFile file = exported(schedule);
  EXPECT_EQ(file.tracks.size(), 1000U + 1U) << "and that of the completions";
  EXPECT_EQ(file.json["otherData"]["events_left_out"], 200);
}

TEST_F(Perfetto, NumbersStreamsItHasNoNameFor) {
  test::Schedule schedule = test::four_kernels();
  schedule.recording = {};
  schedule.recording.operations.push_back(
      {.job = {0, 0}, .stream = 1, .start = time_at(1ms), .end = time_at(2ms)});
  EXPECT_THAT(track_names(exported(schedule)), ElementsAre("Streams/stream 1"));
}

TEST_F(Perfetto, LeavesNothingBehindWithoutFinish) {
  const test::Schedule schedule = test::four_kernels();
  {
    PerfettoExporter exporter{path, schedule.system};
    test::replay(schedule.recording, exporter);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(Perfetto, KeepsItsMemoryBounded) {
  // More than its buffer holds, and parts reach the disk before the end.
  const test::Schedule schedule = test::four_kernels();
  PerfettoExporter exporter{path, schedule.system};
  for (int i = 0; i < 5000; ++i) {
    exporter.on(
        BlockRan{.job = {0, 0}, .block = i, .start = time_at(i * 1us), .end = time_at(i * 1us + 1us)});
  }
  std::uintmax_t written = 0;
  for (const auto& entry : std::filesystem::directory_iterator{folder.path()}) written += entry.file_size();
  EXPECT_GT(written, 100'000U);
  exporter.finish(time_at(1s));
  EXPECT_EQ(test::read_perfetto_file(path).find("SM 0 slot 0")->slices.size(), 5000U);
}

}  // namespace
}  // namespace tactus::trace
