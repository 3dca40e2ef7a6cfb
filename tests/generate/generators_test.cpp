// What every generator promises, and what each of the shipped ones makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "support/generator_settings.hpp"
#include "tactus/base/error.hpp"
#include "tactus/generate/generator.hpp"
#include "tactus/generate/read_parameters.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/validate.hpp"

namespace tactus::generate {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using test::named;
using test::problem_keys;
using test::Settings;
using test::with;

System make(std::string_view id, const Settings& settings, std::uint64_t seed) {
  EXPECT_THAT(problem_keys(id, settings), IsEmpty());
  return test::make_system(id, settings, seed);
}

const Settings pruda_settings{
    {"utilisation_1", "0.6"}, {"utilisation_all", "0.2"}, {"periods", "[4ms, 5ms, 6ms, 8ms, 10ms, 12ms]"}};
const Settings job_settings{{"tasks", "6"}, {"utilisation", "0.7"}, {"periods", "[10ms, 20ms, 50ms]"}};
const Settings rtgpu_settings{{"utilisation", "1.1"}};
const Settings shared_settings{{"utilisation", "1.1"}, {"rounds", "3"}};

ExclusiveSegment work_of(const Task& task) {
  return std::get<ExclusiveSegment>(task.work.nodes.at(0).segment);
}

double utilisation_of(const System& system, const SmAffinity& sm) {
  double sum = 0;
  for (const Task& task : system.tasks) {
    if (task.sm != sm) continue;
    sum += static_cast<double>(work_of(task).time.worst.count()) / static_cast<double>(task.period->count());
  }
  return sum;
}

constexpr SmAffinity core_0{SmAffinity::Kind::one, 0};
constexpr SmAffinity core_1{SmAffinity::Kind::one, 1};
constexpr SmAffinity all_cores{SmAffinity::Kind::all, 0};

TEST(Generators, HaveSoundDescriptions) {
  std::set<std::string_view> ids;
  for (const Generator& generator : generators()) {
    EXPECT_TRUE(ids.insert(generator.id).second);
    std::set<std::string_view> keys{"kind"};
    for (const Parameter& parameter : generator.parameters) {
      EXPECT_TRUE(keys.insert(parameter.key).second) << parameter.key;
      EXPECT_FALSE(parameter.meaning.empty()) << parameter.key;
      EXPECT_FALSE(parameter.required && !parameter.fallback.empty()) << parameter.key;
    }
    EXPECT_NO_THROW(Parameters{generator.parameters});  // every default keeps its own bounds
  }
  EXPECT_EQ(find_generator("no such"), nullptr);
}

TEST(Parameters, AreWrittenAsTheyAreRead) {
  for (const Generator& generator : generators()) {
    const Parameters defaults{generator.parameters};
    for (const Parameter& parameter : generator.parameters) {
      if (!defaults.has(parameter.key)) continue;
      EXPECT_EQ(to_text(*defaults.value_of(parameter.key)), parameter.fallback);
    }
  }
  const Parameters pruda = with(named("pruda"), pruda_settings);
  EXPECT_EQ(to_text(*pruda.value_of("periods")), "[4ms, 5ms, 6ms, 8ms, 10ms, 12ms]");
  EXPECT_EQ(to_text(*pruda.value_of("utilisation_1")), "0.6");
  const Parameters rtgpu = with(named("rtgpu"), {{"length_ratio", "1:8"}, {"interleave", "[2, 1.50]"}});
  EXPECT_EQ(to_text(*rtgpu.value_of("length_ratio")), "1:8");
  EXPECT_EQ(to_text(*rtgpu.value_of("interleave")), "[2, 1.5]");
}

TEST(Parameters, BadTextIsAnInputErrorWithAHint) {
  const Parameters pruda{named("pruda").parameters};
  const Parameters rtgpu{named("rtgpu").parameters};
  const auto message = [&](std::string_view key, std::string_view text) -> std::string {
    const Parameter* of_pruda = pruda.find_specification(key);
    try {
      parse_value(of_pruda != nullptr ? *of_pruda : *rtgpu.find_specification(key), text, "--set");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message("tasks_1", "-1"), HasSubstr("allowed: 0 to 10000"));
  EXPECT_THAT(message("utilisation_1", "1.5"), HasSubstr("allowed: 0 to 1"));
  EXPECT_THAT(message("utilisation_1", "-0.5"), HasSubstr("0 or more"));
  EXPECT_THAT(message("periods", "10ms"), HasSubstr("list"));
  EXPECT_THAT(message("periods", "[10ms, 0ms]"), HasSubstr("allowed: 1ns or more"));
  EXPECT_THAT(message("order", "edff"), HasSubstr("did you mean `edf`?"));
  EXPECT_THAT(message("harmonic", "maybe"), HasSubstr("true or false"));
  EXPECT_EQ(message("harmonic", "true"), "accepted");
  EXPECT_THAT(message("length_ratio", "8"), HasSubstr("write two whole numbers with a colon between"));
  EXPECT_THAT(message("length_ratio", "1:-8"), HasSubstr("is not a ratio"));
  EXPECT_THAT(message("length_ratio", "1:2:3"), HasSubstr("is not a ratio"));
  EXPECT_THAT(message("length_ratio", "'1: 8'"), HasSubstr("is not a ratio"));
  EXPECT_THAT(message("length_ratio", "1:99999999999999999999"), HasSubstr("is not a ratio"));
  EXPECT_THAT(message("length_ratio", "':'"), HasSubstr("is not a ratio"));
  EXPECT_THAT(message("length_ratio", "0:8"), HasSubstr("allowed: 1 to 1000000 on both sides"));
  EXPECT_EQ(message("length_ratio", "1:8"), "accepted");
  EXPECT_THAT(message("interleave", "1.5"), HasSubstr("list"));
  EXPECT_THAT(message("interleave", "[]"), HasSubstr("at least one value"));
  EXPECT_THAT(message("interleave", "[1.5, 0.5]"), HasSubstr("allowed: 1 to 1000"));
  EXPECT_EQ(message("interleave", "[1.5, 2]"), "accepted");
  EXPECT_THAT(message("utilisation_method", "uunifast"), HasSubstr("uunifast-discard"));
}

TEST(Pruda, MakesValidSystemsAsSection71Says) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const System system = make("pruda", pruda_settings, seed);
    ASSERT_THAT(validate(system), IsEmpty());
    ASSERT_THAT(find_missing_parameters(system), IsEmpty());
    EXPECT_EQ(system.platform.preset, "jetson-tx2");
    EXPECT_EQ(system.policy.strategy, strategy_named("sm-cores"));
    EXPECT_EQ(system.policy.order, Order::edf);
    ASSERT_EQ(system.tasks.size(), 8U);
    EXPECT_NEAR(utilisation_of(system, core_0), 0.6, 1e-5);
    EXPECT_NEAR(utilisation_of(system, core_1), 0.6, 1e-5);
    EXPECT_NEAR(utilisation_of(system, all_cores), 0.2, 1e-5);
    EXPECT_LE(utilisation_of(system, core_0), 0.6 + 1e-9);
    const Reservations& reservations = *system.policy.reservations;
    // U(T_1) / (U(T_1) + U(T_B)) = 0.75
    EXPECT_EQ(reservations.local->offset, Duration{});
    EXPECT_EQ(reservations.local->budget * 4, reservations.period * 3);
    EXPECT_EQ(reservations.all->offset, reservations.local->budget);
    EXPECT_EQ(reservations.all->offset + reservations.all->budget, reservations.period);
    for (const Task& task : system.tasks) {
      EXPECT_EQ(task.arrival, Arrival::periodic);
      EXPECT_EQ(task.longest_block, Duration{});
      EXPECT_GE(*task.deadline * 4, *task.period * 3);
      EXPECT_LE(*task.deadline, *task.period);
      EXPECT_GE(work_of(task).time.best, Duration{1});
    }
  }
}

