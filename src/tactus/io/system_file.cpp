#include "tactus/io/system_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tactus/base/file.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/io/document.hpp"
#include "tactus/io/locate.hpp"
#include "tactus/io/problems.hpp"
#include "tactus/io/read_parts.hpp"
#include "tactus/io/reader.hpp"
#include "tactus/model/core_times.hpp"
#include "tactus/model/limits.hpp"
#include "tactus/model/validate.hpp"

namespace tactus {

namespace io {
namespace {

constexpr std::array<std::string_view, 6> system_keys{"tactus", "name",  "platform",
                                                      "policy", "tasks", "chains"};
constexpr std::string_view smallest_file = "{tactus: 1, platform: jetson-tx2, tasks: [...]}";

/// "robot" for "cars/robot.yaml". Characters that no name of a system may have are escaped.
std::string name_from_file(const std::string& file) {
  const std::string stem = std::filesystem::path{file}.stem().string();
  if (stem.empty()) return "system";
  return printable(stem, limits::name_characters / 5);
}

std::vector<Task> read_tasks(const Value& value, const Gpu& gpu, Reader& reader) {
  std::vector<Task> tasks;
  if (!reader.is_list(value, "tasks", "[{name: a, period: 10ms, exclusive: 3ms}]")) return tasks;
  tasks.reserve(value.items.size());
  for (const Value& item : value.items) tasks.push_back(read_task(item, gpu, reader));
  return tasks;
}

System read_document(const Value& root, const std::string& file, Reader& reader) {
  System system;
  system.name = name_from_file(file);
  if (!reader.is_map(root, "a system file", smallest_file)) return system;
  if (root.find("tactus-experiment") != nullptr && root.find("tactus") == nullptr) {
    reader.reject(ProblemId::wrong_file, root, "this is an experiment, not a system file",
                  "`tactus sweep` runs it; a system file begins with `tactus: 1`");
    return system;
  }
  Fields fields{reader, root, system_keys};
  fields.require_version("tactus", "the file format");
  fields.take("name", system.name, &Reader::name);
  const Value* platform = fields.require("platform", "the system", "platform: jetson-tx2");
  system.platform = platform == nullptr ? boundless_platform() : read_platform(*platform, reader);
  const Gpu& gpu = system.platform.gpu;
  const Value* policy = fields.find("policy");
  system.policy = policy == nullptr ? default_policy(gpu) : read_policy(*policy, gpu, reader);
  if (const Value* tasks = fields.find("tasks")) system.tasks = read_tasks(*tasks, gpu, reader);
  set_core_times(system);
  const bool names_are_known =
      !system.tasks.empty() && std::none_of(system.tasks.begin(), system.tasks.end(),
                                            [](const Task& task) { return task.name.empty(); });
  if (policy != nullptr) {
    system.virtual_sms = read_virtual_sms(*policy, system.tasks, names_are_known, reader);
  }
  if (const Value* chains = fields.find("chains")) {
    system.chains = read_chains(*chains, system.tasks, names_are_known, reader);
  }
  return system;
}

/// Such a system can lack only virtual SMs.
bool must_be_complete(const System& system, Completeness completeness) {
  if (completeness == Completeness::without_virtual_sms) {
    return system.policy.strategy->sms != SmSharing::owned;
  }
  return completeness == Completeness::complete;
}

}  // namespace
}  // namespace io

ReadResult read_system(std::string_view text, const std::string& file, Completeness completeness,
                       std::span<const Override> overrides) {
  const io::TextPositions places{text};
  io::ProblemList problems;
  ReadResult result;
  std::optional<io::Value> root = io::parse_document(text, places, problems);
  if (root) {
    io::apply_overrides(*root, overrides, places.behind(), problems);
    io::Reader reader{problems};
    System system = io::read_document(*root, file, reader);
    io::Locator locator{*root, reader};
    const auto tell = [&](std::vector<Violation> violations) {
      for (Violation& violation : violations) {
        const io::Value& value = locator.find(violation.path);
        if (reader.is_rejected(value)) continue;
        if (!violation.related.empty()) {
          const io::TextPosition place = places.at(locator.find(violation.related).offset);
          violation.hint += fmt::format(" (the first is in line {}, column {})", place.line, place.column);
        }
        problems.add(violation.id, value.offset, std::move(violation.message), std::move(violation.hint));
      }
    };
    tell(validate(system));
    if (io::must_be_complete(system, completeness)) {
      tell(find_missing_parameters(system));
    } else if (completeness != Completeness::to_be_planned) {
      tell(find_open_choices(system));
    }
    if (problems.empty()) result.system = std::move(system);
  }
  if (!problems.empty()) {
    std::vector<std::string> options;
    for (const Override& change : overrides) options.push_back(change.option);
    result.problems = std::move(problems).in_file_order(places, file, options);
  }
  return result;
}

System load(const std::filesystem::path& path, Completeness completeness,
            std::span<const Override> overrides) {
  ReadResult result = read_system(read_file(path), path.string(), completeness, overrides);
  if (!result.system) throw InputError{std::move(result.problems)};
  return *std::move(result.system);
}

}  // namespace tactus
