#include "tactus/base/error.hpp"

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(Problem, PrintsPlaceMessageAndHint) {
  EXPECT_EQ(to_string(Problem{"a.yaml", 3, 7, "too long", "cut it"}),
            "a.yaml:3:7: error: too long\n    cut it");
  EXPECT_EQ(to_string(Problem{"a.yaml", 0, 0, "no such file", ""}), "a.yaml: error: no such file");
  EXPECT_EQ(to_string(Problem{"", 0, 0, "unknown", ""}), "error: unknown");
}

TEST(InputError, CarriesEveryProblem) {
  const InputError error{{Problem{"f", 1, 1, "one", ""}, Problem{"f", 2, 1, "two", "do"}}};
  EXPECT_STREQ(error.what(), "f:1:1: error: one\nf:2:1: error: two\n    do");
  EXPECT_EQ(error.problems().size(), 2U);
  EXPECT_EQ(InputError("bad", "better").problems().at(0), (Problem{"", 0, 0, "bad", "better"}));
}

}  // namespace
}  // namespace tactus