TEST(Pruda, HarmonicPeriodsDivideTheReservationsOrAreMultiples) {
  Settings settings = pruda_settings;
  settings.emplace_back("harmonic", "true");
  std::size_t shorter = 0;
  std::size_t longer = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const System system = make("pruda", settings, seed);
    const Duration reservation = system.policy.reservations->period;
    for (const Task& task : system.tasks) {
      EXPECT_TRUE(*task.period % reservation == Duration{} || reservation % *task.period == Duration{});
      if (*task.period < reservation) ++shorter;
      if (*task.period > reservation) ++longer;
    }
  }
  EXPECT_GT(shorter, 100U);
  EXPECT_GT(longer, 100U);
}

TEST(Pruda, GroupsWithoutUtilisationHaveNoTasksAndNoWindow) {
  const System local =
      make("pruda", {{"utilisation_1", "0.6"}, {"utilisation_all", "0"}, {"periods", "[5ms]"}}, 1);
  EXPECT_EQ(local.tasks.size(), 6U);
  EXPECT_FALSE(local.policy.reservations->all);
  EXPECT_EQ(local.policy.reservations->local->budget, local.policy.reservations->period);
  const System gang = make("pruda",
                           {{"utilisation_1", "0"},
                            {"utilisation_all", "0.5"},
                            {"periods", "[5ms]"},
                            {"reservation_periods", "[3ms]"}},
                           1);
  EXPECT_EQ(gang.tasks.size(), 2U);
  EXPECT_FALSE(gang.policy.reservations->local);
  EXPECT_EQ(gang.policy.reservations->period, Duration{3'000'000});
  EXPECT_THAT(validate(local), IsEmpty());
  EXPECT_THAT(validate(gang), IsEmpty());
}

