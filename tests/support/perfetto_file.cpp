#include "support/perfetto_file.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
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

std::string find_broken_flow(const PerfettoFile& file) {
  using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // process, track, time
  std::set<Place> begun;
  struct Step {
    std::int64_t time = 0;
    std::string phase;
  };
  std::map<std::uint64_t, std::vector<Step>> flows;
  for (const nlohmann::json& event : file.json.at("traceEvents")) {
    const std::string phase = event.at("ph");
    if (phase != "X" && phase != "i" && phase != "s" && phase != "t" && phase != "f") continue;
    const Place place{event.at("pid"), event.at("tid"), in_nanoseconds(event.at("ts"))};
    if (phase == "X" || phase == "i") {
      begun.insert(place);
      continue;
    }
    if (event.at("cat") != "flow" || event.at("name") != "job") return "another name: " + event.dump();
    if (phase == "f" && event.value("bp", "") != "e") return "not bound to what encloses it: " + event.dump();
    if (!begun.contains(place)) return "nothing begins there: " + event.dump();
    flows[event.at("id")].push_back({std::get<2>(place), phase});
  }
  for (auto& [id, steps] : flows) {
    // As the page does it: by time, and at one time in the order of the file.
    std::ranges::stable_sort(steps, {}, &Step::time);
    const std::string what = "flow " + std::to_string(id);
    if (steps.front().phase != "s") return what + " does not begin with its start";
    for (std::size_t i = 1; i < steps.size(); ++i) {
      if (steps[i].phase == "s") return what + " starts twice";
      if (steps[i].phase == "f" && i + 1 != steps.size()) return what + " goes on after its end";
    }
  }
  return {};
}

std::vector<std::pair<std::int64_t, std::map<std::string, std::int64_t>>> counter_samples(
    const PerfettoFile& file, const std::string& name) {
  std::vector<std::pair<std::int64_t, std::map<std::string, std::int64_t>>> samples;
  for (const nlohmann::json& event : file.json.at("traceEvents")) {
    if (event.at("ph") != "C" || event.at("name") != name) continue;
    samples.emplace_back(in_nanoseconds(event.at("ts")),
                         event.at("args").get<std::map<std::string, std::int64_t>>());
  }
  return samples;
}

std::string find_broken_counter(const PerfettoFile& file) {
  std::set<std::string> names;
  for (const nlohmann::json& event : file.json.at("traceEvents")) {
    if (event.at("ph") == "C") names.insert(event.at("name").get<std::string>());
  }
  for (const std::string& name : names) {
    const auto samples = counter_samples(file, name);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::string where = name + " at " + std::to_string(samples[i].first);
      if (i > 0 && samples[i].first <= samples[i - 1].first) return where + " goes back in time";
      if (!std::ranges::equal(samples[i].second, samples[0].second,
                              [](const auto& a, const auto& b) { return a.first == b.first; })) {
        return where + " has other series";
      }
      for (const auto& [series, value] : samples[i].second) {
        if (value < 0) return where + " is negative";
      }
    }
  }
  return {};
}

}  // namespace tactus::test
