// Chains of CPU, copy and GPU segments under `federated`, held against schedules worked out by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "support/recording.hpp"
#include "tactus/base/error.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::test {
namespace {

/// A system on two CPU cores and four SMs of one virtual SM each; a line of a file for each task.
System chains(const std::string& virtual_sms, const std::string& tasks, const std::string& platform = "") {
  const std::string text = fmt::format(
      "tactus: 1\nplatform: {{cpus: 2, gpu: {{sms: 4, threads_per_sm: 128, virtual_sms_per_sm: 1}}{}}}\n"
      "policy: {{strategy: federated, virtual_sms: {{{}}}}}\ntasks:\n{}",
      platform, virtual_sms, tasks);
  const ReadResult result = read_system(text, "test.yaml");
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.message << "\n" << text;
  return result.system.value();
}

Recording play(const System& system, std::int64_t horizon, Execution execution = Execution::worst) {
  Recorder recorder{Recorder::Blocks::wanted};
  const std::array<trace::Observer*, 1> observers{&recorder};
  sim::SimulationOptions options;
  options.horizon = Duration{horizon};
  options.execution = execution;
  sim::simulate(system, options, observers);
  sort_events(recorder.recording);
  return recorder.recording;
}

/// "name start-end" of everything that ran on the CPUs, the copy engine and SMs, by server.
std::string servers(const System& system, const Recording& recording) {
  std::string text;
  const auto add = [&](const std::string& server, const trace::JobName& job, Time start, Time end) {
    text += fmt::format("{} {}{} {}-{}\n", server, system.tasks[job.task].name, job.number, in_ns(start),
                        in_ns(end));
  };
  for (const auto& e : recording.cpus) add(fmt::format("cpu{}", e.core), e.job, e.start, e.end);
  for (const auto& e : recording.copies) add(fmt::format("copy{}", e.engine), e.job, e.start, e.end);
  for (const auto& e : recording.blocks) add(fmt::format("sm{}", e.sm), e.job, e.start, e.end);
  return text;
}

std::string responses(const System& system, const Recording& recording) {
  std::string text;
  for (const auto& e : recording.ends) {
    text += fmt::format("{}{}:{} ", system.tasks[e.job.task].name, e.job.number,
                        e.completion == never ? "-" : std::to_string(in_ns(e.completion - e.release)));
  }
  return text;
}

TEST(Federated, AChainGoesFromServerToServer) {
  const System system =
      chains("aa: 2",
             "  - {name: aa, period: 100ns, segments: [{cpu: 2ns}, {copy: 3ns}, "
             "{gpu: {work: 7ns, overhead: 1ns, interleave: 1.5}}, {copy: 1ns}, {cpu: 4ns}]}\n");
  // (7 * 1.5 - 1) / 2 is 4.75, so 5 + 1 on two virtual SMs.
  EXPECT_EQ(servers(system, play(system, 100)),
            "cpu0 aa0 0-2\ncpu0 aa0 12-16\ncopy0 aa0 2-5\ncopy0 aa0 11-12\nsm0 aa0 5-11\nsm1 aa0 5-11\n");
  EXPECT_EQ(responses(system, play(system, 100, Execution::best)), "aa0:13 ") << "7 / 2 rounded down";
}

/// One byte a nanosecond.
System in_pieces(const std::string& chunk, const std::string& tasks, const std::string& overheads = "") {
  const std::string text = fmt::format(
      "tactus: 1\nplatform: {{gpu: {{sms: 4, copy_bandwidth: 1GB/s{}}}{}}}\n"
      "policy: {{strategy: federated}}\ntasks:\n{}",
      chunk.empty() ? "" : ", copy_chunk: " + chunk, overheads, tasks);
  const ReadResult result = read_system(text, "test.yaml");
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.message << "\n" << text;
  return result.system.value();
}

TEST(Federated, AMoreUrgentCopyGoesBetweenThePiecesOfAnother) {
  const std::string tasks =
      "  - {name: hi, arrival: once, offset: 5ns, deadline: 50ns, segments: [{copy: {bytes: 5B}}, {copy: "
      "2ns}]}\n"
      "  - {name: lo, arrival: once, deadline: 90ns, segments: [{copy: {bytes: 14B}}]}\n"
      "  - {name: be, arrival: once, offset: 1ns, deadline: 99ns, segments: [{copy: {bytes: 1B}}]}\n";
  const System whole = in_pieces("", tasks);
  EXPECT_EQ(servers(whole, play(whole, 100)),
            "copy0 lo0 0-14\ncopy0 hi0 14-19\ncopy0 hi0 19-21\ncopy0 be0 21-22\n");
  // `hi` waits for the piece that runs, and nothing less urgent comes between its own pieces.
  const System cut = in_pieces("4B", tasks);
  EXPECT_EQ(servers(cut, play(cut, 100)),
            "copy0 lo0 0-4\ncopy0 lo0 4-8\ncopy0 hi0 8-12\ncopy0 hi0 12-13\ncopy0 hi0 13-15\n"
            "copy0 lo0 15-19\ncopy0 lo0 19-21\ncopy0 be0 21-22\n");
  EXPECT_EQ(responses(cut, play(cut, 100)), "hi0:10 lo0:21 be0:21 ");
}

TEST(Federated, EveryPieceHasItsOverheadAndCopiesInTimeStayWhole) {
  const System system =
      in_pieces("4B",
                "  - {name: aa, arrival: once, deadline: 90ns, segments: [{copy: {bytes: 10B}}, "
                "{copy: 9ns}]}\n",
                ", overheads: {copy: 2ns}");
  EXPECT_EQ(servers(system, play(system, 100)),
            "copy0 aa0 0-6\ncopy0 aa0 6-12\ncopy0 aa0 12-16\ncopy0 aa0 16-27\n");
  EXPECT_EQ(responses(system, play(system, 100, Execution::best)), "aa0:19 ");
}

TEST(Federated, CpusArePreemptiveAndCopiesAreNot) {
  const System system = chains(
      "",
      "  - {name: hi, arrival: once, offset: 1ns, deadline: 50ns, segments: [{cpu: 1ns}, {copy: 2ns}]}\n"
      "  - {name: lo, arrival: once, deadline: 90ns, segments: [{copy: 1ns}, {cpu: 3ns}]}\n"
      "  - {name: co, arrival: once, offset: 1ns, deadline: 95ns, segments: [{copy: 9ns}]}\n");
  // `lo` is on the CPU when `hi` comes and waits; `co` has the copy engine and keeps it.
  EXPECT_EQ(servers(system, play(system, 100)),
            "cpu0 hi0 1-2\ncpu0 lo0 2-5\ncopy0 lo0 0-1\ncopy0 co0 1-10\ncopy0 hi0 10-12\n");
}

TEST(Federated, TheCopyEngineTakesTheMostUrgentCopyNext) {
  const System system =
      chains("",
             "  - {name: c1, arrival: once, deadline: 90ns, segments: [{copy: 4ns}]}\n"
             "  - {name: c2, arrival: once, offset: 1ns, deadline: 80ns, segments: [{copy: 4ns}]}\n"
             "  - {name: c3, arrival: once, offset: 2ns, deadline: 70ns, segments: [{copy: 4ns}]}\n",
             ", overheads: {copy: 1ns}");
  EXPECT_EQ(servers(system, play(system, 100)), "copy0 c10 0-5\ncopy0 c30 5-10\ncopy0 c20 10-15\n");
}

TEST(Federated, NeighbouringCopiesAreOneRequest) {
  const std::string urgent =
      "  - {name: hi, arrival: once, offset: 1ns, deadline: 50ns, segments: [{copy: 1ns}]}\n";
  const System merged = chains(
      "", urgent + "  - {name: lo, arrival: once, deadline: 90ns, segments: [{copy: 2ns}, {copy: 3ns}]}\n");
  EXPECT_EQ(servers(merged, play(merged, 100)), "copy0 lo0 0-2\ncopy0 lo0 2-5\ncopy0 hi0 5-6\n");
  const System apart = chains(
      "",
      urgent +
          "  - {name: lo, arrival: once, deadline: 90ns, segments: [{copy: 2ns}, {cpu: 0}, {copy: 3ns}]}\n");
  EXPECT_EQ(servers(apart, play(apart, 100)), "copy0 lo0 0-2\ncopy0 hi0 2-3\ncopy0 lo0 3-6\n");
}

TEST(Federated, ACopyOfNoLengthDoesNotCutARequest) {
  const System system = chains(
      "",
      "  - {name: hi, arrival: once, offset: 1ns, deadline: 50ns, segments: [{copy: 1ns}]}\n"
      "  - {name: lo, arrival: once, deadline: 90ns, segments: [{copy: 2ns}, {copy: 0}, {copy: 3ns}]}\n");
  EXPECT_EQ(servers(system, play(system, 100)), "copy0 lo0 0-2\ncopy0 lo0 2-5\ncopy0 hi0 5-6\n");
}

TEST(Federated, AJobStartsWhenItFirstExecutes) {
  const System system =
      chains("",
             "  - {name: hi, arrival: once, deadline: 50ns, segments: [{copy: 0}, {cpu: 3ns}]}\n"
             "  - {name: lo, arrival: once, deadline: 60ns, segments: [{cpu: 4ns}]}\n"
             "  - {name: no, arrival: once, offset: 8ns, deadline: 70ns, segments: [{cpu: 0}]}\n");
  const Recording recording = play(system, 100);
  ASSERT_EQ(recording.ends.size(), 3U);
  EXPECT_EQ(in_ns(recording.ends[0].start), 0);
  EXPECT_EQ(in_ns(recording.ends[1].start), 3) << "a copy of no length does not let it in front";
  EXPECT_EQ(in_ns(recording.ends[2].start), 8) << "nothing of it is issued: it starts where it ends";
}

TEST(Federated, WhatTakesNoTimeWaitsForNothing) {
  const System system = chains(
      "gg: 1",
      "  - {name: hi, arrival: once, deadline: 50ns, segments: [{cpu: 9ns}]}\n"
      "  - {name: co, arrival: once, deadline: 60ns, segments: [{copy: 9ns}]}\n"
      "  - {name: gg, arrival: once, deadline: 90ns, segments: [{cpu: 0}, {copy: 0}, {gpu: {work: 4ns}}, "
      "{copy: 0}, {cpu: 0}]}\n",
      ", overheads: {copy: 5ns}");
  EXPECT_EQ(responses(system, play(system, 100)), "gg0:4 hi0:9 co0:14 ");
  const System may = chains("",
                            "  - {name: hi, arrival: once, deadline: 50ns, segments: [{cpu: 9ns}]}\n"
                            "  - {name: lo, arrival: once, deadline: 60ns, segments: [{cpu: [0, 1ns]}]}\n");
  EXPECT_EQ(responses(may, play(may, 100, Execution::best)), "hi0:9 lo0:9 ")
      << "a segment that may take time waits for its server even when it takes none";
}

TEST(Federated, AnEmptySegmentDoesNotCostAJobItsTurn) {
  const System system =
      chains("",
             "  - {name: hi, arrival: once, deadline: 6ns, segments: [{cpu: 0}, {copy: 1ns}, {cpu: 1ns}]}\n"
             "  - {name: lo, arrival: once, deadline: 60ns, segments: [{copy: 5ns}]}\n"
             "  - {name: no, arrival: once, deadline: 60ns, segments: [{cpu: 0}, {copy: 0}]}\n");
  EXPECT_EQ(responses(system, play(system, 100)), "no0:0 hi0:2 lo0:6 ");
}

TEST(Federated, KernelsRunBlockByBlockOnTheSmsOfTheirTask) {
  // 128 threads an SM: two blocks of 64 at a time on each of two SMs, so 9 blocks are 3 waves.
  const System system = chains("k1: 2, k2: 1",
                               "  - {name: k1, arrival: once, deadline: 90ns, segments: [{kernel: {grid: 9, "
                               "block: 64, block_time: 5ns}}]}\n"
                               "  - {name: k2, arrival: once, deadline: 90ns, segments: [{kernel: {grid: 2, "
                               "block: 128, block_time: 4ns}}]}\n");
  const Recording recording = play(system, 100);
  EXPECT_EQ(responses(system, recording), "k20:8 k10:15 ") << "no kernel waits for another's blocks";
  std::size_t of_first = 0;
  for (const trace::BlockRan& block : recording.blocks) {
    EXPECT_EQ(block.sm < 2, block.job.task == 0) << "SM " << block.sm;
    of_first += block.job.task == 0 ? 1 : 0;
  }
  EXPECT_EQ(of_first, 9U);
}

TEST(Federated, OverheadsOfLaunchAndCompletionBelongToGpuWork) {
  const System system = chains(
      "aa: 1", "  - {name: aa, period: 100ns, segments: [{cpu: 2ns}, {gpu: {work: 4ns}}, {copy: 1ns}]}\n",
      ", overheads: {release: 1ns, launch: 10ns, completion: 20ns, copy: 3ns}");
  // 1 late, cpu 1-3, launched at 13, ends at 17, known at 37, copied until 41.
  EXPECT_EQ(servers(system, play(system, 100)), "cpu0 aa0 1-3\ncopy0 aa0 37-41\nsm0 aa0 13-17\n");
}

TEST(Federated, JobsOfATaskGoOneAfterTheOther) {
  const System system =
      chains("", "  - {name: aa, period: 4ns, deadline: 4ns, segments: [{copy: 2ns}, {cpu: 3ns}]}\n");
  // The copy of a job could run beside the CPU segment of the job before; it does not.
  EXPECT_EQ(responses(system, play(system, 14)), "aa0:5 aa1:6 aa2:- aa3:- ");
}

TEST(Federated, TasksOfDifferentCoresShareTheCopyEngineOnly) {
  const System system =
      chains("",
             "  - {name: aa, arrival: once, deadline: 40ns, core: 0, segments: [{cpu: 5ns}, {copy: 5ns}]}\n"
             "  - {name: bb, arrival: once, deadline: 50ns, core: 1, segments: [{cpu: 5ns}, {copy: 5ns}]}\n");
  EXPECT_EQ(servers(system, play(system, 100)),
            "cpu0 aa0 0-5\ncpu1 bb0 0-5\ncopy0 aa0 5-10\ncopy0 bb0 10-15\n");
}

TEST(Federated, BestEffortTasksTakeWhatIsLeft) {
  const System system = chains("",
                               "  - {name: rt, period: 10ns, segments: [{cpu: 4ns}]}\n"
                               "  - {name: be, arrival: best-effort, segments: [{cpu: 3ns}]}\n");
  EXPECT_EQ(servers(system, play(system, 20)),
            "cpu0 rt0 0-4\ncpu0 be0 4-7\ncpu0 be1 7-10\ncpu0 rt1 10-14\ncpu0 be2 14-17\ncpu0 be3 17-20\n");
}

// Spec, section 4, small system (a): a chain that carries work into an interval delays by 9, not 8.
TEST(Federated, ACarriedInJobDelaysMoreThanACountOfPeriodsSays) {
  const System system = chains(
      "t0: 1",
      "  - name: t0\n    arrival: sporadic\n    period: 14ns\n    deadline: 10ns\n"
      "    segments: [{cpu: [2ns, 3ns]}, {copy: 1ns}, {gpu: {work: [1ns, 2ns]}}, {copy: 3ns}, {cpu: 1ns}]\n"
      "    jobs: [{release: 0ns, time: [3ns, 1ns, 2ns, 3ns, 1ns]}, {release: 14ns, time: [3ns, 1ns, 1ns, "
      "3ns, 1ns]}]\n"
      "  - {name: t1, arrival: sporadic, period: 20ns, deadline: 20ns, segments: [{cpu: 5ns}], "
      "jobs: [{release: 9ns}]}\n");
  // t0's last segment begins with t1 at 9 and ends at 10; its next job takes the CPU in [14, 17).
  const Recording recording = play(system, 60);
  EXPECT_EQ(responses(system, recording), "t00:10 t10:9 t01:9 ");
}

TEST(Federated, RefusesWhatItCannotRun) {
  System endless =
      chains("be: 2", "  - {name: be, arrival: best-effort, segments: [{gpu: {work: [1ns, 4ns]}}]}\n");
  EXPECT_THROW(play(endless, 10), InputError);
}

}  // namespace
}  // namespace tactus::test
