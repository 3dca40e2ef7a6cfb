#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"
#include "tactus/import/unzip.hpp"

namespace tactus::import {

namespace {

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;
using Entry = std::unique_ptr<zip_file_t, CloseEntry>;

[[noreturn]] void refuse_archive(const std::string& name, ProblemId id, std::string message,
                                 std::string hint) {
  throw InputError{
      {Problem{.file = shown(name), .message = std::move(message), .hint = std::move(hint), .id = id}}};
}

Archive open_archive(const std::string& name, std::string_view bytes) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* archive = source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error);
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  if (archive == nullptr) {
    if (source != nullptr) zip_source_free(source);
    refuse_archive(name, ProblemId::bad_text, "the zip archive is damaged: " + why, "pack the model anew");
  }
  return Archive{archive};
}

/// Reads no more than is left of the limit, whatever the archive says of its size.
std::string read_entry(const std::string& name, zip_t* archive, zip_uint64_t index, std::size_t left) {
  const Entry entry{zip_fopen_index(archive, index, 0)};
  std::string text;
  std::array<char, 65'536> part{};
  zip_int64_t count = entry ? 1 : -1;
  while (count > 0) {
    count = zip_fread(entry.get(), part.data(), part.size());
    if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
    if (text.size() > left) {
      refuse_archive(name, ProblemId::too_large,
                     fmt::format("the archive unpacks to more than {} bytes", limits::bytes),
                     "leave out what does not concern timing");
    }
  }
  if (count < 0) {
    refuse_archive(name, ProblemId::bad_text, "an entry of the zip archive cannot be unpacked",
                   "pack the model anew, without a password");
  }
  return text;
}

}  // namespace

std::vector<SourceText> unzip(const std::string& name, std::string_view bytes) {
  const Archive archive = open_archive(name, bytes);
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  if (count > static_cast<zip_int64_t>(limits::files)) {
    refuse_archive(name, ProblemId::too_large,
                   fmt::format("the archive holds more than {} files", limits::files), "");
  }
  std::vector<SourceText> sources;
  std::size_t left = limits::bytes;
  for (zip_uint64_t i = 0; std::cmp_less(i, count); ++i) {
    const char* entry_name = zip_get_name(archive.get(), i, 0);
    const std::string_view entry = entry_name == nullptr ? "?" : entry_name;
    if (entry.ends_with('/')) continue;
    std::string text = read_entry(name, archive.get(), i, left);
    left -= text.size();
    sources.push_back({.name = fmt::format("{}/{}", name, shown(entry)), .text = std::move(text)});
  }
  // Beside the model there may be a manifest or a picture.
  const auto is_model = [](const SourceText& one) { return one.name.ends_with(".amxmi"); };
  if (std::any_of(sources.begin(), sources.end(), is_model)) {
    sources.erase(
        std::remove_if(sources.begin(), sources.end(), [&](const SourceText& one) { return !is_model(one); }),
        sources.end());
  }
  if (sources.empty())
    refuse_archive(name, ProblemId::empty_file, "the zip archive holds no file", "pack the model anew");
  return sources;
}

}  // namespace tactus::import
