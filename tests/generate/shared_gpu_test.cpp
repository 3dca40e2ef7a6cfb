// Generator `shared-gpu`: what the documentation says of its systems.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/generator_settings.hpp"
#include "tactus/generate/generator.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/validate.hpp"

namespace tactus::generate {
namespace {

using test::problem_keys;
using test::Settings;
using testing::ElementsAre;
using testing::IsEmpty;

System make(const Settings& others, std::uint64_t seed) {
  Settings settings{{"utilisation", "1.1"}};
  settings.insert(settings.end(), others.begin(), others.end());
  EXPECT_THAT(problem_keys("shared-gpu", settings), IsEmpty());
  return test::make_system("shared-gpu", settings, seed);
}

std::string kinds_of(const Task& task) {
  std::string text;
  for (const Node& node : task.work.nodes)
    text += (text.empty() ? "" : " ") + std::string{kind_name(node.segment)};
  return text;
}

/// The worst-case time of a job on servers of this kind.
double time_of(const Task& task, ServerKind server) {
  double sum = 0;
  for (const Node& node : task.work.nodes) {
    if (server_of(node.segment) == server) sum += static_cast<double>(drawn_time(node.segment).worst.count());
  }
  return sum;
}

double whole_time(const Task& task) {
  return time_of(task, ServerKind::cpu) + time_of(task, ServerKind::copy) + time_of(task, ServerKind::gpu);
}

double period_of(const Task& task) { return static_cast<double>(task.period->count()); }

TEST(SharedGpu, MakesValidSystemsByItsDefaults) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const System system = make({{"utilisation_least", "0.01"}}, seed);
    ASSERT_THAT(validate(system), IsEmpty());
    ASSERT_THAT(find_missing_parameters(system), IsEmpty());
    EXPECT_TRUE(is_by_node(system));
    EXPECT_EQ(system.policy.strategy, strategy_named("single-stream"));
    EXPECT_EQ(system.policy.order, Order::fp);
    EXPECT_EQ(system.platform.cpus(), 4);
    EXPECT_EQ(system.platform.gpu.sms, 2);
    ASSERT_EQ(system.tasks.size(), 9U);
    double utilisation = 0;
    for (const Task& task : system.tasks) {
      EXPECT_EQ(kinds_of(task), "cpu copy exclusive copy cpu");
      EXPECT_EQ(task.arrival, Arrival::sporadic);
      EXPECT_EQ(task.deadline, task.period);
      EXPECT_GE(*task.period, Duration{10'000'000});
      EXPECT_LE(*task.period, Duration{100'000'000});
      const double whole = whole_time(task);
      utilisation += whole / period_of(task);
      EXPECT_GE(time_of(task, ServerKind::gpu) / whole, 0.2 - 1e-4);
      EXPECT_LE(time_of(task, ServerKind::gpu) / whole, 0.7 + 1e-4);
      EXPECT_GE(time_of(task, ServerKind::copy) / whole, 0.05 - 1e-4);
      EXPECT_LE(time_of(task, ServerKind::copy) / whole, 0.2 + 1e-4);
      const Interval& gpu = drawn_time(task.work.nodes[2].segment);
      EXPECT_EQ(gpu.best.count(), gpu.worst.count() * 6 / 10);
      EXPECT_EQ(task.longest_block->count(), gpu.worst.count() / 10);
    }
    EXPECT_NEAR(utilisation, 1.1, 1e-4);
    EXPECT_LE(utilisation, 1.1 + 1e-9);
  }
}

TEST(SharedGpu, PutsEachTaskOnTheCoreWithTheLeastToDo) {
  for (const std::string_view wait : {"suspend", "busy"}) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const System system = make({{"cores", "3"}, {"wait", wait}, {"utilisation_least", "0.01"}}, seed);
      std::vector<double> loads(3);
      for (const Task& task : system.tasks) {
        const double least = *std::min_element(loads.begin(), loads.end());
        double& load = loads.at(static_cast<std::size_t>(task.core));
        EXPECT_LE(load, least + 1e-6);
        load += (wait == "busy" ? whole_time(task) : time_of(task, ServerKind::cpu)) / period_of(task);
        EXPECT_EQ(task.wait, wait == "busy" ? Waiting::busy : Waiting::suspend);
      }
    }
  }
}

TEST(SharedGpu, TakesRoundsAndTasksWithoutGpu) {
  std::set<std::string> kinds;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const System system = make({{"rounds", "2"},
                                {"gpu_users", "0.5"},
                                {"block_share", "1"},
                                {"deadline_least", "0.5"},
                                {"arrival", "periodic"},
                                {"strategy", "multi-stream"},
                                {"order", "edf"},
                                {"levels", "3"},
                                {"copy_engines", "2"},
                                {"launch", "5us"},
                                {"completion", "7us"}},
                               seed);
    ASSERT_THAT(validate(system), IsEmpty());
    EXPECT_EQ(system.policy.levels, 3);
    EXPECT_EQ(system.platform.gpu.priority_levels, 3);
    EXPECT_EQ(system.platform.gpu.copy_engines, 2);
    EXPECT_EQ(system.policy.order, Order::edf);
    EXPECT_EQ(system.platform.overheads.launch, Duration{5'000});
    EXPECT_EQ(system.platform.overheads.completion, Duration{7'000});
    for (const Task& task : system.tasks) {
      kinds.insert(kinds_of(task));
      EXPECT_FALSE(task.longest_block);
      EXPECT_GE(*task.deadline * 2, *task.period);
      EXPECT_EQ(task.arrival, Arrival::periodic);
    }
  }
  EXPECT_THAT(kinds, ElementsAre("cpu", "cpu copy exclusive copy cpu copy exclusive copy cpu"));
}

// The same system on every machine: a change here changes every recorded result.
TEST(SharedGpu, MakesThisSystem) {
  EXPECT_THAT(to_system_file(make({{"tasks", "2"}, {"cores", "1"}}, 7)),
              testing::HasSubstr("  - name: task1\n"
                                 "    arrival: sporadic\n"
                                 "    period: 12.284ms\n"
                                 "    longest_block: 408.466us\n"
                                 "    segments:\n"
                                 "      - cpu: [1.986289ms, 3.310483ms]\n"
                                 "      - copy: [214.307us, 357.179us]\n"
                                 "      - exclusive: [2.450796ms, 4.084661ms]\n"
                                 "      - copy: [227.5us, 379.168us]\n"
                                 "      - cpu: [1.407987ms, 2.346645ms]\n"));
}

TEST(SharedGpu, ParametersThatContradictEachOtherAreTold) {
  const auto problems = [](Settings settings) {
    settings.emplace_back("utilisation", "1");
    return problem_keys("shared-gpu", settings);
  };
  EXPECT_THAT(problems({{"periods_between", "[10ms]"}}), ElementsAre("periods_between"));
  EXPECT_THAT(problems({{"gpu_share", "[0.5, 0.2]"}}), ElementsAre("gpu_share"));
  EXPECT_THAT(problems({{"copy_share", "[0.5]"}}), ElementsAre("copy_share"));
  EXPECT_THAT(problems({{"gpu_share", "[0.5, 0.8]"}, {"copy_share", "[0.1, 0.201]"}}),
              ElementsAre("copy_share"));
  EXPECT_THAT(problems({{"gpu_share", "[0.5, 0.8]"}, {"copy_share", "[0.1, 0.2]"}}), IsEmpty());
  EXPECT_THAT(problems({{"tasks", "1"}, {"utilisation_limit", "0.5"}}), ElementsAre("utilisation"));
}

}  // namespace
}  // namespace tactus::generate
