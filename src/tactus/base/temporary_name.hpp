// Temporary files of unfinished output: their names, and their removal when the process
// ends by a signal.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace tactus {

/// "trace.json.tactus-4711-0f3c52a9e1b7.tmp" for "trace.json": the process id and a random
/// number.
std::string temporary_name(std::string_view name);

/// Whether `temporary_name(of)` made this name, in any process.
[[nodiscard]] bool is_temporary_name(std::string_view name, std::string_view of);

/// While this object lives, `remove_temporary_files` removes the file at that path.
class TemporaryEntry {
 public:
  explicit TemporaryEntry(const std::filesystem::path& path);
  TemporaryEntry(const TemporaryEntry&) = delete;
  TemporaryEntry& operator=(const TemporaryEntry&) = delete;
  ~TemporaryEntry();

 private:
  std::unique_ptr<std::string> path_;
  std::atomic<const char*>* place_ = nullptr;  // null: too many were registered
};

/// Async-signal-safe: neither waits nor allocates. To be called right before the process ends.
void remove_temporary_files() noexcept;

}  // namespace tactus
