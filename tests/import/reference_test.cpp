#include "tactus/import/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::import {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Reference, HasANameAndAClass) {
  const auto reference = parse_reference("Timer_10MS?type=PeriodicStimulus");
  ASSERT_TRUE(reference);
  EXPECT_THAT(reference->path, ElementsAre("Timer_10MS"));
  EXPECT_EQ(reference->type, "PeriodicStimulus");
}

TEST(Reference, NamesAreFormEncodedAndPercentTwentyIsReadToo) {
  EXPECT_EQ(parse_reference("GPU+island?type=HwStructure")->name(), "GPU island");
  EXPECT_EQ(parse_reference("GPU%20island?type=HwStructure")->name(), "GPU island");
  EXPECT_EQ(parse_reference("a%2Bb%3A%C2%B5?type=Tag")->name(), "a+b:\xc2\xb5");
  EXPECT_EQ(parse_reference("50%?type=Tag")->name(), "50%");
}

TEST(Reference, SlashesSeparateNamesBeforeTheyAreDecoded) {
  EXPECT_THAT(parse_reference("E%2FE_System/con1?type=HwConnection")->path,
              ElementsAre("E/E_System", "con1"));
}

TEST(Reference, AListHasBlanksBetween) {
  EXPECT_EQ(parse_references(" A?type=Tag\n B?type=Tag ").size(), 2U);
  EXPECT_THAT(parse_references("some words"), IsEmpty());
  EXPECT_THAT(parse_references("A?type=Tag and words"), IsEmpty());
}

TEST(Reference, AnAddressNamesNoFile) {
  EXPECT_EQ(parse_href("amlt:/#X?type=Tag")->name(), "X");
  EXPECT_EQ(parse_href("amlt://#X?type=Tag")->name(), "X");
  EXPECT_FALSE(parse_href("other.amxmi"));
}

}  // namespace
}  // namespace tactus::import
