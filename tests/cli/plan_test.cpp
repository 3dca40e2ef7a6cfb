// tactus plan as users meet it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/command.hpp"

namespace tactus::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string example = "examples/sharing/to-plan.yaml";

TEST(PlanCommand, WritesAFileThatHolds) {
  const std::string output = temporary_path("planned.yaml");
  const Answer answer = tactus("plan " + example + " -o " + output);
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, AllOf(HasSubstr("found"), HasSubstr("reservations: every"), HasSubstr("margin")));
  const Answer check = tactus("check " + output);
  EXPECT_EQ(check.status, 0) << check.out << check.err;
  const Answer simulated = tactus("sim " + output + " --for 1s");
  EXPECT_EQ(simulated.status, 0) << simulated.out << simulated.err;
  // What holds is kept.
  const std::string again = temporary_path("again.yaml");
  EXPECT_EQ(tactus("plan " + output + " -o " + again).status, 0);
  EXPECT_EQ(tactus("check " + again).status, 0);
}

TEST(PlanCommand, JsonIsOneLine) {
  const Answer answer = tactus("plan " + example + " --json");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.out.find('\n'), answer.out.size() - 1);
  const json plan = json::parse(answer.out);
  EXPECT_EQ(plan["found"], true);
  EXPECT_TRUE(plan.contains("reservations"));
  EXPECT_TRUE(plan.contains("sm"));
}

std::string too_much() {
  return write_temporary("too-much.yaml", R"(
tactus: 1
platform: {gpu: {sms: 1}}
policy: {strategy: single-stream, order: fp}
tasks:
  - {name: heavy, period: 10ms, exclusive: 8ms}
  - {name: light, period: 10ms, exclusive: 3ms}
)");
}

TEST(PlanCommand, NothingFoundIsANoWithAReasonAndNoFile) {
  const std::string output = temporary_path("never.yaml");
  const Answer answer = tactus("plan " + too_much() + " -o " + output);
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("nothing found"), HasSubstr("Searched:"), HasSubstr("Why not:")));
  EXPECT_FALSE(std::filesystem::exists(output));
  const json plan = json::parse(tactus("plan " + too_much() + " --json").out);
  EXPECT_EQ(plan["found"], false);
  EXPECT_TRUE(plan["why_not"].is_string());
  EXPECT_TRUE(plan["fails"]["task"].is_string());
}

TEST(PlanCommand, ChoosesCoresAndVariants) {
  const std::string waters = "examples/waters2019-plan.yaml";
  const Answer open = tactus("check " + waters);
  EXPECT_EQ(open.status, 2);
  EXPECT_THAT(open.err, AllOf(HasSubstr("`core: any` leaves the choice open"),
                              HasSubstr("`either` leaves the choice open"), HasSubstr("tactus plan FILE")));
  EXPECT_EQ(tactus("sim " + waters).status, 2);
  const std::string output = temporary_path("waters.yaml");
  const Answer answer = tactus("plan " + waters + " -o " + output);
  EXPECT_EQ(answer.status, 0) << answer.out << answer.err;
  EXPECT_EQ(tactus("check " + output).status, 0);
  EXPECT_EQ(tactus("sim " + output + " --for 1s").status, 0);
  const json plan = json::parse(tactus("plan " + waters + " --json").out);
  EXPECT_EQ(plan["variants"]["lane"], json::array({1}));
  EXPECT_EQ(plan["cores"].size(), 10U);
  EXPECT_FALSE(plan.contains("policy"));
}

TEST(PlanCommand, TakesAnyStrategy) {
  const std::string waters = "examples/waters2019.yaml --strategy any --set policy.strategy=single-stream";
  const json plan = json::parse(tactus("plan " + waters + " --json").out);
  EXPECT_EQ(plan["found"], true);
  EXPECT_EQ(plan["policy"]["strategy"], "multi-stream");
  EXPECT_EQ(plan["policy"]["order"], "fp");
  EXPECT_THAT(tactus("plan " + waters).out, HasSubstr("strategy: multi-stream, order: fp"));
  EXPECT_EQ(tactus("plan examples/federated/robot.yaml --strategy any --fastest").status, 2);
}

TEST(PlanCommand, WithNothingToChooseItChecks) {
  const Answer answer = tactus("plan examples/first.yaml");
  EXPECT_EQ(answer.status, 0);
  EXPECT_THAT(answer.out, HasSubstr("nothing to choose"));
}

const std::string robot = "examples/federated/robot.yaml";

TEST(PlanCommand, GivesChainsTheirVirtualSms) {
  EXPECT_EQ(tactus("check " + robot).status, 2);  // it has none
  const std::string output = temporary_path("robot.yaml");
  const Answer answer = tactus("plan " + robot + " -o " + output);
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, AllOf(HasSubstr("virtual SMs"), HasSubstr("of 10"), HasSubstr("rtgpu")));
  const Answer check = tactus("check " + output);
  EXPECT_EQ(check.status, 0) << check.out << check.err;
  const Answer simulated = tactus("sim " + output + " --for 1s");
  EXPECT_EQ(simulated.status, 0) << simulated.out << simulated.err;
  // A complete file is confirmed.
  const Answer again = tactus("plan " + output + " --json");
  EXPECT_EQ(again.status, 0);
  const json first = json::parse(tactus("plan " + robot + " --json").out);
  EXPECT_EQ(json::parse(again.out)["virtual_sms"], first["virtual_sms"]);
  EXPECT_FALSE(first["virtual_sms"].contains("control"));
}

