// Each rule of the GPU by its name.
#include "tactus/device/rules/block_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tactus::device {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Two SMs of two slots.
Gpu small_gpu() {
  Gpu gpu;
  gpu.sms = 2;
  gpu.threads_per_sm = 64;
  gpu.blocks_per_sm = 2;
  gpu.priority_levels = 2;
  gpu.copy_engines = 1;
  return gpu;
}

Call kernel(std::int64_t blocks, std::uint32_t level = 1, std::int64_t threads = 32) {
  return {.kind = OperationKind::kernel,
          .level = level,
          .sm_set = 0,
          .blocks = blocks,
          .demand = {.threads = threads, .shared_memory = 0, .registers = 0}};
}

Call copy() { return {.kind = OperationKind::copy, .level = 0, .sm_set = 0, .blocks = 1, .demand = {}}; }
Call exclusive(std::int64_t slices, std::uint32_t level = 1) {
  return {.kind = OperationKind::exclusive, .level = level, .sm_set = 0, .blocks = slices, .demand = {}};
}

class BlockRulesTest : public testing::Test {
 public:
  /// Starts all that may start; answers it as text: "0.1@0" is block 1 of operation 0 on SM 0.
  std::vector<std::string> dispatch() {
    started.clear();
    rules.dispatch(*this, true);
    return started;
  }
  void copy_started(OperationIndex index, std::int32_t engine) {
    started.push_back("copy " + std::to_string(index) + "@" + std::to_string(engine));
  }
  void block_started(OperationIndex index, std::int64_t block, std::int32_t sm) {
    started.push_back(std::to_string(index) + "." + std::to_string(block) + "@" + std::to_string(sm));
  }
  void blocks_started(OperationIndex, std::span<const Share>, std::int64_t) {}
  void slice_started(OperationIndex index, std::int64_t slice) {
    started.push_back("slice " + std::to_string(index) + "." + std::to_string(slice));
  }

 protected:
  void end(OperationIndex index, std::vector<Share> shares) {
    std::int64_t blocks = 0;
    for (const Share& share : shares) blocks += share.blocks;
    rules.blocks_ended(index, shares, blocks);
  }
  std::vector<OperationIndex> pop() {
    std::vector<OperationIndex> popped;
    rules.pop_finished([&](OperationIndex index) { popped.push_back(index); });
    return popped;
  }

  BlockRules rules{small_gpu(), {{0, 1}, {1}}};
  std::vector<std::string> started;
};

TEST_F(BlockRulesTest, BlocksGoInIndexOrderToTheSmWithMostFreeThreads) {
  rules.call(rules.open_stream(), kernel(3));
  EXPECT_THAT(dispatch(), ElementsAre("0.0@0", "0.1@1", "0.2@0"));
}

TEST_F(BlockRulesTest, G2OnlyTheHeadOfAStreamIsInAQueue) {
  const StreamIndex stream = rules.open_stream();
  rules.call(stream, kernel(1));
  rules.call(stream, kernel(1));
  EXPECT_THAT(dispatch(), ElementsAre("0.0@0"));
  EXPECT_THAT(dispatch(), IsEmpty());
  end(0, {{0, 1}});
  EXPECT_THAT(pop(), ElementsAre(0));
  EXPECT_THAT(dispatch(), ElementsAre("1.0@0"));
}

TEST_F(BlockRulesTest, G3AFullyAssignedHeadLeavesAndTheNextIsTriedAtOnce) {
  rules.call(rules.open_stream(), kernel(1));
  rules.call(rules.open_stream(), kernel(1));
  EXPECT_THAT(dispatch(), ElementsAre("0.0@0", "1.0@1"));
}

TEST_F(BlockRulesTest, X1AHeadThatDoesNotFitHoldsTheQueue) {
  rules.call(rules.open_stream(), kernel(1, 1, 64));
  rules.call(rules.open_stream(), kernel(2, 1, 64));
  rules.call(rules.open_stream(), kernel(1, 1, 32));
  EXPECT_THAT(dispatch(), ElementsAre("0.0@0", "1.0@1"));
  end(0, {{0, 1}});
  pop();
  EXPECT_THAT(dispatch(), ElementsAre("1.1@0"));
}

