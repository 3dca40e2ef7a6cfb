// System files, version 1 (docs/format.md): a model in, YAML out.
#pragma once

#include <filesystem>
#include <string>

#include "tactus/model/system.hpp"

namespace tactus {

/// A system file that `read_system` reads back to an equal system, with everything left out that has its
/// default. The system must be one that a file can describe: valid, its preset one of the known, its
/// interleave factors decimals. A system without a name gets that of the file when it is read.
/// FailureError where no file can describe it.
std::string to_system_file(const System& system);

/// What such a file says about a platform ("platform:" and its lines), or about a segment ("cpu: 2ms").
std::string to_platform_entry(const Platform& platform);
std::string to_segment_entry(const Segment& segment);

/// Writes that file, whole or not at all. FailureError when it cannot be written.
void save(const System& system, const std::filesystem::path& path);

/// A JSON schema (draft 07) of system files, for editors. What it cannot say (names that must be known, sums,
/// windows that must not overlap) is left to `check`.
std::string system_file_schema();

}  // namespace tactus
