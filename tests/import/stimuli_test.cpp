// Every kind of stimulus.
#include "tactus/import/stimuli.hpp"

#include <gtest/gtest.h>

#include <string>

#include "import/models.hpp"

namespace tactus::import {
namespace {

using std::chrono::milliseconds;

Arrivals read(const std::string& type, const std::string& inside, bool* refused = nullptr) {
  const Documents documents = documents_of("<stimuliModel><stimuli xsi:type=\"am:" + type + "\" name=\"S\">" +
                                           inside + "</stimuli></stimuliModel>");
  Notes notes{documents};
  const Arrivals arrivals = read_arrivals(*documents.listed("stimuliModel", "stimuli").at(0), notes);
  if (refused != nullptr) *refused = !notes.problems().empty();
  return arrivals;
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
  EXPECT_EQ(read("PeriodicBurstStimulus",
                 R"(<recurrence value="50" unit="ms"/><occurrenceMinDistance value="2" unit="ms"/>)")
                .period,
            milliseconds{2});
}

TEST(Stimulus, SingleComesOnceAndOthersAreNotKnown) {
  const Arrivals single = read("SingleStimulus", R"(<occurrence value="5" unit="ms"/>)");
  EXPECT_EQ(single.arrival, Arrival::once);
  EXPECT_EQ(single.offset, milliseconds{5});
  EXPECT_FALSE(read("CustomStimulus", "").period);
  EXPECT_FALSE(read("EventStimulus", "").period);
  EXPECT_TRUE(read("InterProcessStimulus", "").is_triggered);
}

}  // namespace
}  // namespace tactus::import
