// Distinguishes builds whose numbers could differ.
#pragma once

#include <string_view>

namespace tactus::sweep {

/// Hash of all sources that determine the numbers of a sweep: generators, analyses and what they use.
std::string_view source_hash();

}  // namespace tactus::sweep
