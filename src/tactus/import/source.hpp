// The files of a model: one file, plain or packed, or all of a folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tactus::import {

struct SourceText {
  std::string name;  // for messages; of a packed file "model.amxmi/entry"
  std::string text;  // UTF-8 without a byte order mark
};

/// Whether this text is a model or packed model, and not, for instance, a system file.
bool looks_like_model(const std::string& path, std::string_view text);

/// Whether this folder has files of a model.
bool holds_models(const std::string& folder);

/// Whether this text of a model has hardware and software, and so needs no other file.
bool is_whole_model(std::string_view text);

/// The models of this folder, each as a path for `read_sources`: its files *.amxmi, in any order, where each
/// is a whole model; else the folder, whose files are one model.
std::vector<std::string> models_in(const std::string& folder);

/// The texts of the model at this path: a file, which may be a zip archive by its first bytes, or a folder,
/// whose files *.amxmi are one model. InputError when something cannot be read or is too large.
std::vector<SourceText> read_sources(const std::string& path);

/// The texts of one file that was read already.
std::vector<SourceText> sources_of(const std::string& name, std::string text);

}  // namespace tactus::import
