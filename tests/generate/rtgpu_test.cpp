// Generator `rtgpu`: what Table 1 and the documentation say of its systems.
#include "tactus/generate/generator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/chi_square.hpp"
#include "support/generator_settings.hpp"
#include "tactus/generate/utilisations.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/validate.hpp"

namespace tactus::generate {
namespace {

using test::problem_keys;
using test::Settings;
using test::UniformityTest;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::SizeIs;

constexpr Duration ms{1'000'000};

System make(const Settings& settings, std::uint64_t seed) {
  return test::make_system("rtgpu", settings, seed);
}

/// Table 1 with this utilisation and what else is given.
Settings table_1(std::string_view utilisation, const Settings& others = {}) {
  Settings settings{{"utilisation", utilisation}};
  settings.insert(settings.end(), others.begin(), others.end());
  return settings;
}

/// All segments of a kind, of one task.
template <typename T>
std::vector<T> segments_of(const Task& task) {
  std::vector<T> result;
  for (const Node& node : task.work.nodes) {
    if (const auto* segment = std::get_if<T>(&node.segment)) result.push_back(*segment);
  }
  return result;
}

/// "cpu copy gpu copy cpu".
std::string kinds_of(const Task& task) {
  std::string text;
  for (const Node& node : task.work.nodes) {
    if (!text.empty()) text += ' ';
    text += kind_name(node.segment);
  }
  return text;
}

/// The sum of all worst cases.
std::int64_t chain_of(const Task& task) {
  std::int64_t sum = 0;
  for (const Node& node : task.work.nodes) sum += drawn_time(node.segment).worst.count();
  return sum;
}

TEST(Rtgpu, MakesValidSystemsAsTable1Says) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const System system = make(table_1("1.3"), seed);
    ASSERT_THAT(validate(system), IsEmpty());
    EXPECT_EQ(system.policy.strategy, strategy_named("federated"));
    EXPECT_EQ(system.policy.order, Order::fp);
    EXPECT_THAT(system.virtual_sms, IsEmpty());
    EXPECT_EQ(system.platform.cpus(), 1);
    EXPECT_EQ(system.platform.gpu.sms, 10);
    EXPECT_EQ(system.platform.gpu.virtual_sms_per_sm, 2);
    EXPECT_EQ(system.platform.gpu.copy_engines, 1);
    ASSERT_EQ(system.tasks.size(), 5U);
    for (const Task& task : system.tasks) {
      EXPECT_EQ(task.arrival, Arrival::periodic);
      EXPECT_EQ(task.priority, std::nullopt);
      EXPECT_EQ(task.deadline, task.period);
      EXPECT_EQ(kinds_of(task),
                "cpu copy gpu copy cpu copy gpu copy cpu copy gpu copy cpu copy gpu copy cpu");
      for (const CpuSegment& cpu : segments_of<CpuSegment>(task)) {
        EXPECT_THAT(cpu.time.worst, AllOf(Ge(ms), Le(20 * ms)));
        EXPECT_EQ(cpu.time.best, cpu.time.worst * 4 / 5);
      }
      for (const CopySegment& copy : segments_of<CopySegment>(task)) {
        EXPECT_THAT(copy.time.worst, AllOf(Ge(ms), Le(5 * ms)));
        EXPECT_EQ(copy.time.best, copy.time.worst * 4 / 5);
      }
      for (const GpuSegment& gpu : segments_of<GpuSegment>(task)) {
        EXPECT_THAT(gpu.work.worst, AllOf(Ge(ms), Le(20 * ms)));
        EXPECT_EQ(gpu.work.best, gpu.work.worst * 4 / 5);
        EXPECT_EQ(gpu.overhead, Interval::exactly(ms / 20));
      }
    }
  }
}

// Only the virtual SMs are left to find.
TEST(Rtgpu, LeavesTheVirtualSmsToTheSearch) {
  const std::vector<Violation> missing = find_missing_parameters(make(table_1("1"), 1));
  ASSERT_THAT(missing, testing::Not(IsEmpty()));
  for (const Violation& violation : missing) EXPECT_THAT(violation.path, HasSubstr("virtual_sms"));
}

