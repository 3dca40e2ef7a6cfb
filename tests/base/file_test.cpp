#include "tactus/base/file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/interruption.hpp"
#include "tactus/base/temporary_name.hpp"

namespace {

/// What the file under test asks of the operating system, in its order.
std::vector<std::string>& calls_made() {
  static std::vector<std::string> calls;
  return calls;
}

}  // namespace

// These stand before those of the C library.
extern "C" int fsync(int file) {
  struct stat facts {};
  ::fstat(file, &facts);
  calls_made().emplace_back(S_ISDIR(facts.st_mode) ? "sync folder" : "sync file");
  return static_cast<int>(::syscall(SYS_fsync, file));
}

extern "C" int rename(const char* from, const char* to) noexcept {
  calls_made().emplace_back("rename");
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

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

TEST_F(FileTest, TheTemporaryFileIsNewAndUnforeseeable) {
  const fs::path path = folder_ / "f";
  std::vector<std::string> names;
  for (int i = 0; i < 2; ++i) {
    const AtomicFile file{path};
    for (const fs::directory_entry& entry : fs::directory_iterator{folder_}) {
      names.push_back(entry.path().filename().string());
    }
  }
  ASSERT_EQ(names.size(), 2U);
  EXPECT_NE(names[0], names[1]);
  EXPECT_TRUE(is_temporary_name(names[0], "f")) << names[0];
}

TEST_F(FileTest, AnOldPredictableNameIsNotFollowed) {
  const fs::path victim = folder_ / "victim";
  std::ofstream{victim} << "precious";
  const fs::path trap = folder_ / ("f.tmp." + std::to_string(::getpid()));
  fs::create_symlink(victim, trap);
  AtomicFile file{folder_ / "f"};
  file.write("new");
  file.commit();
  EXPECT_EQ(read_file(victim), "precious");
  EXPECT_EQ(read_file(folder_ / "f"), "new");
}

TEST_F(FileTest, KeepsTheModeOfAFileItReplaces) {
  const fs::path path = folder_ / "f";
  std::ofstream{path} << "old";
  fs::permissions(path, fs::perms{0640});
  AtomicFile file{path};
  file.write("new");
  file.commit();
  EXPECT_EQ(fs::status(path).permissions(), fs::perms{0640});
  const mode_t before = ::umask(027);
  AtomicFile fresh{folder_ / "fresh"};
  fresh.commit();
  ::umask(before);
  EXPECT_EQ(fs::status(folder_ / "fresh").permissions(), fs::perms{0640});
}

TEST_F(FileTest, ALinkStaysOne) {
  const fs::path folder = folder_ / "elsewhere";
  fs::create_directory(folder);
  std::ofstream{folder / "target"} << "old";
  fs::create_symlink("elsewhere/target", folder_ / "link");
  fs::create_symlink("elsewhere/none", folder_ / "dangling");
  for (const char* name : {"link", "dangling"}) {
    AtomicFile file{folder_ / name};
    file.write("new");
    file.commit();
    EXPECT_TRUE(fs::is_symlink(folder_ / name)) << name;
    EXPECT_EQ(read_file(folder_ / name), "new") << name;
  }
  EXPECT_EQ(read_file(folder / "target"), "new");
  EXPECT_EQ(read_file(folder / "none"), "new");
  fs::create_symlink("circle", folder_ / "circle");
  EXPECT_THROW(AtomicFile{folder_ / "circle"}, FailureError);
}

TEST_F(FileTest, ALongNameHasATemporaryFile) {
  const fs::path path = folder_ / std::string(255, 'x');
  AtomicFile file{path};
  file.write("x");
  file.commit();
  EXPECT_EQ(read_file(path), "x");
}

TEST_F(FileTest, IsOnTheDiskBeforeItHasItsName) {
  calls_made().clear();
  AtomicFile ordinary{folder_ / "f"};
  ordinary.commit();
  EXPECT_THAT(calls_made(), testing::ElementsAre("rename"));
  calls_made().clear();
  AtomicFile file{folder_ / "f", Survives::power_cut};
  file.commit();
  EXPECT_THAT(calls_made(), testing::ElementsAre("sync file", "rename", "sync folder"));
}

TEST_F(FileTest, ASignalHandlerRemovesWhatIsNotCommitted) {
  AtomicFile committed{folder_ / "committed"};
  committed.commit();
  const AtomicFile half{folder_ / "half"};
  EXPECT_EQ(files(), 2);
  remove_temporary_files();
  EXPECT_EQ(files(), 1);
  EXPECT_TRUE(fs::exists(folder_ / "committed"));
}

/// An interruption is wished while it lives.
class Wish {
 public:
  Wish() { heed_interruptions(&wished_); }
  Wish(const Wish&) = delete;
  Wish& operator=(const Wish&) = delete;
  ~Wish() { heed_interruptions(nullptr); }

 private:
  std::atomic<bool> wished_{true};
};

TEST_F(FileTest, APipeNobodyIsAtIsGivenUpWhenAnInterruptionIsWished) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Wish wish;
  EXPECT_THROW(AtomicFile{pipe}, InterruptedError);
  EXPECT_THROW(read_file(pipe), InterruptedError);
  // Somebody has opened it, but does not read.
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  AtomicFile file{pipe};
  file.write(std::string(1'000'000, 'x'));
  EXPECT_THROW(file.commit(), InterruptedError);
  ::close(reader);
}

TEST_F(FileTest, GoesThroughAPipe) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string text(300'000, 'x');
  std::thread writer{[&] {
    AtomicFile file{pipe};
    file.write(text);
    file.commit();
  }};
  EXPECT_EQ(read_file(pipe), text);
  writer.join();
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(TemporaryName, IsRecognised) {
  const std::string name = temporary_name("results.csv");
  EXPECT_TRUE(is_temporary_name(name, "results.csv")) << name;
  EXPECT_FALSE(is_temporary_name(name, "results.cs"));
  EXPECT_TRUE(is_temporary_name("a.tactus-1-0123456789ab.tmp", "a"));
  for (const char* other : {"a", "a.tmp", "a.tactus-.tmp", "a.tactus-1-0123456789a.tmp",
                            "a.tactus-1-0123456789ag.tmp", "a.tactus-x-0123456789ab.tmp",
                            "a.tactus--0123456789ab.tmp", "a.tmp.12", "tactus-1-0123456789ab.tmp"}) {
    EXPECT_FALSE(is_temporary_name(other, "a")) << other;
  }
}

}  // namespace
}  // namespace tactus