TEST(Pruda, ParametersThatContradictEachOtherAreTold) {
  const auto problems = [](const Settings& settings) { return problem_keys("pruda", settings); };
  EXPECT_THAT(problems({{"utilisation_1", "0.2"}, {"utilisation_all", "0.2"}, {"periods", "[1ms]"}}),
              IsEmpty());
  EXPECT_THAT(problems({{"utilisation_1", "0"}, {"utilisation_all", "0"}, {"periods", "[1ms]"}}),
              ElementsAre("utilisation_1"));
  EXPECT_THAT(problems({{"utilisation_1", "0"},
                        {"utilisation_2", "0.1"},
                        {"utilisation_all", "0.3"},
                        {"periods", "[1ms]"}}),
              ElementsAre("utilisation_1"));
  EXPECT_THAT(problems({{"utilisation_1", "0.2"},
                        {"utilisation_all", "0.3"},
                        {"tasks_2", "0"},
                        {"tasks_all", "0"},
                        {"periods", "[1ms]"}}),
              ElementsAre("tasks_2", "tasks_all"));
  EXPECT_THAT(problems({{"utilisation_1", "0.2"},
                        {"utilisation_all", "0.3"},
                        {"periods", "[4ms, 6ms]"},
                        {"reservation_periods", "[12ms, 5ms]"},
                        {"harmonic", "true"}}),
              ElementsAre("periods"));
  EXPECT_THAT(problems({{"utilisation_1", "0.2"}, {"utilisation_all", "0.2"}, {"periods", "[1ns]"}}),
              ElementsAre("periods"));
}

TEST(GpuJobs, MakesValidSystemsWithThatUtilisation) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const System system = make("gpu-jobs", job_settings, seed);
    ASSERT_THAT(validate(system), IsEmpty());
    EXPECT_EQ(system.policy.strategy, strategy_named("single-stream"));
    EXPECT_NEAR(utilisation_of(system, all_cores), 0.7, 1e-5);
    for (const Task& task : system.tasks) {
      EXPECT_EQ(task.arrival, Arrival::sporadic);
      EXPECT_EQ(task.deadline, task.period);
      EXPECT_EQ(task.longest_block, std::nullopt);
    }
  }
}

