// System files, version 1 (docs/format.md): YAML in, a valid model out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// The system, or every problem of the text; exactly one of the two is there.
struct ReadResult {
  std::optional<System> system;
  std::vector<Problem> problems;
};

/// Whether the parameters that `tactus plan` finds (reservations, virtual SMs, the core of a task) must be
/// there: all of them, all but virtual SMs, or none.
enum class Completeness : std::uint8_t { complete, without_virtual_sms, to_be_planned };

/// Reads the text of a system file; `file` is the name that problems carry. Never throws on bad input.
/// A system without a name gets that of the file, without folder and extension.
ReadResult read_system(std::string_view text, const std::string& file,
                       Completeness completeness = Completeness::complete);

/// The system of a file. InputError with all problems when there is no valid one.
System load(const std::filesystem::path& path, Completeness completeness = Completeness::complete);

}  // namespace tactus
