// Mistyped verbs, options and words get the nearest one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/command.hpp"

namespace tactus::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Mistyped {
  const char* arguments;
  const char* says;
};

void PrintTo(const Mistyped& call, std::ostream* out) { *out << call.arguments; }

class MistypedCalls : public testing::TestWithParam<Mistyped> {};

TEST_P(MistypedCalls, SayWhatWasMostLikelyMeant) {
  const Answer answer = tactus(GetParam().arguments);
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.out, IsEmpty());
  EXPECT_THAT(answer.err, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, MistypedCalls,
    testing::Values(Mistyped{"measure", "error: `tactus measure` needs a verb: overheads, kernel, copy\n"},
                    Mistyped{"chek examples/first.yaml", "did you mean `tactus check`?"},
                    Mistyped{"check examples/first.yaml --jsno",
                             "`tactus check` has no option `--jsno`\n    did you mean `--json`?"},
                    Mistyped{"check --jsno examples/first.yaml", "did you mean `--json`?"},
                    Mistyped{"sim examples/first.yaml --timelin=x.svg", "did you mean `--timeline`?"},
                    Mistyped{"sim examples/first.yaml --sede 3", "did you mean `--seed`?"},
                    Mistyped{"--vresion", "did you mean `--version`?"},
                    Mistyped{"measure overhead", "did you mean `tactus measure overheads`?"},
                    Mistyped{"measure overheads --sample 5", "did you mean `--samples`?"},
                    Mistyped{"sim examples/first.yaml --execution wrost", "did you mean `worst`?"},
                    Mistyped{"run examples/first.yaml --devcie host", "did you mean `--device`?"},
                    Mistyped{"run examples/first.yaml --device hots", "did you mean `host`?"},
                    Mistyped{"check examples/first.yaml --analysis block-rat", "did you mean 'block-rta'?"},
                    Mistyped{"falsify --analysis np-edff", "did you mean 'np-edf'?"},
                    Mistyped{"measure overheads --device host --base jetson-tx3",
                             "did you mean `jetson-tx2`?"},
                    Mistyped{"generate pruuda", "did you mean 'pruda'?"},
                    Mistyped{"generate pruda --set utilisation_11=0.5", "did you mean 'utilisation_1'?"}));

TEST(Usage, WhatIsNearToNothingGetsNoSuggestion) {
  const Answer answer = tactus("check examples/first.yaml --qqqqqqqq");
  EXPECT_THAT(answer.err, Not(HasSubstr("did you mean")));
  EXPECT_THAT(answer.err, HasSubstr("`tactus check --help` shows what there is"));
}

TEST(Usage, WhatIsEmptyIsRefused) {
  for (const char* arguments :
       {"sim examples/first.yaml --trace= --json", "plan examples/federated/robot.yaml -o ''", "check ''",
        "sweep experiments/pruda-figure-8.yaml -o -"}) {
    const Answer answer = tactus(arguments);
    EXPECT_EQ(answer.status, 2) << arguments << answer.out;
    EXPECT_EQ(answer.out, "") << arguments;
  }
}

TEST(Usage, TwoFilesDoNotHaveOneName) {
  const std::string path = temporary_path("one-name");
  EXPECT_EQ(tactus("sim examples/first.yaml --trace " + path + " --timeline " + path).status, 2);
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace tactus::test
