#include "tactus/base/file.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "tactus/base/error.hpp"

namespace tactus {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_file = 256UL << 20U;

/// The file as a whole: its first line and column, so that every problem of a file has the same shape.
Problem unreadable(const fs::path& path, const std::string& why, const std::string& hint) {
  return {.file = path.string(),
          .line = 1,
          .column = 1,
          .message = why,
          .hint = hint,
          .id = ProblemId::unreadable_file};
}

}  // namespace

std::string read_file(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status)) {
    throw InputError{{unreadable(path, "no such file", "check the path")}};
  }
  if (fs::is_directory(status)) {
    throw InputError{{unreadable(path, "this is a folder, not a file", "name a file inside it")}};
  }
  errno = 0;
  std::ifstream stream{path, std::ios::binary};
  std::string text;
  std::array<char, 1U << 16U> chunk{};
  while (stream.read(chunk.data(), chunk.size()) || stream.gcount() > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > largest_file) {
      throw InputError{{unreadable(path, "is larger than 256 MiB", "no system file needs that much")}};
    }
  }
  if (!stream.is_open() || stream.bad()) {
    throw InputError{{unreadable(path, "cannot be read: " + error_text(errno), "check its permissions")}};
  }
  return text;
}

AtomicFile::AtomicFile(fs::path path)
    : path_{std::move(path)}, temporary_{path_.string() + ".tmp." + std::to_string(::getpid())} {
  std::error_code ignored;
  const fs::file_status status = fs::status(path_, ignored);
  if (fs::is_directory(status)) throw FailureError{path_.string() + ": is a folder, cannot be written"};
  // A pipe or a device such as /dev/null must not be replaced by a file of its name.
  if (fs::exists(status) && !fs::is_regular_file(status)) temporary_ = path_;
  errno = 0;
  stream_.open(temporary_, std::ios::binary | std::ios::trunc);
  if (!stream_) {
    throw FailureError{path_.string() + ": cannot be written: " + error_text(errno)};
  }
}

AtomicFile::~AtomicFile() {
  if (!stream_.is_open()) return;
  stream_.close();
  std::error_code ignored;
  if (temporary_ != path_) fs::remove(temporary_, ignored);
}

void AtomicFile::write(std::string_view text) {
  stream_.write(text.data(), static_cast<std::streamsize>(text.size()));
}

void AtomicFile::commit() {
  stream_.flush();
  if (!stream_) throw FailureError{path_.string() + ": writing failed (is the disk full?)"};
  stream_.close();
  if (temporary_ == path_) return;
  std::error_code failed;
  fs::rename(temporary_, path_, failed);
  if (failed) {
    std::error_code ignored;
    fs::remove(temporary_, ignored);
    throw FailureError{path_.string() + ": cannot be written: " + failed.message()};
  }
}

}  // namespace tactus
