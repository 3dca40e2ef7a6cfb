// Copies that are bound as such, on the host device: bytes from one place to another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/runtime/runtime.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

System two_copies() {
  System system;
  system.name = "copies";
  system.platform.gpu.copy_bandwidth = 40'000'000;
  system.policy.strategy = strategy_named("as-submitted");
  Task& task = system.tasks.emplace_back();
  task.name = "camera";
  task.period = task.deadline = 10ms;
  task.work.form = WorkForm::chain;
  task.work.nodes.push_back({"", CopySegment{Interval::exactly(100us), 4000, CopyDirection::to_device}});
  task.work.nodes.push_back({"", CopySegment{Interval::exactly(100us), {}, CopyDirection::from_device}});
  return system;
}

Runtime make_runtime() {
  RuntimeOptions options;
  options.real_time = false;
  return Runtime{device::make_host_device(), two_copies(), options};
}

TEST(BindCopy, BytesArriveAndBuffersMayChangeFromJobToJob) {
  std::vector<unsigned> source(1000);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<unsigned>(3 * i + 1);
  std::vector<unsigned> middle(1000);
  std::vector<std::vector<unsigned>> results(4, std::vector<unsigned>(1000));
  Runtime runtime = make_runtime();
  runtime.bind_copy("camera", 0, {middle.data(), source.data(), 4000});
  runtime.bind_copy("camera", 1, [&](const Job& job) {
    return MemoryCopy{results[job.number() % results.size()].data(), middle.data(), 4000};
  });
  runtime.start(60s);
  while (runtime.statistics()[0].completed < 5 && runtime.step()) {
  }
  const RunReport report = runtime.finish();
  EXPECT_EQ(report.outcome.failure, "");
  ASSERT_GE(report.outcome.completed, 4U);
  EXPECT_EQ(middle, source);
  for (const std::vector<unsigned>& result : results) EXPECT_EQ(result, source);
}

/// Copies of 4000 bytes in pieces of 900, beside a best-effort task that copies in pieces, too.
System copies_in_pieces() {
  System system = two_copies();
  system.policy.strategy = strategy_named("federated");
  system.policy.order = Order::fp;
  system.platform.gpu.copy_chunk = 900;
  system.tasks[0].work.nodes[1].segment = system.tasks[0].work.nodes[0].segment;
  Task other = system.tasks[0];
  other.name = "logger";
  other.arrival = Arrival::best_effort;
  other.period.reset();
  other.deadline.reset();
  other.work.nodes.pop_back();
  system.tasks.push_back(other);
  return system;
}

/// A run in which every task completed so many jobs: a machine that is busy elsewhere may need several tries.
template <class Reset>
RunReport run_until_done(Runtime& runtime, std::uint64_t jobs, Reset reset) {
  for (Duration length = 50ms;; length *= 2) {
    reset();
    RunReport report = runtime.run_for(length);
    const bool done = std::all_of(report.tasks.begin(), report.tasks.end(),
                                  [&](const auto& task) { return task.completed >= jobs; });
    if (done || length > 10s) return report;
  }
}

TEST(BindCopy, InPiecesAllBytesArrive) {
  std::vector<unsigned> source(1000);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<unsigned>(5 * i + 2);
  std::vector<unsigned> middle(1000);
  std::vector<unsigned> result(1000);
  std::vector<unsigned> log(990);  // less than the system says
  std::atomic<std::uint64_t> asked = 0;
  Runtime runtime{device::make_host_device(), copies_in_pieces(), {.real_time = false}};
  runtime.bind_copy("camera", 0, [&](const Job&) {
    ++asked;
    return MemoryCopy{middle.data(), source.data(), 4000};
  });
  runtime.bind_copy("camera", 1, {result.data(), middle.data(), 4000});
  runtime.bind_copy("logger", 0, {log.data(), source.data(), 3960});
  const RunReport report = run_until_done(runtime, 1, [&] { asked = 0; });
  EXPECT_EQ(report.outcome.failure, "");
  ASSERT_GE(report.tasks[0].completed, 1U);
  EXPECT_EQ(middle, source);
  EXPECT_EQ(result, source);
  source.resize(990);
  EXPECT_EQ(log, source);
  // Once for all pieces; a job may be in flight at the end.
  const std::uint64_t jobs = report.tasks[0].completed;
  EXPECT_GE(asked.load(), jobs);
  EXPECT_LE(asked.load(), jobs + 1);
}

