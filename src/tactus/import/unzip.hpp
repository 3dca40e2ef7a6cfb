// Zip archives.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/import/source.hpp"

namespace tactus::import {

/// Whether the text begins as a zip archive does.
inline bool is_packed(std::string_view text) { return text.starts_with("PK\x03\x04"); }

/// The model files in an archive. InputError when it is damaged, or larger than a model may be: what an
/// archive says of its sizes is not believed.
std::vector<SourceText> unzip(const std::string& name, std::string_view archive);

}  // namespace tactus::import
