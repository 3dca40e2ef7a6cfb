#include "tactus/sched/job_map.hpp"

#include <gtest/gtest.h>

namespace tactus::sched {
namespace {

TEST(JobMap, ANewJobInAnOldRowKnowsNothingOfTheLast) {
  JobMap<int> map{3, 2};
  const JobId first{1, 0};
  EXPECT_EQ(map.find(first), nullptr);
  map.open(first, 1) = 7;
  EXPECT_EQ(*map.find(first, 1), 7);
  EXPECT_EQ(map.find(first, 0), nullptr) << "another place";
  EXPECT_EQ(map.open(first, 1), 7) << "opened again";
  const JobId second{1, 1};
  EXPECT_EQ(map.find(second, 1), nullptr);
  EXPECT_EQ(map.open(second, 1), 0);
  EXPECT_EQ(map.find(first, 1), nullptr);
}

TEST(JobMap, WhatIsOutsideIsNotFound) {
  JobMap<int> map{3, 2};
  EXPECT_EQ(map.find({3, 0}), nullptr);
  EXPECT_EQ(map.find({0, 0}, 2), nullptr);
  EXPECT_EQ(JobMap<int>{}.find({0, 0}), nullptr);
}

}  // namespace
}  // namespace tactus::sched
