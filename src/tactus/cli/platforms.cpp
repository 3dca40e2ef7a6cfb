// tactus platforms: lists the platforms that a system file can name.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/presets.hpp"
#include "tactus/report/display_text.hpp"
#include "tactus/report/table.hpp"

namespace tactus::cli {

namespace {

constexpr std::string_view help = R"(
With a name: that one in full, with its source and what of it is a guess, as lines for a system file. A file
names a platform, changes it, or writes it out:

  platform: jetson-orin-nx-16gb
  platform: {base: jetson-orin-nx-16gb, cpus: 4, gpu: {priority_levels: 6}}

Jetsons have their own CPU cores. The cores of a graphics card are those of its host: 8 stands there until you
write yours (`cpus:`). A machine that is not here, or a guess that matters: `tactus measure` asks the device.

Examples:
  tactus platforms
  tactus platforms jetson-agx-orin-64gb
  tactus platforms rtx-4090 --json

Exit status: 0 done, 2 there is no such platform.)";

/// With the keys of a system file, and the source of the numbers.
nlohmann::ordered_json to_json(const Preset& preset) {
  const Platform& platform = preset.platform;
  const Gpu& gpu = platform.gpu;
  return {{"name", preset.name},
          {"family", preset.family},
          {"description", preset.description},
          {"compute_capability", preset.compute_capability},
          {"source", preset.source},
          {"guesses", preset.guesses},
          {"cpus", {{"clusters", platform.clusters}}},
          {"gpu",
           {{"sms", gpu.sms},
            {"threads_per_sm", gpu.threads_per_sm},
            {"blocks_per_sm", gpu.blocks_per_sm},
            {"registers_per_sm", gpu.registers_per_sm},
            {"register_unit", gpu.register_unit},
            {"register_files", gpu.register_files},
            {"warp", gpu.warp},
            {"shared_memory_per_sm", gpu.shared_memory_per_sm},
            {"shared_memory_unit", gpu.shared_memory_unit},
            {"shared_memory_reserved", gpu.shared_memory_reserved},
            {"priority_levels", gpu.priority_levels},
            {"copy_engines", gpu.copy_engines},
            {"virtual_sms_per_sm", gpu.virtual_sms_per_sm}}}};
}

bool is_guess(const Preset& preset, std::string_view key) {
  return std::find(preset.guesses.begin(), preset.guesses.end(), key) != preset.guesses.end();
}

std::string marked(const Preset& preset, std::string_view key, const std::string& value) {
  return is_guess(preset, key) ? value + "*" : value;
}

/// Formatted so that numbers stay aligned in their column.
std::string cell(const Preset& preset, std::string_view key, std::int32_t value) {
  return marked(preset, key, fmt::to_string(value)) + (is_guess(preset, key) ? "" : " ");
}

std::string table_of_all() {
  report::Table table{{"platform"}, {"cc", "SMs", "threads", "blocks", "KiB", "levels", "copy"}, {"CPUs"}};
  std::string_view family;
  for (const Preset& preset : presets()) {
    if (preset.family != family) {
      if (!family.empty()) table.add_row({""});
      family = preset.family;
      table.add_row({{std::string{family}, report::Tone::strong}});
    }
    const Gpu& gpu = preset.platform.gpu;
    table.add_row({fmt::format("  {}", preset.name), std::string{preset.compute_capability},
                   cell(preset, "sms", gpu.sms), fmt::to_string(gpu.threads_per_sm),
                   fmt::to_string(gpu.blocks_per_sm), fmt::to_string(gpu.shared_memory_per_sm / 1024),
                   cell(preset, "priority_levels", gpu.priority_levels),
                   cell(preset, "copy_engines", gpu.copy_engines),
                   marked(preset, "cpus", fmt::to_string(fmt::join(preset.platform.clusters, "+")))});
  }
  return table.to_text(wants_colour(), text_width()) +
         R"(
cc: compute capability. threads, blocks, KiB of shared memory: of an SM; each
has 65536 registers. levels: stream priorities. copy: copy engines.
CPUs: cores of each cluster. *: a guess.

Use one as `platform: jetson-tx2`, or change it:
`platform: {base: rtx-4090, cpus: 12}`.
`tactus platforms NAME` shows one with its source.
)";
}

/// A comment in a file; continuation lines are indented.
std::string comment(std::string_view text) {
  constexpr std::size_t page = 80;
  constexpr std::string_view first = "# ";
  constexpr std::string_view later = "#   ";
  std::string lines;
  for (const std::string& line : report::lines_of(text, page - later.size())) {
    lines += fmt::format("{}{}\n", lines.empty() ? first : later, line);
  }
  return lines;
}

/// The lines of a system file that are equivalent to the name.
std::string in_full(const Preset& preset) {
  const Gpu& gpu = preset.platform.gpu;
  std::string text =
      comment(fmt::format("{}. Compute capability {}.", preset.description, preset.compute_capability));
  text += comment(fmt::format("Source: {}.", preset.source));
  text += comment(fmt::format("The same in short: `platform: {}`.", preset.name));
  const auto add = [&](std::string_view indentation, std::string_view key, const std::string& value) {
    text += fmt::format("{}{}: {}{}\n", indentation, key, value, is_guess(preset, key) ? "  # a guess" : "");
  };
  text += "platform:\n";
  add("  ", "cpus", fmt::format("{{clusters: [{}]}}", fmt::join(preset.platform.clusters, ", ")));
  text += "  gpu:\n";
  add("    ", "sms", fmt::to_string(gpu.sms));
  add("    ", "threads_per_sm", fmt::to_string(gpu.threads_per_sm));
  add("    ", "blocks_per_sm", fmt::to_string(gpu.blocks_per_sm));
  add("    ", "shared_memory_per_sm", size_text(gpu.shared_memory_per_sm));
  add("    ", "shared_memory_unit", size_text(gpu.shared_memory_unit));
  add("    ", "shared_memory_reserved", size_text(gpu.shared_memory_reserved));
  add("    ", "registers_per_sm", fmt::to_string(gpu.registers_per_sm));
  add("    ", "register_unit", fmt::to_string(gpu.register_unit));
  add("    ", "register_files", fmt::to_string(gpu.register_files));
  add("    ", "priority_levels", fmt::to_string(gpu.priority_levels));
  add("    ", "copy_engines", fmt::to_string(gpu.copy_engines));
  return text;
}

int run(const std::string& name, bool json) {
  if (!name.empty()) {
    const std::span<const Preset> known = presets();
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const Preset& preset) { return preset.name == name; });
    if (found == known.end()) throw InputError{"there is no platform '" + name + "'", preset_hint(name)};
    print(json ? to_json(*found).dump() + "\n" : in_full(*found));
    return answer_yes;
  }
  if (json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Preset& preset : presets()) all.push_back(to_json(preset));
    print(all.dump() + "\n");
    return answer_yes;
  }
  print_text(table_of_all());
  return answer_yes;
}

}  // namespace

void add_platforms(Verb app) {
  struct PlatformsOptions {
    std::string name;
    bool json = false;
  };
  const Verb verb = app.add_verb("platforms", "Which machines a system file can name");
  const auto options = std::make_shared<PlatformsOptions>();
  verb.add_option("PLATFORM", options->name, "Show this one in full");
  verb.add_flag("--json", options->json, "JSON for machines");
  verb.footer(help);
  verb.runs([options] { return run(options->name, options->json); });
}

}  // namespace tactus::cli