TEST(GpuJobs, TakesBlocksLevelsAndLogUniformPeriods) {
  const Settings settings{{"tasks", "20"},
                          {"utilisation", "3"},
                          {"utilisation_limit", "0.5"},
                          {"periods_between", "[1ms, 1s]"},
                          {"granularity", "1ms"},
                          {"deadline_least", "0.5"},
                          {"block_share", "0.1"},
                          {"strategy", "multi-stream"},
                          {"order", "fp"},
                          {"levels", "4"},
                          {"refill", "immediate"},
                          {"platform", "h200"},
                          {"arrival", "periodic"}};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const System system = make("gpu-jobs", settings, seed);
    ASSERT_THAT(validate(system), IsEmpty());
    EXPECT_EQ(system.policy.levels, 4);
    EXPECT_EQ(system.policy.refill, Refill::immediate);
    EXPECT_EQ(system.policy.order, Order::fp);
    EXPECT_EQ(system.platform.preset, "h200");
    for (const Task& task : system.tasks) {
      const Duration work = work_of(task).time.worst;
      EXPECT_EQ(*task.period % Duration{1'000'000}, Duration{});
      EXPECT_LE(work * 2, *task.period);
      EXPECT_LE(*task.longest_block * 10, work);
      EXPECT_GT(*task.longest_block * 10, work - Duration{10});
      EXPECT_GE(*task.deadline * 2, *task.period);
    }
  }
}

TEST(GpuJobs, ParametersThatContradictEachOtherAreTold) {
  const auto problems = [](const Settings& settings) { return problem_keys("gpu-jobs", settings); };
  EXPECT_THAT(problems({{"tasks", "2"}, {"utilisation", "2.5"}, {"periods", "[1ms]"}}),
              ElementsAre("utilisation"));
  EXPECT_THAT(problems({{"tasks", "2"}, {"utilisation", "0"}, {"periods", "[1ms]"}}),
              ElementsAre("utilisation"));
  EXPECT_THAT(problems({{"tasks", "2"}, {"utilisation", "1"}}), ElementsAre("periods"));
  EXPECT_THAT(
      problems(
          {{"tasks", "2"}, {"utilisation", "1"}, {"periods", "[1ms]"}, {"periods_between", "[1ms, 2ms]"}}),
      ElementsAre("periods_between"));
  EXPECT_THAT(problems({{"tasks", "2"}, {"utilisation", "1"}, {"periods_between", "[2ms, 1ms]"}}),
              ElementsAre("periods_between"));
  EXPECT_THAT(problems({{"tasks", "2"}, {"utilisation", "1"}, {"periods", "[1ms]"}, {"levels", "3"}}),
              ElementsAre("levels"));
}

TEST(GpuJobs, SharesTheUtilisationOutAsItIsTold) {
  for (const std::string_view method : {"uunifast-discard", "rand-fixed-sum", "scaled-uniform"}) {
    const Settings settings{{"tasks", "8"},
                            {"utilisation", "3.2"},
                            {"utilisation_method", method},
                            {"utilisation_least", "0.2"},
                            {"utilisation_limit", "0.8"},
                            {"periods", "[100ms]"}};
    const bool bounded = method != "scaled-uniform";
    std::int64_t least = Duration::max().count();
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const System system = make("gpu-jobs", settings, seed);
      ASSERT_THAT(validate(system), IsEmpty());
      EXPECT_NEAR(utilisation_of(system, all_cores), 3.2, 1e-6);
      for (const Task& task : system.tasks) {
        least = std::min(least, work_of(task).time.worst.count());
        if (bounded) {
          EXPECT_LE(work_of(task).time.worst, Duration{80'000'000});
        }
      }
    }
    // Scaled numbers pass the bound; here the factor is well below 1 in some set.
    if (bounded) {
      EXPECT_GE(least, 19'999'999);
    } else {
      EXPECT_LT(least, 19'000'000);
    }
  }
}

