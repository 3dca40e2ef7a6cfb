#include "tactus/io/document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <unordered_map>
#include <utility>

#include "tactus/base/utf8.hpp"

namespace tactus::io {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view whitespace = " \t\r\n";

/// Thrown to end the reading of a document without a readable structure; the problem was already added.
struct Unreadable {};

/// Text counts as one more value for every so many bytes.
constexpr std::size_t bytes_per_value = 16;

std::size_t own_weight(const std::string& text) { return 1 + text.size() / bytes_per_value; }

std::size_t weight(const Value& value) {
  std::size_t sum = own_weight(value.text);
  for (const Value& item : value.items) sum += weight(item);
  for (const Value::Entry& entry : value.entries) sum += own_weight(entry.key) + weight(entry.value);
  return sum;
}

std::size_t height(const Value& value) {
  std::size_t most = 0;
  for (const Value& item : value.items) most = std::max(most, height(item));
  for (const Value::Entry& entry : value.entries) most = std::max(most, height(entry.value));
  return value.kind == Value::Kind::list || value.kind == Value::Kind::map ? most + 1 : 0;
}

/// Builds the tree from the parser's events.
class Builder : public YAML::EventHandler {
 public:
  Builder(std::string_view text, std::size_t text_start, const TextPositions& places, ProblemList& problems,
          const DocumentKind& kind)
      : text_{text}, text_start_{text_start}, places_{places}, problems_{problems}, kind_{kind} {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (document_seen_) {
      const std::size_t offset = offset_of(mark);
      if (text_.substr(offset).starts_with("---")) {
        fail(offset, "a second document begins here",
             fmt::format("{} is one document: remove the `---`", kind_.noun));
      }
      fail(offset, "this does not continue what stands above it",
           fmt::format("{} is one map, whose keys all begin in the first column", kind_.noun));
    }
    document_seen_ = true;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Value value;
    value.offset = offset_of(mark);
    if (!open_.empty()) {
      const Open& parent = open_.back();
      if (parent.has_key) {
        value.offset = parent.key_offset;
      } else if (parent.value.kind == Value::Kind::list) {
        value.offset = empty_item(value.offset);
      }
    }
    place(std::move(value), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      fail(offset_of(mark), "this alias stands for a value that contains it", "write the value out");
    }
    const Anchored& anchored = found->second;
    spend(anchored.weight, offset_of(mark));
    if (open_.size() + anchored.height > document_limits::depth) too_deep(offset_of(mark));
    Value copy = anchored.value;
    copy.offset = offset_of(mark);
    place(std::move(copy), YAML::NullAnchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    check_tag(mark, tag);
    Value value;
    value.kind = Value::Kind::scalar;
    value.quoted = tag == "!";
    value.offset = offset_of(mark);
    value.text = text;
    if (value.quoted) last_quoted_ = value.offset;
    place(std::move(value), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(Value::Kind::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(Value::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

  [[nodiscard]] std::uint32_t offset_of(const YAML::Mark& mark) const {
    const auto position = static_cast<std::size_t>(std::max(mark.pos, 0));
    return static_cast<std::uint32_t>(std::min(text_start_ + position, text_.size()));
  }

  /// Where the innermost list or map that is still open began.
  [[nodiscard]] std::optional<std::size_t> innermost_open() const {
    if (open_.empty()) return std::nullopt;
    return open_.back().value.offset;
  }

  std::optional<Value> take_root() && {
    check_last_quote();
    return std::move(root_);
  }

 private:
  struct Open {
    Value value;
    YAML::anchor_t anchor = YAML::NullAnchor;
    bool has_key = false;      // a key waits for its value
    bool drops_value = false;  // ... of an invalid key
    std::string key;
    std::uint32_t key_offset = 0;
    std::unordered_map<std::string, std::uint32_t> key_offsets;  // of large maps
  };

  struct Anchored {
    Value value;
    std::size_t weight = 0;
    std::size_t height = 0;
  };

  [[noreturn]] void fail(std::size_t offset, std::string message, std::string hint,
                         ProblemId id = ProblemId::bad_yaml) {
    problems_.add(id, offset, std::move(message), std::move(hint));
    throw Unreadable{};
  }

  [[noreturn]] void too_deep(std::size_t offset) {
    fail(offset, fmt::format("nested more than {} levels deep", document_limits::depth),
         fmt::format("{} needs about 8", kind_.noun), ProblemId::too_large);
  }

  void spend(std::size_t amount, std::size_t offset) {
    spent_ += amount;
    const std::size_t most = document_limits::values_of(text_.size());
    if (spent_ <= most) return;
    fail(offset, fmt::format("more than {} values up to here, aliases replaced", most),
         "use fewer aliases of large values, or a smaller file", ProblemId::too_large);
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    constexpr std::string_view core = "tag:yaml.org,2002:";
    const bool is_core = std::string_view{tag}.starts_with(core);
    problems_.add(ProblemId::bad_yaml, offset_of(mark),
                  fmt::format("the tag {} has no meaning here",
                              in_backticks(is_core ? "!!" + tag.substr(core.size()) : tag)),
                  "remove it");
  }

  /// A list's empty item is reported where the next token stands; go back to its own dash if it is near.
  [[nodiscard]] std::uint32_t empty_item(std::uint32_t offset) const {
    const std::size_t before = text_.substr(0, offset).find_last_not_of(whitespace);
    if (before == std::string_view::npos || text_[before] != '-') return offset;
    return static_cast<std::uint32_t>(before);
  }

  void open(Value::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    check_tag(mark, tag);
    if (open_.size() == document_limits::depth) too_deep(offset_of(mark));
    Open container;
    container.value.kind = kind;
    container.value.offset = offset_of(mark);
    container.anchor = anchor;
    open_.push_back(std::move(container));
  }

  void close() {
    Open container = std::move(open_.back());
    open_.pop_back();
    place(std::move(container.value), container.anchor);
  }

  /// Puts a finished value into the list or map around it.
  void place(Value value, YAML::anchor_t anchor) {
    spend(own_weight(value.text), value.offset);
    if (anchor != YAML::NullAnchor) {
      Anchored anchored{.value = value, .weight = weight(value), .height = height(value)};
      spend(anchored.weight, value.offset);
      anchors_.insert_or_assign(anchor, std::move(anchored));
    }
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Open& parent = open_.back(); parent.value.kind == Value::Kind::list) {
      parent.value.items.push_back(std::move(value));
    } else if (!parent.has_key) {
      take_key(parent, std::move(value));
    } else {
      parent.has_key = false;
      if (parent.drops_value) return;
      parent.value.entries.push_back({std::move(parent.key), parent.key_offset, std::move(value)});
    }
  }

  void take_key(Open& parent, Value key) {
    parent.has_key = true;
    parent.drops_value = true;
    parent.key_offset = key.offset;
    switch (key.kind) {
      case Value::Kind::null:
        problems_.add(ProblemId::bad_yaml, key.offset, "a key is missing before the `:`",
                      "write `key: value`");
        return;
      case Value::Kind::list:
      case Value::Kind::map:
        problems_.add(ProblemId::bad_yaml, key.offset,
                      fmt::format("a key must be a word, but this is a {}",
                                  key.kind == Value::Kind::list ? "list" : "map"),
                      "write `key: value`");
        return;
      case Value::Kind::scalar:
        break;
    }
    if (const std::optional<std::uint32_t> first = find_key(parent, key.text)) {
      problems_.add(ProblemId::duplicate_key, key.offset,
                    fmt::format("the key {} is given twice", in_backticks(key.text)),
                    fmt::format("it was first given in line {}; keep one", places_.at(*first).line));
      return;
    }
    parent.drops_value = false;
    parent.key = std::move(key.text);
  }

  /// Small maps are searched, large ones have an index.
  static std::optional<std::uint32_t> find_key(Open& parent, const std::string& key) {
    constexpr std::size_t large = 32;
    const std::vector<Value::Entry>& entries = parent.value.entries;
    if (entries.size() < large) {
      const auto found = std::find_if(entries.begin(), entries.end(),
                                      [&](const Value::Entry& entry) { return entry.key == key; });
      if (found == entries.end()) return std::nullopt;
      return found->key_offset;
    }
    for (std::size_t i = parent.key_offsets.size(); i < entries.size(); ++i) {
      parent.key_offsets.emplace(entries[i].key, entries[i].key_offset);
    }
    const auto found = parent.key_offsets.find(key);
    if (found == parent.key_offsets.end()) return std::nullopt;
    return found->second;
  }

  /// The parser accepts the end of the file as the end of a quoted text, so only the last one can be
  /// unterminated.
  void check_last_quote() {
    if (!last_quoted_) return;
    std::size_t at = *last_quoted_;
    while (at < text_.size() && (text_[at] == '&' || text_[at] == '!')) {
      at = text_.find_first_of(whitespace, at);
      if (at == std::string_view::npos) return;
      at = text_.find_first_not_of(whitespace, at);
    }
    if (at >= text_.size() || (text_[at] != '"' && text_[at] != '\'')) return;
    const char quote = text_[at];
    for (std::size_t i = at + 1; i < text_.size(); ++i) {
      if (quote == '"' && text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        if (quote == '"' || i + 1 == text_.size() || text_[i + 1] != quote) return;
        ++i;
      }
    }
    fail(at, fmt::format("the text that begins here with {} does not end", quote),
         fmt::format("add the closing {}", quote));
  }

  std::string_view text_;
  std::size_t text_start_;
  const TextPositions& places_;
  ProblemList& problems_;
  const DocumentKind& kind_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  std::optional<Value> root_;
  std::optional<std::size_t> last_quoted_;
  std::size_t spent_ = 0;
  bool document_seen_ = false;
};

struct Explanation {
  std::string_view parser_says;
  std::string_view message;
  std::string_view hint;
};

constexpr std::string_view quote_it = "put the value in quotes";
constexpr std::string_view align_keys =
    "is a `:` missing above, or a key not in the column of the others? Quote a value that holds `: `";
constexpr std::string_view double_quotes =
    "in double quotes write \\\\ for a backslash, or use single quotes";

/// Translates the parser's messages into terms of a system file.
const std::vector<Explanation>& explanations() {
  static const std::vector<Explanation> all{
      {YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab cannot indent a line", "indent with spaces"},
      {YAML::ErrorMsg::END_OF_MAP, "this does not continue the map around it", align_keys},
      {YAML::ErrorMsg::END_OF_SEQ, "this does not continue the list around it",
       "items of one list begin with `- ` in the same column"},
      {YAML::ErrorMsg::MAP_VALUE, "a `:` cannot stand here", align_keys},
      {YAML::ErrorMsg::MAP_KEY, "a key cannot stand here", align_keys},
      {YAML::ErrorMsg::BLOCK_ENTRY, "a list item `- ` cannot stand here",
       "begin the list on a line of its own, below its key"},
      {YAML::ErrorMsg::FLOW_END, "this bracket closes nothing that is open", "check the brackets before it"},
      {YAML::ErrorMsg::UNKNOWN_TOKEN, "a value cannot begin with this character", quote_it},
      {YAML::ErrorMsg::DOC_IN_SCALAR, "a document mark inside a text in quotes", "add the closing quote"},
      {YAML::ErrorMsg::EOF_IN_SCALAR, "the text in quotes does not end", "add the closing quote"},
      {YAML::ErrorMsg::CHAR_IN_SCALAR, "this character cannot stand in a plain value", quote_it},
      {YAML::ErrorMsg::INVALID_HEX, "an escape in double quotes with a bad hexadecimal digit", double_quotes},
      {YAML::ErrorMsg::INVALID_UNICODE, "an escape in double quotes that is no character", double_quotes},
      {YAML::ErrorMsg::INVALID_ESCAPE, "an unknown escape in double quotes", double_quotes},
      {YAML::ErrorMsg::UNKNOWN_ANCHOR, "an alias `*` without an anchor `&` of that name before it",
       "name the value with `&`, or put text that begins with `*` in quotes"},
      {YAML::ErrorMsg::ALIAS_NOT_FOUND, "a `*` without a name", quote_it},
      {YAML::ErrorMsg::ANCHOR_NOT_FOUND, "a `&` without a name", quote_it},
      {YAML::ErrorMsg::CHAR_IN_ALIAS, "this character cannot stand in the name of an alias", quote_it},
      {YAML::ErrorMsg::CHAR_IN_ANCHOR, "this character cannot stand in the name of an anchor", quote_it},
      {YAML::ErrorMsg::MULTIPLE_ANCHORS, "a value with two anchors", "keep one `&`"},
      {YAML::ErrorMsg::MULTIPLE_TAGS, "a value with two tags", "remove the tags: they have no meaning here"},
      {YAML::ErrorMsg::ALIAS_CONTENT, "an alias `*` with an anchor or a tag", "remove the `&` or `!`"},
      {YAML::ErrorMsg::CHAR_IN_TAG_HANDLE, "this character cannot stand in a tag", quote_it},
      {YAML::ErrorMsg::TAG_WITH_NO_SUFFIX, "a tag without a name", quote_it},
      {YAML::ErrorMsg::END_OF_VERBATIM_TAG, "a tag `!<` without `>`", quote_it},
      {YAML::ErrorMsg::CHAR_IN_BLOCK, "this character cannot follow `|` or `>`",
       "begin the text on the next line, or put it in quotes"},
      {YAML::ErrorMsg::ZERO_INDENT_IN_BLOCK, "a block of text with indentation 0", "remove the 0"},
      {YAML::ErrorMsg::BAD_FILE, "nested too deep", "a system file needs about 8 levels"},
      {YAML::ErrorMsg::YAML_MAJOR_VERSION, "a YAML version that is not known", "remove the %YAML line"},
      {YAML::ErrorMsg::YAML_VERSION, "a %YAML line without a version", "remove the %YAML line"},
  };
  return all;
}

/// The tab in the indentation of the line around `offset`.
std::optional<std::size_t> find_indenting_tab(std::string_view text, std::size_t offset) {
  const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  const std::size_t first = text.find_first_not_of(' ', start);
  if (first >= text.size() || text[first] != '\t') return std::nullopt;
  return first;
}

/// The problem for a syntax error of the parser.
void explain(const YAML::Exception& error, const Builder& builder, std::string_view text,
             const TextPositions& places, ProblemList& problems, const DocumentKind& kind) {
  const std::size_t offset = builder.offset_of(error.mark);
  const std::string_view says = error.msg;
  const bool open_list = says == YAML::ErrorMsg::END_OF_SEQ_FLOW;
  const bool open_map = says == YAML::ErrorMsg::END_OF_MAP_FLOW;
  if (open_list || open_map) {
    const TextPosition stopped = places.at(offset);
    problems.add(ProblemId::bad_yaml, builder.innermost_open().value_or(offset),
                 fmt::format("the {} that begins here is not closed", open_list ? "list" : "map"),
                 fmt::format("add `{}`, or a missing comma, before line {}, column {}", open_list ? "]" : "}",
                             stopped.line, stopped.column));
    return;
  }
  if (const std::optional<std::size_t> tab = find_indenting_tab(text, offset)) {
    problems.add(ProblemId::bad_yaml, *tab, "a tab cannot indent a line", "indent with spaces");
    return;
  }
  const auto known =
      std::find_if(explanations().begin(), explanations().end(),
                   [&](const Explanation& candidate) { return says.starts_with(candidate.parser_says); });
  if (known != explanations().end()) {
    problems.add(ProblemId::bad_yaml, offset, std::string{known->message}, std::string{known->hint});
  } else {
    problems.add(ProblemId::bad_yaml, offset, "this is not YAML: " + printable(says),
                 fmt::format("see {} for examples", kind.page));
  }
}

/// Bytes that no system file may contain. Some of them confuse the parser.
bool check_bytes(std::string_view text, std::size_t start, ProblemList& problems, const DocumentKind& kind) {
  if (text.size() > document_limits::bytes) {
    problems.add(ProblemId::too_large, 0, fmt::format("the text has {} bytes", text.size()),
                 fmt::format("at most {} are read", document_limits::bytes));
    return false;
  }
  constexpr char32_t zero_width_mark = 0xfeff;
  for (std::size_t offset = start; offset < text.size();) {
    const Character character = character_at(text, offset);
    if (character.bytes == 0) {
      const bool utf16 = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
      problems.add(ProblemId::bad_text, offset,
                   fmt::format("the byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(text[offset])),
                   utf16 ? "this looks like UTF-16: save the file as UTF-8" : "save the file as UTF-8");
      return false;
    }
    if (character.code == '\r' && !text.substr(offset + 1).starts_with('\n')) {
      problems.add(ProblemId::bad_text, offset, "a carriage return without a line feed",
                   "end lines with LF or CR LF");
      return false;
    }
    const bool is_layout = character.code == '\n' || character.code == '\r' || character.code == '\t';
    if ((is_control(character.code) && !is_layout) || character.code == zero_width_mark) {
      problems.add(ProblemId::bad_text, offset,
                   fmt::format("the {} character U+{:04X} cannot stand here",
                               character.code == zero_width_mark ? "invisible" : "control",
                               static_cast<unsigned>(character.code)),
                   fmt::format("remove it; {} is plain text", kind.noun));
      return false;
    }
    offset += character.bytes;
  }
  return true;
}

}  // namespace

std::optional<Value> parse_document(std::string_view text, const TextPositions& places, ProblemList& problems,
                                    const DocumentKind& kind) {
  const std::size_t start = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  if (!check_bytes(text, start, problems, kind)) return std::nullopt;
  std::istringstream stream{std::string{text.substr(start)}};
  Builder builder{text, start, places, problems, kind};
  try {
    YAML::Parser parser{stream};
    while (parser.HandleNextDocument(builder)) {
    }
    std::optional<Value> root = std::move(builder).take_root();
    if (!root || root->kind == Value::Kind::null) {
      const bool blank = text.find_first_not_of(whitespace, start) == std::string_view::npos;
      problems.add(ProblemId::empty_file, start,
                   blank ? "the file is empty" : "the file holds no values, only comments",
                   fmt::format("{} begins with `{}`; see {}", kind.noun, kind.beginning, kind.page));
      return std::nullopt;
    }
    return root;
  } catch (const Unreadable&) {
    return std::nullopt;
  } catch (const YAML::Exception& error) {
    explain(error, builder, text, places, problems, kind);
    return std::nullopt;
  }
}

bool is_meant_as_system(std::string_view text) {
  const auto mentions = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (!mentions("tactus") && !(mentions("platform") && mentions("tasks"))) return false;
  const TextPositions places{text};
  ProblemList problems;
  if (const std::optional<Value> root = parse_document(text, places, problems)) {
    const auto has = [&](std::string_view key) { return root->find(key) != nullptr; };
    return has("tactus") || (has("platform") && has("tasks") && !has("tactus-experiment"));
  }
  return text.starts_with("tactus:") || mentions("\ntactus:");
}

namespace {

std::vector<TextPosition> places_of_items(std::string_view text, std::string_view list) {
  const TextPositions places{text};
  ProblemList problems;
  std::vector<TextPosition> result;
  const std::optional<Value> root = parse_document(text, places, problems);
  if (!root) return result;
  const Value* items = root->find(list);
  if (items == nullptr) return result;
  for (const Value& item : items->items) {
    const Value* name = item.find("name");
    result.push_back(places.at(name == nullptr ? item.offset : name->offset));
  }
  return result;
}

}  // namespace

std::vector<TextPosition> task_places(std::string_view text) { return places_of_items(text, "tasks"); }
std::vector<TextPosition> chain_places(std::string_view text) { return places_of_items(text, "chains"); }

TextPosition policy_place(std::string_view text) {
  const TextPositions places{text};
  ProblemList problems;
  const std::optional<Value> root = parse_document(text, places, problems);
  const Value* policy = root ? root->find("policy") : nullptr;
  return policy == nullptr ? TextPosition{} : places.at(policy->offset);
}

}  // namespace tactus::io
