// YAML text as a tree of values with their positions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/io/problems.hpp"

namespace tactus::io {

/// A value of the document. Aliases are replaced by what they stand for.
struct Value {
  enum class Kind : std::uint8_t { null, scalar, list, map };
  struct Entry;

  Kind kind = Kind::null;
  bool quoted = false;         // a scalar written in quotes or as a block of text
  std::uint32_t offset = 0;    // where it begins in the text; an empty value stands where its key does
  std::string text;            // of a scalar
  std::vector<Value> items;    // of a list
  std::vector<Entry> entries;  // of a map, in file order; every key once

  [[nodiscard]] const Value* find(std::string_view key) const;
};

struct Value::Entry {
  std::string key;
  std::uint32_t key_offset = 0;
  Value value;
};

inline const Value* Value::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

/// Limits on what is read. Real files stay far below them; they keep a hostile one from using up time or
/// memory.
namespace document_limits {
inline constexpr std::size_t bytes = std::size_t{64} << 20U;
inline constexpr std::size_t depth = 64;
inline constexpr std::size_t values = 4'000'000;
/// Limits the expansion of aliases: a text of n bytes may stand for so many values,
/// counting a long text once for every 16 bytes.
constexpr std::size_t values_of(std::size_t text_bytes) { return std::min(values, 10'000 + 2 * text_bytes); }
}  // namespace document_limits

/// What a document is meant to be, for messages about its structure.
struct DocumentKind {
  std::string_view noun = "a system file";
  std::string_view beginning = "tactus: 1";
  std::string_view page = "docs/format.md";
};

/// The only document of a text. Problems of the text are added to `problems`. Nothing when it has no readable
/// structure; duplicate keys and the like leave the rest readable.
std::optional<Value> parse_document(std::string_view text, const TextPositions& places, ProblemList& problems,
                                    const DocumentKind& kind = {});

/// Whether a text is meant to be a system file: its top level has the key `tactus`, or both `platform` and
/// `tasks`. Of a text that is not YAML: a line begins with `tactus:`.
bool is_meant_as_system(std::string_view text);

/// Where the tasks of a system file stand, in file order: the name of each, or else the task itself. Empty
/// when the text cannot be read.
std::vector<TextPosition> task_places(std::string_view text);
/// The same for its chains.
std::vector<TextPosition> chain_places(std::string_view text);
/// Where its policy stands, or the text begins where it has none.
TextPosition policy_place(std::string_view text);

}  // namespace tactus::io
