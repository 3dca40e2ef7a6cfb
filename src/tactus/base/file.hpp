// Files, read whole and written whole.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace tactus {

/// The bytes of a file. InputError when it is missing, a folder or unreadable.
std::string read_file(const std::filesystem::path& path);

/// A file that appears under its name only when it is complete: it is written beside it under a temporary
/// name and renamed by `commit`. Without `commit` nothing is left behind. FailureError when writing fails.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  AtomicFile(AtomicFile&&) = delete;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  void write(std::string_view text);
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::ofstream stream_;
};

}  // namespace tactus
