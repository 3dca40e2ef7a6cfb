// Effect chains in the output of `check`, `sim` and `run`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/command.hpp"

namespace tactus::test {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;
using testing::Not;

TEST(Chains, TheExampleHolds) {
  const Answer checked = tactus("check examples/chains.yaml");
  EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("brake  register       reaction  150ms  124.3ms  25.7ms"));
  const Answer simulated = tactus("sim examples/chains.yaml");
  EXPECT_EQ(simulated.status, 0) << simulated.out << simulated.err;
  EXPECT_THAT(simulated.out, HasSubstr("chain  communication  time"));
  EXPECT_THAT(simulated.out, Not(HasSubstr("BROKEN")));
  EXPECT_EQ(tactus("plan examples/chains.yaml").status, 0);
}

TEST(Chains, ALimitThatIsNotProvenIsANo) {
  const Answer answer = tactus("check examples/chains.yaml --no-hints --set chains.brake.reaction=124ms");
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, HasSubstr("chains: unproven"));
  EXPECT_THAT(answer.out,
              HasSubstr("chain 'brake': unproven; the reaction may be up to 124.3ms, its limit is "
                        "124ms; 'detector' has the largest share of it"));
  EXPECT_EQ(tactus("plan examples/chains.yaml --no-hints --set chains.brake.reaction=124ms").status, 1);
}

TEST(Chains, ALimitThatNoScheduleKeepsIsUnschedulable) {
  const Answer answer = tactus("check examples/chains.yaml --no-hints --set chains.brake.reaction=30ms");
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, HasSubstr("chains: unschedulable"));
}

TEST(Chains, HintsLeadToLimitsThatHold) {
  const Answer answer = tactus("check examples/chains.yaml --set chains.brake.reaction=120ms --json");
  const json line = json::parse(answer.out);
  for (const json& hint : line["hints"])
    EXPECT_NE(hint["kind"], "deadline") << "deadlines do not matter here";
}

TEST(Chains, AreInTheJsonOfCheck) {
  const json line = json::parse(tactus("check examples/chains.yaml --json").out);
  ASSERT_EQ(line["chains"].size(), 3U);
  EXPECT_EQ(line["chains"][0],
            json::parse(R"({"name": "brake", "communication": "register", "reaction_limit_ns": 150000000,
                            "reaction_bound_ns": 124300000, "age_limit_ns": 130000000,
                            "age_bound_ns": 119300000, "ok": true, "verdict": "schedulable"})"));
  EXPECT_EQ(line["chains"][1]["age_bound_ns"], nullptr);
  EXPECT_THAT(line["chains"][1]["reason"].get<std::string>(), HasSubstr("sporadic"));
  EXPECT_FALSE(json::parse(tactus("check examples/first.yaml --json").out).contains("chains"));
}

TEST(Chains, ALimitThatIsPassedCountsLikeADeadline) {
  const Answer text = tactus("sim examples/chains.yaml --set chains.brake.age=100ms");
  EXPECT_EQ(text.status, 1);
  EXPECT_THAT(text.out, HasSubstr("Chain 'brake': its age passed its limit of 100ms"));
  EXPECT_THAT(text.out, HasSubstr("No deadline missed."));
  const Answer answer = tactus("sim examples/chains.yaml --set chains.brake.age=100ms --json");
  EXPECT_EQ(answer.status, 1);
  const json brake = json::parse(answer.out)["chains"][0];
  EXPECT_GT(brake["age_misses"], 0);
  EXPECT_GT(brake["age_max_ns"], 100'000'000);
  EXPECT_LE(brake["age_max_ns"], brake["age_bound_ns"]);
  EXPECT_EQ(brake["reaction_misses"], 0);
  EXPECT_EQ(brake["complete"], true);
  EXPECT_FALSE(brake.contains("age_bound_exceeded"));
}

TEST(Chains, MissesThatAreNotOverAtTheEndAreSaidApart) {
  const Answer text = tactus("sim examples/chains.yaml --set chains.brake.reaction=1ms");
  EXPECT_THAT(text.out, HasSubstr(" (1 of them not over at the end, and so not seen)"));
  const json brake =
      json::parse(tactus("sim examples/chains.yaml --set chains.brake.reaction=1ms --json").out)["chains"][0];
  EXPECT_GT(brake["reaction_open_misses"], 0);
  EXPECT_LE(brake["reaction_misses"],
            brake["reactions"].get<int>() + brake["reaction_open_misses"].get<int>());
}

TEST(Chains, LogicalExecutionTimeIsSeenAsProven) {
  const Answer answer = tactus("sim examples/waters2019.yaml --set 'chains[*].communication=let' --json");
  const json result = json::parse(answer.out);
  ASSERT_EQ(result["chains"].size(), 6U);
  for (const json& chain : result["chains"]) {
    EXPECT_EQ(chain["reaction_max_ns"], chain["reaction_bound_ns"]) << chain["name"];
    EXPECT_EQ(chain["age_max_ns"], chain["age_bound_ns"]) << chain["name"];
  }
}

TEST(Chains, AreFollowedInARun) {
  const Answer answer = tactus("run examples/chains.yaml --device host --for 400ms --json");
  EXPECT_THAT(answer.status, AnyOf(Eq(0), Eq(1))) << answer.err;  // a busy machine may be late
  const json result = json::parse(answer.out);
  ASSERT_EQ(result["chains"].size(), 3U);
  EXPECT_GT(result["chains"][0]["outputs"], 0);
  EXPECT_EQ(result["chains"][0]["reaction_bound_ns"], 124'300'000);
}

TEST(Chains, AreExplained) {
  for (const char* word : {"'effect chain'", "register", "queue", "let", "'reaction time'", "'data age'"}) {
    EXPECT_EQ(tactus(std::string{"explain "} + word).status, 0) << word;
  }
}

}  // namespace
}  // namespace tactus::test
