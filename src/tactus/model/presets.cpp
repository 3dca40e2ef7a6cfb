#include "tactus/model/presets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "tactus/base/text.hpp"

namespace tactus {

namespace {

// --- What the numbers come from ---------------------------------------------------------------------------

/// In bytes: blocks take whole units; of every block the system takes some.
struct SharedMemory {
  std::int64_t unit;
  std::int64_t reserved;
};

// cuda_occupancy.h, CUDA 13: before and from compute capability 8.0.
constexpr SharedMemory up_to_7{256, 0};
constexpr SharedMemory from_8{128, 1024};

// The same for all of them (there): a warp takes whole units of the registers of one of an SM's four parts.
constexpr std::int64_t register_unit = 256;
constexpr std::int32_t register_files = 4;

/// What a compute capability says about an SM.
struct Capability {
  std::string_view name;
  std::int32_t threads;
  std::int32_t blocks;
  std::int64_t shared_kib;
  SharedMemory shared;
};

constexpr Capability cc_6_1{"6.1", 2048, 32, 96, up_to_7};
constexpr Capability cc_6_2{"6.2", 2048, 32, 64, up_to_7};
constexpr Capability cc_7_0{"7.0", 2048, 32, 96, up_to_7};
constexpr Capability cc_7_2{"7.2", 2048, 32, 96, up_to_7};
constexpr Capability cc_8_0{"8.0", 2048, 32, 164, from_8};
constexpr Capability cc_8_6{"8.6", 1536, 16, 100, from_8};
constexpr Capability cc_8_7{"8.7", 1536, 16, 164, from_8};
constexpr Capability cc_8_9{"8.9", 1536, 24, 100, from_8};
constexpr Capability cc_9_0{"9.0", 2048, 32, 228, from_8};
constexpr Capability cc_10_0{"10.0", 2048, 32, 228, from_8};
constexpr Capability cc_11_0{"11.0", 1536, 24, 228, from_8};
constexpr Capability cc_12_0{"12.0", 1536, 24, 100, from_8};

constexpr std::string_view guide =
    "per SM: CUDA C++ Programming Guide, technical specifications per compute capability (NVIDIA, 2025)";

/// Presets that share their sources and what is not known of them.
struct Family {
  std::string_view name;
  Capability capability;
  std::string_view sizes;        // the document that gives SMs and CPU cores
  std::string_view engines;      // the source of the number of copy engines; empty: none
  std::int32_t priority_levels;  // where nothing is known: two, the fewest a CUDA device has
  std::int32_t copy_engines;
  std::string_view per_sm = guide;
};

constexpr std::string_view jetson = "Jetson";
constexpr std::string_view rtx_30 = "GeForce RTX 30";
constexpr std::string_view rtx_40 = "GeForce RTX 40";
constexpr std::string_view rtx_50 = "GeForce RTX 50";
constexpr std::string_view data_centre = "data centre";
constexpr std::string_view older = "older cards";

// Specifications were read in secondary sources (board vendors, tables), in November 2026, not in
// NVIDIA's own documents. Where a device is named, the source is the output of deviceQuery (NVIDIA's CUDA
// samples) that users published.
constexpr std::string_view modules =
    "Jetson module specifications (NVIDIA) as board vendors repeat them, 2026";
constexpr std::string_view cards =
    "GeForce specifications (NVIDIA) as tables of others repeat them, 2026: CUDA cores, 128 an SM";

constexpr Family tx2{jetson, cc_6_2, "SMs, CPU clusters and copy engine: thesis of Paredes Zevallos (2019)",
                     "",     2,      1};
constexpr Family xavier{
    jetson,  cc_7_2,
    modules, "copy engines: one by deviceQuery on the AGX Xavier, two by RTGPU (Zou et al., 2023)",
    2,       1};
constexpr Family orin{jetson, cc_8_7, modules, "copy engines: deviceQuery on the AGX Orin", 2, 2};
constexpr Family thor{jetson, cc_11_0, modules, "copy engines: deviceQuery on the AGX Thor", 2, 1};
constexpr Family ampere{rtx_30, cc_8_6, cards, "copy engines: deviceQuery on the RTX 3090", 6, 2};
constexpr Family ada{rtx_40, cc_8_9, cards, "copy engines: deviceQuery on the RTX 4090 under Linux", 6, 2};
constexpr Family blackwell{rtx_50, cc_12_0, cards, "copy engines: deviceQuery on the RTX 5090", 6, 2};
constexpr Family a100{data_centre,
                      cc_8_0,
                      "SMs and copy engines: deviceQuery on the A100-SXM4 (2024)",
                      "priority levels: reported by users of the A100 (2023)",
                      6,
                      3};
constexpr Family h100{
    data_centre,
    cc_9_0,
    "SMs and copy engines: deviceQuery on the H100 SXM (2025); SMs of the PCIe card: tables of "
    "others (2026)",
    "",
    6,
    3};
constexpr Family h200{
    data_centre, cc_9_0, "all read from a card by Tactus (docs/results/h200-platform.md), 2026", "", 6,
    3,           ""};
constexpr Family b200{data_centre, cc_10_0, "SMs: the CUDA driver on a B200 (2026)", "", 6, 3};
constexpr Family pascal{older,
                        cc_6_1,
                        "CUDA cores in tables of others (2026), 128 an SM",
                        "copy engines: RTGPU (Zou et al., 2023)",
                        2,
                        2};
constexpr Family volta{older, cc_7_0, "a first preset of Tactus, not checked again in 2026", "", 2, 2};

using Keys = std::vector<std::string_view>;

/// Assumed for discrete cards, whose hosts are not known; the first presets keep one core.
constexpr std::int32_t usual_host_cores = 8;

Preset preset(const Family& family, std::string_view name, std::string_view description,
              std::vector<std::int32_t> clusters, std::int32_t sms, Keys guesses) {
  Preset result{
      name, family.name, description, family.capability.name, std::string{family.sizes}, std::move(guesses),
      {}};
  if (!family.per_sm.empty()) result.source += fmt::format("; {}", family.per_sm);
  result.source += "; what blocks are given: NVIDIA's cuda_occupancy.h (CUDA 13)";
  if (!family.engines.empty()) result.source += fmt::format("; {}", family.engines);
  Platform& platform = result.platform;
  platform.preset = name;
  platform.clusters = std::move(clusters);
  platform.gpu.sms = sms;
  platform.gpu.threads_per_sm = family.capability.threads;
  platform.gpu.blocks_per_sm = family.capability.blocks;
  platform.gpu.shared_memory_per_sm = family.capability.shared_kib * 1024;
  platform.gpu.shared_memory_unit = family.capability.shared.unit;
  platform.gpu.shared_memory_reserved = family.capability.shared.reserved;
  platform.gpu.register_unit = register_unit;
  platform.gpu.register_files = register_files;
  platform.gpu.priority_levels = family.priority_levels;
  platform.gpu.copy_engines = family.copy_engines;
  return result;
}

/// `reported`: the family's number of copy engines was reported for this card.
Preset card(const Family& family, std::string_view name, std::string_view description, std::int32_t sms,
            bool reported = false) {
  Keys guesses{"cpus", "priority_levels"};
  if (!reported) guesses.emplace_back("copy_engines");
  return preset(family, name, description, {usual_host_cores}, sms, std::move(guesses));
}

std::vector<Preset> all_presets() {
  return {
      preset(tx2, "jetson-tx2", "NVIDIA Jetson TX2: embedded, Pascal, 2 Denver and 4 A57 cores", {2, 4}, 2,
             {}),
      preset(xavier, "jetson-xavier-nx", "NVIDIA Jetson Xavier NX: embedded, Volta, 6 Carmel cores",
             {2, 2, 2}, 6, {"cpus", "priority_levels", "copy_engines"}),
      preset(xavier, "jetson-agx-xavier", "NVIDIA Jetson AGX Xavier: embedded, Volta, 8 Carmel cores",
             {2, 2, 2, 2}, 8, {"cpus", "priority_levels", "copy_engines"}),
      preset(orin, "jetson-orin-nano-4gb", "NVIDIA Jetson Orin Nano 4GB: embedded, Ampere, 6 A78AE cores",
             {4, 2}, 4, {"cpus", "priority_levels", "copy_engines"}),
      preset(orin, "jetson-orin-nano-8gb",
             "NVIDIA Jetson Orin Nano 8GB (and Super): embedded, Ampere, 6 A78AE cores", {4, 2}, 8,
             {"cpus", "priority_levels", "copy_engines"}),
      preset(orin, "jetson-orin-nx-8gb", "NVIDIA Jetson Orin NX 8GB: embedded, Ampere, 6 A78AE cores", {4, 2},
             8, {"cpus", "priority_levels", "copy_engines"}),
      preset(orin, "jetson-orin-nx-16gb", "NVIDIA Jetson Orin NX 16GB: embedded, Ampere, 8 A78AE cores",
             {4, 4}, 8, {"cpus", "priority_levels", "copy_engines"}),
      preset(orin, "jetson-agx-orin-32gb", "NVIDIA Jetson AGX Orin 32GB: embedded, Ampere, 8 A78AE cores",
             {4, 4}, 14, {"cpus", "priority_levels", "copy_engines"}),
      preset(orin, "jetson-agx-orin-64gb", "NVIDIA Jetson AGX Orin 64GB: embedded, Ampere, 12 A78AE cores",
             {4, 4, 4}, 16, {"priority_levels"}),
      preset(thor, "jetson-thor-t4000", "NVIDIA Jetson T4000: embedded, Blackwell, 12 Neoverse V3AE cores",
             {12}, 12, {"cpus", "priority_levels", "copy_engines"}),
      preset(thor, "jetson-thor-t5000",
             "NVIDIA Jetson T5000 (AGX Thor): embedded, Blackwell, 14 Neoverse V3AE cores", {14}, 20,
             {"cpus", "priority_levels"}),

      card(ampere, "rtx-3050", "NVIDIA GeForce RTX 3050 8GB: desktop, Ampere", 20),
      card(ampere, "rtx-3060", "NVIDIA GeForce RTX 3060: desktop, Ampere", 28),
      card(ampere, "rtx-3060-ti", "NVIDIA GeForce RTX 3060 Ti: desktop, Ampere", 38),
      card(ampere, "rtx-3070", "NVIDIA GeForce RTX 3070: desktop, Ampere", 46),
      card(ampere, "rtx-3070-ti", "NVIDIA GeForce RTX 3070 Ti: desktop, Ampere", 48),
      card(ampere, "rtx-3080", "NVIDIA GeForce RTX 3080 10GB: desktop, Ampere", 68),
      card(ampere, "rtx-3080-ti", "NVIDIA GeForce RTX 3080 Ti: desktop, Ampere", 80),
      card(ampere, "rtx-3090", "NVIDIA GeForce RTX 3090: desktop, Ampere", 82, true),
      card(ampere, "rtx-3090-ti", "NVIDIA GeForce RTX 3090 Ti: desktop, Ampere", 84),

      card(ada, "rtx-4060", "NVIDIA GeForce RTX 4060: desktop, Ada", 24),
      card(ada, "rtx-4060-ti", "NVIDIA GeForce RTX 4060 Ti: desktop, Ada", 34),
      card(ada, "rtx-4070", "NVIDIA GeForce RTX 4070: desktop, Ada", 46),
      card(ada, "rtx-4070-super", "NVIDIA GeForce RTX 4070 Super: desktop, Ada", 56),
      card(ada, "rtx-4070-ti", "NVIDIA GeForce RTX 4070 Ti: desktop, Ada", 60),
      card(ada, "rtx-4070-ti-super", "NVIDIA GeForce RTX 4070 Ti Super: desktop, Ada", 66),
      card(ada, "rtx-4080", "NVIDIA GeForce RTX 4080: desktop, Ada", 76),
      card(ada, "rtx-4080-super", "NVIDIA GeForce RTX 4080 Super: desktop, Ada", 80),
      card(ada, "rtx-4090", "NVIDIA GeForce RTX 4090: desktop, Ada", 128, true),

      card(blackwell, "rtx-5050", "NVIDIA GeForce RTX 5050: desktop, Blackwell", 20),
      // For these two only reports from before their release were found.
      preset(blackwell, "rtx-5060", "NVIDIA GeForce RTX 5060: desktop, Blackwell", {usual_host_cores}, 30,
             {"cpus", "sms", "priority_levels", "copy_engines"}),
      preset(blackwell, "rtx-5060-ti", "NVIDIA GeForce RTX 5060 Ti: desktop, Blackwell", {usual_host_cores},
             36, {"cpus", "sms", "priority_levels", "copy_engines"}),
      card(blackwell, "rtx-5070", "NVIDIA GeForce RTX 5070: desktop, Blackwell", 48),
      card(blackwell, "rtx-5070-ti", "NVIDIA GeForce RTX 5070 Ti: desktop, Blackwell", 70),
      card(blackwell, "rtx-5080", "NVIDIA GeForce RTX 5080: desktop, Blackwell", 84),
      card(blackwell, "rtx-5090", "NVIDIA GeForce RTX 5090: desktop, Blackwell", 170, true),

      preset(a100, "a100", "NVIDIA A100: data centre, Ampere", {usual_host_cores}, 108, {"cpus"}),
      card(h100, "h100-pcie", "NVIDIA H100 PCIe: data centre, Hopper", 114),
      card(h100, "h100-sxm", "NVIDIA H100 SXM: data centre, Hopper", 132, true),
      preset(h200, "h200", "NVIDIA H200: data centre, Hopper", {1}, 132, {"cpus"}),
      card(b200, "b200", "NVIDIA B200: data centre, Blackwell", 148),

      preset(pascal, "gtx-1080-ti", "NVIDIA GeForce GTX 1080 Ti: desktop, Pascal", {1}, 28,
             {"cpus", "priority_levels"}),
      preset(volta, "titan-v", "NVIDIA Titan V: workstation, Volta", {1}, 80,
             {"cpus", "sms", "priority_levels", "copy_engines"}),
  };
}

// --- Names that are nearly right --------------------------------------------------------------------------

std::string in_lower_case(std::string_view text) {
  std::string result{text};
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// The words of a name: its runs of letters and digits.
std::vector<std::string_view> words_of(std::string_view name) {
  constexpr std::string_view parts = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::vector<std::string_view> words;
  for (std::size_t begin = name.find_first_of(parts); begin < name.size();
       begin = name.find_first_of(parts, begin)) {
    const std::size_t end = std::min(name.find_first_not_of(parts, begin), name.size());
    words.push_back(name.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

/// How many of the words are prefixes of a word of the preset's name.
std::size_t shared_words(const std::vector<std::string_view>& words, std::string_view preset) {
  const std::vector<std::string_view> own = words_of(preset);
  return static_cast<std::size_t>(std::count_if(words.begin(), words.end(), [&](std::string_view word) {
    return std::any_of(own.begin(), own.end(), [&](std::string_view one) { return one.starts_with(word); });
  }));
}

/// "3090", "h200": what tells one card from another of its family.
bool is_model(std::string_view word) {
  constexpr std::ptrdiff_t min_digits = 3;
  return std::count_if(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; }) >= min_digits;
}

bool fits_name(const Preset& preset, const std::vector<std::string_view>& device) {
  const std::vector<std::string_view> own = words_of(preset.name);
  const auto is_there = [&](std::string_view word) {
    return std::find(device.begin(), device.end(), word) != device.end();
  };
  // A Jetson's device is called "Orin" or "NVIDIA Thor", whatever the module.
  if (preset.family == jetson) return std::any_of(own.begin(), own.end(), is_there);
  return std::all_of(own.begin(), own.end(),
                     [&](std::string_view word) { return !is_model(word) || is_there(word); });
}

}  // namespace

std::span<const Preset> presets() {
  static const std::vector<Preset> all = all_presets();
  return all;
}

std::optional<Platform> find_preset(std::string_view name) {
  const std::span<const Preset> known = presets();
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Preset& preset) { return preset.name == name; });
  if (found == known.end()) return std::nullopt;
  return found->platform;
}

std::vector<std::string_view> presets_like(std::string_view name) {
  constexpr std::size_t longest_name = 64;
  if (name.size() > longest_name) return {};
  const std::string written = in_lower_case(name);
  const std::vector<std::string_view> words = words_of(written);
  std::vector<std::string_view> best;
  std::size_t most = words.size() / 2;  // more than half of the words must be there
  std::vector<std::string_view> names;
  for (const Preset& preset : presets()) {
    names.push_back(preset.name);
    const std::size_t shared = shared_words(words, preset.name);
    if (shared > most) {
      most = shared;
      best.clear();
    }
    if (shared == most && shared > words.size() / 2) best.push_back(preset.name);
  }
  if (!best.empty()) return best;
  const std::string_view near = nearest_name(written, names);
  return near.empty() ? best : std::vector{near};
}

std::string_view preset_of_device(const Gpu& gpu, std::string_view device) {
  const std::string lower = in_lower_case(device);
  const std::vector<std::string_view> words = words_of(lower);
  for (const Preset& preset : presets()) {
    if (preset.platform.gpu == gpu && fits_name(preset, words)) return preset.name;
  }
  return {};
}

std::string preset_hint(std::string_view name) {
  const std::vector<std::string_view> near = presets_like(name);
  if (near.empty()) return fmt::format("`tactus platforms` lists the {} there are", presets().size());
  if (near.size() == 1) return fmt::format("did you mean `{}`? `tactus platforms` lists all", near.front());
  return fmt::format("did you mean one of {}? `tactus platforms` lists all", fmt::join(near, ", "));
}

}  // namespace tactus
