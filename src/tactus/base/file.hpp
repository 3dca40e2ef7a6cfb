// Files, read whole and written whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace tactus {

class TemporaryEntry;

/// The bytes of a file. InputError when it is missing, a folder or unreadable; InterruptedError when it is a
/// pipe without a writer and an interruption was requested (base/interruption.hpp).
std::string read_file(const std::filesystem::path& path);

/// The rest of an open file, for instance standard input; `name` is used in messages.
std::string read_open_file(int file, const std::filesystem::path& name);

/// Which event a committed file survives.
enum class Survives : std::uint8_t {
  kill,       // of this process, at any instant
  power_cut,  // of the machine: data and name are on the disk when `commit` returns
};

/// A file that appears under its name only when it is complete: it is written beside it under a temporary
/// name (base/temporary_name.hpp) and renamed by `commit`. Without `commit` nothing is left behind. A file
/// that it replaces passes on its mode, and its owner where that is permitted. A symbolic link stays one: the
/// file it leads to is replaced. Pipes and devices are written in place. FailureError when writing fails,
/// InterruptedError when a pipe has no reader and an interruption was requested.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path, Survives survives = Survives::kill);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// Never throws; `commit` tells what went wrong.
  void write(std::string_view text);
  void commit();

 private:
  void open_beside();
  void open_in_place();
  void flush();
  void close_and_remove();
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;
  std::filesystem::path target_;     // the path with symbolic links resolved
  std::filesystem::path temporary_;  // empty: written in place
  std::unique_ptr<TemporaryEntry> entry_;
  Survives survives_;
  int file_ = -1;
  int error_ = 0;  // the first one
  bool gave_up_ = false;
  std::string buffer_;
};

/// Writes a whole file.
void write_file(const std::filesystem::path& path, std::string_view text, Survives survives = Survives::kill);

/// Makes a folder, and those above it, where they are not there. FailureError when that fails.
void make_folder(const std::filesystem::path& path);

}  // namespace tactus
