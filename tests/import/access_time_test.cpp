// How long accesses to labels take: by latency, by data rate, directly and along paths.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "import/models.hpp"

namespace tactus::import {
namespace {

using testing::HasSubstr;

/// A task of 10 ms on a core of 1 GHz with this access element, that reads 128 B (two lines) and works 1000
/// ticks.
Imported reading(const std::string& inside_access, const Options& options = {},
                 const std::string& latency_of_memory = "") {
  const std::string hardware =
      R"(<hwModel><definitions xsi:type="am:ProcessingUnitDefinition" name="Core" puType="CPU"/>
<definitions xsi:type="am:ConnectionHandlerDefinition" name="Fast"><dataRate value="1" unit="GBPerSecond"/></definitions>
<definitions xsi:type="am:ConnectionHandlerDefinition" name="Slow"><dataRate value="1" unit="MbitPerSecond"/></definitions>
<definitions xsi:type="am:ConnectionHandlerDefinition" name="Late"><readLatency xsi:type="am:DiscreteValueConstant" value="10"/></definitions>
<definitions xsi:type="am:ConnectionHandlerDefinition" name="Plain"/>
<definitions xsi:type="am:MemoryDefinition" name="DRAM">)" +
      latency_of_memory +
      R"(</definitions><structures name="Board"><modules xsi:type="am:ProcessingUnit" name="C0" definition="Core?type=ProcessingUnitDefinition" frequencyDomain="F?type=FrequencyDomain">
<accessElements destination="RAM?type=Memory">)" +
      inside_access + R"(</accessElements></modules>
<modules xsi:type="am:ConnectionHandler" name="fast" definition="Fast?type=ConnectionHandlerDefinition"/>
<modules xsi:type="am:ConnectionHandler" name="slow" definition="Slow?type=ConnectionHandlerDefinition"/>
<modules xsi:type="am:ConnectionHandler" name="late" definition="Late?type=ConnectionHandlerDefinition"/>
<modules xsi:type="am:ConnectionHandler" name="plain" definition="Plain?type=ConnectionHandlerDefinition"/>
<modules xsi:type="am:Memory" name="RAM" definition="DRAM?type=MemoryDefinition"/></structures>
<domains xsi:type="am:FrequencyDomain" name="F"><defaultValue value="1" unit="GHz"/></domains></hwModel>)";
  const std::string reader =
      R"(<runnables name="r"><activityGraph><items xsi:type="am:LabelAccess" data="L?type=Label" access="read"/><items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="1000"/></items></activityGraph></runnables><labels name="L"><size value="128" unit="B"/></labels>)";
  return imported(
      "<swModel>" + task("A", "every_10ms?type=PeriodicStimulus", call("r")) + reader +
          "</swModel><stimuliModel>" + every(10) + "</stimuliModel>" + hardware +
          R"(<mappingModel><memoryMapping abstractElement="L?type=Label" memory="RAM?type=Memory"/></mappingModel>)",
      options);
}

std::string path(const std::string& elements) { return "<accessPath pathElements=\"" + elements + "\"/>"; }

const std::string slow_path =
    path("fast?type=ConnectionHandler slow?type=ConnectionHandler fast?type=ConnectionHandler");

Options by(AccessTime access) {
  Options options;
  options.access = access;
  return options;
}

/// What the access alone takes.
Interval access_time(const Imported& model) {
  const CpuSegment& segment =
      std::get<CpuSegment>(model.converted.value().system.tasks.at(0).work.nodes.at(0).segment);
  return {segment.time.best - nanoseconds(1000), segment.time.worst - nanoseconds(1000)};
}

std::string message_of(const Imported& model, std::string_view kind) {
  for (const Finding& one : model.findings) {
    if (one.kind == kind) return one.message + "\n" + one.hint;
  }
  return {};
}

