#include "tactus/cuda/measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "device/cuda/gpu_test.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/cuda/bare_delays.hpp"
#include "tactus/device/cuda/clock_map.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::cuda {
namespace {

class CudaMeasure : public GpuTest {};

TEST(CudaMeasureSizes, UsualNumbersOfSmsEndWithAll) {
  EXPECT_EQ(usual_sm_counts(132), (std::vector<int>{1, 2, 4, 8, 16, 32, 64, 96, 128, 132}));
  EXPECT_EQ(usual_sm_counts(16), (std::vector<int>{1, 2, 4, 8, 16}));
  EXPECT_EQ(usual_sm_counts(1), (std::vector<int>{1}));
}

TEST(CudaClockMap, GoesEvenlyFromOneComparisonToTheNext) {
  const HostInstant start{nanoseconds(1'000'000)};
  const ClockPair first{start, 5'000, nanoseconds(7)};
  const ClockPair last{start + nanoseconds(2'000), 6'000, nanoseconds(9)};
  const ClockMap map{first, last};
  EXPECT_EQ(map.host(5'000), start);
  EXPECT_EQ(map.host(5'250), start + nanoseconds(500));
  EXPECT_EQ(map.host(6'000), last.host);
  EXPECT_EQ(map.uncertainty(), nanoseconds(9));
  EXPECT_EQ((ClockMap{first, first}).host(5'010), start + nanoseconds(10));
}

TEST_F(CudaMeasure, ASpinTakesAtLeastItsTime) {
  const BuiltinData data;
  MeasuredKernel kernel{BuiltinKernel::spin, 8, 1024, 20'000, data};
  const auto enqueue = [&](const WorkPlace& place) { kernel(place); };
  for (const unsigned virtual_sms : {0U, 1U, 2U}) {
    SCOPED_TRACE(virtual_sms);
    MeasureOptions options;
    options.samples = 5;
    options.virtual_sms = virtual_sms;
    const std::vector<int> sizes{2, 4};
    const std::vector<SmTimes> measured = measure_against_sms(0, sizes, enqueue, options);
    ASSERT_FALSE(measured.empty());
    for (const SmTimes& one : measured) {
      ASSERT_EQ(one.times.size(), 5U);
      const unsigned at_once = virtual_sms == 0 ? 2U : virtual_sms;
      const std::int64_t rounds = 8 / (static_cast<std::int64_t>(at_once) * one.sms);
      for (const Duration time : one.times)
        EXPECT_GE(time, nanoseconds(20'000 * std::max<std::int64_t>(1, rounds)));
    }
  }
}

TEST_F(CudaMeasure, ACoRunnerLeavesTheWorkItsSms) {
  const BuiltinData data;
  MeasuredKernel kernel{BuiltinKernel::spin, 16, 1024, 10'000, data};
  MeasureOptions options;
  options.samples = 5;
  options.virtual_sms = 1;
  options.co_runner = BuiltinKernel::spin;
  const std::vector<int> sizes{8, static_cast<int>(sms)};
  const std::vector<SmTimes> measured = measure_against_sms(
      0, sizes, [&](const WorkPlace& place) { kernel(place); }, options);
  ASSERT_EQ(measured.size(), 1U);  // beside all SMs there is no room
  EXPECT_EQ(measured.front().sms, 8);
  EXPECT_EQ(measured.front().times.size(), 5U);
}

TEST_F(CudaMeasure, MoreSmsThanThereAreIsAWrongQuestion) {
  const std::vector<int> sizes{static_cast<int>(sms) + 1};
  EXPECT_THROW(static_cast<void>(measure_against_sms(0, sizes, [](const WorkPlace&) {})), InputError);
}

TEST_F(CudaMeasure, CanBeEndedEarly) {
  const Stream stream = make_stream();
  WorkPlace place;
  place.stream = stream.get();
  int told = 0;
  std::atomic<bool> stop{false};
  MeasureOptions options;
  options.warm_up = 0;
  options.watch = {.stop = &stop, .progress = [&](double /*part*/) { stop = ++told > 3; }};
  EXPECT_EQ(measure_work(
                place, [](const WorkPlace&) {}, options)
                .size(),
            3U);
}

TEST_F(CudaMeasure, TheClocksAgreeWithinTheirUncertainty) {
  const Stream stream = make_stream();
  const ClockPair first = compare_clocks(stream.get());
  const ClockPair last = compare_clocks(stream.get());
  EXPECT_LT(first.host, last.host);
  EXPECT_LT(first.device, last.device);
  EXPECT_GT(first.uncertainty, Duration{});
}

TEST_F(CudaMeasure, BareDelaysAndCopiesHaveTheirSamples) {
  const BareDelays delays = measure_bare_delays(0, 12);
  EXPECT_EQ(delays.launch.size(), 12U);
  EXPECT_EQ(delays.completion.size(), 12U);
  const CopyDelays copies = measure_copies(4096, 7);
  EXPECT_EQ(copies.to_device.size(), 7U);
  EXPECT_EQ(copies.from_device.size(), 7U);
  EXPECT_GT(*std::min_element(copies.to_device.begin(), copies.to_device.end()), Duration{});
}

}  // namespace
}  // namespace tactus::cuda
