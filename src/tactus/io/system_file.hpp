// System files, version 1 (docs/format.md): YAML in, a valid model out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// The system, or every problem of the text: exactly one of the two.
struct ReadResult {
  std::optional<System> system;
  std::vector<Problem> problems;
};

/// Whether the parameters that `tactus plan` finds (reservations, virtual SMs, cores and variants of tasks)
/// must be there: all of them, all but virtual SMs, or none.
enum class Completeness : std::uint8_t { complete, without_virtual_sms, to_be_planned };

/// Another value for a key of a system file. A step of the path is a key, the name of a task after `tasks`,
/// an index (`segments[1]`, `[*]` for all) or a key in quotes (`tasks["front.left"]`). Maps on the way are
/// made where they are missing.
struct Override {
  std::string option;  // as the user wrote it; problems with the value carry it instead of the file
  std::string path;
  std::string value;  // YAML
};

/// Reads the text of a system file; `file` is the name that problems carry. Never throws on bad input.
/// A system without a name gets that of the file, without folder and extension. Overrides change the document
/// before it is read.
ReadResult read_system(std::string_view text, const std::string& file,
                       Completeness completeness = Completeness::complete,
                       std::span<const Override> overrides = {});

/// The system of a file. InputError with all problems when there is no valid one.
System load(const std::filesystem::path& path, Completeness completeness = Completeness::complete,
            std::span<const Override> overrides = {});

}  // namespace tactus
