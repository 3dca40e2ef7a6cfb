// A trace file read back, track by track.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
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

}  // namespace tactus::test
