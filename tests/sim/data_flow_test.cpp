// The observer of data in effect chains sees what the definitions say, computed the slow way.
#include "tactus/trace/data_flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "support/by_node_systems.hpp"
#include "support/effect_chain_systems.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/plain_data_flow.hpp"
#include "support/random_systems.hpp"
#include "support/recording.hpp"
#include "tactus/analysis/observed_chains.hpp"
#include "tactus/model/validate.hpp"

namespace tactus::test {
namespace {

struct Compared {
  std::uint64_t outputs = 0;
  std::uint64_t reactions = 0;
  std::uint64_t unfinished = 0;
};

void compare(const System& system, const sim::SimulationOptions& options, Compared& compared) {
  Recorder recorder{Recorder::Blocks::unwanted};
  trace::DataFlow flow{system};
  const std::array<trace::Observer*, 2> observers{&recorder, &flow};
  const sim::Outcome outcome = sim::simulate(system, options, observers);
  flow.finish(outcome.reached);
  const std::vector<trace::ChainStatistics> seen = flow.all();
  for (std::size_t i = 0; i < system.chains.size(); ++i) {
    const PlainFlow plain = plain_flow(system, system.chains[i], recorder.recording.ends, outcome.reached);
    ASSERT_TRUE(seen[i].complete);
    ASSERT_EQ(seen[i].age.seen, plain.outputs) << system.chains[i].name;
    ASSERT_EQ(seen[i].age.max, plain.age) << system.chains[i].name;
    ASSERT_EQ(seen[i].age.misses, plain.age_misses) << system.chains[i].name;
    ASSERT_EQ(seen[i].reaction.max, plain.reaction) << system.chains[i].name;
    ASSERT_EQ(seen[i].reaction.longest_known, plain.longest) << system.chains[i].name;
    compared.outputs += plain.outputs;
    compared.reactions += seen[i].reaction.seen;
    compared.unfinished += plain.longest > plain.reaction ? 1U : 0U;
  }
}

TEST(DataFlow, IsThatOfTheDefinitions) {
  Compared compared;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(6000); ++seed) {
    Dice dice{mix_bits(seed)};
    Scenario scenario;
    switch (seed % 4) {
      case 0:
        scenario = by_node_scenario(seed);
        break;
      case 1:
        scenario = mixed_scenario(seed);
        break;
      case 2:
        scenario = strategy_scenario(seed);
        break;
      default:
        scenario.system = effect_chain_system(seed);
        scenario.system.chains.clear();
        scenario.options.horizon = nanoseconds(600);
        scenario.options.seed = seed;
        scenario.options.execution = dice.pick({Execution::worst, Execution::best, Execution::random});
    }
    add_chains(scenario.system, dice);
    ASSERT_TRUE(validate(scenario.system).empty()) << describe(scenario);
    compare(scenario.system, scenario.options, compared);
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << "\n" << describe(scenario);
  }
  EXPECT_GT(compared.outputs, tries(40000U));
  EXPECT_GT(compared.reactions, tries(20000U));
  EXPECT_GT(compared.unfinished, tries(100U));
}

/// Jobs that read and publish anywhere within their bounds, overlapping and overtaking each other: more than
/// any scheduler does.
std::vector<trace::JobEnded> wild_jobs(const System& system, const std::vector<Duration>& publications,
                                       Time until, Dice& dice) {
  std::vector<trace::JobEnded> jobs;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const std::int64_t most = publications[i].count();
    const bool eager = dice.percent(30);
    Time release = time_at(task.offset);
    for (std::uint64_t number = 0; release < until; ++number) {
      const std::int64_t done = dice.percent(40) ? most : dice.between(0, most);
      const std::int64_t begun = eager || dice.percent(40) ? 0 : dice.between(0, done);
      jobs.push_back({.job = {i, number},
                      .release = release,
                      .start = release + nanoseconds(begun),
                      .completion = release + nanoseconds(done),
                      .deadline = release + *task.deadline});
      release += *task.period;
      if (task.arrival == Arrival::sporadic && dice.percent(50)) release += dice.duration(0, 40);
    }
  }
  return jobs;
}

