// The composed bounds against their plain twin, against simulation, against each other, and against the
// analyses that they contain, over random systems.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/chain_simulator.hpp"
#include "support/chains.hpp"
#include "support/composed_examples.hpp"
#include "support/composed_systems.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/gpu_job_systems.hpp"
#include "support/plain_composition.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/composition.hpp"

namespace tactus::analysis {
namespace {

using test::composed_task;
using test::ComposedKinds;
using test::cpu_node;
using test::Dice;
using test::gpu_node;
using test::on_copy;
using test::on_core;
using test::on_gpu;
using test::served;
using test::tries;

std::int64_t count(const std::optional<Duration>& length) { return length ? length->count() : -1; }
/// No bound is more than any.
std::int64_t or_endless(const std::optional<Duration>& length) {
  return length ? length->count() : std::numeric_limits<std::int64_t>::max();
}

ChainSystem system_of(std::uint64_t seed) {
  Dice dice{seed};
  ComposedKinds kinds;
  kinds.load = dice.between(25, 110);
  kinds.graphs = dice.percent(35);
  kinds.clusters = dice.percent(20);
  kinds.window_blocks = dice.percent(50);
  kinds.gpu_order = seed % 4 == 0;
  return test::draw_chain_system(kinds, dice);
}

TEST(CompositionTwin, IsThePlainForm) {
  int with_bounds = 0;
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + tries(5000); ++seed) {
    const ChainSystem system = system_of(seed);
    for (const ChainForm form : {ChainForm::plain, ChainForm::chain}) {
      const ChainBounds fast = bound_chains(system, form);
      const test::PlainBounds twin = test::plain_composition(system, form);
      for (std::size_t i = 0; i < system.tasks.size(); ++i) {
        const ChainBound& task = fast.tasks[i];
        ASSERT_EQ(count(task.response), twin.responses[i].value_or(-1)) << "seed " << seed << ", task " << i;
        ASSERT_EQ(task.calm, twin.calm[i]) << "seed " << seed << ", task " << i;
        ASSERT_EQ(task.why == NoBound::none, task.response.has_value());
        with_bounds += task.response ? 1 : 0;
        for (std::size_t v = 0; task.response && v < task.nodes.size(); ++v) {
          ASSERT_EQ(count(task.nodes[v].ready), twin.ready[i][v]) << "seed " << seed;
          ASSERT_EQ(count(task.nodes[v].end), twin.end[i][v]) << "seed " << seed;
          ASSERT_EQ(count(task.nodes[v].response), twin.node[i][v]) << "seed " << seed;
        }
      }
    }
  }
  EXPECT_GT(with_bounds, tries(4000));
}

void expect_within(const test::ChainObserved& seen, const ChainBounds& bounds, std::uint64_t seed) {
  for (std::size_t i = 0; i < bounds.tasks.size(); ++i) {
    const ChainBound& task = bounds.tasks[i];
    if (!task.response) continue;
    ASSERT_LE(seen.responses[i], task.response->count()) << "seed " << seed << ", task " << i;
    for (std::size_t v = 0; v < task.nodes.size(); ++v) {
      ASSERT_LE(seen.ready[i][v], task.nodes[v].ready->count()) << "seed " << seed << ", task " << i;
      ASSERT_LE(seen.ends[i][v], task.nodes[v].end->count()) << "seed " << seed << ", task " << i;
      ASSERT_LE(seen.spans[i][v], or_endless(task.nodes[v].response)) << "seed " << seed << ", task " << i;
    }
  }
}

TEST(CompositionAttack, NoScheduleExceedsABound) {
  int bounds = 0;
  int attained = 0;
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + tries(1500); ++seed) {
    const ChainSystem system = system_of(seed + 1'000'000'000);
    const ChainBounds known = bound_chains(system, ChainForm::chain);
    Dice dice{seed};
    for (std::size_t target = 0; target < system.tasks.size(); ++target) {
      if (!known.tasks[target].response) continue;
      const test::ChainObserved seen = test::climb_chains(system, target, 60, dice);
      ++bounds;
      attained += seen.responses[target] == known.tasks[target].response->count() ? 1 : 0;
      expect_within(seen, known, seed);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(bounds, tries(1200));
  EXPECT_GT(attained, bounds / 5);
}

/// Equal blocks, so many at a time: how long they keep the device from others (kernel_shares.hpp).
Duration kernel_time(std::int64_t blocks, Duration block, std::int64_t at_a_time) {
  return block + Duration{ceil_div(block.count() * (blocks - 1), at_a_time)};
}

TEST(CompositionAttack, NorDoKernelsOfSeveralBlocksAtATime) {
  int bounds = 0;
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + tries(1000); ++seed) {
    Dice dice{seed};
    ComposedKinds kinds{.overheads = false, .gpu = ServiceKind::levels};
    kinds.load = dice.between(25, 90);
    kinds.graphs = dice.percent(30);
    ChainSystem system = test::draw_chain_system(kinds, dice);
    const std::int64_t places = dice.between(2, 4);
    for (ChainTask& task : system.tasks) {
      for (ChainNode& node : task.nodes) {
        if (node.server != on_gpu) continue;
        node.longest_block = dice.duration(1, 3);
        // A best-effort task has one block at a time.
        const std::int64_t blocks = task.best_effort ? 1 : dice.between(1, 2 * places + 1);
        node.time = {Duration{}, kernel_time(blocks, node.longest_block, places)};
      }
    }
    const ChainBounds known = bound_chains(system, ChainForm::chain);
    test::BlockPlaces by_server(system.servers.size());
    by_server[on_gpu] = places;
    for (std::size_t target = 0; target < system.tasks.size(); ++target) {
      if (!known.tasks[target].response) continue;
      ++bounds;
      expect_within(test::climb_chains(system, target, 60, dice, by_server), known, seed);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(bounds, tries(600));
}

TEST(CompositionProperties, TheChainIsNeverWorseThanThePlainForm) {
  int better = 0;
  for (std::uint64_t seed = 1; seed < tries(5000); ++seed) {
    const ChainSystem system = system_of(seed);
    const ChainBounds chain = bound_chains(system, ChainForm::chain);
    const ChainBounds plain = bound_chains(system, ChainForm::plain);
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      const std::int64_t bound = or_endless(chain.tasks[i].response);
      ASSERT_LE(bound, or_endless(plain.tasks[i].response)) << "seed " << seed << ", task " << i;
      better += bound < or_endless(plain.tasks[i].response) ? 1 : 0;
    }
  }
  EXPECT_GT(better, tries(500));
}

/// Something easier: a longer period, less work, less of it uncertain, less jitter, under FP a later
/// deadline.
ChainSystem eased(ChainSystem system, bool is_fp, Dice& dice) {
  ChainTask& task = system.tasks[static_cast<std::size_t>(dice.between(0, std::ssize(system.tasks) - 1))];
  ChainNode& node = task.nodes[static_cast<std::size_t>(dice.between(0, std::ssize(task.nodes) - 1))];
  switch (dice.between(is_fp ? 0 : 1, 4)) {
    case 0:
      task.deadline += dice.duration(1, 20);
      break;
    case 1:
      if (task.period) *task.period += dice.duration(1, 20);
      break;
    case 2:
      node.time.best = dice.duration(node.time.best.count(), node.time.worst.count());
      break;
    case 3:
      node.time.worst =
          dice.duration(std::max<std::int64_t>(node.time.best.count(), 1), node.time.worst.count());
      node.time.best = std::min(node.time.best, node.time.worst);
      node.longest_block = std::min(node.longest_block, node.time.worst);
      break;
    default:
      task.jitter = dice.duration(0, task.jitter.count());
  }
  return system;
}

TEST(CompositionProperties, NothingGrowsWhenSomethingIsEased) {
  for (std::uint64_t seed = 1; seed < tries(8000); ++seed) {
    Dice dice{seed};
    ComposedKinds kinds;
    kinds.load = dice.between(25, 90);
    kinds.edf = dice.percent(50);
    kinds.graphs = dice.percent(30);
    kinds.clusters = dice.percent(20);
    kinds.window_blocks = dice.percent(50);
    const ChainSystem system = test::draw_chain_system(kinds, dice);
    const ChainSystem easier = eased(system, !kinds.edf, dice);
    for (const ChainForm form : {ChainForm::plain, ChainForm::chain}) {
      const ChainBounds before = bound_chains(system, form);
      const ChainBounds after = bound_chains(easier, form);
      for (std::size_t i = 0; i < system.tasks.size(); ++i) {
        ASSERT_LE(or_endless(after.tasks[i].response), or_endless(before.tasks[i].response))
            << "seed " << seed << ", task " << i << (form == ChainForm::chain ? ", chain" : ", plain");
      }
    }
  }
}

/// One node each on one server, D <= T.
struct SingleNodes {
  std::vector<test::Job> jobs;
  std::vector<std::int64_t> jitter;
};

SingleNodes draw_single_nodes(Dice& dice, bool with_blocks) {
  SingleNodes drawn;
  const std::int64_t tasks = dice.between(1, 5);
  for (std::int64_t i = 0; i < tasks; ++i) {
    test::Job job;
    job.cost = dice.between(1, 5);
    job.period = job.cost * tasks * dice.between(60, 300) / 100 + 1;
    job.deadline = dice.percent(50) ? job.period : dice.between(std::min(job.cost, job.period), job.period);
    job.block = with_blocks ? dice.between(1, job.cost) : -1;
    drawn.jobs.push_back(job);
    drawn.jitter.push_back(dice.percent(25) ? dice.between(0, 3) : 0);
  }
  return drawn;
}

ChainSystem composed_of(const SingleNodes& drawn, std::size_t server, std::vector<ChainServer> servers) {
  ChainSystem system{std::move(servers), {}};
  for (std::size_t i = 0; i < drawn.jobs.size(); ++i) {
    const test::Job& job = drawn.jobs[i];
    system.tasks.push_back(composed_task(
        job.period, job.deadline,
        {test::node(server, job.cost, job.cost, job.block < 0 ? job.cost : job.block)}, drawn.jitter[i]));
  }
  return system;
}

/// Compares with an analysis of whole GPU jobs as far as that proves something: from the most urgent task
/// to the first that fails.
template <class Compare>
int compare_with(const Result& result, const ChainBounds& bounds, const Compare& compare) {
  int compared = 0;
  for (std::size_t i = 0; i < result.tasks.size(); ++i) {
    const bool holds = result.tasks[i].bound && *result.tasks[i].bound <= *result.tasks[i].deadline;
    compare(holds ? count(result.tasks[i].bound) : -1, count(bounds.tasks[i].response), i);
    if (!holds) break;
    ++compared;
  }
  return compared;
}

TEST(CompositionDegenerates, OneStreamIsNpFp) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed < tries(4000); ++seed) {
    Dice dice{seed};
    const SingleNodes drawn = draw_single_nodes(dice, false);
    System whole = test::one_stream(Order::fp, drawn.jobs);
    for (std::size_t i = 0; i < drawn.jitter.size(); ++i)
      whole.tasks[i].jitter = nanoseconds(drawn.jitter[i]);
    const Result expected = np_fp(whole);
    const ChainSystem system = composed_of(drawn, on_gpu, test::usual_servers());
    for (const ChainForm form : {ChainForm::plain, ChainForm::chain}) {
      compared +=
          compare_with(expected, bound_chains(system, form), [&](auto np, auto composed, std::size_t i) {
            EXPECT_EQ(np, composed) << "seed " << seed << ", task " << i;
          });
    }
  }
  EXPECT_GT(compared, tries(5000));
}

TEST(CompositionDegenerates, SeveralStreamsAreNeverWorseThanMsFp) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed < tries(4000); ++seed) {
    Dice dice{seed};
    const SingleNodes drawn = draw_single_nodes(dice, true);
    const std::int32_t levels = dice.small(2, 3);
    System whole = test::streams(levels, Order::fp, drawn.jobs);
    for (std::size_t i = 0; i < drawn.jitter.size(); ++i)
      whole.tasks[i].jitter = nanoseconds(drawn.jitter[i]);
    const Result expected = ms_fp(whole);
    std::vector<ChainServer> servers = test::usual_servers();
    servers[on_gpu] = served(ServiceKind::levels, Order::fp, levels);
    const ChainBounds bounds = bound_chains(composed_of(drawn, on_gpu, servers), ChainForm::chain);
    compared += compare_with(expected, bounds, [&](auto ms, auto composed, std::size_t i) {
      if (ms < 0) return;
      EXPECT_GE(composed, 0) << "seed " << seed << ", task " << i;
      EXPECT_LE(composed, ms) << "seed " << seed << ", task " << i;
    });
  }
  EXPECT_GT(compared, tries(2000));
}

