// Another program is asked: its answer counts only if it is complete.
#include "tactus/base/program.hpp"

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(Program, ItsOutputIsTheAnswer) {
  EXPECT_EQ(output_of({"sh", "-c", "echo one; echo two; echo no >&2"}), "one\ntwo\n");
  EXPECT_EQ(output_of({"true"}), "");
}

TEST(Program, MoreThanAPipeHolds) {
  const auto text = output_of({"sh", "-c", "head -c 300000 /dev/zero"});
  ASSERT_TRUE(text);
  EXPECT_EQ(text->size(), 300'000U);
}

TEST(Program, WithoutAGoodEndThereIsNoAnswer) {
  EXPECT_EQ(output_of({"sh", "-c", "echo one; exit 9"}), std::nullopt);
  EXPECT_EQ(output_of({"sh", "-c", "kill -9 $$"}), std::nullopt);
  EXPECT_EQ(output_of({"no-such-program-anywhere"}), std::nullopt);
  EXPECT_EQ(output_of({}), std::nullopt);
}

TEST(Program, OneThatHangsIsKilled) {
  EXPECT_EQ(output_of({"sleep", "1000"}, std::chrono::milliseconds{50}), std::nullopt);
  EXPECT_EQ(output_of({"sh", "-c", "exec >&-; exec sleep 1000"}, std::chrono::milliseconds{200}),
            std::nullopt);
}

TEST(Program, ItsStatusTellsFromOneThatIsNotThere) {
  EXPECT_EQ(run_program({"sh", "-c", "exit 9"})->status, 9);
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"})->status, std::nullopt);
  EXPECT_FALSE(run_program({"no-such-program-anywhere"}));
}

}  // namespace
}  // namespace tactus
