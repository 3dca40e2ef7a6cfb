#include "tactus/io/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>

namespace tactus::io {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

TEST(ParseDuration, ReadsDecimalsExactly) {
  EXPECT_EQ(parse_duration("0").value, 0ns);
  EXPECT_EQ(parse_duration("0.0").value, 0ns);
  EXPECT_EQ(parse_duration("0ms").value, 0ns);
  EXPECT_EQ(parse_duration("1ns").value, 1ns);
  EXPECT_EQ(parse_duration("1.5us").value, 1500ns);
  EXPECT_EQ(parse_duration("0.2ms").value, 200us);
  EXPECT_EQ(parse_duration(".5s").value, 500ms);
  EXPECT_EQ(parse_duration("5.s").value, 5s);
  EXPECT_EQ(parse_duration("007ms").value, 7ms);
  EXPECT_EQ(parse_duration("1.100ns").value, std::nullopt);
  EXPECT_EQ(parse_duration("1.000000000000000000000000ns").value, 1ns);
  EXPECT_EQ(parse_duration("0.000000001s").value, 1ns);
  EXPECT_EQ(parse_duration("10min").value, 600s);
  EXPECT_EQ(parse_duration("1.5h").value, 5400s);
  EXPECT_EQ(parse_duration("0.00000000000027777h").value, std::nullopt);
  EXPECT_EQ(parse_duration("2562047h").value, std::chrono::hours{2562047});
  EXPECT_EQ(parse_duration("2562048h").value, std::nullopt);
  EXPECT_EQ(parse_duration("9223372036.854775807s").value, Duration::max());
  EXPECT_EQ(parse_duration("9223372036854775807ns").value, Duration::max());
}

TEST(ParseDuration, SaysWhatIsWrong) {
  struct Case {
    const char* text;
    const char* message;
    const char* hint;
  };
  const std::vector<Case> cases{
      {"", "is not a duration", "10ms"},
      {"abc", "is not a duration", "10ms"},
      {"ms", "is not a duration", "10ms"},
      {".", "is not a duration", "10ms"},
      {"+5ms", "is not a duration", "10ms"},
      {"1.2.3ms", "is not a duration", "without separators"},
      {"1,000ms", "is not a duration", "without separators"},
      {"1ms2", "is not a duration", "without separators"},
      {"10", "has no unit", "write 10ms"},
      {"1.5", "has no unit", "write 1.5ms"},
      {"-1ms", "is negative", "0 or more"},
      {"-0", "is negative", "0 or more"},
      {"1e3ms", "has an exponent", "1000ms"},
      {"1.5E-2s", "has an exponent", "0.015s"},
      {"12e-3", "has an exponent", "0.012ms"},
      {"1.25e+1ms", "has an exponent", "12.5ms"},
      {"1e0ms", "has an exponent", "1ms"},
      {"0e5ms", "has an exponent", "0ms"},
      {"1e999999999999ms", "has an exponent", "write the number out"},
      {"1e19ms", "has an exponent", "write the number out"},
      {"10sec", "unknown unit `sec`", "write 10s "},
      {"10MS", "unknown unit `MS`", "write 10ms"},
      {"10e", "unknown unit `e`", "units: ns, us, ms, s, min, h"},
      {"10m", "unknown unit `m`", "units: ns, us, ms, s, min, h"},
      {"10mins", "unknown unit `mins`", "write 10min "},
      {"1hour", "unknown unit `hour`", "write 1h "},
      {"10 ms", "a space before its unit", "write 10ms"},
      {"0.1ns", "a fraction of a nanosecond", "write 0ns or 1ns"},
      {"0.01ns", "a fraction of a nanosecond", "write 0ns or 1ns"},
      {"1.00000000001s", "a fraction of a nanosecond", "write 1000000000ns or 1000000001ns"},
      {"1.0000000001s", "a fraction of a nanosecond", "write 1000000000ns or 1000000001ns"},
      {"9223372036.854775808s", "does not fit 64 bits", "9223372036.854775807s"},
      {"9223372036854775807.5ns", "does not fit 64 bits", "9223372036.854775807s"},
      {"99999999999999999999999999999999999999999999s", "does not fit 64 bits", "9223372036.854775807s"},
  };
  for (const Case& wrong : cases) {
    const Parsed<Duration> parsed = parse_duration(wrong.text);
    EXPECT_EQ(parsed.value, std::nullopt) << wrong.text;
    EXPECT_THAT(parsed.message, HasSubstr(wrong.message)) << wrong.text;
    EXPECT_THAT(parsed.hint, HasSubstr(wrong.hint)) << wrong.text;
  }
}

TEST(ParseSize, ReadsEveryUnit) {
  EXPECT_EQ(parse_size("0").value, 0);
  EXPECT_EQ(parse_size("7B").value, 7);
  EXPECT_EQ(parse_size("3kB").value, 3'000);
  EXPECT_EQ(parse_size("3MB").value, 3'000'000);
  EXPECT_EQ(parse_size("3GB").value, 3'000'000'000);
  EXPECT_EQ(parse_size("3KiB").value, 3 * 1024);
  EXPECT_EQ(parse_size("3MiB").value, 3 * 1024 * 1024);
  EXPECT_EQ(parse_size("3GiB").value, 3LL * 1024 * 1024 * 1024);
  EXPECT_EQ(parse_size("1.5kB").value, 1500);
  EXPECT_EQ(parse_size("0.5KiB").value, 512);
  EXPECT_EQ(parse_size("0.0009765625KiB").value, 1);
  EXPECT_EQ(parse_size("0.000000000931322574615478515625GiB").value, 1);  // 2^-30
  EXPECT_EQ(parse_size("9223372036854775807B").value, largest);
}

TEST(ParseSize, SaysWhatIsWrong) {
  EXPECT_THAT(parse_size("64").hint, HasSubstr("write 64B"));
  EXPECT_THAT(parse_size("64KB").hint, HasSubstr("write 64KiB"));
  EXPECT_THAT(parse_size("64kib").hint, HasSubstr("write 64KiB"));
  EXPECT_THAT(parse_size("64TB").message, HasSubstr("unknown unit `TB`"));
  EXPECT_THAT(parse_size("0.1KiB").message, HasSubstr("a fraction of a byte"));
  EXPECT_THAT(parse_size("0.1KiB").hint, HasSubstr("write 102B or 103B"));
  EXPECT_THAT(parse_size("8589934592GiB").message, HasSubstr("does not fit 64 bits"));
  EXPECT_THAT(parse_size("-1B").message, HasSubstr("is negative"));
}

TEST(ParseBandwidth, IsASizeASecond) {
  EXPECT_EQ(parse_bandwidth("12GB/s").value, 12'000'000'000);
  EXPECT_EQ(parse_bandwidth("1.5GiB/s").value, 3LL * 512 * 1024 * 1024);
  EXPECT_EQ(parse_bandwidth("1B/s").value, 1);
  EXPECT_THAT(parse_bandwidth("0B/s").message, HasSubstr("is zero"));
  EXPECT_THAT(parse_bandwidth("0").message, HasSubstr("is zero"));
  EXPECT_THAT(parse_bandwidth("0.5B/s").message, HasSubstr("a fraction of a byte a second"));
  EXPECT_THAT(parse_bandwidth("12GB").hint, HasSubstr("write 12GB/s"));
}

TEST(ParseRate, GivesThePeriodRoundedDown) {
  EXPECT_EQ(parse_rate("1Hz").value, 1s);
  EXPECT_EQ(parse_rate("3Hz").value, 333'333'333ns);
  EXPECT_EQ(parse_rate("29.97Hz").value, 33'366'700ns);
  EXPECT_EQ(parse_rate("0.1Hz").value, 10s);
  EXPECT_EQ(parse_rate("44.1kHz").value, 22'675ns);
  EXPECT_EQ(parse_rate("1000MHz").value, 1ns);
  EXPECT_EQ(parse_rate("0.000000001Hz").value, 1'000'000'000s);
  EXPECT_THAT(parse_rate("1000.1MHz").message, HasSubstr("faster than one job a nanosecond"));
  EXPECT_THAT(parse_rate("0kHz").message, HasSubstr("is zero"));
  EXPECT_THAT(parse_rate("0").message, HasSubstr("is zero"));
  EXPECT_THAT(parse_rate("30").hint, HasSubstr("write 30Hz"));
  EXPECT_THAT(parse_rate("30fps").hint, HasSubstr("write 30Hz"));
  EXPECT_THAT(parse_rate("0.0000000001Hz").message, HasSubstr("does not fit 64 bits"));
  EXPECT_THAT(parse_rate("0.00000000000000000001Hz").message, HasSubstr("does not fit 64 bits"));
}

TEST(ParseInteger, ReadsTheWholeRange) {
  EXPECT_EQ(parse_integer("0").value, 0);
  EXPECT_EQ(parse_integer("-0").value, 0);
  EXPECT_EQ(parse_integer("-42").value, -42);
  EXPECT_EQ(parse_integer("007").value, 7);
  EXPECT_EQ(parse_integer("9223372036854775807").value, largest);
  EXPECT_EQ(parse_integer("-9223372036854775808").value, std::numeric_limits<std::int64_t>::min());
}

TEST(ParseInteger, SaysWhatIsWrong) {
  for (const char* text : {"", "-", "x", "+1", "1.0", "1.", ".5", "0x10", "1ms", "--1", "1 ", " 1", "true"}) {
    const Parsed<std::int64_t> parsed = parse_integer(text);
    EXPECT_EQ(parsed.value, std::nullopt) << text;
    EXPECT_EQ(parsed.message, "is not a whole number") << text;
    EXPECT_FALSE(parsed.hint.empty()) << text;
  }
  EXPECT_THAT(parse_integer("1e3").hint, HasSubstr("1000"));
  EXPECT_THAT(parse_integer("9223372036854775808").message, HasSubstr("does not fit 64 bits"));
  EXPECT_THAT(parse_integer("-9223372036854775809").hint, HasSubstr("-9223372036854775808"));
}

TEST(ParseFactor, ReadsExactDecimals) {
  EXPECT_EQ(parse_factor("1").value, Rational{1});
  EXPECT_EQ(parse_factor("1.69").value, (Rational{169, 100}));
  EXPECT_EQ(parse_factor("0.50").value, (Rational{1, 2}));
  EXPECT_THAT(parse_factor("-1").message, HasSubstr("negative"));
  EXPECT_THAT(parse_factor("1.5x").message, HasSubstr("is not a number"));
  EXPECT_THAT(parse_factor("").message, HasSubstr("is not a number"));
  EXPECT_THAT(parse_factor("1e1").hint, HasSubstr("10"));
  EXPECT_THAT(parse_factor("1.0000000000000000001").message, HasSubstr("does not fit 64 bits"));
}

}  // namespace
}  // namespace tactus::io
