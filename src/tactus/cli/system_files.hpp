// The files that the arguments of a command line refer to.
#pragma once

#include <string>
#include <vector>

#include "tactus/base/error.hpp"

namespace tactus::cli {

/// One argument: a file, `-`, or a folder with the files found in it.
struct NamedFiles {
  std::string named;
  bool is_folder = false;
  /// For a folder: *.yaml and *.yml in it and below it, sorted by name. Hidden files and folders are skipped,
  /// links to folders are not followed, and pipes and devices are not files.
  std::vector<std::string> files{};
  std::vector<Problem> problems{};  // folders that cannot be read
};

NamedFiles find_files(const std::string& named);

}  // namespace tactus::cli
