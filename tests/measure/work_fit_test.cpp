#include "tactus/measure/work_fit.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tactus/base/error.hpp"

namespace tactus::measure {
namespace {

using std::chrono::microseconds;

/// What work of 10 ms with an overhead of 40 us takes, exactly.
std::vector<WorkTime> exact_times(std::int64_t work_us, std::int64_t overhead_us) {
  std::vector<WorkTime> times;
  for (const std::int64_t sms : {1, 2, 4, 8, 12}) {
    GpuSegment segment;
    segment.work = {microseconds{work_us}, microseconds{work_us}};
    segment.overhead = {Duration{}, microseconds{overhead_us}};
    const Duration time = gpu_time(segment, sms).worst;
    times.push_back({sms, time, time});
  }
  return times;
}

TEST(WorkFit, FindsWhatTheTimesWereMadeFrom) {
  const GpuSegment segment = fit_work(exact_times(10'080, 48));
  EXPECT_EQ(segment.work.worst, microseconds{10'080});
  EXPECT_EQ(segment.overhead.worst, microseconds{48});
  EXPECT_EQ(segment.interleave, Rational{1});
}

TEST(WorkFit, BestIsTheLargestWorkThatNoPointWasFasterThan) {
  const std::array times{WorkTime{1, microseconds{900}, microseconds{1000}},
                         WorkTime{4, nanoseconds(220'300), microseconds{260}}};
  const GpuSegment segment = fit_work(times);
  EXPECT_EQ(segment.work.best, microseconds{881});  // 4 * 220.3, rounded down
  for (const WorkTime& time : times) EXPECT_LE(gpu_time(segment, time.virtual_sms).best, time.best);
}

TEST(WorkFit, OnePointIsEnough) {
  const std::array times{WorkTime{8, microseconds{10}, microseconds{12}}};
  const GpuSegment segment = fit_work(times);
  EXPECT_EQ(gpu_time(segment, 8).worst, microseconds{12});
}

TEST(WorkFit, NoTimesAreNoWork) {
  EXPECT_THROW(static_cast<void>(fit_work({})), InputError);
  const std::array times{WorkTime{8, Duration{}, Duration{}}};
  EXPECT_THROW(static_cast<void>(fit_work(times)), InputError);
}

TEST(WorkFit, TheInterleaveRatioIsThatOfTheWork) {
  // Two virtual SMs on each of m SMs, each piece of the work 1.5 times as long.
  const std::vector<WorkTime> alone = exact_times(9'600, 0);
  std::vector<WorkTime> interleaved;
  for (const WorkTime& time : alone) {
    interleaved.push_back({2 * time.virtual_sms, time.best * 3 / 4, time.worst * 3 / 4});
  }
  const GpuSegment segment = fit_interleaved_work(alone, interleaved);
  EXPECT_EQ(segment.work.worst, microseconds{9'600});
  EXPECT_EQ(segment.interleave, Rational(3, 2));
  EXPECT_EQ(segment.overhead.worst, Duration{});
  EXPECT_EQ(gpu_time(segment, 8).worst, microseconds{1800});
}

TEST(WorkFit, ARatioIsAtLeastOne) {
  const std::vector<WorkTime> alone = exact_times(9'600, 0);
  const std::vector<WorkTime> faster = exact_times(4'800, 0);
  EXPECT_EQ(fit_interleaved_work(alone, faster).interleave, Rational{1});
}

TEST(CopyFit, FindsTheLineThroughTheTimes) {
  // 50 GB/s and 7 us.
  std::vector<CopyTime> times;
  for (const std::int64_t bytes : {50'000, 500'000, 5'000'000}) {
    times.push_back({bytes, nanoseconds(bytes / 50 + 7000)});
  }
  EXPECT_EQ(fit_copies(times), (CopyModel{50'000'000'000, microseconds{7}}));
}

TEST(CopyFit, AnOutlierRaisesTheOverheadForAll) {
  const std::array times{CopyTime{4, microseconds{200}}, CopyTime{1'000'000, microseconds{30}},
                         CopyTime{50'000'000, microseconds{1010}}};
  const CopyModel model = fit_copies(times);
  EXPECT_GE(model.overhead, microseconds{199});
}

TEST(CopyFit, NeedsBytesThatTakeTime) {
  EXPECT_THROW(static_cast<void>(fit_copies({})), InputError);
  const std::array none{CopyTime{0, microseconds{5}}};
  EXPECT_THROW(static_cast<void>(fit_copies(none)), InputError);
}

}  // namespace
}  // namespace tactus::measure
