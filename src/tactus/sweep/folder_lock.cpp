#include "tactus/sweep/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

#include "tactus/base/error.hpp"

namespace tactus::sweep {

namespace fs = std::filesystem;

namespace {

/// Whether the open file is still the one of that name: its last holder removes it.
bool is_current(int file, const fs::path& path) {
  struct stat open_one {};
  struct stat named_one {};
  return ::fstat(file, &open_one) == 0 && ::stat(path.c_str(), &named_one) == 0 &&
         open_one.st_ino == named_one.st_ino && open_one.st_dev == named_one.st_dev;
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder) : path_{folder / "lock"} {
  // A killed sweep holds its lock until it is gone, which may take a moment.
  constexpr std::chrono::milliseconds pause{20};
  for (int patience = 100;;) {
    // Not inherited by children such as gnuplot: they must not keep the lock.
    const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);  // NOLINT(*-vararg)
    if (file == -1) {
      throw FailureError{fmt::format("{}: cannot be written: {}", folder.string(), error_text(errno))};
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
        throw InputError{fmt::format("another sweep is at work in {}", folder.string()),
                         "wait until it is done, or choose another folder with -o"};
      }
      throw FailureError{fmt::format("{}: cannot be locked: {}", folder.string(), why)};
    }
    if (is_current(file, path_)) {
      file_ = file;
      return;
    }
    ::close(file);
  }
}

FolderLock::~FolderLock() {
  ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace tactus::sweep
