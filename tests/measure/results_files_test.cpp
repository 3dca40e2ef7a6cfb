// The measurements under docs/results can be read by a program.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/source_folder.hpp"

namespace tactus::test {
namespace {

TEST(ResultsFiles, AreJson) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{in_repository("docs/results")}) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file{entry.path()};
    EXPECT_TRUE(nlohmann::json::accept(file)) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace tactus::test