TEST(Rtgpu, SystemFilesHoldAllOfIt) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    System system = make(table_1("2.5", {{"length_ratio", "1:8"}, {"arrival", "sporadic"}}), seed);
    system.name = "made";
    const ReadResult read = read_system(to_system_file(system), "made.yaml", Completeness::to_be_planned);
    ASSERT_TRUE(read.system);
    EXPECT_EQ(*read.system, system);
  }
}

TEST(Rtgpu, HasTheSegmentsItIsAskedFor) {
  const auto first = [](const Settings& settings) { return make(table_1("1", settings), 3).tasks.at(0); };
  EXPECT_EQ(kinds_of(first({{"subtasks", "1"}})), "cpu");
  EXPECT_EQ(kinds_of(first({{"subtasks", "2"}})), "cpu copy gpu copy cpu");
  EXPECT_EQ(kinds_of(first({{"subtasks", "3"}, {"copies", "one"}})), "cpu copy gpu cpu copy gpu cpu");
  const Task seven = first({{"subtasks", "7"}});
  EXPECT_THAT(segments_of<CpuSegment>(seven), SizeIs(7));
  EXPECT_THAT(segments_of<GpuSegment>(seven), SizeIs(6));
  EXPECT_THAT(segments_of<CopySegment>(seven), SizeIs(12));
  EXPECT_THAT(make(table_1("1", {{"tasks", "7"}}), 3).tasks, SizeIs(7));
  const System other = make(table_1("1", {{"sms", "8"}, {"virtual_sms_per_sm", "3"}}), 3);
  EXPECT_EQ(other.platform.gpu.sms, 8);
  EXPECT_EQ(other.platform.gpu.virtual_sms_per_sm, 3);
}

/// The utilisation of a task, in steps, that its deadline tells: the deadline is rounded up.
struct StepRange {
  Int128 least;
  Int128 most;
};

StepRange steps_of(const Task& task) {
  const Int128 chain = static_cast<Int128>(chain_of(task)) << Utilisation::bits;
  const Int128 deadline = task.deadline->count();
  // ceil(chain / steps) = deadline
  return {.least = (chain + deadline - 1) / deadline, .most = (chain - 1) / (deadline - 1)};
}

TEST(Rtgpu, DeadlinesAreChainsDividedByUtilisationsRoundedUp) {
  for (const std::string_view method : {"scaled-uniform", "uunifast-discard", "rand-fixed-sum"}) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const System system = make(table_1("2", {{"utilisation_method", method}}), seed);
      Int128 least = 0;
      Int128 most = 0;
      for (const Task& task : system.tasks) {
        const StepRange steps = steps_of(task);
        least += steps.least;
        most += steps.most;
      }
      // Utilisations that add up to exactly 2 explain all deadlines.
      const Int128 total = Int128{2} << Utilisation::bits;
      EXPECT_TRUE(least <= total && total <= most);
      EXPECT_TRUE(most - least < total / 1'000'000) << "the range says little";
    }
  }
}

TEST(Rtgpu, UtilisationsAboveOneGiveDeadlinesShorterThanTheChain) {
  const System system = make(table_1("8"), 1);
  EXPECT_THAT(validate(system), IsEmpty());
  EXPECT_TRUE(std::any_of(system.tasks.begin(), system.tasks.end(),
                          [](const Task& task) { return task.deadline->count() < chain_of(task); }));
}

TEST(Rtgpu, TheUtilisationsAreThoseOfTheMethod) {
  const auto utilisation = [](const Task& task) {
    return static_cast<double>(chain_of(task)) / static_cast<double>(task.deadline->count());
  };
  std::set<double> largest;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    // Draws from 0.05 to 1 keep a ratio of at most 20, whatever they are scaled to.
    std::vector<double> scaled;
    for (const Task& task : make(table_1("0.2"), seed).tasks) scaled.push_back(utilisation(task));
    const auto [low, high] = std::minmax_element(scaled.begin(), scaled.end());
    EXPECT_LE(*high, *low * 20.001);
    for (const std::string_view method : {"uunifast-discard", "rand-fixed-sum"}) {
      const Settings bounded{
          {"utilisation_method", method}, {"utilisation_least", "0.3"}, {"utilisation_limit", "0.6"}};
      for (const Task& task : make(table_1("2.2", bounded), seed).tasks) {
        EXPECT_THAT(utilisation(task), AllOf(Ge(0.3 - 1e-6), Le(0.6)));
        largest.insert(utilisation(task));
      }
    }
  }
  EXPECT_GT(*largest.rbegin(), 0.59);
}

