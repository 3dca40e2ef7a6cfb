// Files that are not yet what they shall be: how they are called, and how they are removed when the process
// ends by a signal.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace tactus {

/// "trace.json.tactus-4711-0f3c52a9e1b7.tmp" for "trace.json": the process that makes it, and a number that
/// nobody can foresee.
std::string temporary_name(std::string_view name);

/// Whether a file was called so by `temporary_name(of)`, in whatever process.
[[nodiscard]] bool is_temporary_name(std::string_view name, std::string_view of);

/// While it lives, `remove_temporary_files` removes the file of that path.
class TemporaryEntry {
 public:
  explicit TemporaryEntry(const std::filesystem::path& path);
  TemporaryEntry(const TemporaryEntry&) = delete;
  TemporaryEntry& operator=(const TemporaryEntry&) = delete;
  TemporaryEntry(TemporaryEntry&&) = delete;
  TemporaryEntry& operator=(TemporaryEntry&&) = delete;
  ~TemporaryEntry();

 private:
  std::unique_ptr<std::string> path_;
  std::atomic<const char*>* place_ = nullptr;  // none: there were too many
};

/// For a signal handler, right before the process ends: nothing here waits or allocates.
void remove_temporary_files() noexcept;

}  // namespace tactus
