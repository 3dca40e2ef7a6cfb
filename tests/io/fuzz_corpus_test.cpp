// Every input the fuzzer starts from, and every one that once broke something, as an ordinary test.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/system_file_promises.hpp"
#include "support/source_folder.hpp"
#include "tactus/base/file.hpp"

namespace tactus {
namespace {

std::vector<std::filesystem::path> corpus() {
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path folder = test::in_repository("tests/fuzz/corpus");
  for (const auto& entry : std::filesystem::directory_iterator{folder}) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(FuzzCorpus, EveryPromiseIsKept) {
  const std::vector<std::filesystem::path> paths = corpus();
  ASSERT_GE(paths.size(), 30U);
  for (const std::filesystem::path& path : paths) {
    EXPECT_EQ(test::broken_promise(read_file(path)), "") << path;
  }
}

TEST(FuzzCorpus, NamesSayWhatIsValid) {
  std::size_t valid = 0;
  for (const std::filesystem::path& path : corpus()) {
    const std::string name = path.filename().string();
    const ReadResult result = read_system(read_file(path), name, Completeness::to_be_planned);
    EXPECT_EQ(result.system.has_value(), name.starts_with("valid-"))
        << name << (result.problems.empty() ? "" : ": " + to_string(result.problems.front()));
    if (result.system) ++valid;
  }
  EXPECT_GE(valid, 10U);
}

}  // namespace
}  // namespace tactus
