// `tactus generate rtgpu` as users meet it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(GenerateRtgpuCommand, IsListedWithItsParameters) {
  const Answer answer = tactus("generate --list");
  EXPECT_EQ(answer.status, 0);
  EXPECT_THAT(answer.out,
              AllOf(HasSubstr("rtgpu:"), HasSubstr("length_ratio"), HasSubstr("(ratio; default 1:1)"),
                    HasSubstr("(list of decimals; default [1.69, 1.61, 1.46, 1.8, 1.24])"),
                    HasSubstr("uunifast-discard, rand-fixed-sum, scaled-uniform")));
}

TEST(GenerateRtgpuCommand, PrintsASystemToBePlanned) {
  const Answer answer =
      tactus("generate rtgpu --set utilisation=1.2 --set length_ratio=1:8 --set copies=one --set tasks=3");
  EXPECT_EQ(answer.status, 0) << answer.err;
  const ReadResult read = read_system(answer.out, "out.yaml", Completeness::to_be_planned);
  ASSERT_TRUE(read.system);
  EXPECT_EQ(read.system->tasks.size(), 3U);
  EXPECT_EQ(read.system->policy.strategy, strategy_named("federated"));
}

TEST(GenerateRtgpuCommand, BadParametersAreTold) {
  const auto problem = [](const std::string& arguments) {
    const Answer answer = tactus("generate rtgpu " + arguments);
    EXPECT_EQ(answer.status, 2) << arguments;
    EXPECT_EQ(answer.out, "");
    return answer.err;
  };
  EXPECT_THAT(problem(""), HasSubstr("needs `utilisation`"));
  EXPECT_THAT(problem("--set utilisation=1 --set length_ratio=8"), HasSubstr("is not a ratio"));
  EXPECT_THAT(problem("--set utilisation=0.1 --set utilisation_method=uunifast-discard"),
              HasSubstr("5 tasks of at least 0.05 each cannot have the utilisation 0.1"));
  EXPECT_THAT(problem("--set utilisation=1 --set gpu='[5ms, 1ms]'"), HasSubstr("gpu is not [least, most]"));
}

}  // namespace
}  // namespace tactus::test