TEST(Rtgpu, LengthRatiosMultiplyCopiesAndGpuAlone) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const System plain = make(table_1("1"), seed);
    const System longer = make(table_1("1", {{"length_ratio", "1:8"}}), seed);
    const System shorter = make(table_1("1", {{"length_ratio", "2:1"}}), seed);
    for (std::size_t i = 0; i < plain.tasks.size(); ++i) {
      const auto compare = [&](std::size_t node, std::int64_t factor, std::int64_t divisor,
                               const System& system) {
        const Segment& before = plain.tasks[i].work.nodes[node].segment;
        const Segment& after = system.tasks[i].work.nodes[node].segment;
        const bool is_cpu = std::holds_alternative<CpuSegment>(before);
        const Duration expected =
            is_cpu ? drawn_time(before).worst : drawn_time(before).worst * factor / divisor;
        EXPECT_EQ(drawn_time(after).worst, expected);
        EXPECT_EQ(drawn_time(after).best, expected * 4 / 5);
      };
      for (std::size_t node = 0; node < plain.tasks[i].work.nodes.size(); ++node) {
        compare(node, 8, 1, longer);
        compare(node, 1, 2, shorter);
      }
    }
  }
}

TEST(Rtgpu, OneCopyKeepsTheFirstOfTwo) {
  const Task two = make(table_1("1"), 5).tasks.at(2);
  const Task one = make(table_1("1", {{"copies", "one"}}), 5).tasks.at(2);
  EXPECT_EQ(segments_of<CpuSegment>(one), segments_of<CpuSegment>(two));
  EXPECT_EQ(segments_of<GpuSegment>(one), segments_of<GpuSegment>(two));
  const std::vector<CopySegment> both = segments_of<CopySegment>(two);
  EXPECT_THAT(segments_of<CopySegment>(one), ElementsAre(both[0], both[2], both[4], both[6]));
}

TEST(Rtgpu, LengthsAreUniformInTheirRangesAndInterleaveRatiosEquallyLikely) {
  UniformityTest cpu;
  UniformityTest copy;
  UniformityTest gpu;
  std::map<Rational, std::size_t> ratios;
  const auto place = [](Duration time, int most) {
    return static_cast<double>((time - ms).count()) / static_cast<double>(((most - 1) * ms).count());
  };
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    for (const Task& task : make(table_1("1"), seed).tasks) {
      for (const CpuSegment& part : segments_of<CpuSegment>(task)) cpu.add(place(part.time.worst, 20));
      for (const CopySegment& part : segments_of<CopySegment>(task)) copy.add(place(part.time.worst, 5));
      for (const GpuSegment& part : segments_of<GpuSegment>(task)) {
        gpu.add(place(part.work.worst, 20));
        ++ratios[part.interleave];
      }
    }
  }
  EXPECT_LT(cpu.statistic(), UniformityTest::threshold);
  EXPECT_LT(copy.statistic(), UniformityTest::threshold);
  EXPECT_LT(gpu.statistic(), UniformityTest::threshold);
  // 20,000 draws of 5: 4000 each, with a standard deviation of 57.
  ASSERT_THAT(ratios, SizeIs(5));
  for (const std::int64_t hundredths : {169, 161, 146, 180, 124}) {
    const Rational ratio{hundredths, 100};
    EXPECT_NEAR(static_cast<double>(ratios[ratio]), 4000, 300) << to_string(ratio);
  }
}

