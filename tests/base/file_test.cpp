#include "tactus/base/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tactus/base/error.hpp"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  FileTest() {
    std::string pattern = (fs::temp_directory_path() / "tactus-file-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~FileTest() override { fs::remove_all(folder_); }
  FileTest(const FileTest&) = delete;
  FileTest& operator=(const FileTest&) = delete;
  FileTest(FileTest&&) = delete;
  FileTest& operator=(FileTest&&) = delete;

  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{});
  }
  static std::string input_error(const fs::path& path) {
    try {
      read_file(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(FileTest, ReadsEveryByte) {
  const std::string bytes = std::string("a\0\r\n\xff", 5) + std::string(200'000, 'x');
  std::ofstream{folder_ / "f", std::ios::binary} << bytes;
  EXPECT_EQ(read_file(folder_ / "f"), bytes);
  std::ofstream{folder_ / "empty"};
  EXPECT_EQ(read_file(folder_ / "empty"), "");
}

TEST_F(FileTest, SaysWhyAFileCannotBeRead) {
  EXPECT_THAT(input_error(folder_ / "none"), HasSubstr("none:1:1: error: no such file"));
  EXPECT_THAT(input_error(folder_), HasSubstr("folder"));
  EXPECT_THAT(input_error("/dev/null/x"), HasSubstr("no such file"));
  // A file that is there and can be opened, but whose first byte cannot be read, also not by root.
  if (fs::exists("/proc/self/mem")) {
    EXPECT_THAT(input_error("/proc/self/mem"), HasSubstr("cannot be read"));
  }
}

TEST_F(FileTest, AppearsOnlyWhenCommitted) {
  const fs::path path = folder_ / "f";
  {
    AtomicFile file{path};
    file.write("hello ");
    file.write("world");
    EXPECT_FALSE(fs::exists(path));
    file.commit();
    EXPECT_EQ(read_file(path), "hello world");
  }
  EXPECT_EQ(files(), 1);
}

TEST_F(FileTest, LeavesNothingBehindWithoutCommit) {
  const fs::path path = folder_ / "f";
  { AtomicFile{path}.write("half"); }
  EXPECT_EQ(files(), 0);
  std::ofstream{path} << "old";
  { AtomicFile{path}.write("half"); }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(FileTest, ReplacesAnOldFileAsAWhole) {
  const fs::path path = folder_ / "f";
  std::ofstream{path} << "a much longer old text";
  AtomicFile file{path};
  file.write("new");
  EXPECT_EQ(read_file(path), "a much longer old text");
  file.commit();
  EXPECT_EQ(read_file(path), "new");
}

TEST_F(FileTest, WritesToADeviceWithoutReplacingIt) {
  AtomicFile file{"/dev/null"};
  file.write("x");
  file.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(FileTest, FullDiskIsAFailure) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  AtomicFile file{"/dev/full"};
  file.write("x");
  EXPECT_THROW(file.commit(), FailureError);
}

TEST_F(FileTest, SaysWhyAFileCannotBeWritten) {
  EXPECT_THROW(AtomicFile{folder_}, FailureError);
  try {
    AtomicFile file{folder_ / "none" / "f"};
    FAIL() << "wrote into a folder that is not there";
  } catch (const FailureError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot be written: No such file or directory"));
  }
}

}  // namespace
}  // namespace tactus