TEST(CompositionDegenerates, WindowsAreNeverWorseThanWindowFp) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed < tries(4000); ++seed) {
    Dice dice{seed};
    SingleNodes drawn = draw_single_nodes(dice, true);
    const bool stops_anywhere = dice.percent(40);
    for (test::Job& job : drawn.jobs) {
      job.period *= 2;
      job.deadline *= 2;
      if (stops_anywhere) job.block = 0;
    }
    const std::int64_t period = dice.between(6, 14);
    const std::int64_t budget = dice.between(5, period);
    System whole = test::one_core(0, budget, period, Order::fp, drawn.jobs);
    for (std::size_t i = 0; i < drawn.jitter.size(); ++i)
      whole.tasks[i].jitter = nanoseconds(drawn.jitter[i]);
    const Result expected = window_fp(whole);
    std::vector<ChainServer> servers = test::usual_servers();
    servers[on_gpu] = served(ServiceKind::window);
    servers[on_gpu].budget = nanoseconds(budget);
    servers[on_gpu].period = nanoseconds(period);
    const ChainBounds bounds = bound_chains(composed_of(drawn, on_gpu, servers), ChainForm::chain);
    compared += compare_with(expected, bounds, [&](auto windows, auto composed, std::size_t i) {
      if (windows < 0) return;
      EXPECT_GE(composed, 0) << "seed " << seed << ", task " << i;
      EXPECT_LE(composed, windows) << "seed " << seed << ", task " << i;
    });
  }
  EXPECT_GT(compared, tries(1500));
}

