#include "tactus/sweep/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "tactus/base/error.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus::sweep {

namespace fs = std::filesystem;

namespace {

/// Whether the open file still has that name: its last holder removes it.
bool is_current(int file, const fs::path& path) {
  struct stat open_one {};
  struct stat named_one {};
  return ::fstat(file, &open_one) == 0 && ::stat(path.c_str(), &named_one) == 0 &&
         open_one.st_ino == named_one.st_ino && open_one.st_dev == named_one.st_dev;
}

constexpr std::string_view mark = "tactus sweep\n";

/// Whether a sweep made the file. Any other file is locked but never removed.
bool is_ours(int file) {
  std::array<char, mark.size()> begin{};
  const ssize_t got = ::pread(file, begin.data(), begin.size(), 0);
  return got == static_cast<ssize_t>(mark.size()) && std::string_view{begin.data(), begin.size()} == mark;
}

/// The lock file, made if it is not there. Not inherited by children such as gnuplot: they must not keep it.
int open_lock(const fs::path& path) {
  constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const int made = ::open(path.c_str(), flags | O_CREAT | O_EXCL, 0666);      // NOLINT(*-vararg)
  if (made < 0) return errno == EEXIST ? ::open(path.c_str(), flags) : made;  // NOLINT(*-vararg)
  if (::write(made, mark.data(), mark.size()) == static_cast<ssize_t>(mark.size())) return made;
  const int error = errno;  // the disk is full: a lock file without its mark would never be removed
  ::close(made);
  ::unlink(path.c_str());
  errno = error;
  return -1;
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder) : path_{folder / "lock"} {
  // A killed sweep holds its lock until its process has ended, which may take a moment.
  constexpr std::chrono::milliseconds pause{20};
  for (int patience = 100;;) {
    const int file = open_lock(path_);
    if (file == -1) {
      if (errno == ENOENT && --patience > 0) continue;  // removed by its holder a moment ago
      throw FailureError{fmt::format("{}: cannot be written: {}", shown(path_.string()), error_text(errno))};
    }
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
      const bool is_held = errno == EWOULDBLOCK;
      const std::string why = error_text(errno);
      ::close(file);
      if (is_held && --patience > 0) {
        std::this_thread::sleep_for(pause);
        continue;
      }
      if (is_held) {
        throw InputError{fmt::format("another sweep is at work in {}", shown(folder.string())),
                         "wait until it is done, or choose another folder with -o"};
      }
      throw FailureError{fmt::format("{}: cannot be locked: {}", shown(folder.string()), why)};
    }
    if (is_current(file, path_)) {
      file_ = file;
      ours_ = is_ours(file);
      return;
    }
    ::close(file);
  }
}

FolderLock::~FolderLock() {
  if (ours_) ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace tactus::sweep
