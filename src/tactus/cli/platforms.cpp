// tactus platforms: the machines that can be named in a system file.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "tactus/cli/verb.hpp"
#include "tactus/model/presets.hpp"
#include "tactus/report/table.hpp"

namespace tactus::cli {

namespace {

int run(bool json) {
  if (json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Preset& preset : presets()) all.push_back(to_json(preset));
    print(all.dump() + "\n");
    return answer_yes;
  }
  using report::Align;
  report::Table table{{{"platform", Align::left},
                       {"SMs", Align::right},
                       {"threads per SM", Align::right},
                       {"blocks per SM", Align::right},
                       {"shared KiB per SM", Align::right},
                       {"registers per SM", Align::right},
                       {"priorities", Align::right},
                       {"copy engines", Align::right},
                       {"CPU cores", Align::right}}};
  for (const auto& [name, description, platform] : presets()) {
    const Gpu& gpu = platform.gpu;
    table.add_row({std::string{name}, fmt::to_string(gpu.sms), fmt::to_string(gpu.threads_per_sm),
                   fmt::to_string(gpu.blocks_per_sm), fmt::to_string(gpu.shared_memory_per_sm / 1024),
                   fmt::to_string(gpu.registers_per_sm), fmt::to_string(gpu.priority_levels),
                   fmt::to_string(gpu.copy_engines), fmt::to_string(platform.cpus())});
  }
  print_text(
      table.to_text(wants_colour(), text_width()) +
      "\nUse one as `platform: jetson-tx2`, or change it: `platform: {base: h200, gpu: {sms: 16}}`.\n");
  return answer_yes;
}

}  // namespace

void add_platforms(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("platforms", "Which machines a system file can name");
  const auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "JSON for machines");
  verb->footer("\nExample:\n  tactus platforms");
  verb->callback([&action, json] { action = [json] { return run(*json); }; });
}

}  // namespace tactus::cli
