// Overrides: every key of a system file can be changed, and a wrong change is told with the option's words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/io/system_file.hpp"

namespace tactus {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view text = R"(tactus: 1
platform: jetson-tx2
policy: {strategy: single-stream, order: edf}
tasks:
  - {name: lidar, rate: 20Hz, kernel: {grid: 6, block: 512, block_time: 4ms}}
  - {name: front.left, period: 50ms, segments: [{copy: 1ms}, {exclusive: 3ms}]}
)";

Override set(const std::string& path, const std::string& value) {
  return {"--set " + path + "=" + value, path, value};
}

System read(const std::vector<Override>& overrides) {
  const ReadResult result = read_system(text, "robot.yaml", Completeness::to_be_planned, overrides);
  EXPECT_THAT(result.problems, IsEmpty());
  return result.system.value_or(System{});
}

std::string problem_of(const std::vector<Override>& overrides) {
  const ReadResult result = read_system(text, "robot.yaml", Completeness::to_be_planned, overrides);
  EXPECT_FALSE(result.system.has_value());
  EXPECT_THAT(result.problems, SizeIs(1));
  return result.problems.empty() ? std::string{} : to_string(result.problems.front());
}

TEST(Overrides, ChangeWhatIsThere) {
  const System system = read({set("policy.order", "fp"), set("tasks.lidar.kernel.grid", "8"),
                              set("tasks[1].segments[0].copy", "[1ms, 2ms]")});
  EXPECT_EQ(system.policy.order, Order::fp);
  EXPECT_EQ(std::get<KernelSegment>(system.tasks[0].work.nodes[0].segment).blocks(), 8);
  EXPECT_EQ(std::get<CopySegment>(system.tasks[1].work.nodes[0].segment).time.worst,
            std::chrono::milliseconds{2});
}

TEST(Overrides, AStarStandsForEveryItem) {
  const System system = read({set("tasks[*].deadline", "30ms")});
  EXPECT_EQ(system.tasks[0].deadline, std::chrono::milliseconds{30});
  EXPECT_EQ(system.tasks[1].deadline, std::chrono::milliseconds{30});
}

TEST(Overrides, ChainsAreKnownByName) {
  const Override chains = set("chains", "[{name: brake, tasks: [lidar]}, {name: stop, tasks: [front.left]}]");
  const System system = read({chains, set("chains.brake.reaction", "90ms"), set("chains[1].age", "30ms"),
                              set("chains[*].communication", "let")});
  EXPECT_EQ(system.chains[0].reaction, std::chrono::milliseconds{90});
  EXPECT_EQ(system.chains[1].age, std::chrono::milliseconds{30});
  EXPECT_EQ(system.chains[1].communication, Communication::let);
  EXPECT_THAT(problem_of({chains, set("chains.brak.age", "1ms")}),
              AllOf(HasSubstr("no chain is called `brak`"), HasSubstr("did you mean `brake`?")));
}

TEST(Overrides, AddWhatIsMissing) {
  const System system =
      read({set("policy.reservations.period", "10ms"), set("policy.reservations.all", "{budget: 4ms}"),
            set("tasks[\"front.left\"].deadline", "20ms")});
  EXPECT_EQ(system.policy.reservations->all->budget, std::chrono::milliseconds{4});
  EXPECT_EQ(system.tasks[1].deadline, std::chrono::milliseconds{20});
}

TEST(Overrides, APresetBecomesTheBaseOfAChangedPlatform) {
  const System system = read({set("platform.gpu.sms", "4"), set("platform.overheads.launch", "5us")});
  EXPECT_EQ(system.platform.gpu.sms, 4);
  EXPECT_EQ(system.platform.gpu.threads_per_sm, 2048);
  EXPECT_EQ(system.platform.clusters, (std::vector<std::int32_t>{2, 4}));
  EXPECT_EQ(system.platform.overheads.launch, std::chrono::microseconds{5});
}

TEST(Overrides, HalfOfTheTimesOfWaitingWorkLeaveTheOtherHalfAsLaunched) {
  const System system =
      read({set("platform.overheads.resident.release", "1us"), set("platform.overheads.completion", "30us")});
  const ResidentTime expected{std::chrono::microseconds{1}, std::chrono::microseconds{30}};
  EXPECT_EQ(system.platform.overheads.resident, expected);
}

TEST(Overrides, APeriodTakesThePlaceOfARate) {
  EXPECT_EQ(read({set("tasks.lidar.period", "40ms")}).tasks[0].period, std::chrono::milliseconds{40});
  EXPECT_EQ(read({set("tasks[1].rate", "10Hz")}).tasks[1].period, std::chrono::milliseconds{100});
}

TEST(Overrides, AStrategyLeavesOutAnOrderThatItDoesNotTake) {
  const Override federated{"--strategy federated", "policy.strategy", "federated"};
  EXPECT_EQ(read({federated}).policy.order, Order::fp);
  EXPECT_THAT(problem_of({federated, {"--order edf", "policy.order", "edf"}}),
              HasSubstr("--order edf: error: the strategy `federated` does not take the order `edf`"));
}

TEST(Overrides, ProblemsCarryTheOptionInsteadOfAPlace) {
  EXPECT_THAT(problem_of({set("policy.levels", "99")}), HasSubstr("--set policy.levels=99: error: "));
  EXPECT_THAT(problem_of({set("policy.level", "2")}),
              HasSubstr("--set policy.level=2: error: unknown key `level`\n    did you mean `levels`?"));
  EXPECT_THAT(problem_of({set("tasks.lidr.deadline", "2ms")}),
              HasSubstr("error: no task is called `lidr`\n    did you mean `lidar`?"));
  EXPECT_THAT(problem_of({set("tasks[2].deadline", "2ms")}), HasSubstr("error: there is no tasks[2]"));
  EXPECT_THAT(problem_of({set("tasks[x].deadline", "2ms")}), HasSubstr("error: there is no tasks[x]"));
  EXPECT_THAT(problem_of({set("policy.order.x", "2")}), HasSubstr("`policy.order` is a single value"));
  EXPECT_THAT(problem_of({set("tasks.lidar.deadline", "20")}), HasSubstr("has no unit"));
  EXPECT_THAT(problem_of({set("policy..levels", "2")}), HasSubstr("`policy..levels` is not a path"));
  EXPECT_THAT(problem_of({set("policy.levels", "[1")}), HasSubstr("--set policy.levels=[1: error: "));
}

TEST(Overrides, ProblemsOfTheFileKeepTheirPlace) {
  const ReadResult result =
      read_system("tactus: 1\nplatform: jetson-tx\ntasks: [{name: a, period: 9ms, exclusive: 3ms}]\n",
                  "robot.yaml", Completeness::complete, std::vector{set("policy.levels", "x")});
  ASSERT_THAT(result.problems, SizeIs(2));
  EXPECT_EQ(result.problems[0].line, 2);
  EXPECT_EQ(result.problems[1].line, 0);
  EXPECT_EQ(result.problems[1].file, "--set policy.levels=x");
}

}  // namespace
}  // namespace tactus
