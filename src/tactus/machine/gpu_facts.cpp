#include "tactus/machine/gpu_facts.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "tactus/base/program.hpp"
#include "tactus/machine/system_text.hpp"

namespace tactus::machine {

namespace {

constexpr std::size_t number_of_fields = 7;

/// The fields between separators, trimmed.
std::vector<std::string_view> pieces_of(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t end = text.find(separator);
    pieces.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

/// nvidia-smi writes [N/A], [Not Supported] and the like for unknown values.
std::optional<bool> switch_of(std::string_view word) {
  if (word == "Enabled") return true;
  if (word == "Disabled") return false;
  return std::nullopt;
}

GpuBoard board_of(const std::vector<std::string_view>& fields) {
  GpuBoard board;
  board.name = fields[0];
  board.driver = fields[1];
  board.persistence = switch_of(fields[2]);
  board.sm_clock_mhz = whole_number(fields[3]);
  board.max_sm_clock_mhz = whole_number(fields[4]);
  board.compute_mode = fields[5];
  board.split = switch_of(fields[6]);
  return board;
}

std::optional<std::string> ask_nvidia_smi(const std::string& question) {
  return output_of({"nvidia-smi", question, "--format=csv,noheader,nounits"});
}

bool mps_pipe_exists() {
  const char* named = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  std::error_code ignored;
  return std::filesystem::exists(
      std::filesystem::path{named != nullptr ? named : "/tmp/nvidia-mps"} / "control", ignored);
}

}  // namespace

std::string_view board_fields() {
  return "name,driver_version,persistence_mode,clocks.sm,clocks.max.sm,compute_mode,mig.mode.current";
}

std::vector<GpuBoard> parse_boards(std::string_view csv) {
  std::vector<GpuBoard> boards;
  for (const std::string_view line : pieces_of(csv, '\n')) {
    const std::vector<std::string_view> fields = pieces_of(line, ',');
    if (fields.size() == number_of_fields) boards.push_back(board_of(fields));
  }
  return boards;
}

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

GpuFacts read_gpu_facts() {
  GpuFacts facts;
  facts.mps = mps_pipe_exists();
  const auto boards = ask_nvidia_smi("--query-gpu=" + std::string{board_fields()});
  if (!boards) return facts;
  facts.boards = parse_boards(*boards);
  if (const auto processes = ask_nvidia_smi("--query-compute-apps=pid")) {
    const std::vector<std::string_view> lines = pieces_of(*processes, '\n');
    facts.processes = static_cast<int>(std::count_if(
        lines.begin(), lines.end(), [](std::string_view line) { return whole_number(line).has_value(); }));
  }
  return facts;
}

}  // namespace tactus::machine
