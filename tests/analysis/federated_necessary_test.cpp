// federated-necessary: each of its conditions alone, and that no sound test accepts what it refutes.
#include "tactus/analysis/analyses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "support/chains.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/json.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/falsify/borderline_systems.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/validate.hpp"

namespace tactus::analysis {
namespace {

using test::copy;
using test::cpu;
using test::federated;
using test::gpu;
using test::shared_gpu;
using test::without_sms;
using testing::HasSubstr;

TEST(FederatedNecessary, SharesOfTheTime) {
  const Result core = federated_necessary(federated({{10, 10, {cpu(6)}, {}, 1}, {20, 20, {cpu(9)}, {}, 1}}));
  EXPECT_EQ(core.verdict, Verdict::unschedulable);
  EXPECT_EQ(to_json(core.detail)["server"], "core 1");
  EXPECT_EQ(to_json(core.detail)["utilisation"], "1.05");
  EXPECT_EQ(federated_necessary(federated({{10, 10, {cpu(6)}, {}, 1}, {20, 20, {cpu(8)}, {}, 1}})).verdict,
            Verdict::unproven);
  EXPECT_EQ(federated_necessary(federated({{10, 10, {cpu(6)}, {}, 1}, {20, 20, {cpu(9)}, {}, 0}})).verdict,
            Verdict::unproven);
  const Result engine = federated_necessary(
      federated({{10, 10, {copy(3), gpu(1), copy(3)}, {}, 1}, {20, 20, {copy(9)}, {}, 0}}));
  EXPECT_EQ(to_json(engine.detail)["server"], "the copy engine");
}

TEST(FederatedNecessary, WhatNeedNotComeDoesNotCount) {
  System system = federated({{10, 10, {cpu(2), copy(5), gpu(3)}, {}}, {20, 20, {copy(10)}, {}}});
  system.platform.overheads = {nanoseconds(1), nanoseconds(2), nanoseconds(3), nanoseconds(4)};
  system.tasks[0].jitter = nanoseconds(5);
  EXPECT_EQ(federated_necessary(system).verdict, Verdict::unproven);
}

TEST(FederatedNecessary, TheLongestJobOnItsSms) {
  System system = federated({{10, 20, {cpu(2), copy(3), shared_gpu(0, 12)}, 2}});
  const Result result = federated_necessary(system);
  EXPECT_EQ(result.verdict, Verdict::unschedulable);
  EXPECT_THAT(result.reason, HasSubstr("'task1' takes 11ns on 2 virtual SMs"));
  system.virtual_sms = {3};
  EXPECT_EQ(federated_necessary(system).verdict, Verdict::unproven);
  system.virtual_sms.clear();
  EXPECT_EQ(federated_necessary(system).verdict, Verdict::unproven);
  system.platform.gpu.sms = 2;
  EXPECT_EQ(to_json(federated_necessary(system).detail)["longest_job_ns"], 11);
  EXPECT_EQ(federated_necessary(federated({{5, 20, {cpu(6)}, {}}})).verdict, Verdict::unschedulable);
}

TEST(FederatedNecessary, TheSmsOfAllTasks) {
  System system =
      without_sms(federated({{10, 20, {shared_gpu(0, 20)}, {}}, {10, 20, {shared_gpu(0, 30)}, {}}}));
  system.platform.gpu.sms = 4;
  const Result few = federated_necessary(system);
  EXPECT_EQ(few.verdict, Verdict::unschedulable);
  EXPECT_EQ(to_json(few.detail)["sms_needed"], 5);
  EXPECT_EQ(to_json(few.detail)["sms"], 4);
  system.platform.gpu.sms = 5;
  EXPECT_EQ(federated_necessary(system).verdict, Verdict::unproven);
  system.platform.gpu.sms = 1;
  EXPECT_EQ(to_json(federated_necessary(system).detail)["sms_needed"], 2);
}

TEST(FederatedNecessary, SaysNothingOfOtherStrategies) {
  System system = federated({{10, 20, {cpu(1)}, {}}});
  system.policy.strategy = strategy_named("single-stream");
  EXPECT_FALSE(run(*find("federated-necessary"), system).applies());
}

/// The conditions once more, in plain words: whether some core, the copy engine, a deadline or the SMs are
/// exceeded. Small numbers: fractions are brought to one denominator.
bool refuted_plainly(System system) {
  system.platform.overheads = {};
  std::map<std::int32_t, std::vector<std::pair<Int128, Int128>>> shares;  // by core; -1: the copy engine
  std::int64_t sms = system.platform.gpu.sms;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const bool given = i < system.virtual_sms.size() && system.virtual_sms[i];
    const std::int64_t per_sm = system.platform.gpu.virtual_sms_per_sm;
    const std::int64_t own = given ? *system.virtual_sms[i] / per_sm : 0;
    const auto chain_on = [&](std::int64_t number) {
      Duration sum{};
      for (const Node& node : task.work.nodes) {
        const auto* work = std::get_if<GpuSegment>(&node.segment);
        const auto* kernel = std::get_if<KernelSegment>(&node.segment);
        const std::int64_t times = kernel != nullptr ? waves_of(*kernel, system.platform.gpu, number) : 1;
        sum +=
            work != nullptr ? gpu_time(*work, number * per_sm).worst : drawn_time(node.segment).worst * times;
      }
      return sum;
    };
    if (task.arrival == Arrival::best_effort) {
      if (uses_gpu(task.work)) sms -= given ? own : 1;
      continue;
    }
    Int128 on_cpu = 0;
    Int128 copied = 0;
    for (const Node& node : task.work.nodes) {
      const Int128 time = in_ns(drawn_time(node.segment).worst);
      if (std::holds_alternative<CpuSegment>(node.segment)) on_cpu += time;
      if (std::holds_alternative<CopySegment>(node.segment)) copied += time;
    }
    shares[task.core].emplace_back(on_cpu, in_ns(*task.period));
    shares[-1].emplace_back(copied, in_ns(*task.period));
    if (!uses_gpu(task.work)) {
      if (chain_on(1) > *task.deadline) return true;
      continue;
    }
    std::int64_t needed = given ? own : 1;
    while (!given && needed <= system.platform.gpu.sms && chain_on(needed) > *task.deadline) ++needed;
    if (chain_on(needed) > *task.deadline) return true;
    sms -= needed;
  }
  for (const auto& [server, terms] : shares) {
    Int128 numerator = 0;
    Int128 denominator = 1;
    for (const auto& [time, period] : terms) {
      numerator = numerator * period + time * denominator;
      denominator *= period;
    }
    if (numerator > denominator) return true;
  }
  return sms < 0;
}

TEST(FederatedNecessary, IsThePlainConditions) {
  const falsify::Family family = *falsify::family_of("federated-necessary");
  int refuted = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    falsify::Dice dice{17, i};
    System system = falsify::random_system(family, dice);
    for (Task& task : system.tasks) {
      // Some deadlines become too short.
      if (task.deadline && dice.percent(20)) task.deadline = *task.deadline / 2 + Duration{1};
    }
    if (dice.percent(50)) system.virtual_sms.clear();
    if (dice.percent(30)) system.platform.gpu.sms = std::max(1, system.platform.gpu.sms - 1);
    if (!system.virtual_sms.empty() && !validate(system).empty()) continue;
    const bool plain = refuted_plainly(system);
    refuted += plain ? 1 : 0;
    EXPECT_EQ(federated_necessary(system).verdict, plain ? Verdict::unschedulable : Verdict::unproven)
        << to_system_file(system);
  }
  EXPECT_GT(refuted, 300);
  EXPECT_LT(refuted, 1700);
}

}  // namespace
}  // namespace tactus::analysis