/// Response times on a preemptive core, as in the textbook: all jobs of the busy period, as far as that has
/// no more than 200.
std::int64_t textbook(const ChainSystem& system, std::size_t i) {
  constexpr std::int64_t limit = 100'000;
  const auto cost = [&](std::size_t j) { return system.tasks[j].nodes.front().time.worst.count(); };
  const auto period = [&](std::size_t j) { return system.tasks[j].period->count(); };
  const auto jobs = [&](std::size_t j, std::int64_t length) {
    return (length + system.tasks[j].jitter.count() + period(j) - 1) / period(j);
  };
  std::int64_t worst = 0;
  for (std::int64_t q = 0; q < 200; ++q) {
    std::int64_t length = (q + 1) * cost(i);
    for (std::int64_t needed = length; length < limit; length = needed) {
      needed = (q + 1) * cost(i);
      for (std::size_t j = 0; j < i; ++j) needed += jobs(j, length) * cost(j);
      if (needed == length) break;
    }
    if (length >= limit) return limit;
    worst = std::max(worst, length - q * period(i) + system.tasks[i].jitter.count());
    if (length + system.tasks[i].jitter.count() <= (q + 1) * period(i)) break;
  }
  return worst;
}

TEST(CompositionDegenerates, OneCoreIsTheTextbook) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed < tries(4000); ++seed) {
    Dice dice{seed};
    const SingleNodes drawn = draw_single_nodes(dice, false);
    ChainSystem system = composed_of(drawn, on_core, test::usual_servers());
    const ChainBounds bounds = bound_chains(system, ChainForm::chain);
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      const std::int64_t expected = textbook(system, i);
      if (expected > system.tasks[i].deadline.count()) {
        EXPECT_FALSE(bounds.tasks[i].response) << "seed " << seed << ", task " << i;
        break;
      }
      ASSERT_EQ(count(bounds.tasks[i].response), expected) << "seed " << seed << ", task " << i;
      ++compared;
    }
    // Beyond the period it is never below.
    for (ChainTask& task : system.tasks) task.deadline = 4 * *task.period;
    const ChainBounds late = bound_chains(system, ChainForm::chain);
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      if (!late.tasks[i].response) continue;
      ASSERT_GE(late.tasks[i].response->count(), textbook(system, i));
    }
  }
  EXPECT_GT(compared, tries(4000));
}

