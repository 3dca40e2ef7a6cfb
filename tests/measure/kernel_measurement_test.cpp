#include "tactus/measure/kernel_measurement.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tactus/io/system_file.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/measure/json.hpp"

namespace tactus::measure {
namespace {

using std::chrono::microseconds;

KernelPoint point(int sms, std::int64_t median_us, std::int64_t max_us) {
  return {sms, SampleSummary{.samples = 5,
                             .min = microseconds{median_us},
                             .median = microseconds{median_us},
                             .p99 = microseconds{max_us},
                             .p999 = microseconds{max_us},
                             .max = microseconds{max_us}}};
}

KernelMeasurement example() {
  KernelMeasurement measurement;
  measurement.kernel = "memory";
  measurement.amount = 100;
  measurement.series.push_back({0, 1024, 8, "", {point(2, 500, 510), point(4, 255, 260)}});
  measurement.series.push_back({1, 1024, 8, "", {point(1, 1000, 1010), point(2, 500, 505)}});
  measurement.series.push_back({2, 1024, 8, "", {point(1, 700, 707), point(2, 400, 404), point(8, 99, 99)}});
  measurement.series.push_back({2, 1024, 8, "compute", {point(1, 800, 900)}});
  return measurement;
}

TEST(KernelMeasurement, RatiosAreThoseOfPiecesAtOnceToOnePieceAlone) {
  const KernelMeasurement measurement = example();
  const KernelSeries* alone = find_alone(measurement, measurement.series[2]);
  ASSERT_EQ(alone, &measurement.series[1]);
  const std::vector<InterleaveRatio> ratios = interleave_ratios(*alone, measurement.series[2]);
  ASSERT_EQ(ratios.size(), 2U);  // 8 SMs were not measured alone
  EXPECT_EQ(ratios[0].sms, 1);
  EXPECT_DOUBLE_EQ(ratios[0].median, 1.4);
  EXPECT_DOUBLE_EQ(ratios[0].max, 1.4);
  EXPECT_DOUBLE_EQ(ratios[1].median, 1.6);
}

TEST(KernelMeasurement, BlocksOfOtherSizesAreNotCompared) {
  KernelMeasurement measurement = example();
  measurement.series[1].threads = 512;
  EXPECT_EQ(find_alone(measurement, measurement.series[2]), nullptr);
}

TEST(KernelMeasurement, EntriesCoverEveryTimeWithItsMarginAndCoRunner) {
  const KernelMeasurement measurement = example();
  const MarginRule rule;
  const std::vector<KernelEntry> entries = kernel_entries(measurement, rule);
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[2].samples, 20U);
  EXPECT_EQ(entries[2].longest, microseconds{900});
  for (const KernelEntry& entry : entries) {
    for (const KernelSeries& series : measurement.series) {
      if (series.virtual_sms != entry.virtual_sms) continue;
      for (const KernelPoint& one : series.points) {
        const std::int64_t virtual_sms = std::int64_t{one.sms} * std::max(1U, series.virtual_sms);
        EXPECT_GE(gpu_time(entry.segment, virtual_sms).worst, rule.apply(one.times));
      }
    }
  }
}

TEST(KernelMeasurement, EntriesAreReadBackAsTheyAre) {
  for (const KernelEntry& entry : kernel_entries(example(), MarginRule{})) {
    const std::string text =
        "tactus: 1\nplatform: {base: h200, gpu: {virtual_sms_per_sm: 1}}\npolicy: {strategy: federated, "
        "virtual_sms: {task: 4}}\ntasks:\n  - name: task\n    period: 1s\n    segments:\n      - " +
        to_segment_entry(entry.segment) + "\n";
    const ReadResult read = read_system(text, "entry.yaml");
    ASSERT_TRUE(read.system) << text << to_string(read.problems.front());
    EXPECT_EQ(std::get<GpuSegment>(read.system->tasks.front().work.nodes.front().segment).work,
              entry.segment.work);
    EXPECT_EQ(gpu_time(std::get<GpuSegment>(read.system->tasks.front().work.nodes.front().segment), 7),
              gpu_time(entry.segment, 7));
  }
}

TEST(KernelMeasurement, JsonHasSeriesRatiosAndEntries) {
  const nlohmann::ordered_json json = to_json(example(), MarginRule{});
  EXPECT_EQ(json["kernel"], "memory");
  EXPECT_EQ(json["series"].size(), 4U);
  EXPECT_TRUE(json["series"][0]["virtual_sms"].is_null());
  EXPECT_EQ(json["series"][3]["co_runner"], "compute");
  EXPECT_EQ(json["series"][1]["points"][0]["max_ns"], 1'010'000);
  EXPECT_EQ(json["interleave_ratios"].size(), 2U);
  EXPECT_EQ(json["entries"].size(), 3U);
  EXPECT_EQ(json["entries"][2]["virtual_sms"], 2);
}

}  // namespace
}  // namespace tactus::measure