TEST_F(BlockRulesTest, A2ALessUrgentQueueWaitsForMoreUrgentOnesToBeEmpty) {
  rules.call(rules.open_stream(), kernel(5, 0));
  rules.call(rules.open_stream(), kernel(1, 1));
  EXPECT_EQ(dispatch().size(), 4U);
  end(0, {{1, 2}});
  EXPECT_THAT(dispatch(), ElementsAre("0.4@1", "1.0@1"));
}

TEST_F(BlockRulesTest, AMoreUrgentKernelTakesTheNextFreePlaces) {
  rules.call(rules.open_stream(), kernel(6, 1));
  dispatch();
  rules.call(rules.open_stream(), kernel(1, 0));
  end(0, {{0, 1}, {1, 1}});
  EXPECT_THAT(dispatch(), ElementsAre("1.0@0", "0.4@1"));
}

TEST_F(BlockRulesTest, StreamsArePoppedInTheOrderOfTheirFirstCall) {
  const StreamIndex late = rules.open_stream();
  const StreamIndex early = rules.open_stream();
  rules.call(early, kernel(1));  // operation 0
  rules.call(late, kernel(1));   // operation 1
  rules.call(early, kernel(1));  // operation 2
  rules.call(late, kernel(1));   // operation 3
  dispatch();
  end(1, {{1, 1}});
  end(0, {{0, 1}});
  EXPECT_THAT(pop(), ElementsAre(0, 1));
  EXPECT_THAT(dispatch(), ElementsAre("2.0@0", "3.0@1"));
}

TEST_F(BlockRulesTest, CopiesAreServedOneAtATimeFirstComeFirstServed) {
  rules.call(rules.open_stream(), copy());
  const StreamIndex second = rules.open_stream();
  rules.call(second, copy());
  rules.call(second, kernel(1));
  EXPECT_THAT(dispatch(), ElementsAre("copy 0@0"));
  rules.copy_ended(0);
  pop();
  EXPECT_THAT(dispatch(), ElementsAre("copy 1@0"));
  rules.copy_ended(1);
  pop();
  EXPECT_THAT(dispatch(), ElementsAre("2.0@0"));
}

TEST_F(BlockRulesTest, ARestrictedKernelIsPlacedOnlyOnItsSmsAndStillHoldsTheQueue) {
  Call call = kernel(3);
  call.sm_set = 1;
  rules.call(rules.open_stream(), call);
  rules.call(rules.open_stream(), kernel(1));
  EXPECT_THAT(dispatch(), ElementsAre("0.0@1", "0.1@1"));
  end(0, {{1, 1}});
  EXPECT_THAT(dispatch(), ElementsAre("0.2@1", "1.0@0"));
}

TEST_F(BlockRulesTest, ExclusiveWorkNeedsAllItsSmsIdleAndRunsItsSlicesInTurn) {
  rules.call(rules.open_stream(), kernel(1));
  rules.call(rules.open_stream(), exclusive(2));
  rules.call(rules.open_stream(), kernel(1));
  EXPECT_THAT(dispatch(), ElementsAre("0.0@0"));
  end(0, {{0, 1}});
  pop();
  EXPECT_THAT(dispatch(), ElementsAre("slice 1.0"));
  EXPECT_THAT(dispatch(), IsEmpty());
  EXPECT_FALSE(rules.slice_ended(1));
  EXPECT_THAT(dispatch(), ElementsAre("slice 1.1"));
  EXPECT_TRUE(rules.slice_ended(1));
  pop();
  EXPECT_THAT(dispatch(), ElementsAre("2.0@0"));
}

TEST_F(BlockRulesTest, AMoreUrgentKernelComesBetweenSlices) {
  rules.call(rules.open_stream(), exclusive(2));
  dispatch();
  rules.call(rules.open_stream(), kernel(1, 0));
  EXPECT_THAT(dispatch(), IsEmpty());
  rules.slice_ended(0);
  EXPECT_THAT(dispatch(), ElementsAre("1.0@0"));
}

TEST_F(BlockRulesTest, PreemptedExclusiveWorkComesBackBeforeOthersOfItsQueue) {
  rules.call(rules.open_stream(), exclusive(1));
  dispatch();
  rules.call(rules.open_stream(), exclusive(1));
  rules.preempt_slice(0);
  EXPECT_THAT(dispatch(), ElementsAre("slice 0.0"));
}

