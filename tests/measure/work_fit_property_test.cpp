// Whatever was measured, the model covers it.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

#include "tactus/measure/work_fit.hpp"

namespace tactus::measure {
namespace {

/// Times that fall with the number of virtual SMs as work does, or anything at all.
std::vector<WorkTime> any_times(std::int64_t per_sm) {
  const auto sizes = *rc::gen::container<std::set<int>>(rc::gen::inRange(1, 200));
  const bool like_work = *rc::gen::arbitrary<bool>();
  const std::int64_t work = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000);
  std::vector<WorkTime> times;
  for (const std::int64_t sms : sizes) {
    const std::int64_t noise = *rc::gen::inRange<std::int64_t>(0, 100'000);
    const std::int64_t best = like_work ? work / (sms * per_sm) + noise : noise;
    const std::int64_t more = *rc::gen::inRange<std::int64_t>(0, 50'000);
    times.push_back({sms * per_sm, nanoseconds(best), nanoseconds(best + more + 1)});
  }
  return times;
}

void check_covers(const GpuSegment& segment, const std::vector<WorkTime>& times) {
  RC_ASSERT(segment.work.best <= segment.work.worst);
  RC_ASSERT(segment.interleave >= Rational{1});
  RC_ASSERT(segment.overhead.worst >= Duration{});
  for (const WorkTime& time : times) {
    const Interval modelled = gpu_time(segment, time.virtual_sms);
    RC_ASSERT(modelled.worst >= time.worst);
    RC_ASSERT(modelled.best <= time.best);
  }
}

RC_GTEST_PROP(WorkFitProperty, CoversEveryTime, ()) {
  const std::vector<WorkTime> times = any_times(1);
  RC_PRE(!times.empty());
  check_covers(fit_work(times), times);
}

RC_GTEST_PROP(WorkFitProperty, CoversEveryInterleavedTime, ()) {
  const std::vector<WorkTime> alone = any_times(1);
  const std::vector<WorkTime> times = any_times(*rc::gen::inRange<std::int64_t>(2, 5));
  RC_PRE(!alone.empty() && !times.empty());
  const GpuSegment segment = fit_interleaved_work(alone, times);
  check_covers(segment, times);
  // A valid segment: the overhead is part of the work.
  RC_ASSERT(Rational{segment.overhead.worst.count()} <=
            Rational{segment.work.worst.count()} * segment.interleave);
}

RC_GTEST_PROP(WorkFitProperty, ComesAsCloseAsMicrosecondsAllow, ()) {
  // It is not simply large.
  const std::vector<WorkTime> times = any_times(1);
  RC_PRE(!times.empty());
  const GpuSegment segment = fit_work(times);
  bool touches = false;
  for (const WorkTime& time : times) {
    const Duration above = gpu_time(segment, time.virtual_sms).worst - time.worst;
    touches = touches || above <= nanoseconds(2000);
  }
  RC_ASSERT(touches);
}

RC_GTEST_PROP(CopyFitProperty, CoversEveryTime, ()) {
  const auto sizes = *rc::gen::nonEmpty(
      rc::gen::container<std::set<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 1LL << 33)));
  std::vector<CopyTime> times;
  for (const std::int64_t bytes : sizes) {
    times.push_back({bytes, nanoseconds(*rc::gen::inRange<std::int64_t>(1, 1'000'000'000))});
  }
  const CopyModel model = fit_copies(times);
  RC_ASSERT(model.bandwidth >= 1);
  RC_ASSERT(model.overhead.count() % 1000 == 0);
  for (const CopyTime& time : times) {
    const std::optional<Duration> modelled = copy_time(time.bytes, model.bandwidth);
    RC_ASSERT(modelled.has_value());
    RC_ASSERT(*modelled + model.overhead >= time.worst);
  }
}

}  // namespace
}  // namespace tactus::measure