TEST(GpuJobs, SaysWhenSetsAreTooRareToFind) {
  Settings settings{{"tasks", "20"}, {"utilisation", "19.9"}, {"periods", "[1ms]"}};
  EXPECT_THROW(make("gpu-jobs", settings, 1), FailureError);
  settings.emplace_back("utilisation_method", "rand-fixed-sum");
  EXPECT_THAT(validate(make("gpu-jobs", settings, 1)), IsEmpty());
}

TEST(Generators, SameSeedSameSystemOtherSeedAnother) {
  EXPECT_EQ(make("pruda", pruda_settings, 5), make("pruda", pruda_settings, 5));
  EXPECT_NE(make("pruda", pruda_settings, 5), make("pruda", pruda_settings, 6));
  EXPECT_EQ(make("gpu-jobs", job_settings, 5), make("gpu-jobs", job_settings, 5));
  EXPECT_NE(make("gpu-jobs", job_settings, 5), make("gpu-jobs", job_settings, 6));
  EXPECT_EQ(make("rtgpu", rtgpu_settings, 5), make("rtgpu", rtgpu_settings, 5));
  EXPECT_NE(make("rtgpu", rtgpu_settings, 5), make("rtgpu", rtgpu_settings, 6));
  EXPECT_EQ(make("shared-gpu", shared_settings, 5), make("shared-gpu", shared_settings, 5));
  EXPECT_NE(make("shared-gpu", shared_settings, 5), make("shared-gpu", shared_settings, 6));
}

