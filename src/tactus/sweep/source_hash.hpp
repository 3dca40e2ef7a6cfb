// Tells builds apart whose numbers could differ.
#pragma once

#include <string_view>

namespace tactus::sweep {

/// Hash of all sources that decide what a sweep counts: generators, analyses and all they rest on.
std::string_view source_hash();

}  // namespace tactus::sweep
