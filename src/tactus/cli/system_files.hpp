// The files that stand behind the words of a command line.
#pragma once

#include <string>
#include <vector>

#include "tactus/base/error.hpp"

namespace tactus::cli {

/// One word: a file, `-`, or a folder with what was found in it.
struct NamedFiles {
  std::string named;
  bool is_folder = false;
  /// Of a folder: *.yaml and *.yml in it and in the folders below it, in the order of their names. Hidden
  /// files and folders are left out, links to folders are not followed, and pipes and devices are no files.
  std::vector<std::string> files{};
  std::vector<Problem> problems{};  // folders that cannot be read
};

NamedFiles find_files(const std::string& named);

}  // namespace tactus::cli
