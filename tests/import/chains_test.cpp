// Limits of a model: chains, requirements, and constraints that are not checked.
#include "tactus/import/chains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "import/models.hpp"

namespace tactus::import {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Tasks A and B of 10 ms on a core, events `eA` and `eB` of them and `eL` of a label, and these constraints.
Imported constrained(const std::string& constraints) {
  return imported(
      "<swModel>" + task("A", "every_10ms?type=PeriodicStimulus", call("r")) +
      task("B", "every_10ms?type=PeriodicStimulus", call("r")) + runnable("r", 1000, 0) +
      R"(<labels name="L"><size value="4" unit="B"/></labels></swModel><stimuliModel>)" + every(10) +
      "</stimuliModel>" + small_hardware + small_os +
      R"(<eventModel><events xsi:type="am:ProcessEvent" name="eA" entity="A?type=Task"/><events xsi:type="am:ProcessEvent" name="eB" entity="B?type=Task"/>
<events xsi:type="am:LabelEvent" name="eL" entity="L?type=Label"/></eventModel>)" +
      "<constraintsModel>" + constraints + "</constraintsModel>" +
      mapping(on_core("A", "C0", "2") + on_core("B", "C0", "1")));
}

std::string chain(const std::string& name, const std::string& response, const std::string& inside = "") {
  return "<eventChains name=\"" + name + "\" stimulus=\"eA?type=ProcessEvent\" response=\"" + response +
         "\">" + inside + "</eventChains>";
}

std::string latency(const std::string& scope, const std::string& type, const std::string& inside) {
  return R"(<timingConstraints xsi:type="am:EventChainLatencyConstraint" name="limit" scope=")" + scope +
         "\" type=\"" + type + "\">" + inside + "</timingConstraints>";
}

const std::string to_B = "eB?type=ProcessEvent";
const std::string one_ms = R"(<maximum value="1" unit="ms"/>)";

/// What the model has and the system has not.
std::vector<std::string> open_messages(const Imported& model) {
  std::vector<std::string> found;
  for (const Finding& one : model.findings) {
    if (one.is_open) found.push_back(one.message);
  }
  for (const Ignored& one : model.census.ignored) {
    if (is_open(one.effect)) found.push_back(one.name + ": " + one.meaning);
  }
  return found;
}

TEST(ChainLimits, OfSeveralTheLeastCounts) {
  const Imported model =
      constrained(chain("c", to_B) + latency("c?type=EventChain", "Reaction", one_ms) +
                  latency("c?type=EventChain", "Reaction", R"(<maximum value="1" unit="s"/>)") +
                  latency("c?type=EventChain", "Age", R"(<maximum value="7" unit="us"/>)"));
  ASSERT_TRUE(model.converted);
  ASSERT_THAT(model.converted->system.chains, SizeIs(1));
  EXPECT_EQ(model.converted->system.chains[0].reaction, milliseconds{10 + 1});  // and the wait for a sample
  EXPECT_EQ(model.converted->system.chains[0].age, microseconds{7});
  EXPECT_THAT(open_messages(model), IsEmpty());
}

TEST(ChainLimits, APartWithALimitIsAChainToo) {
  const Imported model = constrained(
      chain(
          "c", to_B,
          R"(<items xsi:type="am:EventChainContainer"><eventChain name="part" stimulus="eA?type=ProcessEvent" response="eB?type=ProcessEvent"/></items>)") +
      latency("part?type=SubEventChain", "Reaction", one_ms));
  ASSERT_TRUE(model.converted);
  ASSERT_THAT(model.converted->system.chains, SizeIs(2));
  EXPECT_FALSE(model.converted->system.chains[0].reaction);
  EXPECT_EQ(model.converted->system.chains[1].name, "part");
  EXPECT_EQ(model.converted->system.chains[1].reaction, milliseconds{10 + 1});
}

