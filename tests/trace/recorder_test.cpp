#include "tactus/trace/recorder.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/example_schedule.hpp"

namespace tactus::trace {
namespace {

using namespace std::chrono_literals;
using nlohmann::ordered_json;

constexpr Interests everything{
    .releases = true, .blocks = true, .copies = true, .cpus = true, .operations = true, .ends = true};

BlockRan block(TaskIndex task, std::uint64_t job, std::uint32_t segment, std::int64_t index, std::int32_t sm,
               Duration start) {
  return {.job = {task, job},
          .segment = segment,
          .block = index,
          .sm = sm,
          .start = time_at(start),
          .end = time_at(start)};
}

TEST(Recorder, KeepsWhatIsAskedFor) {
  const test::Schedule schedule = test::four_kernels();
  Recorder all{{.keep = everything}};
  Recorder ends{{.keep = {.ends = true}}};
  test::replay(schedule.recording, all);
  test::replay(schedule.recording, ends);

  const Recording everything_kept = all.take();
  EXPECT_EQ(everything_kept.blocks.size(), 16U);
  EXPECT_EQ(everything_kept.releases.size(), 4U);
  EXPECT_EQ(everything_kept.operations.size(), 4U);
  EXPECT_EQ(everything_kept.ends.size(), 4U);
  EXPECT_TRUE(everything_kept.complete());

  EXPECT_TRUE(ends.interests().ends);
  EXPECT_FALSE(ends.interests().blocks);
  const Recording only_ends = ends.take();
  EXPECT_EQ(only_ends.ends.size(), 4U);
  EXPECT_TRUE(only_ends.blocks.empty() && only_ends.releases.empty() && only_ends.operations.empty());
  EXPECT_TRUE(ends.take().ends.empty()) << "taking starts afresh";
}

TEST(Recorder, SortsCanonically) {
  // Each differs from the next in one more field.
  const std::vector<BlockRan> sorted{block(0, 0, 0, 0, 0, 1ms), block(0, 0, 0, 0, 1, 1ms),
                                     block(0, 0, 0, 1, 0, 1ms), block(0, 0, 1, 0, 0, 1ms),
                                     block(0, 1, 0, 0, 0, 1ms), block(1, 0, 0, 0, 0, 1ms),
                                     block(0, 0, 0, 0, 0, 2ms)};
  Recorder recorder{{.keep = everything}};
  for (auto event = sorted.rbegin(); event != sorted.rend(); ++event) recorder.on(*event);
  const std::vector<BlockRan> recorded = recorder.take().blocks;
  ASSERT_EQ(recorded.size(), sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    EXPECT_EQ(recorded[i].job, sorted[i].job) << i;
    EXPECT_EQ(recorded[i].segment, sorted[i].segment) << i;
    EXPECT_EQ(recorded[i].block, sorted[i].block) << i;
    EXPECT_EQ(recorded[i].sm, sorted[i].sm) << i;
    EXPECT_EQ(recorded[i].start, sorted[i].start) << i;
  }
}

TEST(Recorder, StopsAtItsLimitAndSaysSo) {
  Recorder recorder{{.keep = everything, .max_of_a_kind = 3}};
  for (int i = 0; i < 3; ++i) recorder.on(block(0, 0, 0, i, 0, 1ms));
  EXPECT_TRUE(recorder.interests().blocks);
  recorder.on(block(0, 0, 0, 3, 0, 1ms));
  EXPECT_FALSE(recorder.interests().blocks);
  EXPECT_TRUE(recorder.interests().ends);
  recorder.on(JobEnded{.job = {0, 0}});
  const Recording recording = recorder.take();
  EXPECT_EQ(recording.blocks.size(), 3U);
  EXPECT_EQ(recording.ends.size(), 1U);
  EXPECT_FALSE(recording.complete());
  EXPECT_TRUE(recording.truncated.blocks);
  EXPECT_FALSE(recording.truncated.ends);
}

TEST(Recorder, KeepsAbsencesWhereTheyAreWanted) {
  Recorder recorder{{.keep = {.absences = true}, .max_of_a_kind = 2}};
  for (const Duration from : {3ms, 1ms}) recorder.on(EngineAway{time_at(from), time_at(from + 1ms)});
  EXPECT_TRUE(recorder.interests().absences);
  recorder.on(EngineAway{time_at(5ms), time_at(6ms)});
  EXPECT_FALSE(recorder.interests().absences);
  const Recording recording = recorder.take();
  ASSERT_EQ(recording.absences.size(), 2U);
  EXPECT_EQ(recording.absences[0].from, time_at(1ms));
  EXPECT_EQ(recording.absences[1].to, time_at(4ms));
  EXPECT_FALSE(recording.complete());
}

TEST(Recorder, IgnoresWhatBeginsLater) {
  Recorder recorder{{.keep = everything, .until = time_at(2ms)}};
  recorder.on(block(0, 0, 0, 0, 0, 1ms));
  recorder.on(block(0, 0, 0, 1, 0, 2ms));
  recorder.on(JobEnded{.job = {0, 0}, .release = time_at(2ms)});
  const Recording recording = recorder.take();
  EXPECT_EQ(recording.blocks.size(), 1U);
  EXPECT_TRUE(recording.ends.empty());
  EXPECT_TRUE(recording.complete());
}

TEST(Recorder, WritesJobsAsJson) {
  System system = test::four_kernels().system;
  system.tasks[1].name = "a \"b\"\n\xC3\xA9";
  const std::vector<JobEnded> jobs{{.job = {0, 0},
                                    .release = time_at(1ns),
                                    .start = time_at(2ns),
                                    .completion = time_at(3ns),
                                    .deadline = time_at(4ns)},
                                   {.job = {1, 7}, .release = time_at(5ns), .missed = true}};
  std::ostringstream out;
  write_jobs_json(out, jobs, system);
  const ordered_json json = ordered_json::parse(out.str());
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0].dump(),
            R"({"task":"detector","job":0,"release_ns":1,"start_ns":2,"completion_ns":3,"deadline_ns":4,)"
            R"("missed":false,"fate":"done"})");
  EXPECT_EQ(json[1]["task"], system.tasks[1].name);
  EXPECT_EQ(json[1]["job"], 7);
  EXPECT_TRUE(json[1]["start_ns"].is_null());
  EXPECT_TRUE(json[1]["completion_ns"].is_null());
  EXPECT_TRUE(json[1]["deadline_ns"].is_null());
  EXPECT_EQ(json[1]["missed"], true);
  EXPECT_EQ(json[1]["fate"], "pending");
}

