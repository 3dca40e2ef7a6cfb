// Processing units of old and new models.
#include "tactus/import/hardware.hpp"

#include <gtest/gtest.h>

#include "import/models.hpp"

namespace tactus::import {
namespace {

TEST(Hardware, UnitsHaveKindsFrequenciesAndAccesses) {
  const Documents documents = documents_of(small_hardware);
  Notes notes{documents};
  const Hardware hardware = read_hardware(notes);
  ASSERT_EQ(hardware.units.size(), 3U);
  EXPECT_EQ(hardware.units[0].name, "C0");
  EXPECT_EQ(hardware.units[0].kind, UnitKind::cpu);
  EXPECT_EQ(hardware.units[0].hertz, Rational{1'000'000'000});
  EXPECT_EQ(hardware.units[2].kind, UnitKind::gpu);
  ASSERT_EQ(hardware.units[2].accesses.size(), 1U);
  const MemoryAccess& access = hardware.units[2].accesses[0];
  EXPECT_FALSE(access.is_path);
  ASSERT_EQ(access.way.size(), 1U);
  EXPECT_EQ(access.way[0].read->worst, Rational{5});
  EXPECT_EQ(access.way[0].bytes_per_second, Rational{10'000'000'000});
  EXPECT_EQ(hardware.units[2].sms, 2);
}

TEST(Hardware, UntilVersionZeroEightThereAreCoresAndQuartzes) {
  const Documents documents = documents_of(
      R"(<hwModel><coreTypes name="T" instructionsPerCycle="2.0"/><system name="X"><ecus name="E"><microcontrollers name="M">
    <quartzes name="Q"><frequency value="100.0" unit="MHz"/></quartzes>
    <cores name="C" coreType="T?type=CoreType"><prescaler clockRatio="2.0" quartz="Q?type=Quartz"/></cores></microcontrollers></ecus></system></hwModel>)");
  Notes notes{documents};
  const Hardware hardware = read_hardware(notes);
  ASSERT_EQ(hardware.units.size(), 1U);
  EXPECT_EQ(hardware.units[0].hertz, Rational{200'000'000});
  EXPECT_EQ(hardware.units[0].instructions_per_cycle, Rational{2});
  EXPECT_EQ(hardware.units[0].definition_name, "T");
}

TEST(Hardware, APathHasALatencyOrARateForEachThingOnTheWay) {
  const Documents documents = documents_of(
      R"(<hwModel><definitions xsi:type="am:ConnectionHandlerDefinition" name="Bus"><readLatency xsi:type="am:DiscreteValueConstant" value="3"/><dataRate value="1" unit="GBPerSecond"/></definitions>
<definitions xsi:type="am:MemoryDefinition" name="DRAM"><accessLatency xsi:type="am:DiscreteValueConstant" value="7"/></definitions>
<structures name="X"><modules xsi:type="am:ProcessingUnit" name="C"><accessElements destination="M?type=Memory"><accessPath pathElements="B?type=ConnectionHandler X/wire?type=HwConnection"/></accessElements></modules>
<modules xsi:type="am:ConnectionHandler" name="B" definition="Bus?type=ConnectionHandlerDefinition"/>
<modules xsi:type="am:Memory" name="M" definition="DRAM?type=MemoryDefinition"/><connections name="wire"/></structures></hwModel>)");
  Notes notes{documents};
  const Hardware hardware = read_hardware(notes);
  ASSERT_EQ(hardware.units.at(0).accesses.size(), 1U);
  const MemoryAccess& access = hardware.units[0].accesses[0];
  EXPECT_TRUE(access.is_path);
  ASSERT_EQ(access.way.size(), 2U);
  EXPECT_EQ(access.way[0].read->worst, Rational{3});
  EXPECT_EQ(access.way[0].bytes_per_second, Rational{1'000'000'000});
  EXPECT_FALSE(access.way[1].read);
  EXPECT_EQ(access.at_memory.write->worst, Rational{7});
  EXPECT_TRUE(access.has_latency(true));
  EXPECT_FALSE(access.has_latency(false));  // the memory's alone is not that of the path
}

TEST(Hardware, ANumberThatCannotBeReadIsAProblem) {
  const auto is_refused = [](const std::string& before, const std::string& after) {
    std::string text = small_hardware;
    text.replace(text.find(before), before.size(), after);
    const Documents documents = documents_of(text);
    Notes notes{documents};
    read_hardware(notes);
    return !notes.problems().empty();
  };
  EXPECT_FALSE(is_refused("Core", "Core"));
  EXPECT_TRUE(is_refused(R"(unit="GBPerSecond")", R"(unit="GB/s")"));
  EXPECT_TRUE(is_refused(R"(<readLatency xsi:type="am:DiscreteValueConstant" value="5"/>)",
                         R"(<readLatency xsi:type="am:DiscreteValueConstant" value="five"/>)"));
  EXPECT_TRUE(is_refused(R"(name="two" value="2.0")", R"(name="two" value="two")"));
  EXPECT_TRUE(is_refused(R"(puType="CPU")", R"(puType="CPU" instructionsPerCycle="many")"));
  EXPECT_TRUE(is_refused("<structures",
                         R"(<definitions xsi:type="am:CacheDefinition"><lineSize value="64"/></definitions>
<structures)"));
  const std::string quartz =
      R"(<modules xsi:type="am:ProcessingUnit" name="X" quartz="Q?type=Quartz" clockRatio="half"/>
<quartzes name="Q"><frequency value="100.0" unit="MHz"/></quartzes><modules)";
  EXPECT_TRUE(is_refused("<modules", quartz));
  // The memory's clock, which its latency counts in.
  EXPECT_TRUE(is_refused(R"(definition="DRAM?type=MemoryDefinition"/>)",
                         R"(definition="DRAM?type=MemoryDefinition" frequencyDomain="Z?type=FrequencyDomain"/>
<domains xsi:type="am:FrequencyDomain" name="Z"><defaultValue value="1"/></domains>)"));
}

TEST(Hardware, NamesAreOrderedAsPeopleCount) {
  EXPECT_TRUE(natural_less("Core2", "Core10"));
  EXPECT_FALSE(natural_less("Core10", "Core2"));
  EXPECT_FALSE(natural_less("Core2", "Core2"));
  EXPECT_TRUE(natural_less("Core", "Core0"));
}

}  // namespace
}  // namespace tactus::import
