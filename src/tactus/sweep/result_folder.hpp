// The result folder of a sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tactus/sweep/experiment.hpp"
#include "tactus/sweep/folder_lock.hpp"
#include "tactus/sweep/ledger.hpp"
#include "tactus/sweep/progress_file.hpp"
#include "tactus/sweep/results.hpp"

namespace tactus::sweep {

enum class IfThere : std::uint8_t { go_on, restart };

/// Holds the lock of the folder as long as it lives. The file progress.json alone decides where a run
/// continues; it is written before the files made from it, and each file is replaced atomically. So a run may
/// be killed at any instant.
class ResultFolder {
 public:
  /// Makes the folder if need be. InputError when it holds the results of another experiment or another sweep
  /// is at work in it; then nothing in it was changed. `text` is the experiment as it was written, to be kept
  /// beside its results. The experiment must outlive the folder.
  ResultFolder(std::filesystem::path path, const Experiment& experiment, const std::string& text,
               IfThere if_there);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The progress when the folder was opened.
  [[nodiscard]] const SweepProgress& found() const { return found_; }

  /// The progress, the manifest, and the table when it has changed.
  void save(const Ledger& ledger, const Provenance& provenance);

 private:
  void write(const char* name, const std::string& text) const;

  std::filesystem::path path_;
  const Experiment& experiment_;
  FolderLock lock_;
  SweepProgress found_;
  std::optional<std::size_t> written_points_;  // of the table
};

}  // namespace tactus::sweep
