// Models that are large in one way or another: each is answered, or refused for what it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "import/models.hpp"
#include "tactus/import/census.hpp"

namespace tactus::import {
namespace {

using testing::AllOf;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string named(const std::string& what, int number) { return what + std::to_string(number); }

std::string runnable_with(const std::string& name, const std::string& items) {
  return "<runnables name=\"" + name + "\"><activityGraph>" + items + "</activityGraph></runnables>";
}

/// One task every 10 ms on the first core, with this software beside it.
std::string with_task(const std::string& items, const std::string& software) {
  return "<swModel>" + task("A", "every_10ms?type=PeriodicStimulus", items) + software +
         "</swModel><stimuliModel>" + every(10) + "</stimuliModel>" + small_hardware + small_os +
         mapping(on_core("A", "C0"));
}

/// Runnables "r0" and so on, each of which calls the next, and the last one takes a microsecond.
std::string chain_of_calls(int length) {
  std::string runnables;
  for (int i = 0; i + 1 < length; ++i)
    runnables += runnable_with(named("r", i), call(named("r", i + 1))) + "\n";
  return runnables + runnable(named("r", length - 1), 1000, 0);
}

TEST(Limits, CallsDeeperThanTheLimitAreRefusedOnce) {
  const Imported model = imported(with_task(call("r0"), chain_of_calls(20'000)));
  ASSERT_THAT(model.problems, SizeIs(1));
  EXPECT_EQ(model.problems[0].id, ProblemId::too_large);
  EXPECT_THAT(model.problems[0].message,
              AllOf(HasSubstr("`r19898` calls `r19899`"), HasSubstr("deeper than 100")));
  EXPECT_GT(model.problems[0].line, 19'000);
}

TEST(Limits, TasksThatMayRunOnManyCoresAreAskedForTheirAllocation) {
  std::string tasks;
  for (int i = 0; i < 1'200; ++i) tasks += task(named("T", i), "every_10ms?type=PeriodicStimulus", call("r"));
  std::string units;
  for (int i = 0; i < 1'000; ++i) {
    units += "<modules xsi:type=\"am:ProcessingUnit\" name=\"" + named("U", i) +
             "\" definition=\"D?type=ProcessingUnitDefinition\" frequencyDomain=\"F?type=FrequencyDomain\"/>";
  }
  const Imported model = imported(
      "<swModel>" + tasks + runnable("r", 1'000, 0) + "</swModel><stimuliModel>" + every(10) +
      R"(</stimuliModel><hwModel><definitions xsi:type="am:ProcessingUnitDefinition" name="D" puType="CPU"/>)" +
      R"(<structures name="S">)" + units +
      R"(</structures><domains xsi:type="am:FrequencyDomain" name="F"><defaultValue value="1" unit="GHz"/></domains></hwModel>)");
  ASSERT_THAT(model.problems, SizeIs(1));
  EXPECT_EQ(model.problems[0].id, ProblemId::too_large);
  EXPECT_THAT(model.problems[0].message, HasSubstr("1200 tasks may run on too many of 1000 cores"));
}

TEST(Limits, ElementsAndAttributesOfAllFilesTogetherAreCountedFirst) {
  const auto refused = [](const std::string& one) {
    std::string text = "<?xml version=\"1.0\"?><am:Amalthea>";
    for (int i = 0; i < 600'000; ++i) text += one;
    // Not even XML: nothing is made of it.
    const std::vector<SourceText> sources{{.name = "a.amxmi", .text = text},
                                          {.name = "b.amxmi", .text = text}};
    try {
      static_cast<void>(import_model(sources, "folder", Options{}));
    } catch (const InputError& error) {
      return error.problems().at(0).file + ": " + error.problems().at(0).message;
    }
    return std::string{};
  };
  EXPECT_EQ(refused("<a/>"), "b.amxmi: the model has more than 1000000 elements");
  EXPECT_EQ(refused(" a='' b='' c='' d=''"), "b.amxmi: the model has more than 4000000 attributes");
}

TEST(Limits, CallsAsDeepAsTheLimitCount) {
  const Imported model = imported(with_task(call("r0"), chain_of_calls(101)));
  EXPECT_THAT(model.problems, IsEmpty());
  ASSERT_TRUE(model.converted);
  EXPECT_EQ(model.converted->origins.at(0).parts.at(0).time.worst, Rational{1000});
}

TEST(Limits, DeepCallsThatNoTaskMakesAreNoProblem) {
  const Imported model = imported(with_task(call("r150"), chain_of_calls(200)));
  EXPECT_THAT(model.problems, IsEmpty());
  // Times that would lack something are not told.
  EXPECT_THAT(model.times, SizeIs(101));
}

TEST(Limits, OnlyACircleIsACallOfItself) {
  const std::string runnables =
      runnable_with("r0", call("r1")) + runnable_with("r1", call("r2")) + runnable_with("r2", call("r1"));
  const Imported model = imported(with_task(call("r0"), runnables));
  EXPECT_THAT(model.problems, testing::Contains(Field(&Problem::message, HasSubstr("`r1` calls itself"))));
}

/// Five layers of a hundred runnables, each of which calls all of the next layer: 10 to the power of 8 calls.
TEST(Limits, WideTreesOfCallsAreCountedOncePerRunnable) {
  constexpr int width = 100;
  constexpr int layers = 5;
  std::string runnables;
  for (int layer = 0; layer < layers; ++layer) {
    std::string next;
    for (int i = 0; i < width; ++i) next += call(named("r", (layer + 1) * width + i));
    for (int i = 0; i < width; ++i) {
      const std::string name = named("r", layer * width + i);
      runnables += layer + 1 == layers ? runnable(name, 1, 0) : runnable_with(name, next);
    }
  }
  const Imported model = imported(with_task(call("r0"), runnables));
  EXPECT_THAT(model.problems, IsEmpty());
  ASSERT_TRUE(model.converted);
  EXPECT_EQ(model.converted->origins.at(0).parts.at(0).time.worst, Rational{100'000'000});
  EXPECT_THAT(model.times, SizeIs(width * layers));
}

TEST(Limits, ManyElementsOfOneNameAndManyReferencesToNoneOfThem) {
  constexpr int count = 20'000;
  std::string events;
  std::string items;
  for (int i = 0; i < count; ++i) {
    events += "<events name=\"x\"/>\n";
    items += R"(<items xsi:type="am:WaitEvent" process="x?type=Task"/>)" + std::string{"\n"};
  }
  const Census census =
      take_census(documents_of("<swModel>" + events + runnable_with("r", items) + "</swModel>"));
  EXPECT_EQ(census.lost, count);
  ASSERT_THAT(census.unresolved, SizeIs(1'001));
  EXPECT_EQ(census.unresolved.back().id, ProblemId::more_problems);
  EXPECT_THAT(census.unresolved.back().message, HasSubstr("19000 more"));
}

TEST(Limits, ManyElementsOfOneNameInContainersOfTheirOwn) {
  constexpr int count = 20'000;
  std::string modules;
  std::string connections;
  for (int i = 0; i < count; ++i) {
    modules += "<structures name=\"" + named("m", i) + "\"><inner><ports name=\"p\"/></inner></structures>\n";
    connections += "<connections port1=\"board/" + named("m", i) + "/p?type=HwPort\"/>\n";
  }
  const Documents documents = documents_of("<hwModel><structures name=\"board\">" + modules +
                                           "</structures>" + connections + "</hwModel>");
  const Census census = take_census(documents);
  EXPECT_EQ(census.lost, 0U);
  EXPECT_THAT(census.ambiguous, IsEmpty());
  const Element* port = documents.find(*parse_reference("board/m19999/p?type=HwPort"));
  ASSERT_NE(port, nullptr);
  EXPECT_EQ(name_of(*port->parent->parent), "m19999");
  EXPECT_EQ(documents.find(*parse_reference("m7/board/p?type=HwPort")), nullptr);
}

TEST(Limits, FindingsOfOneKindLeaveRoomForOthers) {
  std::string tasks = task("A", "every_10ms?type=PeriodicStimulus", call("r"));
  for (int i = 0; i < 3'000; ++i) tasks += "<tasks name=\"" + named("T", i) + "\"/>\n";
  const Imported model =
      imported("<swModel>" + tasks + runnable("r", 1000, 0) + "</swModel><stimuliModel>" + every(10) +
               "</stimuliModel>" + small_hardware + small_os + mapping(on_core("A", "C0")));
  EXPECT_TRUE(model.converted);
  const auto count = std::count_if(model.findings.begin(), model.findings.end(),
                                   [](const Finding& one) { return one.kind == "no-stimulus"; });
  EXPECT_EQ(count, 1'001);
  EXPECT_TRUE(noticed(model, "no-allocation"));
}

/// A chain of the model with these parts, and a limit for it.
std::string limited_chain(const std::string& name, const std::string& inside) {
  std::string reference = name;
  std::replace(reference.begin(), reference.end(), ' ', '+');
  return "<eventChains name=\"" + name +
         "\" stimulus=\"e?type=ProcessEvent\" response=\"e?type=ProcessEvent\">" + inside +
         "</eventChains><timingConstraints xsi:type=\"am:EventChainLatencyConstraint\" scope=\"" + reference +
         "?type=EventChain\" type=\"Reaction\"><maximum value=\"20\" unit=\"ms\"/></timingConstraints>\n";
}

std::string with_chains(const std::string& chains) {
  return with_task(call("r"), runnable("r", 1000, 0)) +
         R"(<eventModel><events xsi:type="am:ProcessEvent" name="e" process="A?type=Task"/></eventModel><constraintsModel>)" +
         chains + "</constraintsModel>";
}

TEST(Limits, ManyChainsAndConstraints) {
  constexpr int count = 5'000;
  std::string chains;
  for (int i = 0; i < count; ++i) chains += limited_chain(named("chain ", i % 2 == 0 ? i : 1), "");
  const Imported model = imported(with_chains(chains));
  ASSERT_TRUE(model.converted);
  const std::vector<EffectChain>& found = model.converted->system.chains;
  ASSERT_THAT(found, SizeIs(count));
  std::set<std::string> names;
  for (const EffectChain& one : found) names.insert(one.name);
  EXPECT_THAT(names, SizeIs(count));
  EXPECT_EQ(found.front().reaction, milliseconds(10 + 20));  // and the wait for a sample
}

TEST(Limits, AChainThatHoldsItselfIsLeftOut) {
  const std::string inner = R"(<segments eventChain="c?type=EventChain"/>)";
  const Imported model = imported(with_chains(limited_chain("c", inner + inner) + limited_chain("d", "")));
  ASSERT_TRUE(model.converted);
  ASSERT_THAT(model.converted->system.chains, SizeIs(1));
  EXPECT_EQ(model.converted->system.chains[0].name, "d");
}

}  // namespace
}  // namespace tactus::import
