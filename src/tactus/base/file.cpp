#include "tactus/base/file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <thread>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/base/interruption.hpp"
#include "tactus/base/temporary_name.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t largest_file = 256UL << 20U;
constexpr std::size_t buffer_size = 1U << 16U;

/// How long to wait for the other end of a pipe once an interruption was requested.
constexpr std::chrono::milliseconds patience{500};
constexpr std::chrono::milliseconds between_looks{50};

/// Problems of a file as a whole point at its first line and column, so that all problems have one shape.
Problem unreadable(const fs::path& path, const std::string& why, const std::string& hint) {
  return {.file = shown(path.string()),
          .line = 1,
          .column = 1,
          .message = why,
          .hint = hint,
          .id = ProblemId::unreadable_file};
}

/// Waits until the file is readable or writable. False when an interruption ended the wait.
bool wait_for(int file, short events) {
  const Clock::time_point begun = Clock::now();
  while (true) {
    pollfd waiting{.fd = file, .events = events, .revents = 0};
    if (::poll(&waiting, 1, static_cast<int>(between_looks.count())) > 0) return true;
    if (is_interruption_wished() && Clock::now() - begun >= patience) return false;
  }
}

/// Closes the file at the end of a scope.
class OpenFile {
 public:
  explicit OpenFile(int file) : file_{file} {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { ::close(file_); }

 private:
  int file_;
};

/// Where a chain of symbolic links ends, also if nothing is there yet.
fs::path end_of_links(fs::path path) {
  constexpr int max_links = 40;  // as the kernel has it
  std::error_code failed;
  for (int i = 0; i < max_links && fs::is_symlink(fs::symlink_status(path, failed)); ++i) {
    const fs::path next = fs::read_symlink(path, failed);
    if (failed) break;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

/// The standard stream behind a file such as /dev/stdout; -1: none.
int standard_stream(const struct stat& facts) {
  for (const int file : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat mine {};
    if (::fstat(file, &mine) == 0 && mine.st_dev == facts.st_dev && mine.st_ino == facts.st_ino) return file;
  }
  return -1;
}

/// A new file name survives a power cut only after its folder was synchronised too.
void sync_folder_of(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path{"."};
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // NOLINT(*-vararg)
  if (file < 0) return;  // a folder may be written to without being readable
  ::fsync(file);
  ::close(file);
}

}  // namespace

std::string read_open_file(int file, const fs::path& name) {
  std::string text;
  std::array<char, buffer_size> chunk{};
  while (true) {
    if (!wait_for(file, POLLIN)) {
      throw InterruptedError{shown(name.string()) + ": nobody writes to this pipe"};
    }
    const ssize_t got = ::read(file, chunk.data(), chunk.size());
    if (got == 0) return text;
    if (got < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      throw InputError{{unreadable(name, "cannot be read: " + error_text(errno), "check its permissions")}};
    }
    text.append(chunk.data(), static_cast<std::size_t>(got));
    if (text.size() > largest_file) {
      throw InputError{{unreadable(name, "is larger than 256 MiB", "no system file needs that much")}};
    }
  }
}

std::string read_file(const fs::path& path) {
  // Non-blocking, so that an interruption can end the wait for a pipe.
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);  // NOLINT(*-vararg)
  if (file < 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      throw InputError{{unreadable(path, "no such file", "check the path")}};
    }
    throw InputError{{unreadable(path, "cannot be read: " + error_text(errno), "check its permissions")}};
  }
  const OpenFile closing{file};
  struct stat facts {};
  if (::fstat(file, &facts) == 0 && S_ISDIR(facts.st_mode)) {
    throw InputError{{unreadable(path, "this is a folder, not a file", "name a file inside it")}};
  }
  return read_open_file(file, path);
}

