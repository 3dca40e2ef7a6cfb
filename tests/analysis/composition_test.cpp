// The composed bounds of chains: the examples of the spec, wrong forms and what breaks them, single cases.
#include "tactus/analysis/composition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <ostream>
#include <utility>

#include "support/chain_simulator.hpp"
#include "support/composed_examples.hpp"
#include "support/plain_composition.hpp"
#include "tactus/analysis/effort.hpp"

namespace tactus::analysis {
namespace {

using test::composed_task;
using test::CompositionMistake;
using test::copy_node;
using test::cpu_node;
using test::gpu_node;
using test::on_copy;
using test::on_core;
using test::on_gpu;
using test::served;
using test::usual_servers;
using testing::ElementsAre;

/// -1 for no bound.
std::vector<std::int64_t> responses(const ChainBounds& bounds) {
  std::vector<std::int64_t> all;
  for (const ChainBound& task : bounds.tasks) all.push_back(task.response ? task.response->count() : -1);
  return all;
}

std::vector<std::int64_t> chain(const ChainSystem& system) {
  return responses(bound_chains(system, ChainForm::chain));
}
std::vector<std::int64_t> plain(const ChainSystem& system) {
  return responses(bound_chains(system, ChainForm::plain));
}

std::vector<std::int64_t> responses(const test::PlainBounds& bounds) {
  std::vector<std::int64_t> all;
  for (const auto& response : bounds.responses) all.push_back(response.value_or(-1));
  return all;
}

TEST(Composition, HasTheBoundsOfTheExamples) {
  for (const test::ComposedExample& example : test::composed_examples()) {
    EXPECT_EQ(plain(example.system), example.plain) << example.name;
    EXPECT_EQ(chain(example.system), example.chain) << example.name;
    EXPECT_EQ(responses(test::plain_composition(example.system, ChainForm::plain)), example.plain);
    EXPECT_EQ(responses(test::plain_composition(example.system, ChainForm::chain)), example.chain);
  }
}

/// A simplified form gives a bound that a schedule exceeds.
struct WrongForm {
  const char* name;
  CompositionMistake mistake;
  ChainSystem system;
  std::size_t task;
  std::int64_t says;   // the wrong form
  std::int64_t seen;   // at least, in a simulation
  std::int64_t right;  // -1: no bound
};

std::ostream& operator<<(std::ostream& out, const WrongForm& form) { return out << form.name; }

std::vector<ChainServer> two_levels() {
  std::vector<ChainServer> servers = usual_servers();
  servers[on_gpu] = served(ServiceKind::levels, Order::fp, 2);
  return servers;
}

ChainTask with_edges(ChainTask task, std::vector<std::vector<std::size_t>> predecessors) {
  task.predecessors = std::move(predecessors);
  return task;
}

std::vector<WrongForm> wrong_forms() {
  ChainSystem busy{usual_servers(),
                   {composed_task(1, 1, {gpu_node(0, 1)}), composed_task(2, 2, {cpu_node(2)})}};
  busy.tasks[0].held_core = on_core;
  const ChainSystem suspended{
      usual_servers(),
      {composed_task(5, 5, {cpu_node(1), gpu_node(0, 2), cpu_node(1)}), composed_task(6, 6, {cpu_node(3)})}};
  ChainSystem window{usual_servers(), {composed_task(20, 20, {gpu_node(2, 2, 0)})}};
  window.servers[on_gpu] = served(ServiceKind::window);
  window.servers[on_gpu].budget = nanoseconds(2);
  window.servers[on_gpu].period = nanoseconds(5);
  ChainSystem turns{usual_servers(),
                    {composed_task(20, 20, {gpu_node(1)}), composed_task(20, 20, {gpu_node(2)}),
                     composed_task(20, 20, {gpu_node(3)})}};
  turns.servers[on_gpu] = served(ServiceKind::fifo);
  ChainSystem other_order{usual_servers(), turns.tasks};
  other_order.servers[on_gpu].ranks = {2, 1, 0};
  ChainSystem late{usual_servers(),
                   {composed_task(4, 12, {gpu_node(1, 3)}), composed_task(60, 60, {gpu_node(6)}),
                    composed_task(60, 60, {gpu_node(4)})}};
  late.tasks[0].nodes[0].ahead = nanoseconds(1);
  ChainSystem cluster{
      usual_servers(),
      {composed_task(6, 6, {gpu_node(0, 2), cpu_node(2)}),
       composed_task(6, 6, {copy_node(0, 2), cpu_node(2)}), composed_task(20, 20, {cpu_node(4)})}};
  cluster.servers[on_core].engines = 2;
  ChainSystem blocks{usual_servers(), {composed_task(40, 40, {gpu_node(4, 4, 2)})}};
  blocks.servers[on_gpu] = window.servers[on_gpu];
  blocks.servers[on_gpu].budget = nanoseconds(3);
  ChainSystem low_blocks{usual_servers(),
                         {composed_task(40, 40, {gpu_node(1)}), composed_task(40, 40, {gpu_node(4)})}};
  low_blocks.servers[on_gpu] = served(ServiceKind::window);
  low_blocks.servers[on_gpu].budget = low_blocks.servers[on_gpu].period = nanoseconds(8);
  return {
      {"release jitter in fresh windows",
       {.release_jitter_only = true},
       {usual_servers(),
        {composed_task(3, 3, {gpu_node(0, 1), cpu_node(1), gpu_node(1)}),
         composed_task(4, 4, {cpu_node(2)})}},
       1,
       3,
       4,
       4},
      {"upper bounds in gaps", {.worst_in_gaps = true}, suspended, 1, 5, 6, -1},
      {"no carry in", {.no_carry_in = true}, suspended, 1, 5, 6, -1},
      {"blocked once a job",
       {.blocked_once_a_job = true},
       {usual_servers(),
        {composed_task(10, 10, {gpu_node(2), cpu_node(2), gpu_node(2)}), composed_task(8, 8, {gpu_node(4)})}},
       0,
       10,
       11,
       -1},
      {"each blocker once",
       {.each_blocker_once = true},
       {usual_servers(),
        {composed_task(19, 15, {gpu_node(0, 4), cpu_node(0, 2), gpu_node(1)}),
         composed_task(8, 8, {gpu_node(3)})}},
       0,
       10,
       11,
       13},
      {"busy waiting as suspension", {.busy_is_suspended = true}, busy, 1, 2, 7, -1},
      {"own nodes forgotten",
       {.own_nodes_forgotten = true},
       {usual_servers(),
        {composed_task(8, 8, {gpu_node(1, 3)}), composed_task(11, 11, {gpu_node(4)}),
         composed_task(13, 13, {gpu_node(4)}, 2)}},
       2,
       13,
       14,
       -1},
      {"one low block",
       {.one_low_block = true},
       {two_levels(),
        {composed_task(8, 8, {gpu_node(1)}),
         composed_task(33, 15, {cpu_node(0, 1), gpu_node(0, 1), cpu_node(2, 3)}),
         composed_task(52, 52, {cpu_node(1), gpu_node(2, 4, 2), cpu_node(4)})}},
       0,
       4,
       5,
       6},
      {"last level forgotten",
       {.last_level_forgotten = true},
       {two_levels(),
        {composed_task(16, 16, {gpu_node(3)}),
         composed_task(23, 23, {cpu_node(0, 2), gpu_node(3, 3, 2), cpu_node(0, 1)}),
         composed_task(31, 31, {cpu_node(4), gpu_node(3)})}},
       0,
       6,
       7,
       12},
      {"EDF without blocking",
       {.edf_never_blocked = true},
       {usual_servers(Order::edf),
        {composed_task(3, 3, {gpu_node(0, 1)}), composed_task(9, 9, {gpu_node(3)})}},
       0,
       1,
       2,
       -1},
      {"first job only",
       {.first_job_only = true},
       {usual_servers(), {composed_task(4, 4, {cpu_node(2)}), composed_task(2, 5, {cpu_node(2)})}},
       1,
       4,
       6,
       -1},
      {"EDF from the release only",
       {.edf_from_release_only = true},
       {usual_servers(Order::edf), {composed_task(9, 9, {cpu_node(4)}), composed_task(13, 7, {cpu_node(2)})}},
       1,
       2,
       4,
       4},
      {"EDF without own jobs",
       {.edf_own_jobs_forgotten = true},
       {usual_servers(Order::edf),
        {composed_task(10, 10, {cpu_node(4)}), composed_task(4, 6, {cpu_node(1)})}},
       1,
       1,
       2,
       2},
      {"supply from the start", {.supply_at_once = true}, window, 0, 2, 5, 5},
      {"one client ahead", {.others_forgotten_in_fifo = true}, turns, 0, 4, 6, 6},
      {"waiting jobs on their way", {.all_jobs_at_once = true}, late, 0, 9, 10, -1},
      {"own branches forgotten",
       {.own_branches_forgotten = true},
       {usual_servers(), {with_edges(composed_task(9, 9, {gpu_node(2), gpu_node(2)}), {{}, {}})}},
       0,
       2,
       4,
       4},
      {"one way only",
       {.one_way_only = true},
       {usual_servers(),
        {with_edges(composed_task(9, 9, {cpu_node(1), gpu_node(5), cpu_node(1)}), {{}, {}, {0}})}},
       0,
       2,
       5,
       5},
      {"one node in the queue",
       {.one_node_in_queue = true},
       {turns.servers,
        {composed_task(20, 20, {gpu_node(1)}),
         with_edges(composed_task(20, 20, {gpu_node(2), gpu_node(3)}), {{}, {}})}},
       0,
       4,
       6,
       6},
      {"one order for all servers", {.one_order_for_all_servers = true}, other_order, 0, 4, 6, 6},
      {"no carry in on cores", {.no_carry_in_on_cores = true}, cluster, 2, 6, 8, 8},
      {"ends of windows ignored", {.window_ends_ignored = true}, blocks, 0, 8, 10, 20},
      {"blocks in windows ignored", {.window_blocks_ignored = true}, low_blocks, 0, 1, 4, 5},
  };
}

class WrongForms : public testing::TestWithParam<WrongForm> {};

TEST_P(WrongForms, AreExceeded) {
  const WrongForm& form = GetParam();
  const auto wrong = responses(test::plain_composition(form.system, ChainForm::chain, form.mistake));
  EXPECT_EQ(wrong[form.task], form.says);
  EXPECT_EQ(chain(form.system)[form.task], form.right);
  std::int64_t seen = -1;
  for (std::uint64_t seed = 1; seed <= 30 && seen < form.seen; ++seed) {
    test::Dice dice{seed};
    seen = std::max(seen, test::climb_chains(form.system, form.task, 1000, dice).responses[form.task]);
  }
  EXPECT_GE(seen, form.seen);
  EXPECT_GT(seen, form.says);
  if (form.right >= 0) {
    EXPECT_LE(seen, form.right);
  }
}

INSTANTIATE_TEST_SUITE_P(Composition, WrongForms, testing::ValuesIn(wrong_forms()),
                         [](const testing::TestParamInfo<WrongForm>& form) {
                           std::string name = form.param.name;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

TEST(Composition, OneTaskAloneTakesItsWorstCase) {
  for (const Order order : {Order::fp, Order::edf}) {
    const ChainSystem system{
        usual_servers(order),
        {composed_task(20, 20, {cpu_node(1, 2), copy_node(1), gpu_node(0, 3), cpu_node(2)}, 4)}};
    EXPECT_THAT(chain(system), ElementsAre(12));
    EXPECT_THAT(plain(system), ElementsAre(12));
  }
}

TEST(Composition, SaysWhenNodesAreReadyAndDone) {
  const ChainBounds bounds = bound_chains(test::robot(), ChainForm::chain);
  const ChainBound& first = bounds.tasks[0];
  EXPECT_TRUE(first.calm);
  ASSERT_EQ(first.nodes.size(), 3);
  EXPECT_EQ(first.nodes[0].ready, nanoseconds(0));
  EXPECT_EQ(first.nodes[0].end, nanoseconds(2));
  EXPECT_EQ(first.nodes[1].ready, nanoseconds(2));
  EXPECT_EQ(first.nodes[1].response, nanoseconds(8));  // behind the longest kernel of 6
  EXPECT_EQ(first.nodes[2].end, nanoseconds(11));
}

TEST(Composition, SaysWhyThereIsNoBound) {
  ChainSystem system = test::robot();
  system.tasks[1].deadline = nanoseconds(20);
  ChainBounds bounds = bound_chains(system, ChainForm::chain);
  EXPECT_EQ(responses(bounds)[0], 11);  // it knows the kernels below by their lengths
  EXPECT_EQ(bounds.tasks[0].why, NoBound::none);
  EXPECT_EQ(bounds.tasks[1].why, NoBound::deadline);
  EXPECT_EQ(bounds.tasks[2].why, NoBound::other_task);
  EXPECT_EQ(bounds.tasks[2].because_of, 1);
  EXPECT_FALSE(bounds.tasks[1].calm);
  EXPECT_FALSE(bounds.tasks[1].nodes[0].end);
  EXPECT_FALSE(bounds.gave_up);
  // A release that may be seen after the deadline.
  system.tasks[0].jitter = nanoseconds(31);
  EXPECT_EQ(bound_chains(system, ChainForm::chain).tasks[0].why, NoBound::deadline);
}

TEST(Composition, BestEffortTasksBlockAndHaveNoBound) {
  ChainSystem system = test::robot();
  ChainTask background{.nodes = {gpu_node(9)}, .best_effort = true};
  system.tasks.push_back(background);
  const ChainBounds bounds = bound_chains(system, ChainForm::chain);
  EXPECT_EQ(responses(bounds)[0], 14);  // 9 instead of 6
  EXPECT_EQ(bounds.tasks[3].why, NoBound::best_effort);
  // They never run before others on a core.
  system.tasks[3].nodes = {cpu_node(9)};
  EXPECT_THAT(chain(system), ElementsAre(11, 27, 37, -1));
  // Under FIFO they are one more client.
  system.servers[on_gpu] = served(ServiceKind::fifo);
  system.tasks[3].nodes = {gpu_node(9)};
  EXPECT_EQ(chain(system)[0], 5 + 4 + 6 + 9);
}

TEST(Composition, OneJobAloneInterferesOnce) {
  ChainSystem system{usual_servers(),
                     {composed_task(10, 10, {cpu_node(3)}), composed_task(50, 50, {cpu_node(20)})}};
  EXPECT_THAT(chain(system), ElementsAre(3, 29));
  system.tasks[0].period.reset();
  EXPECT_THAT(chain(system), ElementsAre(3, 23));
  EXPECT_THAT(plain(system), ElementsAre(3, 23));
}

TEST(Composition, OwnJobsInARow) {
  // 4 of every 8, each job of the second needs 5 of what is left: two jobs overlap.
  const ChainSystem system{usual_servers(),
                           {composed_task(8, 8, {cpu_node(4)}), composed_task(11, 30, {cpu_node(5)})}};
  const ChainBounds bounds = bound_chains(system, ChainForm::chain);
  EXPECT_FALSE(bounds.tasks[1].calm);
  ASSERT_TRUE(bounds.tasks[1].response);
  std::int64_t seen = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    test::Dice dice{seed};
    seen = std::max(seen, test::climb_chains(system, 1, 500, dice).responses[1]);
  }
  EXPECT_LE(seen, bounds.tasks[1].response->count());
  EXPECT_GE(seen, 13);
}

TEST(Composition, SeveralEnginesAreNoWorseThanOne) {
  ChainSystem system = test::robot();
  const std::vector<std::int64_t> one = chain(system);
  system.servers[on_copy].engines = 2;
  const std::vector<std::int64_t> two = chain(system);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_LE(two[i], one[i] + 2);
}

TEST(Composition, AGraphTakesItsLongestWay) {
  // cpu 2, then copy 3 and gpu 4 side by side, then cpu 1.
  const std::vector<std::vector<std::size_t>> diamond{{}, {0}, {0}, {1, 2}};
  const ChainTask task =
      with_edges(composed_task(20, 20, {cpu_node(2), copy_node(3), gpu_node(4), cpu_node(1)}, 1), diamond);
  ChainSystem system{usual_servers(), {task}};
  EXPECT_THAT(chain(system), ElementsAre(1 + 2 + 4 + 1));
  EXPECT_THAT(plain(system), ElementsAre(8));
  // One server for both branches: one after the other.
  system.tasks[0].nodes[1].server = on_gpu;
  EXPECT_THAT(chain(system), ElementsAre(1 + 2 + 3 + 4 + 1));
  // So do SMs of its own.
  system.servers[on_gpu] = served(ServiceKind::own);
  EXPECT_THAT(chain(system), ElementsAre(11));
}

TEST(Composition, TooManyWaysBecomeOne) {
  // Ten stages of two nodes each: 1024 ways.
  ChainTask task = composed_task(1000, 1000, {});
  for (std::size_t stage = 0; stage < 10; ++stage) {
    for (int side = 0; side < 2; ++side) {
      task.nodes.push_back(side == 0 ? cpu_node(1) : gpu_node(2));
      task.predecessors.push_back(stage == 0 ? std::vector<std::size_t>{}
                                             : std::vector<std::size_t>{2 * stage - 2, 2 * stage - 1});
    }
  }
  EXPECT_THAT(chain({usual_servers(), {task}}), ElementsAre(30));
}

TEST(Composition, AClusterWithACoreForEachTaskNeverWaits) {
  ChainSystem system{usual_servers(),
                     {composed_task(10, 10, {cpu_node(3)}), composed_task(10, 10, {cpu_node(4)}),
                      composed_task(10, 10, {cpu_node(5)})}};
  EXPECT_THAT(chain(system), ElementsAre(3, 7, -1));
  system.servers[on_core].engines = 2;
  EXPECT_THAT(chain(system), ElementsAre(3, 4, 8));
  system.servers[on_core].engines = 3;
  EXPECT_THAT(chain(system), ElementsAre(3, 4, 5));
}

/// Times a million longer, periods and deadlines a bit more than that: the same searches.
ChainSystem stretched(ChainSystem system, std::int64_t factor) {
  for (ChainTask& task : system.tasks) {
    *task.period *= factor;
    task.deadline *= factor;
    task.jitter *= factor;
    for (ChainNode& node : task.nodes) {
      node.time = {node.time.best * factor, node.time.worst * factor};
      node.ahead *= factor;
      node.longest_block *= factor;
    }
  }
  return system;
}

TEST(Composition, LongTimesCostNoMoreThanShortOnes) {
  constexpr std::int64_t factor = 1'000'000'000;
  for (const test::ComposedExample& example : test::composed_examples()) {
    const std::vector<std::int64_t> bounds = chain(stretched(example.system, factor));
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      if (example.chain[i] < 0) continue;
      // A unit is shorter now: what starts one unit before is nearly as long as it was.
      EXPECT_LE(bounds[i], example.chain[i] * factor) << example.name;
      EXPECT_GE(bounds[i], (example.chain[i] - 20) * factor) << example.name;
    }
  }
}

TEST(Composition, ManyPeriodsCostNoMoreThanFew) {
  // A second job beside one of 9 in 10 nanoseconds, for an hour.
  constexpr std::int64_t minute = 60'000'000'000;
  for (const Order order : {Order::fp, Order::edf}) {
    const ChainSystem system{
        usual_servers(order),
        {composed_task(10, 10, {cpu_node(9)}), composed_task(60 * minute, 60 * minute, {cpu_node(minute)})}};
    EXPECT_EQ(chain(system)[1], 10 * minute);
  }
  // Rows of jobs with a load near one.
  const ChainSystem row{usual_servers(),
                        {composed_task(1'000'000, 1'000'000, {cpu_node(499'999)}),
                         composed_task(1'000'001, 900'000'000, {cpu_node(500'000)})}};
  EXPECT_GT(chain(row)[1], 0);
}

TEST(Composition, LeavesNoNumberOfBits) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const ChainSystem system{usual_servers(),
                           {composed_task(largest, largest, {cpu_node(largest / 2), gpu_node(largest / 2)}),
                            composed_task(largest, largest, {cpu_node(1), gpu_node(largest / 4)})}};
  EXPECT_THROW(bound_chains(system, ChainForm::chain), OverflowError);
  const ChainSystem sum{usual_servers(),
                        {composed_task(largest, largest, {cpu_node(largest), gpu_node(largest)})}};
  EXPECT_THROW(bound_chains(sum, ChainForm::chain), OverflowError);
}

TEST(Composition, LargeSystemsEndWithTheirAllowance) {
  ChainSystem system{usual_servers(), {}};
  for (int i = 0; i < 20'000; ++i) {
    system.tasks.push_back(composed_task(1'000'000'000, 1'000'000'000, {cpu_node(100), gpu_node(100)}));
  }
  const StepAllowance allowance;
  EXPECT_THROW(bound_chains(system, ChainForm::chain), TooManySteps);
}

}  // namespace
}  // namespace tactus::analysis
