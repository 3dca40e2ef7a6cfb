// What `tactus explain` can explain.
#pragma once

#include <string_view>
#include <vector>

namespace tactus::cli {

/// Ids of analyses and messages, and the words of the glossary.
std::vector<std::string_view> explained_words();

}  // namespace tactus::cli
