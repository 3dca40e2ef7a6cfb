#include "tactus/sweep/result_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/temporary_name.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/sweep/json.hpp"

namespace tactus::sweep {

namespace fs = std::filesystem;

namespace {

/// Files made from the progress; those of an old experiment must not stay beside a new one.
constexpr std::array made_files{"results.csv", "weighted.csv", "manifest.json",
                                "plot.gp",     "plot.svg",     "plot.png"};

fs::path made(fs::path folder) {
  make_folder(folder);
  if (!fs::is_directory(folder)) {
    throw FailureError{fmt::format("{}: is not a folder", shown(folder.string()))};
  }
  return folder;
}

void remove_file(const fs::path& path) {
  std::error_code failed;
  // The gnuplot of a killed sweep may still put its few files into the folder that is being removed.
  for (int attempts = 10; attempts > 0; --attempts) {
    fs::remove_all(path, failed);
    if (failed != std::errc::directory_not_empty) break;
  }
  if (failed) {
    throw FailureError{fmt::format("{}: cannot be removed: {}", shown(path.string()), failed.message())};
  }
}

SweepProgress beginning(const Experiment& experiment) {
  return {Ledger{experiment}, {.begun = std::chrono::system_clock::now()}};
}

/// Files in a folder without our progress file may be the user's: they are neither replaced nor removed.
void refuse_foreign_files(const fs::path& folder, const std::string& experiment_text) {
  const auto refuse = [&](const char* name) {
    throw InputError{fmt::format("{} holds {}, but no progress.json of a sweep: it is not known who made it",
                                 shown(folder.string()), name),
                     "choose another folder with -o, or move it away"};
  };
  for (const char* name : made_files) {
    if (fs::exists(fs::symlink_status(folder / name))) refuse(name);
  }
  const fs::path experiment = folder / "experiment.yaml";
  // The experiment file itself may be in the result folder.
  if (fs::exists(fs::symlink_status(experiment)) &&
      (!fs::is_regular_file(experiment) || read_file(experiment) != experiment_text)) {
    refuse("experiment.yaml");
  }
}

/// Nothing where a new sweep begins.
std::optional<SweepProgress> find_progress(const fs::path& folder, const Experiment& experiment,
                                           const std::string& experiment_text, IfThere if_there) {
  const fs::path path = folder / "progress.json";
  if (!fs::exists(fs::symlink_status(path))) {
    refuse_foreign_files(folder, experiment_text);
    return std::nullopt;
  }
  const std::string text = read_file(path);
  if (if_there == IfThere::go_on) return read_progress(text, experiment, shown(folder.string()));
  if (!is_progress(text)) {
    throw InputError{fmt::format("{} holds a progress.json that is not of a sweep", shown(folder.string())),
                     "choose another folder with -o, or move it away"};
  }
  return std::nullopt;
}

/// Whether a file is a leftover of a killed run. The lock is held, so no other run uses it.
bool is_left_over(const std::string& name) {
  constexpr std::array<std::string_view, 7> stems{
      "progress.json", "results.csv", "weighted.csv", "manifest.json", "plot.gp", "plot", "experiment.yaml"};
  return std::any_of(stems.begin(), stems.end(),
                     [&](std::string_view stem) { return is_temporary_name(name, stem); });
}

void remove_left_overs(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const fs::directory_entry& entry : fs::directory_iterator{folder}) {
    if (is_left_over(entry.path().filename().string())) all.push_back(entry.path());
  }
  for (const fs::path& path : all) remove_file(path);
}

}  // namespace

ResultFolder::ResultFolder(fs::path path, const Experiment& experiment, const std::string& text,
                           IfThere if_there)
    : path_{made(std::move(path))}, experiment_{experiment}, lock_{path_}, found_{beginning(experiment)} {
  std::optional<SweepProgress> progress = find_progress(path_, experiment, text, if_there);
  remove_left_overs(path_);
  if (progress) {
    found_ = *std::move(progress);
  } else {
    // The new progress first: a kill between the two must not leave old results that look like new ones.
    write("progress.json", to_text(experiment_, found_));
    for (const char* name : made_files) remove_file(path_ / name);
  }
  const fs::path kept = path_ / "experiment.yaml";
  if (!fs::exists(kept) || read_file(kept) != text) write("experiment.yaml", text);
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
  write_file(path_ / name, text, Survives::power_cut);
}

}  // namespace tactus::sweep