TEST(CompositionDegenerates, AGraphThatIsAChainIsTheChain) {
  for (std::uint64_t seed = 1; seed < tries(1000); ++seed) {
    Dice dice{seed};
    const ChainSystem system = test::draw_chain_system({}, dice);
    ChainSystem graph = system;
    for (ChainTask& task : graph.tasks) {
      for (std::size_t v = 0; v < task.nodes.size(); ++v) {
        // Edges that follow from others change nothing.
        auto& before = task.predecessors.emplace_back();
        for (std::size_t u = 0; u < v; ++u) {
          if (u + 1 == v || dice.percent(20)) before.push_back(u);
        }
      }
    }
    for (const ChainForm form : {ChainForm::plain, ChainForm::chain}) {
      const ChainBounds as_chain = bound_chains(system, form);
      const ChainBounds as_graph = bound_chains(graph, form);
      for (std::size_t i = 0; i < system.tasks.size(); ++i) {
        ASSERT_EQ(count(as_graph.tasks[i].response), count(as_chain.tasks[i].response)) << "seed " << seed;
      }
    }
  }
}

/// Chains under `federated`, and the same for composition: neighbours of one kind would be one stage there.
struct OwnSms {
  std::vector<test::Chain> chains;
  ChainSystem composed;
  bool leaves_cpu = false;
};