TEST(Fate, IsOneWord) {
  JobEnded job;
  job.completion = time_at(nanoseconds(3));
  EXPECT_EQ(fate_word(job), "done");
  job.missed = true;
  EXPECT_EQ(fate_word(job), "late");
  job.completion = never;
  EXPECT_EQ(fate_word(job), "pending");
  job.fate = Fate::aborted;
  EXPECT_EQ(fate_word(job), "aborted");
  job.fate = Fate::failed;
  EXPECT_EQ(fate_word(job), "failed");
  job.fate = Fate::skipped;
  EXPECT_EQ(fate_word(job), "skipped");
  job.fate = Fate::no_room;
  EXPECT_EQ(fate_word(job), "no-room");
}

TEST(Recorder, WritesManyBlocksAsJson) {
  const System system = test::four_kernels().system;
  std::vector<BlockRan> blocks;
  for (std::int64_t i = 0; i < 5000; ++i) {
    blocks.push_back(
        {.job = {2, 1}, .segment = 3, .block = i, .sm = 1, .start = time_at(5ns), .end = time_at(6ns)});
  }
  std::ostringstream out;
  write_blocks_json(out, blocks, system);
  const ordered_json json = ordered_json::parse(out.str());
  ASSERT_EQ(json.size(), 5000U);
  EXPECT_EQ(json[4999].dump(),
            R"({"task":"planner","job":1,"segment":3,"block":4999,"sm":1,"start_ns":5,"end_ns":6})");
  std::ostringstream nothing;
  write_blocks_json(nothing, {}, system);
  EXPECT_EQ(nothing.str(), "[]");
}

}  // namespace
}  // namespace tactus::trace
