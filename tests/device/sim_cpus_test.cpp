#include "tactus/device/sim/sim_cpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tactus::device {
namespace {

Time t(std::int64_t time) { return time_at(Duration{time}); }
Duration d(std::int64_t time) { return Duration{time}; }

/// Keeps stretches as "token@core start-end".
struct Stretches final : CpuListener {
  void cpu_ran(std::uint64_t token, std::int32_t core, Time start, Time end) override {
    lines.push_back(std::to_string(token) + "@" + std::to_string(core) + " " + std::to_string(in_ns(start)) +
                    "-" + std::to_string(in_ns(end)));
  }
  std::vector<std::string> lines;
};

TEST(SimCpus, MoreUrgentWorkTakesOver) {
  SimCpus cpus;
  Stretches stretches;
  cpus.listen(&stretches);
  std::vector<Completion> finished;
  cpus.submit({0}, {.token = 1, .urgency = {.rank = 5}, .length = d(4)}, t(0));
  cpus.dispatch(t(0));
  EXPECT_EQ(cpus.next_end(), t(4));
  cpus.submit({0}, {.token = 2, .urgency = {.rank = 1}, .length = d(3)}, t(1));
  cpus.submit({0}, {.token = 3, .urgency = {.rank = 3}, .length = d(1)}, t(1));
  cpus.dispatch(t(1));
  EXPECT_EQ(cpus.next_end(), t(4));
  cpus.advance(t(4), finished);
  cpus.dispatch(t(4));
  cpus.advance(t(5), finished);
  cpus.dispatch(t(5));
  cpus.advance(t(8), finished);
  EXPECT_EQ(stretches.lines, (std::vector<std::string>{"1@0 0-1", "2@0 1-4", "3@0 4-5", "1@0 5-8"}));
  ASSERT_EQ(finished.size(), 3U);
  EXPECT_EQ(finished[0].token, 2U);
  EXPECT_EQ(finished[2].token, 1U);
  EXPECT_EQ(finished[2].start, t(0));
  EXPECT_EQ(cpus.next_end(), never);
}

TEST(SimCpus, CoresServeApart) {
  SimCpus cpus;
  std::vector<Completion> finished;
  cpus.submit({7}, {.token = 1, .urgency = {.rank = 0}, .length = d(2)}, t(0));
  cpus.submit({3}, {.token = 2, .urgency = {.rank = 9}, .length = d(2)}, t(0));
  cpus.dispatch(t(0));
  cpus.advance(t(2), finished);
  ASSERT_EQ(finished.size(), 2U);
  EXPECT_EQ(finished[0].token, 2U) << "by core";
  EXPECT_EQ(finished[1].token, 1U);
}

TEST(SimCpus, WorkWithoutLengthEndsWhenItsTurnComes) {
  SimCpus cpus;
  Stretches stretches;
  cpus.listen(&stretches);
  std::vector<Completion> finished;
  cpus.submit({0}, {.token = 1, .urgency = {.rank = 0}, .length = d(2)}, t(0));
  cpus.submit({0}, {.token = 2, .urgency = {.rank = 1}, .length = d(0)}, t(0));
  cpus.dispatch(t(0));
  cpus.advance(t(0), finished);
  EXPECT_TRUE(finished.empty());
  cpus.advance(t(2), finished);
  cpus.dispatch(t(2));
  EXPECT_EQ(cpus.next_end(), t(2));
  cpus.advance(t(2), finished);
  ASSERT_EQ(finished.size(), 2U);
  EXPECT_EQ(finished[1].start, t(2));
  EXPECT_EQ(stretches.lines, std::vector<std::string>{"1@0 0-2"});
}

TEST(SimCpus, WhatIsStoppedWhereItBeganHasNotBegun) {
  SimCpus cpus;
  std::vector<Completion> finished;
  cpus.submit({0}, {.token = 1, .urgency = {.rank = 5}, .length = d(4)}, t(0));
  cpus.dispatch(t(0));
  cpus.submit({0}, {.token = 2, .urgency = {.rank = 1}, .length = d(3)}, t(0));
  cpus.dispatch(t(0));
  cpus.advance(t(3), finished);
  cpus.dispatch(t(3));
  cpus.advance(t(7), finished);
  ASSERT_EQ(finished.size(), 2U);
  EXPECT_EQ(finished[0].start, t(0));
  EXPECT_EQ(finished[1].start, t(3));
}

TEST(SimCpus, TellsWhatIsUnderWayAtTheEnd) {
  SimCpus cpus;
  Stretches stretches;
  cpus.listen(&stretches);
  cpus.submit({0}, {.token = 1, .urgency = {.rank = 0}, .length = d(9)}, t(0));
  cpus.submit({0}, {.token = 2, .urgency = {.rank = 1}, .length = d(9)}, t(0));
  cpus.dispatch(t(0));
  cpus.end_at(t(5));
  EXPECT_EQ(stretches.lines, std::vector<std::string>{"1@0 0-5"});
  std::vector<std::pair<std::uint64_t, Time>> unfinished;
  cpus.for_each_work([&](std::uint64_t token, Time start) { unfinished.emplace_back(token, start); });
  EXPECT_THAT(unfinished, testing::UnorderedElementsAre(std::pair{1U, t(0)}, std::pair{2U, never}));
}

TEST(SimCpus, AnEndBeyondTheAxisIsAnError) {
  SimCpus cpus;
  cpus.submit({0}, {.token = 1, .urgency = {.rank = 0}, .length = Duration::max()}, t(1));
  EXPECT_THROW(cpus.dispatch(t(1)), OverflowError);
}

}  // namespace
}  // namespace tactus::device
