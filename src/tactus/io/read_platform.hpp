// The `platform` of a system file.
#pragma once

#include "tactus/io/reader.hpp"
#include "tactus/model/platform.hpp"

namespace tactus::io {

/// A machine on which everything fits. It replaces a platform that could not be read, so that no rule
/// reports what may be right in the file.
Platform boundless_platform();

/// Parts that cannot be read get the same limits.
Platform read_platform(const Value& value, Reader& reader);

}  // namespace tactus::io
