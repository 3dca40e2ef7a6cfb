#include "tactus/base/text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>

namespace tactus {
namespace {

using namespace std::chrono_literals;

TEST(ToText, IsTheShortestExactFormWithAUnit) {
  EXPECT_EQ(to_text(0ns), "0ns");
  EXPECT_EQ(to_text(999ns), "999ns");
  EXPECT_EQ(to_text(1us), "1us");
  EXPECT_EQ(to_text(1200us), "1.2ms");
  EXPECT_EQ(to_text(1'000'001ns), "1.000001ms");
  EXPECT_EQ(to_text(90s), "90s");
  EXPECT_EQ(to_text(-1500us), "-1.5ms");
  EXPECT_EQ(to_text(Duration::max()), "9223372036.854775807s");
  EXPECT_EQ(to_text(Duration::min()), "-9223372036.854775808s");
  EXPECT_EQ(to_text(time_at(25ms)), "25ms");
}

TEST(RoundedText, HasAtMostThreeDecimalsAndGoesTheWayItIsTold) {
  EXPECT_EQ(rounded_text(38'391'667ns, Rounding::up), "38.392ms");
  EXPECT_EQ(rounded_text(38'391'667ns, Rounding::down), "38.391ms");
  EXPECT_EQ(rounded_text(-38'391'667ns, Rounding::up), "-38.391ms");
  EXPECT_EQ(rounded_text(-38'391'667ns, Rounding::down), "-38.392ms");
  EXPECT_EQ(rounded_text(999'999'999ns, Rounding::up), "1s");
  EXPECT_EQ(rounded_text(999'999'999ns, Rounding::down), "999.999ms");
  EXPECT_EQ(rounded_text(1'000'000'001ns, Rounding::up), "1.001s");
}

TEST(RoundedText, LeavesWhatIsExactInFewDigits) {
  for (const Duration d :
       {Duration{0}, Duration{999ns}, Duration{1'001ns}, Duration{20'017us}, Duration{1'500ms}}) {
    EXPECT_EQ(rounded_text(d, Rounding::up), to_text(d));
    EXPECT_EQ(rounded_text(d, Rounding::down), to_text(d));
  }
}

TEST(RoundedText, OfTheLongestDurationDoesNotOverflow) {
  EXPECT_EQ(rounded_text(Duration::max(), Rounding::up), "9223372036.855s");
  EXPECT_EQ(rounded_text(Duration::min(), Rounding::down), "-9223372036.855s");
}

TEST(RoundedUpText, DoesNotPassALimitThatIsKept) {
  EXPECT_EQ(rounded_up_text(16'666'666ns, 16'666'666ns), "16.666666ms");
  EXPECT_EQ(rounded_up_text(16'666'660ns, 16'666'666ns), "16.66666ms");
  EXPECT_EQ(rounded_up_text(16'665'999ns, 16'666'666ns), "16.666ms");
  EXPECT_EQ(rounded_up_text(16'666'667ns, 16'666'666ns), "16.667ms") << "it is not kept";
  EXPECT_EQ(rounded_up_text(16'666'666ns, std::nullopt), "16.667ms");
}

TEST(SizeText, IsWholeInTheLargestUnitThatFits) {
  EXPECT_EQ(size_text(0), "0B");
  EXPECT_EQ(size_text(1500), "1500B");
  EXPECT_EQ(size_text(2000), "2kB");
  EXPECT_EQ(size_text(65536), "64KiB");
  EXPECT_EQ(size_text(12'000'000'000), "12GB");
  EXPECT_EQ(size_text(3LL << 30U), "3GiB");
  EXPECT_EQ(size_text(-2000), "-2kB");
}

TEST(WithThousands, GroupsDigits) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(1234567), "1,234,567");
}

TEST(Nearest, FindsWhatWasMostLikelyMeant) {
  constexpr std::array<std::string_view, 6> known{
      "period", "priority", "deadline", "sm", "shared_memory_per_sm", "cam"};
  EXPECT_EQ(nearest_name("perod", known), "period");
  EXPECT_EQ(nearest_name("priorty", known), "priority");
  EXPECT_EQ(nearest_name("Deadline", known), "deadline");
  EXPECT_EQ(nearest_name("cma", known), "cam");                             // neighbours swapped
  EXPECT_EQ(nearest_name("shared_memory", known), "shared_memory_per_sm");  // cut short
  EXPECT_EQ(nearest_name("period", known), "period");
}

TEST(Nearest, IsSilentWhenNothingIsNear) {
  constexpr std::array<std::string_view, 3> known{"period", "a", "sm"};
  EXPECT_EQ(nearest_name("zebra", known), "");
  EXPECT_EQ(nearest_name("b", known), "");  // shares nothing with "a"
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name(std::string(1000, 'p'), known), "");
  EXPECT_EQ(nearest_name("period", {}), "");
}

}  // namespace
}  // namespace tactus