TEST(Rtgpu, TakesOtherRangesSharesAndOverheads) {
  const Settings settings{{"cpu", "[3ms, 3ms]"},     {"copy", "[0ms, 0ms]"}, {"gpu", "[7us, 9us]"},
                          {"gpu_overhead", "8.4us"}, {"best_share", "0"},    {"interleave", "[1.2]"},
                          {"arrival", "sporadic"}};
  const System system = make(table_1("1", settings), 1);
  EXPECT_THAT(validate(system), IsEmpty());
  for (const Task& task : system.tasks) {
    EXPECT_EQ(task.arrival, Arrival::sporadic);
    for (const CpuSegment& part : segments_of<CpuSegment>(task)) {
      EXPECT_EQ(part.time, (Interval{Duration{}, 3 * ms}));
    }
    for (const CopySegment& part : segments_of<CopySegment>(task)) EXPECT_EQ(part.time, Interval{});
    for (const GpuSegment& part : segments_of<GpuSegment>(task)) {
      EXPECT_EQ(part.overhead, Interval::exactly(Duration{8'400}));
      EXPECT_EQ(part.interleave, (Rational{6, 5}));
    }
  }
}

TEST(Rtgpu, ParametersThatContradictEachOtherAreTold) {
  const auto keys = [](std::string_view utilisation, const Settings& settings) {
    return problem_keys("rtgpu", table_1(utilisation, settings));
  };
  EXPECT_THAT(keys("1", {}), IsEmpty());
  EXPECT_THAT(keys("0", {}), ElementsAre("utilisation"));
  EXPECT_THAT(keys("1", {{"cpu", "[20ms, 1ms]"}, {"copy", "[1ms]"}, {"gpu", "[1ms, 2ms, 3ms]"}}),
              ElementsAre("cpu", "copy", "gpu"));
  // Bounds hold for the result, but not where it is scaled.
  EXPECT_THAT(keys("0.2", {}), IsEmpty());
  EXPECT_THAT(keys("5.5", {}), IsEmpty());
  for (const std::string_view method : {"uunifast-discard", "rand-fixed-sum"}) {
    EXPECT_THAT(keys("0.25", {{"utilisation_method", method}}), IsEmpty());
    EXPECT_THAT(keys("0.2", {{"utilisation_method", method}}), ElementsAre("utilisation"));
    EXPECT_THAT(keys("5.5", {{"utilisation_method", method}}), ElementsAre("utilisation"));
  }
  EXPECT_THAT(keys("1", {{"utilisation_least", "0.7"}, {"utilisation_limit", "0.5"}}),
              ElementsAre("utilisation_least"));
  EXPECT_THAT(keys("1", {{"utilisation_least", "0"}, {"utilisation_limit", "0"}}),
              ElementsAre("utilisation_limit"));
  EXPECT_THAT(keys("100", {{"tasks", "1001"}, {"utilisation_method", "rand-fixed-sum"}}),
              ElementsAre("tasks"));
  // A task of no utilisation would have no deadline.
  EXPECT_THAT(keys("1", {{"utilisation_least", "0"}}), ElementsAre("utilisation_least"));
  EXPECT_THAT(keys("1", {{"cpu", "[1ms, 5000000000s]"}}), ElementsAre("utilisation_least"));
  EXPECT_THAT(keys("1", {{"cpu", "[1ms, 100000000s]"}, {"utilisation_least", "0.001"}}),
              ElementsAre("utilisation_least"));
  EXPECT_THAT(keys("1", {{"subtasks", "1"}, {"cpu", "[0ms, 0ms]"}}), ElementsAre("cpu"));
  // A GPU segment is at least as long as its overhead.
  EXPECT_THAT(keys("1", {{"gpu_overhead", "1.24ms"}}), IsEmpty());
  EXPECT_THAT(keys("1", {{"gpu_overhead", "1.25ms"}}), ElementsAre("gpu_overhead"));
  EXPECT_THAT(keys("1", {{"gpu_overhead", "1.25ms"}, {"subtasks", "1"}}), IsEmpty());
  EXPECT_THAT(keys("1", {{"length_ratio", "100:1"}}), ElementsAre("gpu_overhead"));
  EXPECT_THAT(keys("1", {{"length_ratio", "100:1"}, {"gpu_overhead", "10us"}}), IsEmpty());
}

// The least utilisation that was promised is kept, so no deadline overflows.
TEST(Rtgpu, TheLongestDeadlinesFit) {
  const Settings settings{{"cpu", "[1ms, 1000000s]"}, {"tasks", "50"}, {"utilisation_least", "0.01"}};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const System system = make(table_1("1", settings), seed);
    EXPECT_THAT(validate(system), IsEmpty());
    for (const Task& task : system.tasks) EXPECT_GT(task.deadline->count(), chain_of(task));
  }
}

}  // namespace
}  // namespace tactus::generate