/// Tells them in the order of time, as an engine does; those that are not done at the end are cut off.
void tell(std::vector<trace::JobEnded>& jobs, Time reached, trace::DataFlow& flow) {
  std::vector<std::pair<Time, std::size_t>> releases;
  std::vector<std::pair<Time, std::size_t>> ends;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    releases.emplace_back(jobs[i].release, i);
    if (jobs[i].completion > reached) jobs[i].completion = never;
    if (jobs[i].start > reached) jobs[i].start = never;
    ends.emplace_back(std::min(jobs[i].completion, reached), i);
  }
  std::ranges::sort(releases);
  std::ranges::sort(ends);
  std::size_t released = 0;
  for (const auto& [time, job] : ends) {
    for (; released < releases.size() && releases[released].first <= time; ++released) {
      const trace::JobEnded& next = jobs[releases[released].second];
      flow.on(trace::JobReleased{next.job, next.release, next.deadline});
    }
    flow.on(jobs[job]);
  }
  flow.finish(reached);
}

TEST(DataFlow, IsThatOfTheDefinitionsAndBoundedWhereJobsOvertakeEachOther) {
  int judged = 0;
  int attained = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(4000); ++seed) {
    Dice dice{mix_bits(seed)};
    System system = effect_chain_system(seed);
    std::vector<Duration> publications;
    for (const Task& task : system.tasks) {
      publications.push_back(dice.duration(0, (dice.percent(60) ? 1 : 3) * task.period->count()));
    }
    for (EffectChain& chain : system.chains) {
      if (chain.communication == Communication::let_period) {
        for (const TaskIndex task : chain.tasks) {
          publications[task] = std::min(publications[task], *system.tasks[task].period);
        }
      }
      if (chain.communication != Communication::let) continue;
      for (const TaskIndex task : chain.tasks) system.tasks[task].deadline = publications[task];
    }
    const Time reached = time_at(nanoseconds(800));
    std::vector<trace::JobEnded> jobs = wild_jobs(system, publications, reached, dice);
    trace::DataFlow flow{system};
    tell(jobs, reached, flow);
    const std::vector<std::optional<Duration>> responses{publications.begin(), publications.end()};
    const std::vector<analysis::EffectResult> bounds = analysis::judge_chains(system, responses);
    const std::vector<trace::ChainStatistics> seen = flow.all();
    for (std::size_t i = 0; i < system.chains.size(); ++i) {
      const PlainFlow plain = plain_flow(system, system.chains[i], jobs, reached);
      ASSERT_EQ(seen[i].age.max, plain.age) << "seed " << seed << " " << i;
      ASSERT_EQ(seen[i].reaction.max, plain.reaction) << "seed " << seed << " " << i;
      ASSERT_EQ(seen[i].reaction.longest_known, plain.longest) << "seed " << seed << " " << i;
      judged += bounds[i].age_bound ? 1 : 0;
      attained += bounds[i].age_bound && bounds[i].age_bound == plain.age ? 1 : 0;
    }
    const auto broken = analysis::broken_chain_bounds(bounds, seen);
    ASSERT_TRUE(broken.empty()) << "seed " << seed << ": " << broken.front().chain << " "
                                << broken.front().what;
  }
  EXPECT_GT(judged, tries(2000));
  EXPECT_GT(attained, judged / 10);
}

TEST(DataFlow, StopsWhereTooMuchIsPending) {
  const System system = effect_chain_system(3);
  trace::DataFlow flow{system, {}, 4};
  const TaskIndex first = system.chains.front().tasks.front();
  flow.on(trace::JobReleased{.job = {first, 0}, .release = origin});  // it never ends
  for (std::uint64_t number = 1; number < 9; ++number) {
    const Time release = time_at(nanoseconds(static_cast<std::int64_t>(10 * number)));
    flow.on(trace::JobReleased{.job = {first, number}, .release = release});
    flow.on(trace::JobEnded{.job = {first, number},
                            .release = release,
                            .start = release,
                            .completion = release + nanoseconds(1),
                            .deadline = release + nanoseconds(10)});
  }
  flow.finish(time_at(nanoseconds(100)));
  EXPECT_FALSE(flow.all().front().complete);
  EXPECT_EQ(flow.all().front().age.seen, 0U);
}

}  // namespace
}  // namespace tactus::test