TEST(ChainLimits, AChainThatIsLeftOutIsOpenOnlyWithALimit) {
  const std::string left_out = chain("c", "eL?type=LabelEvent");
  EXPECT_THAT(open_messages(constrained(left_out)), IsEmpty());
  EXPECT_THAT(open_messages(constrained(left_out + latency("c?type=EventChain", "Reaction", one_ms))),
              testing::ElementsAre(HasSubstr("its limit is not checked")));
}

TEST(ChainLimits, LeastLatenciesAndLimitsOfNothingAreOpen) {
  const std::string least = R"(<minimum value="1" unit="ms"/>)";
  EXPECT_THAT(open_messages(constrained(chain("c", to_B) + latency("c?type=EventChain", "Age", least))),
              testing::ElementsAre(HasSubstr("not checked")));
  EXPECT_THAT(open_messages(constrained(chain("c", to_B) + latency("", "Age", one_ms))),
              testing::ElementsAre(HasSubstr("limits no event chain")));
}

TEST(ChainLimits, OneThatCannotBeReadIsAProblem) {
  const Imported model = constrained(
      chain("c", to_B) + latency("c?type=EventChain", "Reaction", R"(<maximum value="1" unit="weeks"/>)"));
  ASSERT_FALSE(model.converted);
  EXPECT_THAT(model.problems.at(0).message, HasSubstr("the limit of constraint `limit`"));
}

TEST(Constraints, ThoseThatAreNotCheckedAreOpen) {
  for (
      const char* one :
      {R"(<timingConstraints xsi:type="am:DelayConstraint" source="eA?type=ProcessEvent" target="eB?type=ProcessEvent"><upper value="1" unit="us"/></timingConstraints>)",
       R"(<timingConstraints xsi:type="am:RepetitionConstraint" event="eA?type=ProcessEvent"/>)",
       R"(<timingConstraints xsi:type="am:EventSynchronizationConstraint" name="s"/>)",
       R"(<dataAgeConstraints name="d" label="L?type=Label"/>)", R"(<physicalSectionConstraints name="p"/>)",
       R"(<runnableSequencingConstraints name="q"><runnableGroups/></runnableSequencingConstraints>)"}) {
    EXPECT_THAT(open_messages(constrained(one)),
                testing::ElementsAre(HasSubstr(": the constraint is not checked")))
        << one;
  }
  EXPECT_THAT(
      open_messages(constrained(R"(<affinityConstraints xsi:type="am:ProcessPairingConstraint" name="a"/>)")),
      IsEmpty());
}

TEST(Requirements, OnlyUpperLimitsOfResponseTimesOfTasksAreChecked) {
  const auto open = [](const std::string& about, const std::string& limit) {
    return open_messages(constrained("<requirements xsi:type=\"am:ProcessRequirement\" name=\"r\" " + about +
                                     "><limit xsi:type=\"am:TimeRequirementLimit\" " + limit +
                                     R"(><limitValue value="9" unit="ms"/></limit></requirements>)"));
  };
  const std::string process = R"(process="A?type=Task")";
  const std::string upper = R"(limitType="UpperLimit" metric="ResponseTime")";
  EXPECT_THAT(open(process, upper), IsEmpty());
  EXPECT_THAT(open(process, R"(limitType="LowerLimit" metric="ResponseTime")"),
              testing::ElementsAre(HasSubstr("`r` (LowerLimit of ResponseTime) is not checked")));
  EXPECT_THAT(open(process, R"(limitType="UpperLimit" metric="StartToStart")"),
              testing::ElementsAre(HasSubstr("StartToStart) is not checked")));
  EXPECT_THAT(open(process, ""), testing::ElementsAre(HasSubstr("(limit of something else)")));
  EXPECT_THAT(open(R"(process="L?type=Label")", upper), testing::ElementsAre(HasSubstr("which is no task")));
  EXPECT_THAT(open(R"(runnable="r?type=Runnable")", upper), testing::ElementsAre(HasSubstr("of no task")));
}

}  // namespace
}  // namespace tactus::import
