// What threads of the host device hand to each other.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "tactus/base/ring.hpp"
#include "tactus/device/host/doorbell.hpp"
#include "tactus/device/host/worker.hpp"

namespace tactus::device::host {
namespace {

using namespace std::chrono_literals;

TEST(HostQueue, ARingLosesNothingBetweenTwoThreads) {
  constexpr std::uint64_t items = 2'000;
  Ring<std::uint64_t> ring{64};
  Doorbell bell;
  std::thread writer{[&] {
    for (std::uint64_t i = 0; i < items; ++i) {
      while (!ring.push(i)) std::this_thread::yield();
      bell.ring();
    }
  }};
  std::uint64_t expected = 0;
  while (expected < items) {
    const std::uint32_t heard = bell.heard();
    if (ring.front() == nullptr) {
      bell.wait(heard);
      continue;
    }
    ASSERT_EQ(*ring.front(), expected);
    ++expected;
    ring.pop();
  }
  writer.join();
}

TEST(HostQueue, ADoorbellDoesNotForgetWhatRangBefore) {
  Doorbell bell;
  const std::uint32_t heard = bell.heard();
  bell.ring();
  bell.wait(heard);  // returns at once
  bell.wait_until(bell.heard(), std::chrono::steady_clock::now() - 1s);
  const auto soon = std::chrono::steady_clock::now() + 2ms;
  bell.wait_until(bell.heard(), soon);
  EXPECT_GE(std::chrono::steady_clock::now(), soon);
}

TEST(HostQueue, WorkersAreAllHeardOf) {
  constexpr int workers = 6;
  constexpr int items = 2000;
  const auto context = std::make_shared<const FunctionContext>();
  Doorbell bell;
  DoneList done{bell};
  std::vector<std::unique_ptr<Worker>> all_workers;
  std::atomic<int> calls{0};
  const WorkOfJob work = [&](Job& /*job*/) { ++calls; };
  std::vector<Worker*> idle;
  for (std::uint32_t i = 0; i < workers; ++i) {
    all_workers.push_back(
        std::make_unique<Worker>(Worker::Manner{Worker::Role::blocks, i, 20us, i % 2 == 1}, context, done));
    idle.push_back(all_workers.back().get());
  }
  int started = 0;
  int ended = 0;
  while (ended < items) {
    const std::uint32_t heard = bell.heard();
    while (started < items && !idle.empty()) {
      idle.back()->start({.activity = static_cast<std::uint32_t>(started++), .function = &work, .facts = {}});
      idle.pop_back();
    }
    Worker* worker = done.take();
    if (worker == nullptr) bell.wait(heard);
    while (worker != nullptr) {
      Worker* next = worker->next_done;
      EXPECT_LE(worker->result().start, worker->result().end);
      idle.push_back(worker);
      worker = next;
      ++ended;
    }
  }
  EXPECT_EQ(calls.load(), items);
}

TEST(HostQueue, AWorkerGivesWayWhenAsked) {
  const auto context = std::make_shared<const FunctionContext>();
  Doorbell bell;
  DoneList done{bell};
  Worker worker{{Worker::Role::cpu, 0, 20us, false}, context, done};
  const std::uint32_t heard = bell.heard();
  worker.start({.activity = 1, .facts = {}, .length = 24h});
  worker.ask_to_give_way();
  bell.wait(heard);
  ASSERT_EQ(done.take(), &worker);
  EXPECT_EQ(worker.result().kind, Result::Kind::gave_way);
  EXPECT_GE(worker.result().used, 20us);
}

}  // namespace
}  // namespace tactus::device::host
