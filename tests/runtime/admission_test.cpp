// Tasks that join a federated system own SMs.
#include "tactus/runtime/admission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "support/host_run.hpp"
#include "support/source_folder.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/runtime/runtime.hpp"

namespace tactus::runtime {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

Task chain_task(const std::string& name, Duration deadline, std::int64_t blocks) {
  System scratch;
  Task task = test::add_task(scratch, name, {test::host_cpu(1ms), test::host_kernel(blocks, 1ms)});
  task.arrival = Arrival::periodic;
  task.period = 100ms;
  task.deadline = deadline;
  return task;
}

/// Four SMs, each with room for one block: four virtual SMs at two an SM are two SMs.
System federated() {
  System system = test::small_host_system();
  system.platform.gpu.sms = 4;
  system.platform.gpu.blocks_per_sm = 1;
  system.platform.gpu.virtual_sms_per_sm = 2;
  system.policy.strategy = strategy_named("federated");
  system.policy.order = Order::fp;
  return system;
}

TEST(Admission, GivesAsFewFreeSmsAsMakeItHold) {
  // 8 blocks take 8 ms on one SM, 4 ms on two.
  const Admitted relaxed = admit(federated(), {}, chain_task("relaxed", 50ms, 8), {});
  ASSERT_THAT(relaxed.refusal, IsEmpty());
  EXPECT_EQ(relaxed.system.virtual_sms.at(0), 2);
  const Admitted tight = admit(relaxed.system, {}, chain_task("tight", 7ms, 8), {});
  ASSERT_THAT(tight.refusal, IsEmpty());
  EXPECT_EQ(tight.system.virtual_sms.at(0), 2);
  EXPECT_EQ(tight.system.virtual_sms.at(1), 4);
}

TEST(Admission, TakesTheVirtualSmsThatAreGiven) {
  const Admitted given = admit(federated(), {}, chain_task("given", 50ms, 8), {.virtual_sms = 6});
  ASSERT_THAT(given.refusal, IsEmpty());
  EXPECT_EQ(given.system.virtual_sms.at(0), 6);
  const Admitted too_few = admit(given.system, {}, chain_task("tight", 7ms, 8), {.virtual_sms = 2});
  EXPECT_THAT(too_few.refusal, HasSubstr("'tight' is refused"));
  EXPECT_THROW(admit(given.system, {}, chain_task("many", 50ms, 8), {.virtual_sms = 4}), InputError);
  System other = federated();
  other.policy.strategy = strategy_named("graph");
  EXPECT_THROW(admit(other, {}, chain_task("graph", 50ms, 8), {.virtual_sms = 2}), InputError);
}

TEST(Admission, RefusesWhereNothingIsFreeOrEverythingIsTooLittle) {
  const Admitted all = admit(federated(), {}, chain_task("all", 50ms, 8), {.virtual_sms = 8});
  EXPECT_THAT(admit(all.system, {}, chain_task("late", 50ms, 8), {}).refusal, HasSubstr("no SM is free"));
  const Task hopeless = chain_task("hopeless", 2ms, 8);
  EXPECT_THAT(admit(federated(), {}, hopeless, {}).refusal, HasSubstr("'hopeless' is refused"));
  const Admitted anyway = admit(federated(), {}, hopeless, {.admission = Admission::anyway});
  ASSERT_THAT(anyway.refusal, IsEmpty());
  EXPECT_EQ(anyway.system.virtual_sms.at(0), 8);
}

TEST(Admission, WhatIsBoundLaterMayNotBreakTheProof) {
  System system = test::small_host_system();
  system.policy.strategy = strategy_named("multi-stream");
  system.policy.levels = 2;
  system.platform.gpu.sms = 1;
  system.platform.gpu.blocks_per_sm = 1;
  const auto task = [](const std::string& name, Duration deadline, std::int64_t blocks) {
    Task made = chain_task(name, deadline, blocks);
    made.work.nodes.erase(made.work.nodes.begin());  // the GPU alone
    made.work.form = WorkForm::single;
    return made;
  };
  const auto runtime_with = [&](Admission admission) {
    RuntimeOptions options;
    options.real_time = false;
    auto runtime = std::make_unique<Runtime>(device::make_host_device(test::plain_host()), system, options);
    EXPECT_EQ(runtime->add(task("detector", 100ms, 40)), std::nullopt);
    EXPECT_EQ(runtime->add(task("urgent", 12ms, 1), {.admission = admission}), std::nullopt);
    return runtime;
  };
  const auto blocks_alone = runtime_with(Admission::proven);
  EXPECT_NO_THROW(blocks_alone->run_for(1ms));
  const auto opaque = runtime_with(Admission::proven);
  opaque->bind("detector", [](Job& /*job*/) {});
  EXPECT_THROW(opaque->run_for(1ms), InputError);
  const auto anyway = runtime_with(Admission::anyway);
  anyway->bind("detector", [](Job& /*job*/) {});
  EXPECT_NO_THROW(anyway->run_for(1ms));
}

TEST(Admission, ATaskWithoutGpuWorkOwnsNoSms) {
  Task task = chain_task("cpu", 50ms, 1);
  task.work.nodes.pop_back();
  const Admitted admitted = admit(federated(), {}, task, {});
  ASSERT_THAT(admitted.refusal, IsEmpty());
  EXPECT_EQ(admitted.system.virtual_sms.at(0), std::nullopt);
}

TEST(Documentation, ShowsTheProgramThatMakesItsTasksInCode) {
  const std::string program = read_file(test::in_repository("examples/runtime/tasks_in_code.cpp"));
  const std::string code = program.substr(program.find('\n') + 1);  // without the comment
  EXPECT_THAT(read_file(test::in_repository("docs/runtime.md")), HasSubstr("```cpp\n" + code + "```\n"));
}

}  // namespace
}  // namespace tactus::runtime
