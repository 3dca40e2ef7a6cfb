// A build without the libraries that read models says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/command.hpp"

namespace tactus::test {
namespace {

TEST(ImportCommand, SaysWhatABuildWithoutItsLibrariesLacks) {
  for (const char* verb : {"import", "check", "sim", "plan"}) {
    const Answer answer = tactus(std::string{verb} + " examples/amalthea/camera.amxmi");
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err, testing::HasSubstr("libpugixml-dev"));
  }
}

}  // namespace
}  // namespace tactus::test
