// Starts another program and waits for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus {

struct ProgramEnd {
  std::optional<int> status;  // none: it could not be started, was killed, or took too long
  std::string output;         // what it printed to standard output
};

/// Nothing when there is no such program. One that takes longer than `limit` is killed. It gets no input, and
/// what it complains about is dropped. `words` begins with its name, which is looked up in PATH.
std::optional<ProgramEnd> run_program(const std::vector<std::string>& words,
                                      Duration limit = Duration::max());

/// What the program printed. Nothing when it is not there, ends with a status other than 0 or takes longer
/// than `limit`.
std::optional<std::string> output_of(const std::vector<std::string>& words,
                                     Duration limit = std::chrono::seconds{10});

}  // namespace tactus