TEST(AccessTime, LatenciesHaveABestAndAnAverageCase) {
  const std::string latency =
      R"(<readLatency xsi:type="am:DiscreteValueGaussDistribution" lowerBound="8" upperBound="26" mean="16.0" sd="1.0"/>)";
  const std::string memory =
      R"(<accessLatency xsi:type="am:DiscreteValueBoundaries" lowerBound="1" upperBound="3"/>)";
  EXPECT_EQ(access_time(reading(latency)), (Interval{nanoseconds(16), nanoseconds(52)}));
  EXPECT_EQ(access_time(reading(latency, {}, memory)), (Interval{nanoseconds(18), nanoseconds(58)}));
  Options average;
  average.times = Times::average;
  EXPECT_EQ(access_time(reading(latency, average, memory)), Interval::exactly(nanoseconds(36)));
}

TEST(AccessTime, ALatencyWithoutAnUpperBoundAsksAQuestion) {
  const std::string normal =
      R"(<readLatency xsi:type="am:DiscreteValueGaussDistribution" mean="16.0" sd="1.0"/>)";
  const Imported model = reading(normal);
  EXPECT_FALSE(model.converted);
  EXPECT_THAT(model.problems.at(0).message, HasSubstr("this latency has no upper bound"));
  EXPECT_THAT(model.problems.at(0).hint, HasSubstr("--deviations"));
  Options options;
  options.deviations = Rational{2};
  EXPECT_EQ(access_time(reading(normal, options)), (Interval{nanoseconds(0), nanoseconds(36)}));
}

TEST(AccessTime, DataRatesOfAPathAddUp) {
  // 128 B: 1.024 ms on the slow connection, 128 ns on each of the fast ones, at best while that works.
  const Imported model = reading(slow_path, by(AccessTime::rate));
  EXPECT_EQ(access_time(model), (Interval{nanoseconds(1'024'000), nanoseconds(1'024'256)}));
  EXPECT_THAT(message_of(model, "access-time"), HasSubstr("their times add up"));
  EXPECT_FALSE(noticed(model, "no-latency"));
}

TEST(AccessTime, ThingsOnAPathTakeTheirLatencyOrTheirDataRate) {
  const std::string mixed = path("fast?type=ConnectionHandler late?type=ConnectionHandler");
  const std::string memory = R"(<accessLatency xsi:type="am:DiscreteValueConstant" value="2"/>)";
  for (const AccessTime access : {AccessTime::rate, AccessTime::latency})
    EXPECT_EQ(access_time(reading(mixed, by(access), memory)),
              (Interval{nanoseconds(128), nanoseconds(128 + 20 + 4)}));
}

TEST(AccessTime, APathWithoutLatenciesTakesItsDataRatesAndSaysSo) {
  const Imported model = reading(slow_path);
  EXPECT_EQ(access_time(model), (Interval{nanoseconds(1'024'000), nanoseconds(1'024'256)}));
  const std::string message = message_of(model, "no-latency");
  EXPECT_THAT(message,
              HasSubstr("on the path from `C0` to `RAM` there is no latency for reads at `fast`, `slow`"));
  EXPECT_THAT(message, HasSubstr("--access rate"));
}

TEST(AccessTime, WhatTakesNoTimeIsWarnedAbout) {
  const Imported model = reading(path("plain?type=ConnectionHandler"));
  EXPECT_EQ(access_time(model), Interval::exactly(Duration{}));
  EXPECT_THAT(
      message_of(model, "no-latency"),
      HasSubstr(
          "the path from `C0` to `RAM` has neither latency nor data rate for reads: they take no time"));
  EXPECT_THAT(message_of(reading(""), "no-latency"), HasSubstr("the access element from `C0` to `RAM`"));
  EXPECT_FALSE(noticed(reading("", by(AccessTime::none)), "no-latency"));
}

TEST(AccessTime, ADataRateOfTheAccessElementIsThatOfTheWholeWay) {
  const std::string rate = R"(<dataRate value="2" unit="GBPerSecond"/>)";
  const std::string both = R"(<readLatency xsi:type="am:DiscreteValueConstant" value="5"/>)" + rate;
  const std::string latency = R"(<accessLatency xsi:type="am:DiscreteValueConstant" value="2"/>)";
  const std::string memory = latency + R"(<dataRate value="1" unit="MBPerSecond"/>)";
  EXPECT_EQ(access_time(reading(both, by(AccessTime::rate), memory)), Interval::exactly(nanoseconds(64)));
  EXPECT_EQ(access_time(reading(both, {}, memory)), Interval::exactly(nanoseconds(14)));
  EXPECT_EQ(access_time(reading(rate)), Interval::exactly(nanoseconds(64)));
  EXPECT_FALSE(noticed(reading(rate), "no-latency"));
}