TEST(PlanCommand, SavesSms) {
  const Answer answer = tactus("plan " + robot + " --fewest-sms");
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("with fewer no test accepts it"));
  const json fewest = json::parse(tactus("plan " + robot + " --fewest-sms --json").out);
  const json first = json::parse(tactus("plan " + robot + " --json").out);
  EXPECT_EQ(fewest["sms"]["fewest"], true);
  EXPECT_LE(fewest["sms"]["used"].get<int>(), first["sms"]["used"].get<int>());
}

TEST(PlanCommand, MakesTasksFaster) {
  const std::string output = temporary_path("fast.yaml");
  const Answer answer = tactus("plan " + robot + " --fastest -o " + output);
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out,
              AllOf(HasSubstr("rates: 1."), HasSubstr("period"), HasSubstr("not accepted at 1.")));
  EXPECT_EQ(tactus("check " + output).status, 0);
}

TEST(PlanCommand, MakesChainsShort) {
  const std::string chains = "examples/chains.yaml";
  const Answer all = tactus("plan " + chains + " --shortest-chains");
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_THAT(all.out, AllOf(HasSubstr("chains brake, pedal, log: "), HasSubstr("give less")));
  const json line = json::parse(tactus("plan " + chains + " --shortest-chains --of pedal --json").out);
  EXPECT_EQ(line["shortest_chains"]["chains"], json::parse(R"(["pedal"])"));
  EXPECT_EQ(line["shortest_chains"]["together_ns"], line["chains"][1]["reaction_bound_ns"]);
  EXPECT_EQ(line["shortest_chains"]["least"], true);
  EXPECT_THAT(tactus("plan " + chains + " --shortest-chains --of pedals").err,
              HasSubstr("did you mean 'pedal'"));
  EXPECT_THAT(tactus("plan " + example + " --shortest-chains").err, HasSubstr("the system has no chains"));
  EXPECT_EQ(tactus("plan " + chains + " --shortest-chains --fastest").status, 2);
  EXPECT_EQ(tactus("plan " + chains + " --shortest-chains --time-limit soon").status, 2);
}

TEST(PlanCommand, ATaskThatIsLateAloneIsNamed) {
  const Answer answer = tactus("plan examples/waters2019-plan.yaml --set tasks.planner.deadline=12ms");
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("with the machine to itself"), HasSubstr("'planner'")));
}

TEST(PlanCommand, Graphs) {
  const std::string output = temporary_path("graphs.yaml");
  const Answer answer = tactus("plan examples/graphs/to-plan.yaml -o " + output);
  EXPECT_EQ(answer.status, 0) << answer.out << answer.err;
  EXPECT_THAT(answer.out, AllOf(HasSubstr("Nodes with variants:"), HasSubstr("camera1: detect kernel"),
                                HasSubstr("a search over")));
  EXPECT_EQ(tactus("check " + output).status, 0);
  EXPECT_EQ(tactus("sim " + output + " --for 2s").status, 0);
  const json plan = json::parse(tactus("plan examples/graphs/to-plan.yaml --json").out);
  EXPECT_EQ(plan["variants"]["camera1"], json::array({0}));
  // What was found is kept.
  EXPECT_THAT(tactus("plan " + output).out, HasSubstr("nothing to choose"));
}

TEST(PlanCommand, TheHighestFrameRate) {
  const std::string file = "examples/graphs/fine.yaml";
  const std::string output = temporary_path("fast-graphs.yaml");
  const Answer answer = tactus("plan " + file + " --fastest -o " + output);
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, AllOf(HasSubstr("rates: 1."), HasSubstr("160ms")));
  EXPECT_EQ(tactus("check " + output).status, 0);
  const json some = json::parse(tactus("plan " + file + " --fastest --of camera1,camera3 --json").out);
  EXPECT_EQ(some["rate"]["tasks"], json::array({"camera1", "camera3"}));
  const json all = json::parse(tactus("plan " + file + " --fastest --json").out);
  EXPECT_FALSE(all["rate"].contains("tasks"));
  EXPECT_EQ(all["rate"]["largest"], true);
  const Answer unknown = tactus("plan " + file + " --fastest --of camera7");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'camera"));
  EXPECT_EQ(tactus("plan " + file + " --of camera1").status, 2);
}

TEST(PlanCommand, RefusesWhatItCannotPlan) {
  const std::string file = write_temporary("graph.yaml", R"(
tactus: 1
platform: {gpu: {sms: 4}}
policy: {strategy: graph}
tasks:
  - {name: one, period: 10ms, segments: [{cpu: 1ms}]}
)");
  EXPECT_THAT(tactus("plan " + file).out, HasSubstr("it holds as it is"));
  EXPECT_EQ(tactus("plan missing.yaml").status, 2);
  EXPECT_EQ(tactus("plan").status, 2);
  EXPECT_EQ(tactus("plan " + example + " -o /nowhere/out.yaml").status, 3);
  const Answer elsewhere = tactus("plan " + example + " --fewest-sms");
  EXPECT_EQ(elsewhere.status, 2);
  EXPECT_THAT(elsewhere.err, HasSubstr("`federated` only"));
  EXPECT_EQ(tactus("plan " + example + " --fastest").status, 2);
}

TEST(PlanCommand, HelpTeaches) {
  const Answer answer = tactus("plan --help");
  EXPECT_EQ(answer.status, 0);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("tactus plan examples"), HasSubstr("Exit status"),
                                HasSubstr("sm: any"), HasSubstr("--fewest-sms"), HasSubstr("--fastest")));
}

}  // namespace
}  // namespace tactus::test
