#include "support/perfetto_file.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tactus/base/file.hpp"

namespace tactus::test {

namespace {

std::int64_t in_nanoseconds(const nlohmann::json& microseconds) {
  return std::llround(microseconds.get<double>() * 1000.0);
}

}  // namespace

const PerfettoFile::Track* PerfettoFile::find(const std::string& name) const {
  const auto found =
      std::find_if(tracks.begin(), tracks.end(), [&](const Track& track) { return track.name == name; });
  return found == tracks.end() ? nullptr : &*found;
}

PerfettoFile read_perfetto_file(const std::filesystem::path& path) {
  PerfettoFile file;
  file.json = nlohmann::json::parse(read_file(path));
  std::map<std::int64_t, std::string> processes;
  std::map<std::pair<std::int64_t, std::int64_t>, PerfettoFile::Track> tracks;
  for (const nlohmann::json& event : file.json.at("traceEvents")) {
    const std::string phase = event.at("ph");
    const std::string name = event.at("name");
    if (name == "process_name") processes[event.at("pid")] = event.at("args").at("name");
    if (!event.contains("tid")) continue;
    PerfettoFile::Track& track = tracks[{event.at("pid"), event.at("tid")}];
    if (name == "thread_name") track.name = event.at("args").at("name");
    if (name == "thread_sort_index") track.sort_index = event.at("args").at("sort_index");
    if (phase != "X" && phase != "i") continue;
    const std::int64_t start = in_nanoseconds(event.at("ts"));
    if (phase == "X") {
      track.slices.push_back({name, start, start + in_nanoseconds(event.at("dur")), event});
    } else {
      track.instants.push_back({name, start, start, event});
    }
  }
  for (auto& [ids, track] : tracks) {
    track.process = processes.at(ids.first);
    file.tracks.push_back(std::move(track));
  }
  std::sort(file.tracks.begin(), file.tracks.end(),
            [](const auto& a, const auto& b) { return a.sort_index < b.sort_index; });
  return file;
}

std::string find_overlap(const PerfettoFile& file) {
  for (const PerfettoFile::Track& track : file.tracks) {
    std::vector<PerfettoFile::Slice> slices = track.slices;
    std::stable_sort(slices.begin(), slices.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    std::vector<const PerfettoFile::Slice*> open;
    for (const PerfettoFile::Slice& slice : slices) {
      while (!open.empty() && open.back()->end_ns <= slice.start_ns) open.pop_back();
      if (!open.empty() && slice.end_ns > open.back()->end_ns) {
        return track.name + ": " + open.back()->name + " and " + slice.name;
      }
      open.push_back(&slice);
    }
  }
  return {};
}

}  // namespace tactus::test
