#include "tactus/device/cuda/segment_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/copies.hpp"

namespace tactus::cuda {
namespace {

using namespace std::chrono_literals;
using device::Binding;
using testing::HasSubstr;

System system_of(std::vector<Segment> segments) {
  System system;
  Task& task = system.tasks.emplace_back();
  task.name = "camera";
  task.work.form = WorkForm::chain;
  for (Segment& segment : segments) task.work.nodes.push_back({.name = {}, .segment = std::move(segment)});
  return system;
}

KernelSegment kernel_of(std::int64_t blocks, Duration time) {
  return {.grid = {blocks, 1, 1}, .block = 512, .block_time = Interval::exactly(time)};
}

std::string refusal_of(const System& system, const device::Bindings* bindings = nullptr) {
  try {
    static_cast<void>(make_segment_works(system, bindings));
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(CudaSegmentWork, AKernelGoesOnWhereItWas) {
  const SegmentWorks works = make_segment_works(system_of({kernel_of(10, 5us)}), nullptr);
  const SegmentWork& work = works[0][0];
  ASSERT_EQ(work.blocks_per_sm, 4);  // of 512 threads, where an SM has 2048
  const Part whole = part_of(work, {}, 5us);
  EXPECT_EQ(whole.blocks, 10);
  EXPECT_TRUE(whole.is_last);

  sched::SegmentProgress done;
  for (const std::int64_t expected : {4, 4, 2}) {
    const bool is_last = expected == 2;
    const Part part =
        part_of(work, {.done = done, .until = {.blocks = done.blocks + expected}, .is_last = is_last}, 5us);
    EXPECT_EQ(part.first_block, done.blocks);
    EXPECT_EQ(part.blocks, expected);
    EXPECT_EQ(part.is_last, is_last);
    done = after_part(work, part, done);
  }
  EXPECT_EQ(done.blocks, 10);
}

TEST(CudaSegmentWork, CapturedWorkIsNotCut) {
  device::Bindings bindings{{{Binding::Kind::calls, [](tactus::Job&) {}}}};
  bindings[0][0].captured = true;
  const SegmentWorks works = make_segment_works(system_of({kernel_of(10, 5us)}), &bindings);
  const Part part = part_of(works[0][0], {.done = {}, .until = {.blocks = 4}, .is_last = false}, 5us);
  EXPECT_EQ(part.first_block, 0);
  EXPECT_EQ(part.blocks, 10);
  EXPECT_TRUE(part.is_last);
}

TEST(CudaSegmentWork, ExclusiveWorkGoesOnWhereItWas) {
  System system = system_of({ExclusiveSegment{Interval::exactly(1ms)}});
  system.tasks[0].longest_block = 300us;
  const SegmentWork work = make_segment_works(system, nullptr)[0][0];
  sched::SegmentProgress done;
  for (const Duration expected : {300us, 300us, 300us, 100us}) {
    const Part part =
        part_of(work, {.done = done, .until = {.time = done.time + 300us}, .is_last = false}, 1ms);
    EXPECT_EQ(part.time, expected);
    EXPECT_EQ(part.is_last, expected == 100us);
    done = after_part(work, part, done);
  }
  EXPECT_EQ(done.time, 1ms);
  EXPECT_EQ(part_of(work, {.done = {.time = 400us}}, 1ms).time, 600us);
  EXPECT_FALSE(work.preemptible_anywhere);
}

TEST(CudaSegmentWork, WorkThatIsPreemptibleAnywhereIsNotCut) {
  System system = system_of({ExclusiveSegment{Interval::exactly(1ms)}});
  system.tasks[0].longest_block = Duration{};
  const SegmentWork work = make_segment_works(system, nullptr)[0][0];
  EXPECT_TRUE(work.preemptible_anywhere);
  EXPECT_EQ(part_of(work, {.done = {.time = 250us}}, 1ms).time, 750us);
}

TEST(CudaSegmentWork, WavesFillTheTimeAndAreNotTooLong) {
  EXPECT_EQ(cut_into_waves(1ms, Duration{}).count, 1);
  EXPECT_EQ(cut_into_waves(1ms, 1ms).count, 1);
  const Waves waves = cut_into_waves(1ms, 300us);
  EXPECT_EQ(waves.count, 4);
  EXPECT_EQ(waves.each, 250us);
  EXPECT_EQ(cut_into_waves(Duration{}, 300us).count, 1);
}

TEST(CudaSegmentWork, BindingsThatDoNotFitAreRefusedWithTheTask) {
  const auto nothing_to_do = [](tactus::Job&) {};
  const System gpu = system_of({kernel_of(1, 1us)});
  const System cpu = system_of({CpuSegment{Interval::exactly(1us)}});
  const auto bound = [&](Binding::Kind kind) { return device::Bindings{{{kind, nothing_to_do}}}; };
  const device::Bindings function = bound(Binding::Kind::function);
  const device::Bindings calls = bound(Binding::Kind::calls);
  const device::Bindings blocks = bound(Binding::Kind::blocks);
  EXPECT_EQ(refusal_of(gpu, &calls), "nothing");
  EXPECT_EQ(refusal_of(cpu, &function), "nothing");
  EXPECT_THAT(refusal_of(gpu, &function), HasSubstr("task 'camera', segment 0: GPU work is bound to"));
  EXPECT_THAT(refusal_of(gpu, &blocks), HasSubstr("only the host device"));
  EXPECT_THAT(refusal_of(cpu, &calls), HasSubstr("a `cpu` segment is bound to"));
  System stoppable = system_of({kernel_of(1, 1us)});
  stoppable.tasks[0].preemptible = true;
  device::Bindings captured = bound(Binding::Kind::calls);
  EXPECT_EQ(refusal_of(stoppable, &captured), "nothing");
  captured[0][0].captured = true;
  EXPECT_EQ(refusal_of(gpu, &captured), "nothing");
  EXPECT_THAT(refusal_of(stoppable, &captured), HasSubstr("cannot be captured"));
  const device::Bindings empty{{{Binding::Kind::calls, {}}}};
  EXPECT_THAT(refusal_of(gpu, &empty), HasSubstr("is empty"));
}

TEST(CudaSegmentWork, KernelsThatNoDeviceCanLaunchAreRefused) {
  KernelSegment wide = kernel_of(1, 1us);
  wide.block = 2048;
  EXPECT_THAT(refusal_of(system_of({wide})), HasSubstr("at most 1024 threads"));
  EXPECT_THAT(refusal_of(system_of({kernel_of(std::int64_t{1} << 31U, 1us)})), HasSubstr("blocks"));
  EXPECT_THAT(refusal_of(system_of({GpuSegment{.work = Interval::exactly(1ms), .overhead = {}}})),
              HasSubstr("virtual SMs"));
}

TEST(CudaSegmentWork, OnlyCpuBindingsGoToTheHost) {
  const auto nothing_to_do = [](tactus::Job&) {};
  const System system = system_of({CpuSegment{Interval::exactly(1us)}, kernel_of(1, 1us)});
  const device::Bindings given{
      {{Binding::Kind::function, nothing_to_do}, {Binding::Kind::calls, nothing_to_do}}};
  const device::Bindings kept = cpu_bindings(system, &given);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0][0].kind, Binding::Kind::function);
  EXPECT_EQ(kept[0][1].kind, Binding::Kind::built_in);
  EXPECT_EQ(cpu_bindings(system, nullptr)[0][0].kind, Binding::Kind::built_in);
}

TEST(CudaSegmentWork, OnlyCopySegmentsMoveBytes) {
  const auto move = [](const tactus::Job&) { return MemoryCopy{}; };
  const device::Bindings copies{{device::bind_copy(move)}};
  EXPECT_THAT(refusal_of(system_of({kernel_of(1, 1us)}), &copies), HasSubstr("only a `copy` segment"));
  EXPECT_THAT(refusal_of(system_of({CpuSegment{Interval::exactly(1us)}}), &copies), HasSubstr("`cpu`"));
  const SegmentWorks works =
      make_segment_works(system_of({CopySegment{Interval::exactly(1us), {}, {}}}), &copies);
  EXPECT_FALSE(works[0][0].is_built_in());
  EXPECT_EQ(works[0][0].calls, nullptr);
  EXPECT_NE(works[0][0].copy, nullptr);
}

TEST(CudaSegmentWork, OnlyABudgetCanAbort) {
  System system = system_of({kernel_of(1, 1us)});
  system.tasks[0].on_overrun = OnOverrun::abort;
  EXPECT_FALSE(make_segment_works(system, nullptr)[0][0].may_abort);
  system.tasks[0].budget = 1ms;
  EXPECT_TRUE(make_segment_works(system, nullptr)[0][0].may_abort);
  system.tasks[0].on_overrun = OnOverrun::demote;
  EXPECT_FALSE(make_segment_works(system, nullptr)[0][0].may_abort);
}

TEST(CudaCopySpeed, BytesTakeAtMostTheTime) {
  const CopySpeed speed{.fixed = 2us, .bytes_per_second = 50'000'000'000};
  EXPECT_EQ(speed.bytes_in(1us), 4);
  EXPECT_EQ(speed.bytes_in(2us), 4);
  EXPECT_EQ(speed.bytes_in(3us), 50'000);
  EXPECT_EQ(speed.bytes_in(1002us), 50'000'000);
  EXPECT_EQ(speed.bytes_in(2us + 1ns), 50);
  EXPECT_GT(speed.bytes_in(Duration::max()), 0);
}

}  // namespace
}  // namespace tactus::cuda
