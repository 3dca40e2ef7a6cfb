#include "tactus/import/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"
#include "tactus/import/unzip.hpp"

namespace tactus::import {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view extension = ".amxmi";

[[noreturn]] void refuse(const std::string& file, ProblemId id, std::string message, std::string hint) {
  throw InputError{
      {Problem{.file = shown(file), .message = std::move(message), .hint = std::move(hint), .id = id}}};
}

[[noreturn]] void refuse_size(const std::string& file) {
  refuse(file, ProblemId::too_large,
         fmt::format("the model is larger than {}", size_text(static_cast<std::int64_t>(limits::bytes))),
         "leave out what does not concern timing");
}

std::string plain_text(const std::string& name, std::string text) {
  if (text.size() > limits::bytes) refuse_size(name);
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    refuse(name, ProblemId::bad_text, "the file is UTF-16", "save it as UTF-8");
  }
  if (const std::optional<std::size_t> wrong = find_invalid_utf8(text)) {
    refuse(name, ProblemId::bad_text, fmt::format("byte {} is not UTF-8", *wrong), "save the file as UTF-8");
  }
  return text;
}

/// Files of a model in a folder, in any order; and why it cannot be read.
std::vector<std::string> list_models(const std::string& folder, std::error_code& failed) {
  std::vector<std::string> found;
  for (fs::directory_iterator entry{folder, failed}, end; !failed && entry != end; entry.increment(failed)) {
    const fs::path& path = entry->path();
    if (path.extension() != extension || path.filename().string().starts_with('.')) continue;
    std::error_code ignored;
    const fs::file_status status = entry->status(ignored);
    // A broken link is treated as a missing file.
    if (fs::is_regular_file(status) || !fs::exists(status)) found.push_back(path.string());
  }
  return found;
}

/// Whether this file of a folder is no part of a model; so is what cannot be read, which is said of it alone.
bool is_whole_file(const std::string& file) {
  try {
    const std::string text = read_file(file);
    return is_packed(text) || is_whole_model(text);
  } catch (const InputError&) {
    return true;
  }
}

std::vector<std::string> model_files(const std::string& folder) {
  std::error_code failed;
  std::vector<std::string> found = list_models(folder, failed);
  if (failed)
    refuse(folder, ProblemId::unreadable_file, "the folder cannot be read: " + failed.message(), "");
  if (found.empty()) {
    refuse(folder, ProblemId::unreadable_file, "the folder holds no *.amxmi file",
           "name the folder with the model's files, or one file");
  }
  if (found.size() > limits::files) {
    refuse(folder, ProblemId::too_large,
           fmt::format("the folder holds more than {} model files", limits::files), "");
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

bool looks_like_model(const std::string& path, std::string_view text) {
  if (fs::path{path}.extension() == extension || is_packed(text)) return true;
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  // XML that names the metamodel near its beginning.
  const std::string_view beginning = text.substr(0, 4096);
  return beginning.substr(0, 1) == "<" && beginning.find("malthea") != std::string_view::npos;
}

bool holds_models(const std::string& folder) {
  std::error_code ignored;
  return !list_models(folder, ignored).empty();
}

bool is_whole_model(std::string_view text) {
  return text.find("<hwModel") != std::string_view::npos && text.find("<swModel") != std::string_view::npos;
}

std::vector<std::string> models_in(const std::string& folder) {
  std::error_code ignored;
  std::vector<std::string> files = list_models(folder, ignored);
  const bool are_parts = files.size() > 1 && !std::ranges::all_of(files, is_whole_file);
  return are_parts ? std::vector{folder} : files;
}

std::vector<SourceText> sources_of(const std::string& name, std::string text) {
  std::vector<SourceText> sources;
  if (!is_packed(text)) {
    sources.push_back({.name = name, .text = plain_text(name, std::move(text))});
    return sources;
  }
  sources = unzip(name, text);
  for (SourceText& one : sources) one.text = plain_text(one.name, std::move(one.text));
  return sources;
}

std::vector<SourceText> read_sources(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return sources_of(path, read_file(path));
  std::vector<SourceText> sources;
  std::size_t bytes = 0;
  for (const std::string& file : model_files(path)) {
    for (SourceText& one : sources_of(file, read_file(file))) {
      bytes += one.text.size();
      if (bytes > limits::bytes) refuse_size(path);
      sources.push_back(std::move(one));
    }
  }
  return sources;
}

}  // namespace tactus::import
