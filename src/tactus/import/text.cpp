// The system file of an imported model.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/base/version.hpp"
#include "tactus/import/import.hpp"
#include "tactus/import/loads.hpp"
#include "tactus/io/write_system.hpp"

namespace tactus::import {

namespace {

constexpr std::size_t line_width = 116;

/// Comment lines, broken at blanks; lines after the first are indented.
std::string comment(const std::string& text) {
  std::string result;
  std::string line = "#";
  const std::string clean = shown(text);
  for (std::size_t begin = 0; begin < clean.size();) {
    const std::size_t end = std::min(clean.find(' ', begin), clean.size());
    const std::string_view word = std::string_view{clean}.substr(begin, end - begin);
    if (line.size() + 1 + word.size() > line_width && line.size() > 4) {
      result += line + "\n";
      line = "#  ";
    }
    line += ' ';
    line += word;
    begin = end + 1;
  }
  return result + line + "\n";
}

std::string hertz_text(const Rational& hertz) {
  const std::optional<std::string> mega = to_decimal(hertz / Rational{1'000'000});
  return mega ? *mega + " MHz" : to_string(hertz) + " Hz";
}

std::string_view kind_text(PartKind kind) {
  return kind == PartKind::cpu ? "cpu" : kind == PartKind::gpu ? "gpu" : "copy";
}

std::string parts_text(const Origin& origin) {
  std::string text;
  for (const Part& part : origin.parts) {
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : "; ", kind_text(part.kind), fmt::join(part.from, ", "));
  }
  return text;
}

}  // namespace

std::string to_commented_file(const Imported& imported) {
  const Converted& converted = *imported.converted;
  std::string text = comment(fmt::format(
      "Made of {} (AMALTHEA {}) by tactus {}. What the model leaves open was assumed:", imported.source,
      imported.version, version()));
  for (const Severity severity : {Severity::warning, Severity::assumption}) {
    for (const Finding& one : imported.findings) {
      if (one.severity == severity)
        text += comment(fmt::format("- {}{}", severity == Severity::warning ? "warning: " : "", one.message));
    }
  }
  for (const Ignored& one : imported.census.ignored) {
    if (is_open(one.effect))
      text += comment(fmt::format("- warning: {} x {} is left out: {}", one.count, one.name, one.meaning));
  }
  for (const Problem& one : imported.census.unresolved) text += comment("- warning: " + one.message);
  text += "#\n";
  for (std::size_t i = 0; i < converted.cores.size(); ++i) {
    const auto load = std::find_if(converted.loads.begin(), converted.loads.end(),
                                   [&](const Load& one) { return one.unit == converted.cores[i]; });
    if (load == converted.loads.end()) continue;
    text += comment(fmt::format("core {}: {} ({}, {}), {} used", i, load->unit, load->definition,
                                hertz_text(load->hertz), percent(load->worst_with_waiting)));
  }
  for (const Load& one : converted.loads) {
    if (one.kind == UnitKind::gpu)
      text += comment(fmt::format("GPU: {} ({}, {}), {} used", one.unit, one.definition,
                                  hertz_text(one.hertz), percent(one.worst)));
  }
  text += "#\n";
  for (std::size_t i = 0; i < converted.origins.size(); ++i) {
    text += comment(fmt::format("{}: {}. {}", converted.system.tasks[i].name, converted.origins[i].text,
                                parts_text(converted.origins[i])));
  }
  return text + to_system_file(converted.system);
}

std::string labels_text(const Census& census) {
  const auto counted = [](std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
  };
  const std::size_t modes = census.count_of("ModeLabel");
  return counted(census.count_of("Label"), "label") + (modes == 0 ? "" : ", " + counted(modes, "mode label"));
}

std::string work_text(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts) {
    const std::int64_t blocks = part.kind == PartKind::gpu ? part.grid.blocks.value_or(1) : 1;
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", kind_text(part.kind),
                        blocks > 1 ? fmt::format("{} x ", blocks) : "",
                        to_text(interval_of(part.time, Times::bounds).worst));
  }
  return text;
}

}  // namespace tactus::import
