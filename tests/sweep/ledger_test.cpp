#include "tactus/sweep/ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/base/error.hpp"
#include "tactus/sweep/read_experiment.hpp"
#include "tactus/sweep/work_list.hpp"

namespace tactus::sweep {
namespace {

using testing::ElementsAre;

Experiment two_points() {
  const ReadExperimentResult read = read_experiment(
      "tactus-experiment: 1\ngenerator: {kind: gpu-jobs, tasks: 2, periods: [1ms]}\n"
      "vary: {parameter: utilisation, values: [0.5, 1]}\nanalyses: [np-edf]\nsystems: 10\n",
      "test.yaml");
  if (!read.experiment) throw InputError{read.problems};
  return *read.experiment;
}

PartCounts part(std::int64_t accepted, std::int64_t number = -1, const std::string& why_not = {}) {
  PartCounts counts{1};
  counts.counts[0].schedulable = accepted;
  if (number >= 0) {
    counts.counts[0].not_applicable = 1;
    counts.counts[0].why_not = why_not;
    counts.first_why_not[0] = number;
  }
  return counts;
}

TEST(SystemRanges, JoinWhatTouches) {
  SystemRanges ranges;
  EXPECT_TRUE(ranges.add({4, 6}));
  EXPECT_TRUE(ranges.add({8, 9}));
  EXPECT_THAT(ranges.ranges(), ElementsAre(SystemRange{4, 6}, SystemRange{8, 9}));
  EXPECT_THAT(ranges.gaps(10), ElementsAre(SystemRange{0, 4}, SystemRange{6, 8}, SystemRange{9, 10}));
  EXPECT_TRUE(ranges.add({6, 8}));
  EXPECT_TRUE(ranges.add({0, 1}));
  EXPECT_TRUE(ranges.add({3, 4}));
  EXPECT_THAT(ranges.ranges(), ElementsAre(SystemRange{0, 1}, SystemRange{3, 9}));
  EXPECT_EQ(ranges.count(), 7);
  EXPECT_TRUE(ranges.add({1, 3}));
  EXPECT_TRUE(ranges.add({9, 10}));
  EXPECT_THAT(ranges.ranges(), ElementsAre(SystemRange{0, 10}));
  EXPECT_THAT(ranges.gaps(10), ElementsAre());
}

TEST(SystemRanges, TakeNothingTwice) {
  SystemRanges ranges;
  EXPECT_TRUE(ranges.add({2, 5}));
  const SystemRanges before = ranges;
  for (const SystemRange range :
       {SystemRange{2, 5}, SystemRange{4, 6}, SystemRange{0, 3}, SystemRange{3, 4}, SystemRange{0, 9},
        SystemRange{7, 7}, SystemRange{8, 7}, SystemRange{-1, 1}}) {
    EXPECT_FALSE(ranges.add(range)) << range.first << ".." << range.end;
  }
  EXPECT_EQ(ranges, before);
}

TEST(Ledger, AddsPartsInAnyOrder) {
  const Experiment experiment = two_points();
  Ledger one{experiment};
  EXPECT_TRUE(one.add({0, {0, 6}}, part(5, 4, "first")));
  EXPECT_TRUE(one.add({0, {6, 10}}, part(3, 7, "second")));
  Ledger other{experiment};
  EXPECT_TRUE(other.add({0, {6, 10}}, part(3, 7, "second")));
  EXPECT_TRUE(other.add({0, {0, 6}}, part(5, 4, "first")));
  EXPECT_EQ(one, other);
  ASSERT_TRUE(one.result().points[0]);
  EXPECT_EQ(one.result().points[0]->at(0).schedulable, 8);
  EXPECT_EQ(one.result().points[0]->at(0).why_not, "first");
  EXPECT_FALSE(one.result().points[1]);
  EXPECT_EQ(one.finished(), 1U);
  EXPECT_EQ(one.part_done(), 0.5);
  EXPECT_THAT(one.gaps(), ElementsAre(Batch{1, {0, 10}}));
}

TEST(Ledger, CountsNoSystemTwice) {
  Ledger ledger{two_points()};
  EXPECT_TRUE(ledger.add({1, {0, 6}}, part(6)));
  const Ledger before = ledger;
  EXPECT_FALSE(ledger.add({1, {5, 7}}, part(2)));
  EXPECT_EQ(ledger, before);
}

TEST(WorkList, HandsOutEverySystemOnceAndInOrder) {
  WorkList work{{{0, {3, 50}}, {2, {0, 1000}}, {2, {2000, 2001}}}};
  std::vector<Batch> all;
  std::int64_t largest = 0;
  while (!work.empty()) {
    const Batch batch = work.next(2);
    ASSERT_GT(batch.systems.count(), 0);
    largest = std::max(largest, batch.systems.count());
    work.learn(batch.systems.count(),
               std::chrono::duration<double>{1e-4 * static_cast<double>(batch.systems.count())});
    if (!all.empty() && all.back().point == batch.point && all.back().systems.end == batch.systems.first) {
      all.back().systems.end = batch.systems.end;
    } else {
      all.push_back(batch);
    }
  }
  EXPECT_THAT(all, ElementsAre(Batch{0, {3, 50}}, Batch{2, {0, 1000}}, Batch{2, {2000, 2001}}));
  EXPECT_GT(largest, 16);
  EXPECT_LE(largest, 200);
}

TEST(WorkList, SlowSystemsAreHandedOutOneByOne) {
  WorkList work{{{0, {0, 1000}}}};
  EXPECT_EQ(work.next(2).systems.count(), 1);
  EXPECT_FALSE(work.are_quick());
  work.learn(1, std::chrono::duration<double>{30});
  EXPECT_EQ(work.next(2).systems.count(), 1);
  for (int i = 0; i < 40; ++i) work.learn(1, std::chrono::duration<double>{1e-6});
  EXPECT_TRUE(work.are_quick());
  EXPECT_GT(work.next(2).systems.count(), 50);
}

}  // namespace
}  // namespace tactus::sweep
