// Ensures that only one sweep at a time works in a folder.
#pragma once

#include <filesystem>

namespace tactus::sweep {

/// A lock that ends with its process, however that ends. While it is held there is a file `lock` in the
/// folder; the file alone, left by a process that was killed, locks nothing. A file of that name that no
/// sweep has made is not removed.
class FolderLock {
 public:
  /// InputError when another process holds it, FailureError when the folder cannot be locked at all.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::filesystem::path path_;
  int file_ = -1;
  bool ours_ = false;
};

}  // namespace tactus::sweep
