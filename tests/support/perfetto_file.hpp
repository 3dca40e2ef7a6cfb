// A trace file read back, track by track.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tactus::test {

struct PerfettoFile {
  struct Slice {
    std::string name;
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    nlohmann::json event;
  };
  struct Track {
    std::string process;
    std::string name;
    std::int64_t sort_index = 0;
    std::vector<Slice> slices;
    std::vector<Slice> instants;
  };

  nlohmann::json json;
  std::vector<Track> tracks;  // in the order of their sort indices

  [[nodiscard]] const Track* find(const std::string& name) const;
};

PerfettoFile read_perfetto_file(const std::filesystem::path& path);

/// The first two slices of one track that overlap without one holding the other; empty when there are none.
std::string find_overlap(const PerfettoFile& file);

/// What is wrong with the flows of a file, by the rules of the page: every event of a flow stands behind a
/// slice or an instant of its track that begins at its time; a flow starts once, goes on later, and ends at
/// most once and last. Empty when they are all right.
std::string find_broken_flow(const PerfettoFile& file);

/// What is wrong with the counters of a file: samples of one counter come in the order of time, one an
/// instant, with the same series, and no value is negative. Empty when they are all right.
std::string find_broken_counter(const PerfettoFile& file);

/// The samples of a counter: time and values by series.
std::vector<std::pair<std::int64_t, std::map<std::string, std::int64_t>>> counter_samples(
    const PerfettoFile& file, const std::string& name);

}  // namespace tactus::test
