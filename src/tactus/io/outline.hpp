// What can be found in a text without reading it as a system.
#pragma once

#include <string_view>
#include <vector>

#include "tactus/io/problems.hpp"

namespace tactus::io {

/// Whether a text is meant to be a system file: its top level has the key `tactus`, or both `platform` and
/// `tasks`. Of a text that is not YAML: a line begins with `tactus:`.
bool is_meant_as_system(std::string_view text);

/// Where the tasks of a system file stand, in file order: the name of each, or else the task itself. Empty
/// when the text cannot be read.
std::vector<TextPosition> task_places(std::string_view text);

}  // namespace tactus::io
