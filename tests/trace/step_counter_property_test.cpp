#include "tactus/trace/step_counter.hpp"

#include <rapidcheck/gtest.h>

#include <map>

namespace tactus::trace {
namespace {

using Sample = std::pair<std::int64_t, std::vector<std::int64_t>>;
using ::testing::ElementsAre;

struct Samples {
  std::vector<Sample> all;
  void operator()(Time time, std::span<const std::int64_t> values) {
    all.emplace_back(in_ns(time), std::vector<std::int64_t>{values.begin(), values.end()});
  }
};

Time time_of(std::int64_t nanoseconds_since) { return time_at(nanoseconds(nanoseconds_since)); }

TEST(StepCounter, TellsStepsInTheOrderOfTime) {
  StepCounter counter{{10, 20}, 100};
  Samples samples;
  const auto tell = [&](Time time, auto values) { samples(time, values); };
  counter.add(0, time_of(5), -1, tell);
  counter.add(0, time_of(9), 1, tell);
  counter.add(1, time_of(7), 2, tell);
  counter.add(0, time_of(3), -4, tell);
  EXPECT_TRUE(samples.all.empty()) << "something earlier may come";
  counter.finish(time_of(100), tell);
  EXPECT_THAT(samples.all,
              ElementsAre(Sample{3, {6, 20}}, Sample{5, {5, 20}}, Sample{7, {5, 22}}, Sample{9, {6, 22}}));
}

TEST(StepCounter, TellsAnInstantOnceAndNotWhereNothingChanged) {
  StepCounter counter{{0}, 100};
  Samples samples;
  const auto tell = [&](Time time, auto values) { samples(time, values); };
  for (int i = 0; i < 3; ++i) counter.add(0, time_of(4), 1, tell);
  counter.add(0, time_of(8), 1, tell);
  counter.add(0, time_of(8), -1, tell);
  counter.add(0, time_of(11), 1, tell);
  counter.finish(time_of(10), tell);
  EXPECT_THAT(samples.all, ElementsAre(Sample{4, {3}})) << "what is behind the end is not told";
}

TEST(StepCounter, CountsWhatComesTooLateFromThenOn) {
  StepCounter counter{{0}, 4};
  Samples samples;
  const auto tell = [&](Time time, auto values) { samples(time, values); };
  for (const std::int64_t time : {10, 20, 30, 40}) counter.add(0, time_of(time), 1, tell);
  EXPECT_THAT(samples.all, ElementsAre(Sample{10, {1}}, Sample{20, {2}})) << "half of it is kept back";
  counter.add(0, time_of(5), 1, tell);
  counter.finish(time_of(100), tell);
  EXPECT_THAT(samples.all, ElementsAre(Sample{10, {1}}, Sample{20, {2}}, Sample{21, {3}}, Sample{30, {4}},
                                       Sample{40, {5}}));
}

RC_GTEST_PROP(StepCounterProperty, IsExactWhenStepsAreNotLaterThanHalfItsWindow, ()) {
  constexpr std::size_t window = 32;
  StepCounter counter{{0}, window};
  Samples samples;
  const auto tell = [&](Time time, auto values) { samples(time, values); };
  std::map<std::int64_t, std::int64_t> steps;
  const int amount = *rc::gen::inRange(0, 300);
  std::int64_t now = 0;
  for (int i = 0; i < amount; ++i) {
    // Known at its start: no more than eight of these are still to end.
    now += *rc::gen::inRange<std::int64_t>(1, 5);
    const std::int64_t end = now + *rc::gen::inRange<std::int64_t>(1, 8);
    counter.add(0, time_of(now), 1, tell);
    counter.add(0, time_of(end), -1, tell);
    ++steps[now];
    --steps[end];
  }
  counter.finish(time_of(1'000'000), tell);
  std::vector<Sample> expected;
  std::int64_t value = 0;
  for (const auto& [time, step] : steps) {
    value += step;
    if (step != 0) expected.push_back({time, {value}});
  }
  RC_ASSERT(samples.all == expected);
}

}  // namespace
}  // namespace tactus::trace