OwnSms draw_own_sms(Dice& dice) {
  OwnSms drawn;
  drawn.composed.servers = test::usual_servers();
  drawn.composed.servers[on_gpu] = served(ServiceKind::own);
  const std::int64_t tasks = dice.between(2, 4);
  for (std::int64_t i = 0; i < tasks; ++i) {
    test::Chain chain;
    std::vector<ChainNode> nodes;
    std::int64_t work = 0;
    std::size_t last = 9;
    for (std::int64_t v = dice.between(1, 6); v > 0; --v) {
      const std::size_t server = dice.pick({std::size_t{on_core}, std::size_t{on_copy}, std::size_t{on_gpu}});
      if (server == last) continue;
      last = server;
      const std::int64_t worst = dice.between(1, 5);
      const std::int64_t best = dice.between(0, worst);
      chain.segments.push_back(server == on_core   ? test::cpu(best, worst)
                               : server == on_copy ? test::copy(best, worst)
                                                   : test::gpu(best, worst));
      nodes.push_back(test::node(server, best, worst));
      drawn.leaves_cpu = drawn.leaves_cpu || server != on_core;
      work += worst;
    }
    chain.period = work * tasks * dice.between(60, 250) / 100 + 2;
    chain.deadline =
        dice.percent(50) ? chain.period : dice.between(std::min(work, chain.period), chain.period);
    chain.jitter = dice.percent(20) ? dice.between(0, 3) : 0;
    drawn.composed.tasks.push_back(composed_task(chain.period, chain.deadline, nodes, chain.jitter));
    drawn.chains.push_back(chain);
  }
  return drawn;
}

TEST(CompositionDegenerates, OwnSmsAreRtgpu) {
  int compared = 0;
  int better = 0;
  for (std::uint64_t seed = 1; seed < tries(4000); ++seed) {
    Dice dice{seed};
    const OwnSms drawn = draw_own_sms(dice);
    if (!drawn.leaves_cpu) continue;  // there rtgpu has no carry-in
    const Result expected = rtgpu(test::federated(drawn.chains));
    const ChainBounds bounds = bound_chains(drawn.composed, ChainForm::chain);
    const test::PlainBounds coarse =
        test::plain_composition(drawn.composed, ChainForm::chain, {}, {.as_rtgpu = true});
    compared += compare_with(expected, bounds, [&](std::int64_t bound, std::int64_t composed, std::size_t i) {
      EXPECT_EQ(coarse.responses[i].value_or(-1), bound) << "seed " << seed << ", task " << i;
      if (bound < 0) return;
      EXPECT_GE(composed, 0) << "seed " << seed << ", task " << i;
      EXPECT_LE(composed, bound) << "seed " << seed << ", task " << i;
      better += composed < bound ? 1 : 0;
    });
  }
  EXPECT_GT(compared, tries(3000));
  EXPECT_GT(better, tries(300));
}

}  // namespace
}  // namespace tactus::analysis
