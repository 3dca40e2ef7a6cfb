#include "tactus/measure/measure_overheads.hpp"

#include <gtest/gtest.h>

#include "tactus/base/error.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/presets.hpp"

namespace tactus::measure {
namespace {

OverheadQuestion small_question() {
  OverheadQuestion question;
  question.samples = 30;
  question.platform.gpu.copy_bandwidth = 10'000'000'000;
  return question;
}

MeasuredOverheads made_up() {
  MeasuredOverheads measured;
  measured.release = {nanoseconds(1500), nanoseconds(500)};
  measured.launch = {nanoseconds(4000)};
  measured.completion = {nanoseconds(2000)};
  measured.round_trip = {nanoseconds(5000)};
  measured.copy = {nanoseconds(9000)};
  measured.cpu = {nanoseconds(7000)};
  measured.engine_event = {nanoseconds(800), nanoseconds(1200)};
  measured.engine_submit = {nanoseconds(4500)};
  measured.uncertainty = nanoseconds(600);
  return measured;
}

TEST(LaunchersDelay, IsTheDifferenceToALaunchBesideNone) {
  const MarginRule rule = parse_margin_rule("max");
  const auto took = [](std::int64_t us) { return summary_of({microseconds{us}}); };
  const std::vector<LaunchesBeside> launches{{0, took(40)}, {1, took(57)}, {2, took(39)}, {4, took(82)}};
  EXPECT_EQ(delay_by_launchers(rule, launches, 0), Duration{});
  EXPECT_EQ(delay_by_launchers(rule, launches, 1), microseconds{17});
  EXPECT_EQ(delay_by_launchers(rule, launches, 2), microseconds{17});  // never less than beside fewer
  EXPECT_EQ(delay_by_launchers(rule, launches, 3), microseconds{42});
  EXPECT_EQ(delay_by_launchers(rule, {}, 2), Duration{});
}

TEST(MeasureOverheads, EveryJobOnTheHostDeviceIsMeasured) {
  device::HostOptions options;
  options.real_time = false;
  const std::unique_ptr<device::Device> device = device::make_host_device(options);
  const std::unique_ptr<StampedWork> work = make_host_work();
  double part = 0;
  OverheadQuestion question = small_question();
  question.watch.progress = [&](double done) { part = std::max(part, done); };
  MeasuredOverheads measured;
  try {
    measured = measure_overheads(*device, *work, question);
  } catch (const FailureError& busy) {
    GTEST_SKIP() << busy.what();  // no job ran in time
  }
  EXPECT_EQ(measured.launch.size(), 30U);
  EXPECT_EQ(measured.completion.size(), 30U);
  EXPECT_EQ(measured.round_trip.size(), 30U);
  EXPECT_EQ(measured.copy.size(), 30U);
  EXPECT_EQ(measured.cpu.size(), 30U);
  EXPECT_EQ(measured.resident_release.size(), 60U);  // built-in work and a function
  EXPECT_EQ(measured.resident_completion.size(), 60U);
  EXPECT_EQ(measured.doorbell.size(), 60U);
  EXPECT_GT(*std::max_element(measured.resident_completion.begin(), measured.resident_completion.end()),
            Duration{})
      << "a thread has to be woken up for a function";
  EXPECT_GT(measured.engine_event.size(), 0U);
  EXPECT_GT(measured.engine_submit.size(), 0U);
  EXPECT_LE(measured.release.size(), 180U);  // without those that waited for the job before
  for (const Duration late : measured.release) EXPECT_GE(late, Duration{});
  EXPECT_GT(part, 0);
  EXPECT_LE(part, 1);
}

TEST(MeasureOverheads, AFlagEndsItEarly) {
  const std::unique_ptr<device::Device> device = device::make_host_device();
  const std::unique_ptr<StampedWork> work = make_host_work();
  const std::atomic<bool> stop{true};
  OverheadQuestion question = small_question();
  question.samples = 10'000'000;
  question.watch.stop = &stop;
  const MeasuredOverheads measured = measure_overheads(*device, *work, question);
  EXPECT_TRUE(measured.launch.empty());
}

TEST(MeasureOverheads, AFlagEndsTheRunUnderWayAndTheOthersAreNotBegun) {
  const std::unique_ptr<device::Device> device = device::make_host_device();
  const std::unique_ptr<StampedWork> work = make_host_work();
  std::atomic<bool> stop{false};
  OverheadQuestion question = small_question();
  question.samples = 5'000;
  question.watch.stop = &stop;
  question.watch.progress = [&](double /*done*/) { stop = true; };
  const MeasuredOverheads measured = measure_overheads(*device, *work, question);
  EXPECT_LT(measured.launch.size(), 5'000U);
  EXPECT_TRUE(measured.round_trip.empty());
  EXPECT_TRUE(measured.copy.empty());
}

TEST(MeasureOverheads, TheCallersThreadStaysOnItsCoreMeanwhile) {
  const std::vector<int> before = available_cpus();
  const std::unique_ptr<device::Device> device = device::make_host_device();
  const std::unique_ptr<StampedWork> work = make_host_work();
  std::atomic<bool> stop{false};
  std::vector<int> meanwhile;
  OverheadQuestion question = small_question();
  question.core = before.back();
  question.watch.stop = &stop;
  question.watch.progress = [&](double /*done*/) {
    meanwhile = available_cpus();
    stop = true;
  };
  static_cast<void>(measure_overheads(*device, *work, question));
  EXPECT_EQ(meanwhile, std::vector<int>{before.back()});
  EXPECT_EQ(available_cpus(), before);
}

TEST(MeasureOverheads, NeedsSamplesAndABandwidth) {
  const std::unique_ptr<device::Device> device = device::make_host_device();
  const std::unique_ptr<StampedWork> work = make_host_work();
  OverheadQuestion question = small_question();
  question.samples = 0;
  EXPECT_THROW(static_cast<void>(measure_overheads(*device, *work, question)), InputError);
  question = small_question();
  question.platform.gpu.copy_bandwidth.reset();
  EXPECT_THROW(static_cast<void>(measure_overheads(*device, *work, question)), InputError);
}

TEST(MeasureOverheads, TheRuleIsAppliedToEach) {
  const Overheads overheads = apply(parse_margin_rule("max"), made_up());
  EXPECT_EQ(overheads.release, nanoseconds(2000));
  EXPECT_EQ(overheads.launch, nanoseconds(5000));      // with the uncertainty
  EXPECT_EQ(overheads.completion, nanoseconds(3000));  // with the uncertainty
  EXPECT_EQ(overheads.copy, nanoseconds(9000));
  EXPECT_EQ(overheads.cpu, nanoseconds(7000));
  EXPECT_EQ(overheads.engine, (EngineTime{nanoseconds(2000), nanoseconds(5000)}));
}

TEST(MeasureOverheads, ALongRoundTripIsCovered) {
  MeasuredOverheads measured = made_up();
  measured.round_trip = {nanoseconds(30'000)};
  const Overheads overheads = apply(parse_margin_rule("max"), measured);
  EXPECT_EQ(overheads.launch + overheads.completion, nanoseconds(30'000));
}

TEST(MeasureOverheads, ThePlatformEntryIsReadBackAsItIs) {
  Platform platform = *find_preset("h200");
  platform.overheads = apply(MarginRule{}, made_up());
  platform.gpu.copy_bandwidth = 51'230'000'000;
  const std::string text =
      "tactus: 1\n" + to_platform_entry(platform) + "tasks: [{name: task, period: 1s, exclusive: 1ms}]\n";
  const ReadResult read = read_system(text, "entry.yaml");
  ASSERT_TRUE(read.system) << text << to_string(read.problems.front());
  EXPECT_EQ(read.system->platform, platform);
}

}  // namespace
}  // namespace tactus::measure
