// What bindings take from the guarantees of a system.
#include "tactus/runtime/opaque_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "support/host_run.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using device::Binding;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Binding bound_calls() {
  return {.kind = Binding::Kind::calls, .work = [](Job&) {}};
}
Binding function() {
  return bound_function([](Job&) {});
}

/// Two SMs of two slots: 6 blocks are 2 waves.
System kernel_and_more(StrategyRef strategy) {
  System system = small_host_system();
  system.policy.strategy = strategy;
  add_task(system, "kernel", {host_kernel(6, 3ms)});
  add_task(system, "exclusive", {host_exclusive(5ms)}).longest_block = 1ms;
  return system;
}

TEST(OpaqueWork, IsOneBlockAsLongAsAllOfIt) {
  for (const Binding& binding : {function(), bound_calls()}) {
    const System system = kernel_and_more(strategy_named("multi-stream"));
    const runtime::BoundSystem bound = runtime::as_bound(system, {{binding}, {binding}});
    EXPECT_EQ(bound.system.tasks[0].work.nodes[0].segment, host_exclusive(6ms));
    EXPECT_EQ(bound.system.tasks[1].work.nodes[0].segment, host_exclusive(5ms));
    EXPECT_FALSE(bound.system.tasks[1].longest_block);
    EXPECT_THAT(
        bound.opaque,
        ElementsAre("kernel: its work is opaque: it cannot be preempted, so it counts as one block",
                    "exclusive: its work is opaque: it cannot be preempted, so it counts as one block"));
    EXPECT_TRUE(bound.keeps_windows);
  }
}

TEST(OpaqueWork, WhatIsNotBoundOrBoundByBlocksStaysAsItIs) {
  const System system = kernel_and_more(strategy_named("multi-stream"));
  for (const device::Bindings& bindings : {device::Bindings{}, device::Bindings{{Binding{}}, {Binding{}}},
                                           device::Bindings{{bound_blocks([](Job&) {})}, {Binding{}}}}) {
    const runtime::BoundSystem bound = runtime::as_bound(system, bindings);
    EXPECT_EQ(bound.system, system);
    EXPECT_THAT(bound.opaque, IsEmpty());
  }
}

TEST(OpaqueWork, CpuFunctionsAndCopiesAreNotOpaque) {
  System system = small_host_system();
  system.policy.strategy = strategy_named("graph");
  add_task(system, "chain", {host_cpu(1ms), host_copy(1ms), host_kernel(4, 1ms)});
  const runtime::BoundSystem bound = runtime::as_bound(system, {{function(), function(), Binding{}}});
  EXPECT_EQ(bound.system, system);
  EXPECT_THAT(bound.opaque, IsEmpty());
}

TEST(OpaqueWork, CopiesThatFunctionsMakeAreNotCut) {
  System system = small_host_system();
  system.policy.strategy = strategy_named("federated");
  system.platform.gpu.copy_bandwidth = 1'000'000'000;
  system.platform.gpu.copy_chunk = 1000;
  const Segment long_copy = CopySegment{.time = Interval::exactly(3us), .bytes = 3000};
  const Segment short_copy = CopySegment{.time = Interval::exactly(1us), .bytes = 1000};
  add_task(system, "chain", {long_copy, short_copy});
  for (const Binding& binding : {function(), bound_calls()}) {
    const runtime::BoundSystem bound = runtime::as_bound(system, {{binding, binding}});
    EXPECT_EQ(bound.system.tasks[0].work.nodes[0].segment, host_copy(3us));
    EXPECT_EQ(bound.system.tasks[0].work.nodes[1].segment, short_copy);
    EXPECT_THAT(bound.opaque, ElementsAre("chain: its copies are opaque: they are not cut"));
  }
  const Binding bytes = device::bind_copy([](const Job&) { return MemoryCopy{}; });
  EXPECT_EQ(runtime::as_bound(system, {{bytes, Binding{}}}).system, system);
  EXPECT_THAT(runtime::as_bound(system, {{bytes, Binding{}}}).opaque, IsEmpty());
}

TEST(OpaqueWork, CallsThatTakeTheirBlocksOneByOneAreNotOpaque) {
  System system = kernel_and_more(strategy_named("multi-stream"));
  system.tasks[0].arrival = Arrival::best_effort;
  system.tasks[0].preemptible = true;
  const runtime::BoundSystem loops = runtime::as_bound(system, {{bound_calls()}, {Binding{}}});
  EXPECT_EQ(loops.system, system);
  EXPECT_THAT(loops.opaque, IsEmpty());
  const System parts = kernel_and_more(strategy_named("sm-cores"));
  EXPECT_EQ(runtime::as_bound(parts, {{bound_calls()}, {Binding{}}}).system, parts);
  Binding captured = bound_calls();
  captured.captured = true;  // a graph is launched whole
  EXPECT_NE(runtime::as_bound(parts, {{captured}, {Binding{}}}).system, parts);
}

TEST(OpaqueWork, UnderFederatedNobodyElseHasTheSms) {
  System system = small_host_system();
  system.policy.strategy = strategy_named("federated");
  system.virtual_sms = {2};
  add_task(system, "own", {host_cpu(1ms), host_kernel(4, 1ms)});
  const runtime::BoundSystem bound = runtime::as_bound(system, {{Binding{}, function()}});
  EXPECT_EQ(bound.system, system);
  EXPECT_THAT(bound.opaque, ElementsAre(HasSubstr("own: its work is opaque")));
}

TEST(OpaqueWork, UnderSmCoresItMayLeaveItsWindowUnlessTheSystemSaysSo) {
  System system = kernel_and_more(strategy_named("sm-cores"));
  system.tasks[0].sm = {.kind = SmAffinity::Kind::one, .core = 1};
  const runtime::BoundSystem cut = runtime::as_bound(system, {{function()}, {Binding{}}});
  EXPECT_FALSE(cut.keeps_windows);
  EXPECT_THAT(cut.opaque, ElementsAre(HasSubstr("nothing is proven")));
  EXPECT_EQ(cut.system.tasks[0].work.nodes[0].segment, host_exclusive(9ms)) << "3 waves on one SM";
  system.tasks[1].longest_block.reset();
  const runtime::BoundSystem whole = runtime::as_bound(system, {{Binding{}}, {function()}});
  EXPECT_TRUE(whole.keeps_windows);
  EXPECT_EQ(whole.system, system);
  EXPECT_EQ(whole.opaque.size(), 1U);
}

}  // namespace
}  // namespace tactus::test
