// The `platform` of a system file.
#pragma once

#include "tactus/io/reader.hpp"
#include "tactus/model/platform.hpp"

namespace tactus::io {

/// A machine on which everything fits: it stands for a platform that could not be read, so that no rule
/// complains about what the file may well have right.
Platform boundless_platform();

/// Parts that cannot be read become boundless too.
Platform read_platform(const Value& value, Reader& reader);

}  // namespace tactus::io