// Draws are addressed: neither the thread nor what was made before matters.
TEST(Generators, MakeTheSameSystemsOnEveryThreadAndInAnyOrder) {
  constexpr std::uint64_t systems = 40;
  const std::vector<std::pair<std::string_view, Settings>> all{{"pruda", pruda_settings},
                                                               {"gpu-jobs", job_settings},
                                                               {"rtgpu", rtgpu_settings},
                                                               {"shared-gpu", shared_settings}};
  for (const auto& [id, settings] : all) {
    std::vector<System> forwards;
    for (std::uint64_t seed = 0; seed < systems; ++seed) {
      forwards.push_back(test::make_system(id, settings, seed));
    }
    std::vector<System> shared(systems);
    std::vector<std::thread> threads;
    constexpr std::uint64_t number = 4;
    for (std::uint64_t thread = 0; thread < number; ++thread) {
      threads.emplace_back([&shared, &id = id, &settings = settings, thread] {
        for (std::uint64_t seed = systems - 1 - thread; seed < systems; seed -= number) {
          shared[seed] = test::make_system(id, settings, seed);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(shared, forwards) << id;
  }
}

// The same system on every machine: a change here changes every recorded result.
TEST(Generators, MakeTheseSystems) {
  const std::string pruda = to_system_file(make("pruda", pruda_settings, 1));
  EXPECT_THAT(
      pruda,
      HasSubstr(
          "  reservations: {period: 6ms, local: {budget: 4.5ms}, all: {offset: 4.5ms, budget: 1.5ms}}\n"));
  EXPECT_THAT(pruda, HasSubstr("  - name: core0-1\n"
                               "    period: 8ms\n"
                               "    deadline: 7.028223ms\n"
                               "    sm: 0\n"
                               "    longest_block: 0ns\n"
                               "    exclusive: 2.553855ms\n"));
  EXPECT_THAT(pruda, HasSubstr("  - name: all-1\n"
                               "    period: 4ms\n"
                               "    deadline: 3.048104ms\n"
                               "    longest_block: 0ns\n"
                               "    exclusive: 82.346us\n"));
  const Settings two{{"tasks", "2"}, {"utilisation", "0.7"}, {"periods_between", "[1ms, 1s]"}};
  EXPECT_EQ(to_system_file(make("gpu-jobs", two, 1)),
            "tactus: 1\n"
            "platform: jetson-tx2\n"
            "policy:\n"
            "  strategy: single-stream\n"
            "tasks:\n"
            "  - name: task0\n"
            "    arrival: sporadic\n"
            "    period: 1.969ms\n"
            "    exclusive: 804.953us\n"
            "  - name: task1\n"
            "    arrival: sporadic\n"
            "    period: 36.479ms\n"
            "    exclusive: 10.622194ms\n");
  const Settings fixed_sum{{"tasks", "2"},
                           {"utilisation", "1.1"},
                           {"periods", "[10ms, 20ms]"},
                           {"utilisation_method", "rand-fixed-sum"},
                           {"deadline_least", "0.5"},
                           {"arrival", "periodic"}};
  EXPECT_EQ(to_system_file(make("gpu-jobs", fixed_sum, 1)),
            "tactus: 1\n"
            "platform: jetson-tx2\n"
            "policy:\n"
            "  strategy: single-stream\n"
            "tasks:\n"
            "  - name: task0\n"
            "    period: 10ms\n"
            "    deadline: 5.014968ms\n"
            "    exclusive: 2.143387ms\n"
            "  - name: task1\n"
            "    period: 20ms\n"
            "    deadline: 15.141115ms\n"
            "    exclusive: 17.713224ms\n");
}

TEST(Generators, MakeTheseChains) {
  const Settings two{{"utilisation", "1.1"}, {"tasks", "2"}, {"subtasks", "3"}};
  EXPECT_EQ(to_system_file(make("rtgpu", two, 1)),
            "tactus: 1\n"
            "platform:\n"
            "  gpu: {sms: 10}\n"
            "policy:\n"
            "  strategy: federated\n"
            "tasks:\n"
            "  - name: task0\n"
            "    period: 87.631447ms\n"
            "    segments:\n"
            "      - cpu: [11.142732ms, 13.928416ms]\n"
            "      - copy: [3.272682ms, 4.090853ms]\n"
            "      - gpu: {work: [1.818276ms, 2.272846ms], overhead: 50us, interleave: 1.69}\n"
            "      - copy: [1.663619ms, 2.079524ms]\n"
            "      - cpu: [2.835602ms, 3.544503ms]\n"
            "      - copy: [1.795844ms, 2.244806ms]\n"
            "      - gpu: {work: [7.344944ms, 9.18118ms], overhead: 50us, interleave: 1.69}\n"
            "      - copy: [1.382043ms, 1.727554ms]\n"
            "      - cpu: [11.651536ms, 14.56442ms]\n"
            "  - name: task1\n"
            "    period: 163.45605ms\n"
            "    segments:\n"
            "      - cpu: [5.036548ms, 6.295686ms]\n"
            "      - copy: [1.950388ms, 2.437986ms]\n"
            "      - gpu: {work: [15.892779ms, 19.865974ms], overhead: 50us, interleave: 1.46}\n"
            "      - copy: [3.191465ms, 3.989332ms]\n"
            "      - cpu: [9.343242ms, 11.679053ms]\n"
            "      - copy: [1.416413ms, 1.770517ms]\n"
            "      - gpu: {work: [12.511183ms, 15.638979ms], overhead: 50us, interleave: 1.8}\n"
            "      - copy: [2.015773ms, 2.519717ms]\n"
            "      - cpu: [12.44999ms, 15.562488ms]\n");
  const Settings one{{"utilisation", "1.1"},  {"tasks", "1"},    {"subtasks", "2"},
                     {"length_ratio", "1:8"}, {"copies", "one"}, {"arrival", "sporadic"}};
  EXPECT_EQ(to_system_file(make("rtgpu", one, 1)),
            "tactus: 1\n"
            "platform:\n"
            "  gpu: {sms: 10}\n"
            "policy:\n"
            "  strategy: federated\n"
            "tasks:\n"
            "  - name: task0\n"
            "    arrival: sporadic\n"
            "    period: 62.16592ms\n"
            "    segments:\n"
            "      - cpu: [11.142732ms, 13.928416ms]\n"
            "      - copy: [26.181459ms, 32.726824ms]\n"
            "      - gpu: {work: [14.546214ms, 18.182768ms], overhead: 50us, interleave: 1.69}\n"
            "      - cpu: [2.835602ms, 3.544503ms]\n");
}

}  // namespace
}  // namespace tactus::generate
