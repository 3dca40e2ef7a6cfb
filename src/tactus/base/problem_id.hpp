// The kinds of problems that Tactus reports. Their names are stable: pipelines match them, and
// `tactus explain NAME` says more about each.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tactus {

enum class ProblemId : std::uint8_t {
  // The text of a file.
  unreadable_file,
  bad_text,
  bad_yaml,
  bad_xml,
  too_large,
  empty_file,
  duplicate_key,
  wrong_file,
  no_system_files,
  unknown_version,
  // Its keys and values.
  unknown_key,
  missing_key,
  conflicting_keys,
  wrong_shape,
  missing_unit,
  unknown_unit,
  bad_number,
  out_of_range,
  unknown_word,
  bad_name,
  duplicate_name,
  unknown_name,
  best_above_worst,
  invalid_value,
  // What they mean together.
  block_too_large,
  bad_window,
  bad_virtual_sms,
  bad_graph,
  bad_script,
  missing_bandwidth,
  needs_plan,
  incomplete_model,
  more_problems,
  // The command.
  unknown_analysis,
  not_supported,
  wrong_usage,
};

struct ProblemName {
  ProblemId id;
  std::string_view name;
};

/// All of them, in the order above.
inline constexpr std::array<ProblemName, 36> problem_names{{
    {ProblemId::unreadable_file, "unreadable-file"},
    {ProblemId::bad_text, "bad-text"},
    {ProblemId::bad_yaml, "bad-yaml"},
    {ProblemId::bad_xml, "bad-xml"},
    {ProblemId::too_large, "too-large"},
    {ProblemId::empty_file, "empty-file"},
    {ProblemId::duplicate_key, "duplicate-key"},
    {ProblemId::wrong_file, "wrong-file"},
    {ProblemId::no_system_files, "no-system-files"},
    {ProblemId::unknown_version, "unknown-version"},
    {ProblemId::unknown_key, "unknown-key"},
    {ProblemId::missing_key, "missing-key"},
    {ProblemId::conflicting_keys, "conflicting-keys"},
    {ProblemId::wrong_shape, "wrong-shape"},
    {ProblemId::missing_unit, "missing-unit"},
    {ProblemId::unknown_unit, "unknown-unit"},
    {ProblemId::bad_number, "bad-number"},
    {ProblemId::out_of_range, "out-of-range"},
    {ProblemId::unknown_word, "unknown-word"},
    {ProblemId::bad_name, "bad-name"},
    {ProblemId::duplicate_name, "duplicate-name"},
    {ProblemId::unknown_name, "unknown-name"},
    {ProblemId::best_above_worst, "best-above-worst"},
    {ProblemId::invalid_value, "invalid-value"},
    {ProblemId::block_too_large, "block-too-large"},
    {ProblemId::bad_window, "bad-window"},
    {ProblemId::bad_virtual_sms, "bad-virtual-sms"},
    {ProblemId::bad_graph, "bad-graph"},
    {ProblemId::bad_script, "bad-script"},
    {ProblemId::missing_bandwidth, "missing-bandwidth"},
    {ProblemId::needs_plan, "needs-plan"},
    {ProblemId::incomplete_model, "incomplete-model"},
    {ProblemId::more_problems, "more-problems"},
    {ProblemId::unknown_analysis, "unknown-analysis"},
    {ProblemId::not_supported, "not-supported"},
    {ProblemId::wrong_usage, "wrong-usage"},
}};

constexpr std::string_view to_string(ProblemId id) {
  return problem_names.at(static_cast<std::size_t>(id)).name;
}

}  // namespace tactus
