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
  EXPECT_EQ(hardware.units[2].accesses[0].read_cycles, Rational{5});
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

TEST(Hardware, NamesAreOrderedAsPeopleCount) {
  EXPECT_TRUE(natural_less("Core2", "Core10"));
  EXPECT_FALSE(natural_less("Core10", "Core2"));
  EXPECT_FALSE(natural_less("Core2", "Core2"));
  EXPECT_TRUE(natural_less("Core", "Core0"));
}

}  // namespace
}  // namespace tactus::import
