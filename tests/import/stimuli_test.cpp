// Every kind of stimulus.
#include "tactus/import/stimuli.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "import/models.hpp"

namespace tactus::import {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

Arrivals read(const std::string& type, const std::string& inside, bool* refused = nullptr) {
  const Documents documents = documents_of("<stimuliModel><stimuli xsi:type=\"am:" + type + "\" name=\"S\">" +
                                           inside + "</stimuli></stimuliModel>");
  Notes notes{documents};
  const Arrivals arrivals = read_arrivals(*documents.listed("stimuliModel", "stimuli").at(0), notes);
  if (refused != nullptr) *refused = !notes.problems().empty();
  return arrivals;
}

/// A task "A" on core C0 with this stimulus, and what else there is.
Imported with_stimulus(const std::string& type, const std::string& inside, const Options& options = {}) {
  return imported("<swModel>" + task("A", "S?type=" + type, call("r")) + runnable("r", 1000, 0) +
                      "</swModel><stimuliModel><stimuli xsi:type=\"am:" + type + "\" name=\"S\">" + inside +
                      "</stimuli></stimuliModel>" + small_hardware + small_os + mapping(on_core("A", "C0")),
                  options);
}

TEST(Stimulus, PeriodicHasOffsetAndJitter) {
  const Arrivals found =
      read("PeriodicStimulus", R"(<offset value="2" unit="ms"/><recurrence value="10" unit="ms"/>
    <jitter xsi:type="am:TimeBoundaries"><lowerBound value="0" unit="ms"/><upperBound value="3" unit="ms"/></jitter>)");
  EXPECT_EQ(found.arrival, Arrival::periodic);
  EXPECT_EQ(found.period, milliseconds{10});
  EXPECT_EQ(found.offset, milliseconds{2});
  EXPECT_EQ(found.jitter, milliseconds{3});
  EXPECT_EQ(read("Periodic", R"(<recurrence value="10" unit="ms"/>)").period, milliseconds{10});
}

TEST(Stimulus, JitterWithoutABoundIsAProblem) {
  bool refused = false;
  read(
      "PeriodicStimulus",
      R"(<recurrence value="10" unit="ms"/><jitter xsi:type="am:TimeGaussDistribution"><mean value="1" unit="ms"/><sd value="1" unit="ms"/></jitter>)",
      &refused);
  EXPECT_TRUE(refused);
}

TEST(Stimulus, OthersAreSporadicWithTheirLeastDistance) {
  const Arrivals relative = read(
      "RelativePeriodicStimulus",
      R"(<nextOccurrence xsi:type="am:TimeBoundaries"><lowerBound value="4" unit="ms"/><upperBound value="9" unit="ms"/></nextOccurrence>)");
  EXPECT_EQ(relative.arrival, Arrival::sporadic);
  EXPECT_EQ(relative.period, milliseconds{4});
  EXPECT_EQ(
      read(
          "ArrivalCurveStimulus",
          R"(<entries numberOfOccurrences="1"/><entries numberOfOccurrences="2"><lowerTimeBorder value="6" unit="ms"/></entries>)")
          .period,
      milliseconds{6});
  // Of several entries for two occurrences the shortest.
  EXPECT_EQ(
      read(
          "ArrivalCurveStimulus",
          R"(<entries numberOfOccurrences="2"><lowerTimeBorder value="6" unit="ms"/></entries><entries numberOfOccurrences="2"><lowerTimeBorder value="9" unit="ms"/></entries>)")
          .period,
      milliseconds{6});
}

TEST(Stimulus, TheNextBurstMayBeCloserThanWhatIsInOne) {
  const std::string burst =
      R"(<recurrence value="50" unit="ms"/><occurrenceMinDistance value="4" unit="ms"/>)";
  const auto with_length = [&](const std::string& length) {
    return read("PeriodicBurstStimulus", burst + "<burstLength value=\"" + length + "\" unit=\"ms\"/>")
        .period;
  };
  EXPECT_EQ(with_length("20"), milliseconds{4});
  EXPECT_EQ(with_length("49"), milliseconds{1});
  EXPECT_FALSE(with_length("50"));
  EXPECT_FALSE(read("PeriodicBurstStimulus", burst).period);
}

TEST(Stimulus, UntilVersionZeroEightTwoDeviationsAreJitter) {
  const Arrivals late = read(
      "PeriodicStimulus",
      R"(<stimulusDeviation><lowerBound xsi:type="am:Time" value="1" unit="ms"/><upperBound xsi:type="am:Time" value="3" unit="ms"/><distribution xsi:type="am:UniformDistribution"/></stimulusDeviation><recurrence value="20" unit="ms"/>)");
  EXPECT_EQ(late.period, milliseconds{20});
  EXPECT_EQ(late.jitter, milliseconds{3});
  const Arrivals early = read(
      "PeriodicStimulus",
      R"(<stimulusDeviation><lowerBound xsi:type="am:SignedTime" value="-1" unit="ms"/><upperBound xsi:type="am:SignedTime" value="3" unit="ms"/></stimulusDeviation><recurrence value="20" unit="ms"/>)");
  EXPECT_EQ(early.jitter, milliseconds{4});
  bool refused = false;
  const Arrivals silent =
      read("PeriodicStimulus", R"(<stimulusDeviation/><recurrence value="20" unit="ms"/>)", &refused);
  EXPECT_FALSE(refused);
  EXPECT_EQ(silent.jitter, Duration{});
  EXPECT_EQ(
      read(
          "ArrivalCurveStimulus",
          R"(<stimulusDeviation><upperBound value="1" unit="ms"/></stimulusDeviation><entries numberOfEvents="2"><lowerTimeBorder value="6" unit="ms"/></entries>)")
          .jitter,
      milliseconds{1});
}

TEST(Stimulus, UntilVersionZeroEightTwoPatternsHaveAPeriodAndTriggerTimes) {
  const Arrivals found = read(
      "SyntheticStimulus",
      R"(<stimulusDeviation><upperBound value="2" unit="ms"/></stimulusDeviation><period value="30" unit="ms"/><triggerTimes><timestamps value="0" unit="ms"/><timestamps value="8" unit="ms"/></triggerTimes>)");
  EXPECT_EQ(found.arrival, Arrival::sporadic);
  EXPECT_EQ(found.period, milliseconds{8});
  EXPECT_EQ(found.jitter, milliseconds{2});
}

TEST(Stimulus, ATimeThatCannotBeReadIsAProblem) {
  const std::string every = R"(<recurrence value="20" unit="ms"/>)";
  const std::string strange = R"( value="1" unit="msec"/>)";
  for (const auto& [type, inside] : std::vector<std::pair<std::string, std::string>>{
           {"PeriodicStimulus", "<recurrence" + strange},
           {"PeriodicStimulus", every + "<offset" + strange},
           {"PeriodicStimulus", every + R"(<offset value="-1" unit="ms"/>)"},
           {"PeriodicStimulus", every + R"(<jitter xsi:type="am:TimeBoundaries"><lowerBound)" + strange +
                                    R"(<upperBound value="1" unit="ms"/></jitter>)"},
           {"PeriodicSyntheticStimulus",
            every + R"(<occurrenceTimes value="0" unit="ms"/><occurrenceTimes value="1"/>)"},
           {"SyntheticStimulus", every + "<triggerTimes><timestamps" + strange + "</triggerTimes>"},
           {"PeriodicBurstStimulus", every + "<burstLength" + strange},
           {"PeriodicBurstStimulus", every + "<occurrenceMinDistance" + strange},
           {"ArrivalCurveStimulus",
            R"(<entries numberOfOccurrences="2"><lowerTimeBorder)" + strange + "</entries>"},
           {"SingleStimulus", "<occurrence" + strange}}) {
    bool refused = false;
    read(type, inside, &refused);
    EXPECT_TRUE(refused) << type << inside;
  }
  bool refused = false;
  read("PeriodicStimulus", every + R"(<offset value="0"/>)", &refused);
  EXPECT_FALSE(refused);
  const Imported model = with_stimulus("PeriodicStimulus", "<recurrence" + strange);
  EXPECT_THAT(model.problems.at(0).message, HasSubstr("`recurrence` of `S` is not understood"));
  EXPECT_GT(model.problems.at(0).column, 1);
}

TEST(Stimulus, ADistanceOfZeroGivesNoPeriod) {
  EXPECT_FALSE(
      read(
          "SporadicStimulus",
          R"(<stimulusDeviation><lowerBound xsi:type="am:Time" value="0"/><upperBound value="1" unit="ms"/></stimulusDeviation>)")
          .period);
}

TEST(Stimulus, TheElementOfTheDistanceIsTheOneThatTheModelHas) {
  const auto role = [](const std::string& type, const std::string& inside) {
    const Documents documents = documents_of("<stimuliModel><stimuli xsi:type=\"am:" + type +
                                             "\" name=\"S\">" + inside + "</stimuli></stimuliModel>");
    return std::string{distance_role(*documents.listed("stimuliModel", "stimuli").at(0))};
  };
  EXPECT_EQ(role("SporadicStimulus", "<stimulusDeviation/>"), "stimulusDeviation");
  EXPECT_EQ(role("Sporadic", ""), "stimulusDeviation");
  EXPECT_EQ(role("RelativePeriodicStimulus", "<nextOccurrence/>"), "nextOccurrence");
  EXPECT_EQ(role("PeriodicStimulus", ""), "");
}

TEST(Stimulus, WithoutADistanceItsOwnElementIsNamedAndAPeriodWillDo) {
  const auto hint_of = [](const Imported& model) {
    for (const Finding& one : model.findings) {
      if (one.kind == "no-distance") return one.hint;
    }
    return std::string{};
  };
  const std::string zero =
      R"(<stimulusDeviation><lowerBound xsi:type="am:Time" value="0" unit="ms"/></stimulusDeviation>)";
  const Imported old = with_stimulus("SporadicStimulus", zero);
  EXPECT_FALSE(old.converted);
  EXPECT_THAT(hint_of(old), HasSubstr("`stimulusDeviation`"));
  EXPECT_THAT(old.problems.at(0).hint, HasSubstr("--period A=10ms"));
  EXPECT_THAT(hint_of(with_stimulus("RelativePeriodicStimulus", "")), HasSubstr("`nextOccurrence`"));
  Options options;
  options.periods["A"] = milliseconds{5};
  const Imported given = with_stimulus("SporadicStimulus", zero, options);
  ASSERT_TRUE(given.converted) << given.problems.at(0).message;
  EXPECT_EQ(given.converted->system.tasks.at(0).period, milliseconds{5});
  EXPECT_FALSE(noticed(given, "no-distance"));
}

TEST(Stimulus, SingleComesOnceAndOthersAreNotKnown) {
  const Arrivals single = read("SingleStimulus", R"(<occurrence value="5" unit="ms"/>)");
  EXPECT_EQ(single.arrival, Arrival::once);
  EXPECT_EQ(single.offset, milliseconds{5});
  EXPECT_EQ(read("SingleStimulus", R"(<activation value="7" unit="ms"/>)").offset, milliseconds{7});
  EXPECT_FALSE(read("CustomStimulus", "").period);
  EXPECT_FALSE(read("EventStimulus", "").period);
  EXPECT_TRUE(read("InterProcessStimulus", "").is_triggered);
}

}  // namespace
}  // namespace tactus::import
