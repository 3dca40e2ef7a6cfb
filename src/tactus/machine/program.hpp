// Asks another program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::machine {

/// What the program printed to standard output. Nothing when it is not there, ends with a status other than 0
/// or takes longer than `limit`; then it is killed. `words` begins with its name, which is looked up in PATH.
std::optional<std::string> output_of(const std::vector<std::string>& words,
                                     Duration limit = std::chrono::seconds{10});

}  // namespace tactus::machine