// Labels of which it is not said where they lie, or only by their section.

/// A task that reads a label of one line, on a core that needs 1 ns for it in "Fast", and 100 ns in "Slow".
Imported reading_from(const std::string& in_mapping, const std::string& latencies = "fast slow") {
  const auto access = [](const std::string& memory, const std::string& ticks) {
    return "<accessElements destination=\"" + memory +
           "?type=Memory\"><readLatency xsi:type=\"am:DiscreteValueConstant\" value=\"" + ticks +
           "\"/></accessElements>";
  };
  const std::string accesses =
      latencies.empty() ? "" : access("Fast", "1") + (latencies == "fast" ? "" : access("Slow", "100"));
  return imported(
      "<swModel>" + task("A", "every_10ms?type=PeriodicStimulus", call("r")) +
      R"(<runnables name="r"><activityGraph><items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="1000"/></items><items xsi:type="am:LabelAccess" data="L?type=Label" access="read"/></activityGraph></runnables><labels name="L" section="near?type=Section"><size value="8" unit="B"/></labels><sections name="near"/></swModel><stimuliModel>)" +
      every(10) +
      R"(</stimuliModel><hwModel><definitions xsi:type="am:ProcessingUnitDefinition" name="Core" puType="CPU"/><structures name="Board"><modules xsi:type="am:ProcessingUnit" name="C0" definition="Core?type=ProcessingUnitDefinition" frequencyDomain="F?type=FrequencyDomain">)" +
      accesses +
      R"(</modules><modules xsi:type="am:Memory" name="Fast"/><modules xsi:type="am:Memory" name="Slow"/></structures><domains xsi:type="am:FrequencyDomain" name="F"><defaultValue value="1" unit="GHz"/></domains></hwModel><mappingModel>)" +
      in_mapping + "</mappingModel>");
}

std::string label_in(const std::string& memory) {
  return R"(<memoryMapping abstractElement="L?type=Label" memory=")" + memory + R"(?type=Memory"/>)";
}

std::string section_in(const std::string& memory) {
  return R"(<physicalSectionMapping name="m" origin="near?type=Section" memory=")" + memory +
         R"(?type=Memory"/>)";
}

constexpr Interval either_memory{nanoseconds(1), nanoseconds(100)};

TEST(AccessTime, ALabelInNoMemoryMayLieInAny) {
  const Imported model = reading_from("");
  EXPECT_EQ(access_time(model), either_memory);
  EXPECT_THAT(message_of(model, "no-memory"), HasSubstr("the slowest access element of `C0`"));
  const Imported two = reading_from(label_in("Fast") + label_in("Slow"));
  EXPECT_EQ(access_time(two), either_memory);
  const Imported out_of_reach = reading_from(label_in("Slow"), "fast");
  EXPECT_EQ(access_time(out_of_reach), Interval::exactly(nanoseconds(1)));
  EXPECT_TRUE(noticed(out_of_reach, "no-access"));
}

TEST(AccessTime, ALabelLiesWhereItsSectionDoes) {
  const Imported model = reading_from(section_in("Slow"));
  EXPECT_EQ(access_time(model), Interval::exactly(nanoseconds(100)));
  EXPECT_FALSE(noticed(model, "no-memory"));
  EXPECT_TRUE(model.census.ignored.empty());
  EXPECT_EQ(access_time(reading_from(section_in("Slow") + label_in("Fast"))),
            Interval::exactly(nanoseconds(1)));
  EXPECT_EQ(access_time(reading_from(section_in("Slow") + section_in("Fast"))), either_memory);
}

TEST(AccessTime, AUnitWithoutAccessElementsIsWarnedAbout) {
  EXPECT_TRUE(noticed(reading_from("", ""), "no-access-time"));
  EXPECT_FALSE(noticed(reading_from(""), "no-access-time"));
}

}  // namespace
}  // namespace tactus::import
