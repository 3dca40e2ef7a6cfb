// Paths to values of a document: `policy.levels`, `tasks[2].kernel.block`, `policy.virtual_sms["a.b"]`.
#pragma once

#include <string>
#include <string_view>

namespace tactus::io {

/// One step of a path: a key, or an index when it is a number in brackets.
struct Step {
  std::string key;
  bool is_index = false;
};

/// Takes the first step off a path that is not empty.
Step take_step(std::string_view& path);

}  // namespace tactus::io
