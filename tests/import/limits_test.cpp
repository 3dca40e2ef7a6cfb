// Models that are large in one way or another: each is answered, or refused for what it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "import/models.hpp"

namespace tactus::import {
namespace {

using testing::AllOf;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string named(const std::string& what, int number) { return what + std::to_string(number); }

std::string runnable_with(const std::string& name, const std::string& items) {
  return "<runnables name=\"" + name + "\"><activityGraph>" + items + "</activityGraph></runnables>";
}

/// One task every 10 ms on the first core, with this software beside it.
std::string with_task(const std::string& items, const std::string& software) {
  return "<swModel>" + task("A", "every_10ms?type=PeriodicStimulus", items) + software +
         "</swModel><stimuliModel>" + every(10) + "</stimuliModel>" + small_hardware + small_os +
         mapping(on_core("A", "C0"));
}

/// Runnables "r0" and so on, each of which calls the next, and the last one takes a microsecond.
std::string chain_of_calls(int length) {
  std::string runnables;
  for (int i = 0; i + 1 < length; ++i)
    runnables += runnable_with(named("r", i), call(named("r", i + 1))) + "\n";
  return runnables + runnable(named("r", length - 1), 1000, 0);
}

TEST(Limits, CallsDeeperThanTheLimitAreRefusedOnce) {
  const Imported model = imported(with_task(call("r0"), chain_of_calls(20'000)));
  ASSERT_THAT(model.problems, SizeIs(1));
  EXPECT_EQ(model.problems[0].id, ProblemId::too_large);
  EXPECT_THAT(model.problems[0].message,
              AllOf(HasSubstr("`r19898` calls `r19899`"), HasSubstr("deeper than 100")));
  EXPECT_GT(model.problems[0].line, 19'000);
}

TEST(Limits, CallsAsDeepAsTheLimitCount) {
  const Imported model = imported(with_task(call("r0"), chain_of_calls(101)));
  EXPECT_THAT(model.problems, IsEmpty());
  ASSERT_TRUE(model.converted);
  EXPECT_EQ(model.converted->origins.at(0).parts.at(0).time.worst, Rational{1000});
}

TEST(Limits, DeepCallsThatNoTaskMakesAreNoProblem) {
  const Imported model = imported(with_task(call("r150"), chain_of_calls(200)));
  EXPECT_THAT(model.problems, IsEmpty());
  // Times that would lack something are not told.
  EXPECT_THAT(model.times, SizeIs(101));
}

TEST(Limits, OnlyACircleIsACallOfItself) {
  const std::string runnables =
      runnable_with("r0", call("r1")) + runnable_with("r1", call("r2")) + runnable_with("r2", call("r1"));
  const Imported model = imported(with_task(call("r0"), runnables));
  EXPECT_THAT(model.problems, testing::Contains(Field(&Problem::message, HasSubstr("`r1` calls itself"))));
}

/// Five layers of a hundred runnables, each of which calls all of the next layer: 10 to the power of 8 calls.
TEST(Limits, WideTreesOfCallsAreCountedOncePerRunnable) {
  constexpr int width = 100;
  constexpr int layers = 5;
  std::string runnables;
  for (int layer = 0; layer < layers; ++layer) {
    std::string next;
    for (int i = 0; i < width; ++i) next += call(named("r", (layer + 1) * width + i));
    for (int i = 0; i < width; ++i) {
      const std::string name = named("r", layer * width + i);
      runnables += layer + 1 == layers ? runnable(name, 1, 0) : runnable_with(name, next);
    }
  }
  const Imported model = imported(with_task(call("r0"), runnables));
  EXPECT_THAT(model.problems, IsEmpty());
  ASSERT_TRUE(model.converted);
  EXPECT_EQ(model.converted->origins.at(0).parts.at(0).time.worst, Rational{100'000'000});
  EXPECT_THAT(model.times, SizeIs(width * layers));
}

}  // namespace
}  // namespace tactus::import
