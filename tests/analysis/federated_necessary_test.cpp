// federated-necessary: each of its conditions alone, and that no sound test accepts what it refutes.
#include "tactus/analysis/federated_necessary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/chains.hpp"

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
  EXPECT_EQ(core.detail["server"], "core 1");
  EXPECT_EQ(core.detail["utilisation"], "1.05");
  EXPECT_EQ(federated_necessary(federated({{10, 10, {cpu(6)}, {}, 1}, {20, 20, {cpu(8)}, {}, 1}})).verdict,
            Verdict::unproven);
  EXPECT_EQ(federated_necessary(federated({{10, 10, {cpu(6)}, {}, 1}, {20, 20, {cpu(9)}, {}, 0}})).verdict,
            Verdict::unproven);
  const Result engine = federated_necessary(
      federated({{10, 10, {copy(3), gpu(1), copy(3)}, {}, 1}, {20, 20, {copy(9)}, {}, 0}}));
  EXPECT_EQ(engine.detail["server"], "the copy engine");
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
  EXPECT_EQ(federated_necessary(system).detail["longest_job_ns"], 11);
  EXPECT_EQ(federated_necessary(federated({{5, 20, {cpu(6)}, {}}})).verdict, Verdict::unschedulable);
}

TEST(FederatedNecessary, TheSmsOfAllTasks) {
  System system =
      without_sms(federated({{10, 20, {shared_gpu(0, 20)}, {}}, {10, 20, {shared_gpu(0, 30)}, {}}}));
  system.platform.gpu.sms = 4;
  const Result few = federated_necessary(system);
  EXPECT_EQ(few.verdict, Verdict::unschedulable);
  EXPECT_EQ(few.detail["sms_needed"], 5);
  EXPECT_EQ(few.detail["sms"], 4);
  system.platform.gpu.sms = 5;
  EXPECT_EQ(federated_necessary(system).verdict, Verdict::unproven);
  system.platform.gpu.sms = 1;
  EXPECT_EQ(federated_necessary(system).detail["sms_needed"], 2);
}

TEST(FederatedNecessary, SaysNothingOfOtherStrategies) {
  System system = federated({{10, 20, {cpu(1)}, {}}});
  system.policy.strategy = StrategyKind::single_stream;
  EXPECT_FALSE(federated_necessary(system).applies());
}

}  // namespace
}  // namespace tactus::analysis
