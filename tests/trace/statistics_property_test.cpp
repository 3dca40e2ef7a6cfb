// Statistics against a twin that keeps everything and sorts.
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tactus/base/random.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::trace {
namespace {

struct Job {
  TaskIndex task = 0;
  std::int64_t release = 0;
  std::optional<std::int64_t> response;
  bool missed = false;
};

constexpr TaskIndex tasks = 3;

// Responses of every size, often equal to an earlier one.
rc::Gen<std::int64_t> responses() {
  return rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 5), rc::gen::inRange<std::int64_t>(0, 3000),
                        rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40U));
}

rc::Gen<std::vector<Job>> jobs() {
  const auto job = rc::gen::map(
      rc::gen::tuple(rc::gen::inRange<TaskIndex>(0, tasks), rc::gen::inRange<std::int64_t>(0, 1'000'000'000),
                     rc::gen::weightedOneOf<std::optional<std::int64_t>>(
                         {{9, rc::gen::map(responses(), [](std::int64_t r) { return std::optional{r}; })},
                          {1, rc::gen::just(std::optional<std::int64_t>{})}}),
                     rc::gen::arbitrary<bool>()),
      [](const auto& parts) {
        const auto& [task, release, response, missed] = parts;
        return Job{task, release, response, missed};
      });
  return rc::gen::scale(20.0, rc::gen::container<std::vector<Job>>(job));
}

void feed(Statistics& statistics, const std::vector<Job>& all) {
  for (const Job& job : all) {
    const Time release = time_at(nanoseconds(job.release));
    statistics.on(JobReleased{.job = {job.task, 0}, .release = release});
    statistics.on(JobEnded{.job = {job.task, 0},
                           .release = release,
                           .completion = job.response ? release + nanoseconds(*job.response) : never,
                           .missed = job.missed});
  }
}

TaskStatistics plain(TaskIndex task, const std::vector<Job>& all) {
  TaskStatistics result;
  std::vector<std::int64_t> sorted;
  for (const Job& job : all) {
    if (job.task != task) continue;
    ++result.released;
    if (job.missed) ++result.misses;
    if (job.response) sorted.push_back(*job.response);
  }
  result.completed = sorted.size();
  if (sorted.empty()) return result;
  std::sort(sorted.begin(), sorted.end());
  Int128 sum = 0;
  for (const std::int64_t response : sorted) sum += response;
  const auto n = static_cast<Int128>(sorted.size());
  const Int128 below = sum / n;
  const std::size_t rank = (99 * sorted.size() + 99) / 100;
  result.response = ResponseTimes{
      .min = nanoseconds(sorted.front()),
      .mean = nanoseconds(static_cast<std::int64_t>(2 * (sum - below * n) >= n ? below + 1 : below)),
      .p99 = nanoseconds(sorted[rank - 1]),
      .max = nanoseconds(sorted.back())};
  return result;
}

RC_GTEST_PROP(Statistics, EqualsTheSortedTwin, ()) {
  const std::vector<Job> all = *jobs();
  Statistics statistics{tasks};
  feed(statistics, all);
  for (TaskIndex task = 0; task < tasks; ++task) RC_ASSERT((statistics.of(task) == plain(task, all)));
}

// Long enough that tables leave the cache.
RC_GTEST_PROP(Statistics, EqualsTheSortedTwinOnLongRuns, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto distinct = *rc::gen::inRange<std::uint64_t>(1, 20'000);
  std::vector<Job> all(10'000);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::uint64_t bits = mix_bits(seed + i);
    all[i] = {.task = static_cast<TaskIndex>((bits >> 60U) % tasks),
              .release = 0,
              .response = static_cast<std::int64_t>(mix_bits(bits) % distinct) * 1000,
              .missed = bits % 7 == 0};
  }
  Statistics statistics{tasks};
  feed(statistics, all);
  for (TaskIndex task = 0; task < tasks; ++task) RC_ASSERT((statistics.of(task) == plain(task, all)));
}

RC_GTEST_PROP(Statistics, RoundedP99IsNeverTooSmallAndNearlyExact, ()) {
  const std::vector<Job> all = *jobs();
  const auto limit = *rc::gen::inRange<std::size_t>(0, 20);
  const bool per_task = *rc::gen::arbitrary<bool>();
  Statistics statistics{
      tasks, {.distinct_per_task = per_task ? limit : 1000, .distinct_in_all = per_task ? 1000 : limit}};
  feed(statistics, all);
  for (TaskIndex task = 0; task < tasks; ++task) {
    TaskStatistics measured = statistics.of(task);
    const TaskStatistics exact = plain(task, all);
    if (exact.response) {
      RC_ASSERT(measured.response.has_value());
      const Duration error = measured.response->p99 - exact.response->p99;
      RC_ASSERT(error.count() >= 0);
      RC_ASSERT(error * 1024 <= exact.response->p99);
      if (measured.response->p99_exact) RC_ASSERT(error.count() == 0);
      measured.response->p99 = exact.response->p99;
      measured.response->p99_exact = true;
    }
    RC_ASSERT((measured == exact));
  }
}

RC_GTEST_PROP(ResponseCounts, RoundsUpToElevenBits, ()) {
  const auto bits = *rc::gen::inRange(1, 63);
  const auto value = *rc::gen::inRange<std::int64_t>(std::int64_t{1} << (bits - 1), std::int64_t{1} << bits);
  const Int128 rounded = in_ns(ResponseCounts::round_up(nanoseconds(value)));
  RC_ASSERT(rounded >= value);
  RC_ASSERT((rounded - value) * 1024 < value || rounded == value);
  RC_ASSERT(ResponseCounts::round_up(nanoseconds(static_cast<std::int64_t>(rounded))).count() == rounded);
}

}  // namespace
}  // namespace tactus::trace