TEST_F(BlockRulesTest, RunningExclusiveWorkThatIsWithdrawnFreesItsSmsAndItsStream) {
  const StreamIndex stream = rules.open_stream();
  const OperationIndex withdrawn = rules.call(stream, exclusive(1));
  rules.call(stream, kernel(1));
  rules.call(rules.open_stream(), kernel(4));
  EXPECT_THAT(dispatch(), ElementsAre("slice 0.0"));
  rules.withdraw(withdrawn);
  EXPECT_THAT(pop(), ElementsAre(withdrawn));
  // The next of its stream joins the queue behind the other kernel, whose blocks fill both SMs.
  EXPECT_THAT(dispatch(), ElementsAre("2.0@0", "2.1@1", "2.2@0", "2.3@1"));
  end(2, {{0, 1}});
  EXPECT_THAT(dispatch(), ElementsAre("1.0@0"));
}

TEST_F(BlockRulesTest, WaitingExclusiveWorkThatIsWithdrawnLeavesItsQueueAtEveryPlace) {
  rules.call(rules.open_stream(), kernel(4));
  const OperationIndex first = rules.call(rules.open_stream(), exclusive(1));
  const OperationIndex second = rules.call(rules.open_stream(), exclusive(1));
  const OperationIndex third = rules.call(rules.open_stream(), exclusive(1));
  dispatch();
  rules.withdraw(third);  // the tail
  EXPECT_THAT(pop(), ElementsAre(third));
  const OperationIndex fourth = rules.call(rules.open_stream(), exclusive(1));
  rules.withdraw(second);  // in the middle
  rules.withdraw(first);   // the head
  EXPECT_THAT(pop(), ElementsAre(first, second));
  EXPECT_EQ(rules.head(), fourth);
  end(0, {{0, 2}, {1, 2}});
  pop();
  EXPECT_THAT(dispatch(), ElementsAre("slice " + std::to_string(fourth) + ".0"));
  EXPECT_EQ(rules.head(), no_index);
}

TEST_F(BlockRulesTest, PreemptedWorkCanBeWithdrawnFromItsQueue) {
  const OperationIndex preempted = rules.call(rules.open_stream(), exclusive(1));
  dispatch();
  rules.preempt_slice(preempted);
  rules.withdraw(preempted);
  EXPECT_THAT(pop(), ElementsAre(preempted));
  EXPECT_EQ(rules.head(), no_index);
  EXPECT_EQ(rules.most_urgent_level(), 2U);
  rules.call(rules.open_stream(), exclusive(1));
  EXPECT_EQ(dispatch().size(), 1U);
}

TEST_F(BlockRulesTest, WhatRunsOfAKernelWhoseRestIsWithdrawnRunsToItsEnd) {
  const StreamIndex stream = rules.open_stream();
  const OperationIndex cut = rules.call(stream, kernel(9));
  const OperationIndex next = rules.call(stream, kernel(1));
  const OperationIndex other = rules.call(rules.open_stream(), kernel(1));
  dispatch();
  EXPECT_EQ(rules.withdraw_rest(cut), 5);
  EXPECT_EQ(rules.withdraw_rest(cut), 0);
  EXPECT_THAT(pop(), IsEmpty());
  end(cut, {{0, 1}});
  EXPECT_THAT(pop(), IsEmpty());
  EXPECT_THAT(dispatch(), ElementsAre(std::to_string(other) + ".0@0"));
  end(cut, {{0, 1}, {1, 2}});
  EXPECT_THAT(pop(), ElementsAre(cut));
  EXPECT_THAT(dispatch(), ElementsAre(std::to_string(next) + ".0@1"));
}

TEST_F(BlockRulesTest, WhatWaitsInItsStreamCanBeWithdrawnAtEveryPlace) {
  const StreamIndex stream = rules.open_stream();
  std::vector<OperationIndex> all;
  for (int i = 0; i < 4; ++i) all.push_back(rules.call(stream, i == 2 ? copy() : kernel(1)));
  dispatch();
  EXPECT_EQ(rules.withdraw_rest(all[0]), 0);  // all of it is on the device
  EXPECT_EQ(rules.withdraw_rest(all[3]), 1);  // the tail
  EXPECT_EQ(rules.withdraw_rest(all[1]), 1);
  EXPECT_THAT(pop(), testing::UnorderedElementsAre(all[1], all[3]));
  const OperationIndex last = rules.call(stream, kernel(1));
  end(all[0], {{0, 1}});
  EXPECT_THAT(pop(), ElementsAre(all[0]));
  EXPECT_THAT(dispatch(), ElementsAre("copy 2@0"));
  EXPECT_EQ(rules.withdraw_rest(all[2]), 0);
  rules.copy_ended(all[2]);
  EXPECT_THAT(pop(), ElementsAre(all[2]));
  EXPECT_THAT(dispatch(), ElementsAre(std::to_string(last) + ".0@0"));
}

