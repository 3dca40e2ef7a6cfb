#include "tactus/sweep/result_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"

namespace tactus::sweep {

namespace fs = std::filesystem;

namespace {

/// Made from the progress; a new experiment must not be found beside those of an old one.
constexpr std::array made_files{"results.csv", "weighted.csv", "manifest.json",
                                "plot.gp",     "plot.svg",     "plot.png"};

fs::path made(fs::path folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw FailureError{fmt::format("{}: cannot be made: {}", folder.string(), failed.message())};
  if (!fs::is_directory(folder)) throw FailureError{fmt::format("{}: is not a folder", folder.string())};
  return folder;
}

void remove_file(const fs::path& path) {
  std::error_code failed;
  fs::remove(path, failed);
  if (failed) throw FailureError{fmt::format("{}: cannot be removed: {}", path.string(), failed.message())};
}

Progress beginning(const Experiment& experiment) {
  return {Ledger{experiment}, {.begun = std::chrono::system_clock::now()}};
}

/// Nothing where a new sweep begins.
std::optional<Progress> find_progress(const fs::path& folder, const Experiment& experiment) {
  if (fs::exists(folder / "progress.json")) {
    return read_progress(read_file(folder / "progress.json"), experiment, folder.string());
  }
  for (const char* name : made_files) {
    if (!fs::exists(folder / name)) continue;
    throw InputError{fmt::format("{} holds {}, but no progress.json that says which experiment it is of",
                                 folder.string(), name),
                     "choose another folder with -o, or add --restart to replace it"};
  }
  return std::nullopt;
}

/// Whether a file is what a killed run of ours leaves behind: "results.csv.tmp.4711", "plot.tmp.4711.svg".
bool is_left_over(const std::string& name) {
  constexpr std::array<std::string_view, 8> stems{"progress.json",   "results.csv", "weighted.csv",
                                                  "manifest.json",   "plot.gp",     "plot",
                                                  "experiment.yaml", "lock"};
  return std::any_of(stems.begin(), stems.end(), [&](std::string_view stem) {
    const std::string beginning_of_name = fmt::format("{}.tmp.", stem);
    return name.starts_with(beginning_of_name) && name.size() > beginning_of_name.size() &&
           name[beginning_of_name.size()] >= '0' && name[beginning_of_name.size()] <= '9';
  });
}

void remove_left_overs(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const fs::directory_entry& entry : fs::directory_iterator{folder}) {
    if (entry.is_regular_file() && is_left_over(entry.path().filename().string()))
      all.push_back(entry.path());
  }
  for (const fs::path& path : all) remove_file(path);
}

}  // namespace

ResultFolder::ResultFolder(fs::path path, const Experiment& experiment, const std::string& text,
                           IfThere if_there)
    : path_{made(std::move(path))}, experiment_{experiment}, lock_{path_}, found_{beginning(experiment)} {
  std::optional<Progress> progress;
  if (if_there == IfThere::go_on) progress = find_progress(path_, experiment);
  remove_left_overs(path_);
  if (progress) {
    found_ = *std::move(progress);
  } else {
    // The new progress first: a kill between the two must not leave old results that look like new ones.
    write("progress.json", to_text(experiment_, found_));
    for (const char* name : made_files) remove_file(path_ / name);
  }
  write("experiment.yaml", text);
}

void ResultFolder::save(const Ledger& ledger, const Provenance& provenance) {
  const History history{.begun = provenance.begun, .took = provenance.took, .runs = provenance.runs};
  write("progress.json", to_text(experiment_, {ledger, history}));
  const SweepResult result = ledger.result();
  if (written_points_ != result.finished()) {
    write("results.csv", to_csv(experiment_, result));
    const std::string weighted = weighted_csv(experiment_, result);
    if (!weighted.empty()) write("weighted.csv", weighted);
  }
  written_points_ = result.finished();
  write("manifest.json", manifest(experiment_, result, provenance).dump(2) + "\n");
}

void ResultFolder::write(const char* name, const std::string& text) const {
  AtomicFile file{path_ / name};
  file.write(text);
  file.commit();
}

}  // namespace tactus::sweep
