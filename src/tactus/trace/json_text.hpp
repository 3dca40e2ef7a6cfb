// Pieces of JSON text, for writers that stream.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus::trace {

/// The text as a JSON string without its quotes. Bytes that are not UTF-8 become U+FFFD.
std::string escape_json(std::string_view text);

/// In nanoseconds; "null" for `never`.
std::string number_or_null(Time time);

/// The escaped name of every task.
std::vector<std::string> escaped_task_names(const System& system);

}  // namespace tactus::trace