TEST_F(BlockRulesTest, WhatWaitsInItsQueueCanBeWithdrawnAtEveryPlace) {
  rules.call(rules.open_stream(), kernel(4));  // leaves no place
  rules.call(rules.open_stream(), copy());     // has the engine
  std::vector<OperationIndex> kernels;
  std::vector<OperationIndex> copies;
  for (int i = 0; i < 4; ++i) {
    kernels.push_back(rules.call(rules.open_stream(), kernel(1)));
    copies.push_back(rules.call(rules.open_stream(), copy()));
  }
  dispatch();
  for (const std::size_t place : {0U, 3U, 1U}) {
    EXPECT_EQ(rules.withdraw_rest(kernels[place]), 1);
    EXPECT_EQ(rules.withdraw_rest(copies[place]), 1);
  }
  EXPECT_EQ(pop().size(), 6U);
  end(0, {{0, 2}, {1, 2}});
  rules.copy_ended(1);
  pop();
  EXPECT_THAT(dispatch(),
              ElementsAre("copy " + std::to_string(copies[2]) + "@0", std::to_string(kernels[2]) + ".0@0"));
  EXPECT_THAT(dispatch(), IsEmpty());
}

TEST_F(BlockRulesTest, ASetOfItsOwnGoesOnAfterItsOnlyKernelIsWithdrawn) {
  rules = BlockRules{small_gpu(), {{0, 1}, {0}, {1}}, Queues::by_sm_set};
  Call on_first = exclusive(1);
  on_first.sm_set = 1;
  const OperationIndex running = rules.call(rules.open_stream(), on_first);
  EXPECT_THAT(dispatch(), ElementsAre("slice 0.0"));
  const OperationIndex waiting = rules.call(rules.open_stream(), on_first);
  EXPECT_EQ(rules.withdraw_rest(waiting), 1);
  EXPECT_THAT(pop(), ElementsAre(waiting));
  EXPECT_EQ(rules.head(), no_index);
  const OperationIndex next = rules.call(rules.open_stream(), on_first);
  EXPECT_EQ(rules.head(), next);  // it waits in one queue only
  EXPECT_THAT(dispatch(), IsEmpty());
  rules.slice_ended(running);
  pop();
  EXPECT_THAT(dispatch(), ElementsAre("slice " + std::to_string(next) + ".0"));
}

TEST_F(BlockRulesTest, OperationsOverlapWhereTheyMayUseTheSameSm) {
  BlockRules sets{small_gpu(), {{0, 1}, {0}, {1}, {0, 1}}};
  std::vector<OperationIndex> on;
  for (std::uint32_t set = 0; set < 4; ++set) {
    Call call = kernel(1);
    call.sm_set = set;
    on.push_back(sets.call(sets.open_stream(), call));
  }
  const auto overlap = [&](std::size_t a, std::size_t b) {
    return sets.overlap(sets.operation(on[a]), sets.operation(on[b]));
  };
  for (std::size_t set = 0; set < 4; ++set) {
    EXPECT_TRUE(overlap(set, set));
    EXPECT_TRUE(overlap(0, set));
    EXPECT_TRUE(overlap(set, 3));
  }
  EXPECT_FALSE(overlap(1, 2));
  EXPECT_FALSE(overlap(2, 1));
}

TEST_F(BlockRulesTest, ABarrierIsPassedWhenWhatJoinedLaterComesFirst) {
  rules.call(rules.open_stream(), kernel(8));
  rules.call(rules.open_stream(), kernel(1));
  dispatch();
  rules.set_barrier(OperationKind::kernel, 1);
  EXPECT_FALSE(rules.barrier_passed());
  rules.call(rules.open_stream(), kernel(1));
  end(0, {{0, 2}, {1, 2}});
  dispatch();
  EXPECT_FALSE(rules.barrier_passed());  // operation 1 still waits before it
  end(0, {{0, 2}, {1, 2}});
  pop();
  dispatch();
  EXPECT_TRUE(rules.barrier_passed());
}

}  // namespace
}  // namespace tactus::device
