// The subjects of `tactus explain`.
#pragma once

#include <string_view>
#include <vector>

namespace tactus::cli {

/// Ids of analyses and messages, and the terms of the glossary.
std::vector<std::string_view> explained_words();

}  // namespace tactus::cli