AtomicFile::AtomicFile(fs::path path, Survives survives)
    : path_{std::move(path)}, target_{end_of_links(path_)}, survives_{survives} {
  struct stat facts {};
  const bool exists = ::stat(path_.c_str(), &facts) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if (exists && S_ISDIR(facts.st_mode)) {
    throw FailureError{shown(path_.string()) + ": is a folder, cannot be written"};
  }
  if (const int stream = exists ? standard_stream(facts) : -1; stream >= 0) {
    file_ = ::fcntl(stream, F_DUPFD_CLOEXEC, 0);  // NOLINT(*-vararg)
    if (file_ < 0) fail(errno);
  } else if (exists && !S_ISREG(facts.st_mode)) {
    // A pipe or a device such as /dev/null must not be replaced by a file of its name.
    open_in_place();
  } else {
    open_beside();
  }
}

void AtomicFile::open_beside() {
  struct stat old {};
  const bool replaces = ::stat(target_.c_str(), &old) == 0;
  // A write-protected file is not replaced, even where its folder would permit it.
  if (replaces && ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) fail(errno);
  constexpr int max_tries = 100;
  const mode_t mode = replaces ? 0600 : 0666;
  for (int i = 0; file_ < 0; ++i) {
    temporary_ = target_.parent_path() / temporary_name(target_.filename().string());
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,  // NOLINT
                   mode);
    if (file_ < 0 && (errno != EEXIST || i == max_tries)) fail(errno);
  }
  entry_ = std::make_unique<TemporaryEntry>(temporary_);
  if (!replaces) return;
  const bool same_owner = ::fchown(file_, old.st_uid, old.st_gid) == 0;
  ::fchmod(file_, old.st_mode & (same_owner ? 07777U : 0777U));
}

void AtomicFile::open_in_place() {
  while (true) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);  // NOLINT(*-vararg)
    if (file_ >= 0) return;
    if (errno != ENXIO && errno != EINTR) fail(errno);
    struct stat facts {};
    if (errno == ENXIO && (::stat(path_.c_str(), &facts) != 0 || !S_ISFIFO(facts.st_mode))) fail(ENXIO);
    if (is_interruption_wished()) throw InterruptedError{shown(path_.string()) + ": nobody reads this pipe"};
    std::this_thread::sleep_for(between_looks);
  }
}

void AtomicFile::fail(int error) const {
  throw FailureError{shown(path_.string()) + ": cannot be written: " + error_text(error)};
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) close_and_remove();
}

void AtomicFile::close_and_remove() {
  ::close(std::exchange(file_, -1));
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  entry_.reset();
}

void AtomicFile::write(std::string_view text) {
  if (error_ != 0 || gave_up_) return;
  buffer_.append(text);
  if (buffer_.size() >= buffer_size) flush();
}

void AtomicFile::flush() {
  const bool in_place = temporary_.empty();
  std::string_view left = buffer_;
  while (!left.empty() && error_ == 0 && !gave_up_) {
    if (in_place && !wait_for(file_, POLLOUT)) {
      gave_up_ = true;
      break;
    }
    // A pipe that polls as writable takes this many bytes without blocking.
    const std::size_t most = in_place ? PIPE_BUF : left.size();
    const ssize_t written = ::write(file_, left.data(), std::min(left.size(), most));
    if (written >= 0) {
      left.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      error_ = errno;
    }
  }
  buffer_.clear();
}

void AtomicFile::commit() {
  flush();
  if (gave_up_) throw InterruptedError{shown(path_.string()) + ": nobody reads this pipe"};
  if (error_ == 0 && survives_ == Survives::power_cut && !temporary_.empty() && ::fsync(file_) != 0) {
    error_ = errno;
  }
  if (error_ == 0 && ::close(std::exchange(file_, -1)) != 0) error_ = errno;
  if (error_ == 0 && !temporary_.empty() && ::rename(temporary_.c_str(), target_.c_str()) != 0) {
    error_ = errno;
  }
  if (error_ != 0) {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    entry_.reset();
    throw FailureError{shown(path_.string()) + ": writing failed: " + error_text(error_)};
  }
  entry_.reset();
  if (survives_ == Survives::power_cut && !temporary_.empty()) sync_folder_of(target_);
}

void write_file(const fs::path& path, std::string_view text, Survives survives) {
  AtomicFile file{path, survives};
  file.write(text);
  file.commit();
}

void make_folder(const fs::path& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) throw FailureError{shown(path.string()) + ": cannot be made: " + failed.message()};
}

}  // namespace tactus
