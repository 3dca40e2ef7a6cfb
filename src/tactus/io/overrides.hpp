// Changes to a document before it is read, for one run of the command: `--set policy.levels=3`.
#pragma once

#include <cstddef>
#include <span>

#include "tactus/io/document.hpp"
#include "tactus/io/problems.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::io {

/// Applies them one after the other. What comes from override i stands at offset `first_offset` + i.
/// An order that a strategy set here does not take is left out, unless the order is set here too.
void apply_overrides(Value& root, std::span<const Override> overrides, std::size_t first_offset,
                     ProblemList& problems);

}  // namespace tactus::io