TEST(BindCopy, AFunctionIsCalledOnceForAllOfTheCopy) {
  Runtime runtime{device::make_host_device(), copies_in_pieces(), {.real_time = false}};
  std::atomic<std::uint64_t> calls = 0;
  std::atomic<std::uint64_t> last = 0;
  runtime.bind("camera", 0, [&](Job& job) {
    ++calls;
    last = job.number();
  });
  const RunReport report = run_until_done(runtime, 3, [&] { calls = 0; });
  EXPECT_EQ(report.outcome.failure, "");
  ASSERT_GE(calls.load(), 3U);
  EXPECT_EQ(calls.load(), last.load() + 1);
}

TEST(BindCopy, WhatDoesNotFitTheModelIsRefused) {
  Runtime runtime = make_runtime();
  std::vector<unsigned char> bytes(8000);
  const MemoryCopy copy{bytes.data(), bytes.data() + 4001, 4001};
  try {
    runtime.bind_copy("camera", 0, copy);
    FAIL() << "it was not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("segment 0 copies 4000 bytes, not 4001"));
  }
  EXPECT_NO_THROW(runtime.bind_copy("camera", 1, copy));
  EXPECT_THROW(runtime.bind_copy("camera", 2, copy), InputError);
  EXPECT_THROW(runtime.bind_copy("nobody", 0, copy), InputError);
}

/// What is said when this is refused; empty when it is not.
template <class Call>
std::string refusal_of(Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(BindCopy, WhatIsBoundFitsTheKindOfTheSegment) {
  System system = two_copies();
  system.tasks[0].work.nodes[0].segment = ExclusiveSegment{Interval::exactly(100us)};
  Runtime runtime{device::make_host_device(), system, {.real_time = false}};
  const auto copy_of_job = [](const Job&) { return MemoryCopy{}; };
  const std::string no_copy = "task 'camera', segment 0: only a `copy` segment moves bytes";
  EXPECT_THAT(refusal_of([&] { runtime.bind_copy("camera", 0, MemoryCopy{}); }), HasSubstr(no_copy));
  EXPECT_THAT(refusal_of([&] { runtime.bind_copy("camera", 0, copy_of_job); }), HasSubstr(no_copy));
  const std::string no_blocks = "only a `kernel` segment has blocks";
  for (const std::size_t segment : {0U, 1U}) {
    EXPECT_THAT(refusal_of([&] {
                  runtime.bind_blocks(
                      "camera", [](Job&) {}, segment);
                }),
                HasSubstr(no_blocks));
  }
  EXPECT_EQ(refusal_of([&] { runtime.bind_copy("camera", 1, MemoryCopy{}); }), "");
}

TEST(BindCopy, ANullPointerIsRefusedUnlessThereIsNothingToMove) {
  Runtime runtime = make_runtime();
  std::vector<unsigned char> bytes(100);
  EXPECT_THAT(refusal_of([&] {
                runtime.bind_copy("camera", 0, MemoryCopy{bytes.data(), nullptr, 100});
              }),
              HasSubstr("task 'camera', segment 0: a copy of 100 bytes without a source"));
  EXPECT_THAT(refusal_of([&] {
                runtime.bind_copy("camera", 1, MemoryCopy{nullptr, bytes.data(), 100});
              }),
              HasSubstr("task 'camera', segment 1: a copy of 100 bytes without a destination"));
  EXPECT_EQ(refusal_of([&] { runtime.bind_copy("camera", 0, MemoryCopy{}); }), "");
}

TEST(BindCopy, ANullPointerOfAJobEndsTheRunInOrder) {
  Runtime runtime = make_runtime();
  std::vector<unsigned char> bytes(200);
  runtime.bind_copy("camera", 1, [&](const Job& job) {
    return MemoryCopy{job.number() == 2 ? nullptr : bytes.data(), bytes.data() + 100, 100};
  });
  const RunReport report = runtime.run_for(60s);
  EXPECT_EQ(report.outcome.ending, runtime::RunEnd::failed);
  EXPECT_THAT(report.outcome.failure, HasSubstr("task 'camera', job 2, segment 1: "));
  EXPECT_THAT(report.outcome.failure, HasSubstr("a copy without a destination"));
}

TEST(BindCopy, WhatIsRefusedIsNotBound) {
  std::vector<unsigned char> from(8000, 1);
  std::vector<unsigned char> to(8000, 0);
  Runtime runtime = make_runtime();
  EXPECT_THROW(runtime.bind_copy("camera", 0, {to.data(), from.data(), 8000}), InputError);
  EXPECT_THROW(runtime.bind_copy("camera", 7, {to.data(), from.data(), 4000}), InputError);
  runtime.run_for(5ms);
  EXPECT_EQ(to, std::vector<unsigned char>(8000, 0));
}

}  // namespace
}  // namespace tactus
