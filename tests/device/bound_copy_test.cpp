// What a bound copy moves: asked once for each job, checked, and moved in pieces by the host device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "support/host_run.hpp"
#include "tactus/base/error.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();

TEST(BoundCopy, APieceIsThoseBytesAlone) {
  std::vector<int> from(10);
  std::iota(from.begin(), from.end(), 1);
  std::vector<int> to(10);
  const MemoryCopy copy{to.data(), from.data(), 40};
  device::move_piece(copy, 8, 12);
  EXPECT_EQ(to, (std::vector<int>{0, 0, 3, 4, 5, 0, 0, 0, 0, 0}));
  device::move_piece(copy, 36, all);
  EXPECT_EQ(to, (std::vector<int>{0, 0, 3, 4, 5, 0, 0, 0, 0, 10}));
  device::move_piece(copy, 41, all);
  device::move_piece(MemoryCopy{}, 0, all);
  device::move_piece(copy, 0, all);
  EXPECT_EQ(to, from);
}

TEST(BoundCopy, MoreThanTheSegmentHasIsRefusedWithBothNumbers) {
  std::array<char, 2> places{};
  const CopyOfJob of_job = [&](const Job&) { return MemoryCopy{places.data(), places.data() + 1, 4001}; };
  const Job job{Job::Facts{}};
  EXPECT_EQ(device::ask_for_copy(of_job, job, 4001).bytes, 4001U);
  EXPECT_EQ(device::ask_for_copy(of_job, job, std::nullopt).bytes, 4001U);
  try {
    static_cast<void>(device::ask_for_copy(of_job, job, 4000));
    FAIL() << "it was not refused";
  } catch (const FailureError& error) {
    EXPECT_STREQ(error.what(), "its copy has 4000 bytes, but the bound function asks for 4001");
  }
}

TEST(BoundCopy, ANullPointerIsRefusedUnlessThereIsNothingToMove) {
  char place = 0;
  const Job job{Job::Facts{}};
  const auto refusal_of = [&](const MemoryCopy& copy) -> std::string {
    try {
      static_cast<void>(device::ask_for_copy([&](const Job&) { return copy; }, job, std::nullopt));
    } catch (const FailureError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal_of({&place, nullptr, 1}), testing::HasSubstr("a copy without a source"));
  EXPECT_THAT(refusal_of({nullptr, &place, 1}), testing::HasSubstr("a copy without a destination"));
  EXPECT_EQ(refusal_of({nullptr, nullptr, 0}), "");
}

/// One copy of 4000 bytes in pieces of 900.
System copy_in_pieces() {
  System system = small_host_system();
  system.policy.strategy = strategy_named("federated");
  system.platform.gpu.copy_bandwidth = 40'000'000;
  system.platform.gpu.copy_chunk = 900;
  add_task(system, "camera",
           {CopySegment{.time = {100us, 100us}, .bytes = 4000, .direction = CopyDirection::to_device}});
  return system;
}

TEST(BoundCopy, TheHostDeviceAsksOnceForAllPieces) {
  std::vector<unsigned> source(1000);
  std::iota(source.begin(), source.end(), 5U);
  // Whoever asks again gets another place, where the rest would be missed.
  std::array<std::vector<unsigned>, 8> places;
  places.fill(std::vector<unsigned>(1000));
  std::atomic<std::size_t> asked = 0;
  HostRun run{copy_in_pieces(), {{device::bind_copy([&](const Job&) {
                return MemoryCopy{places[asked++ % places.size()].data(), source.data(), 4000};
              })}}};
  run.open();
  for (const std::uint32_t job : {0U, 1U}) {
    for (int piece = 0; piece < 5; ++piece) {
      const sched::SubmissionId submission = run.submit(0, job, 0, {.extent = sched::Extent::slice});
      ASSERT_TRUE(run.pump_until_heard_of(submission));
      EXPECT_EQ(run.heard_of(submission), piece == 4 ? "finished" : "stopped");
    }
  }
  run.device->close();
  EXPECT_EQ(run.device->failure(), "");
  EXPECT_EQ(asked.load(), 2U);
  EXPECT_EQ(places[0], source);
  EXPECT_EQ(places[1], source);
}

TEST(BoundCopy, TheProgressOfACopyIsInBytesAlsoWhereNothingIsMoved) {
  HostRun run{copy_in_pieces()};
  run.open();
  for (int piece = 0; piece < 5; ++piece) {
    const sched::SubmissionId submission = run.submit(0, 0, 0, {.extent = sched::Extent::slice});
    ASSERT_TRUE(run.pump_until_heard_of(submission));
    EXPECT_EQ(run.heard_of(submission), piece == 4 ? "finished" : "stopped");
  }
  std::vector<std::int64_t> bytes;
  for (const sched::Event& event : run.events) {
    if (const auto* stopped = std::get_if<sched::Stopped>(&event)) {
      EXPECT_EQ(stopped->progress, sched::SegmentProgress{.bytes = stopped->progress.bytes});
      bytes.push_back(stopped->progress.bytes);
    }
  }
  EXPECT_EQ(bytes, (std::vector<std::int64_t>{900, 1800, 2700, 3600}));
}

TEST(BoundCopy, TheHostDeviceFailsAJobThatCopiesTooMuch) {
  std::vector<unsigned char> source(4001, 7);
  std::vector<unsigned char> place(4001);
  HostRun run{copy_in_pieces(), {{device::bind_copy([&](const Job& job) {
                return MemoryCopy{place.data(), source.data(), job.number() == 3 ? 4001U : 4000U};
              })}}};
  run.open();
  const sched::SubmissionId good = run.submit(0, 2);
  ASSERT_TRUE(run.pump_until_heard_of(good));
  EXPECT_EQ(run.heard_of(good), "finished");
  const sched::SubmissionId bad = run.submit(0, 3);
  ASSERT_TRUE(run.pump_until_heard_of(bad));
  run.device->close();
  EXPECT_EQ(run.heard_of(bad), "failed");
  EXPECT_EQ(run.device->failure(),
            "task 'camera', job 3, segment 0: its copy has 4000 bytes, but the bound function asks for 4001");
  EXPECT_EQ(place.back(), 0);
}

}  // namespace
}  // namespace tactus::test
