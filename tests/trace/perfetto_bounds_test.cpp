// Proven bounds in a trace: an instant behind each release.
#include "support/example_schedule.hpp"
#include "support/perfetto_file.hpp"
#include "support/temporary_folder.hpp"
#include "tactus/trace/perfetto.hpp"

namespace tactus::trace {
namespace {

using namespace std::chrono_literals;
using test::PerfettoFile;
using ::testing::ElementsAre;

// Jobs of one task, released every 10 ms, that complete after the given times; `nullopt`: never.
JobEnded ended_job(std::uint64_t number, std::optional<Duration> response, Fate fate = Fate::ran) {
  const Time release = time_at(10ms * static_cast<std::int64_t>(number));
  return {.job = {0, number},
          .release = release,
          .start = release,
          .completion = response ? release + *response : never,
          .fate = fate};
}

class PerfettoBounds : public ::testing::Test {
 protected:
  test::TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "trace.json";

  PerfettoFile exported(const Recording& recording, const Bounds& bounds, Time reached) {
    PerfettoOptions options;
    options.bounds = bounds;
    PerfettoExporter exporter{path, test::four_kernels().system, options};
    test::replay(recording, exporter);
    exporter.finish(reached);
    return test::read_perfetto_file(path);
  }
};

TEST_F(PerfettoBounds, AreMarkedBehindTheReleasesOfTheirTask) {
  Recording recording;
  recording.ends = {ended_job(0, 2ms), ended_job(1, 4ms), ended_job(2, 4ms + 1ns)};
  const PerfettoFile file = exported(recording, {4ms}, time_at(30ms));
  const PerfettoFile::Track* track = file.find("detector bounds");
  ASSERT_NE(track, nullptr);
  EXPECT_EQ(track->process, "Tasks");
  ASSERT_EQ(track->instants.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const PerfettoFile::Slice& mark = track->instants[i];
    const auto release = static_cast<std::int64_t>(i) * 10'000'000;
    EXPECT_EQ(mark.start_ns, release + 4'000'000);
    EXPECT_EQ(mark.event["cat"], "bound");
    EXPECT_EQ(mark.event["args"]["task"], "detector");
    EXPECT_EQ(mark.event["args"]["job"], i);
    EXPECT_EQ(mark.event["args"]["release_ns"], release);
    EXPECT_EQ(mark.event["args"]["bound_ns"], 4'000'000);
    EXPECT_EQ(mark.event["args"]["kept"], i < 2);
  }
  EXPECT_EQ(track->instants[0].name, "bound #0");
  EXPECT_EQ(track->instants[1].name, "bound #1") << "done just in time";
  EXPECT_EQ(track->instants[2].name, "EXCEEDED bound #2");
}

TEST_F(PerfettoBounds, StandBehindTheOtherTracksOfTheirTask) {
  const PerfettoFile file = exported(test::four_kernels().recording, {std::nullopt, 10ms}, time_at(20ms));
  std::vector<std::string> names;
  for (const PerfettoFile::Track& track : file.tracks) {
    if (track.process == "Tasks") names.push_back(track.name);
  }
  EXPECT_THAT(names,
              ElementsAre("detector", "detector releases", "detector completions", "detector deadlines",
                          "lidar", "lidar releases", "lidar completions", "lidar deadlines", "lidar bounds",
                          "planner", "planner releases", "planner completions", "planner deadlines", "mapper",
                          "mapper releases", "mapper completions", "mapper deadlines"))
      << "none for tasks without a bound, and none for those behind the last one given";
}

TEST_F(PerfettoBounds, OfAJobThatIsNotDoneAreKeptAsLongAsNobodyKnows) {
  Recording recording;
  recording.ends = {ended_job(0, std::nullopt), ended_job(1, std::nullopt),
                    ended_job(2, std::nullopt, Fate::aborted)};
  recording.ends[1].start = never;
  const PerfettoFile file = exported(recording, {8ms}, time_at(18ms));
  const PerfettoFile::Track* track = file.find("detector bounds");
  ASSERT_NE(track, nullptr);
  ASSERT_EQ(track->instants.size(), 3U);
  EXPECT_EQ(track->instants[0].name, "EXCEEDED bound #0") << "not done 18 ms after its release";
  EXPECT_EQ(track->instants[0].event["args"]["kept"], false);
  EXPECT_TRUE(track->instants[0].event["args"]["completion_ns"].is_null());
  EXPECT_EQ(track->instants[1].name, "bound #1") << "due right now";
  EXPECT_TRUE(track->instants[1].event["args"]["kept"].is_null());
  EXPECT_EQ(track->instants[2].name, "bound #2") << "given up";
  EXPECT_TRUE(track->instants[2].event["args"]["kept"].is_null());
  EXPECT_EQ(file.find("detector")->slices.size(), 1U + 1U)
      << "a job that never began has no slice but that of its waiting";
}

TEST_F(PerfettoBounds, AreNotShownForJobsThatWereRefused) {
  Recording recording;
  recording.ends = {ended_job(0, std::nullopt, Fate::skipped), ended_job(1, std::nullopt, Fate::no_room)};
  EXPECT_EQ(exported(recording, {8ms}, time_at(100ms)).find("detector bounds"), nullptr);
}

TEST_F(PerfettoBounds, BehindTheEndOfTimeAreNotShown) {
  Recording recording;
  recording.ends = {ended_job(1, 2ms)};
  EXPECT_EQ(exported(recording, {Duration::max()}, time_at(100ms)).find("detector bounds"), nullptr);
}

TEST_F(PerfettoBounds, LeaveTheRestOfTheTraceAsItIs) {
  const Recording recording = test::four_kernels().recording;
  const auto others = [](const PerfettoFile& file) {
    std::vector<std::string> events;
    for (const PerfettoFile::Track& track : file.tracks) {
      if (track.name.ends_with(" bounds")) continue;
      for (const auto* kind : {&track.slices, &track.instants}) {
        for (const PerfettoFile::Slice& event : *kind) {
          events.push_back(track.name + ": " + event.name + " " + std::to_string(event.start_ns) + " " +
                           std::to_string(event.end_ns) + " " + event.event["args"].dump());
        }
      }
    }
    return events;
  };
  const std::vector<std::string> without = others(exported(recording, {}, time_at(20ms)));
  EXPECT_GT(without.size(), 20U);
  EXPECT_EQ(others(exported(recording, {4ms, 10ms, 11ms, 11ms}, time_at(20ms))), without);
}

}  // namespace
}  // namespace tactus::trace
