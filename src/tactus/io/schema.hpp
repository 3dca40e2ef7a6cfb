// A JSON schema (draft 07) of system files, for editors.
#pragma once

#include <string>

namespace tactus {

/// What the schema cannot say (names that must be known, sums, windows that must not overlap) is left to
/// `check`.
std::string system_file_schema();

}  // namespace tactus
