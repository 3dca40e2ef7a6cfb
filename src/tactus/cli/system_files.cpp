#include "tactus/cli/system_files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace tactus::cli {

namespace fs = std::filesystem;

namespace {

Problem unreadable(const fs::path& folder, const std::error_code& why) {
  return {.file = folder.string(),
          .line = 1,
          .column = 1,
          .message = "the folder cannot be read: " + why.message(),
          .hint = "check its permissions",
          .id = ProblemId::unreadable_file};
}

/// "a.yaml" for "./a.yaml": the form that CI pipelines use.
std::string plain(const std::string& path) { return path.starts_with("./") ? path.substr(2) : path; }

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool may_be_system(const fs::directory_entry& entry) {
  const fs::path extension = entry.path().extension();
  if (extension != ".yaml" && extension != ".yml") return false;
  std::error_code ignored;
  const fs::file_status status = entry.status(ignored);
  // A broken link is treated as a missing file.
  return fs::is_regular_file(status) || !fs::exists(status);
}

void look_into(const fs::path& folder, NamedFiles& found) {
  std::vector<fs::directory_entry> entries;
  std::error_code failed;
  for (fs::directory_iterator entry{folder, failed}, end; !failed && entry != end; entry.increment(failed)) {
    if (!is_hidden(entry->path())) entries.push_back(*entry);
  }
  if (failed) found.problems.push_back(unreadable(folder, failed));
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.path().native() < b.path().native(); });
  for (const fs::directory_entry& entry : entries) {
    std::error_code ignored;
    if (entry.is_directory(ignored)) {
      if (!entry.is_symlink(ignored)) look_into(entry.path(), found);
    } else if (may_be_system(entry)) {
      found.files.push_back(plain(entry.path().string()));
    }
  }
}

}  // namespace

NamedFiles find_files(const std::string& named) {
  NamedFiles found{.named = named};
  std::error_code ignored;
  found.is_folder = named != "-" && fs::is_directory(named, ignored);
  if (found.is_folder) {
    look_into(named, found);
  } else {
    found.files.push_back(named);
  }
  return found;
}

}  // namespace tactus::cli
