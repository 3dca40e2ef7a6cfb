// Typed access to a document. Values of the wrong shape become problems with a position and a hint.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/base/time.hpp"
#include "tactus/io/document.hpp"
#include "tactus/io/problems.hpp"
#include "tactus/io/units.hpp"
#include "tactus/io/words.hpp"
#include "tactus/model/interval.hpp"
#include "tactus/model/limits.hpp"

namespace tactus::io {

/// Functions that read a value return nothing when it is unusable. They have reported the problem, and
/// rules about that value are skipped. `label` is the key as the file spells it.
class Reader {
 public:
  /// What is being read, for hints about keys in the wrong map.
  enum class Subject : std::uint8_t { system, other };

  explicit Reader(ProblemList& problems, Subject subject = Subject::system)
      : problems_{&problems}, subject_{subject} {}

  [[nodiscard]] Subject subject() const { return subject_; }

  void add(ProblemId id, std::size_t offset, std::string message, std::string hint) {
    problems_->add(id, offset, std::move(message), std::move(hint));
  }
  void add(std::size_t offset, std::string message, std::string hint) {
    problems_->add(offset, std::move(message), std::move(hint));
  }

  /// Reports an unusable value.
  void reject(ProblemId id, const Value& value, std::string message, std::string hint);
  void reject(const Value& value, std::string message, std::string hint) {
    reject(ProblemId::invalid_value, value, std::move(message), std::move(hint));
  }
  /// The same for an unknown word.
  void reject_word(const Value& value, std::string message, std::span<const std::string_view> known);
  /// Marks a value as unusable whose problem was already reported.
  void silence(const Value& value) { rejected_.insert(&value); }
  [[nodiscard]] bool is_rejected(const Value& value) const { return rejected_.contains(&value); }

  std::optional<Duration> duration(const Value& value, std::string_view label);
  /// `1ms` or `[1ms, 2ms]`.
  std::optional<Interval> interval(const Value& value, std::string_view label);
  /// The period that belongs to a rate.
  std::optional<Duration> rate(const Value& value, std::string_view label);
  std::optional<std::int64_t> size(const Value& value, std::string_view label);
  std::optional<std::int64_t> bandwidth(const Value& value, std::string_view label);
  std::optional<std::int64_t> integer(const Value& value, std::string_view label);
  /// An integer for a field of 32 bits. `allowed` is only for the message; the model's rules check it.
  std::optional<std::int32_t> small_integer(const Value& value, std::string_view label, Range allowed);
  std::optional<Rational> factor(const Value& value, std::string_view label);
  /// A decimal of 0 or more.
  std::optional<Rational> decimal(const Value& value, std::string_view label);
  std::optional<bool> boolean(const Value& value, std::string_view label);
  /// Any scalar, quoted or plain.
  std::optional<std::string> name(const Value& value, std::string_view label);
  /// One of a few words.
  template <typename T>
  std::optional<T> choice(const Value& value, std::string_view label, std::span<const Choice<T>> choices);

  /// Whether the value is a list, or a map; `example` shows one.
  bool is_list(const Value& value, std::string_view label, std::string_view example) {
    return is_kind(Value::Kind::list, value, label, example);
  }
  bool is_map(const Value& value, std::string_view label, std::string_view example) {
    return is_kind(Value::Kind::map, value, label, example);
  }

  /// The known word nearest to an unknown one. Empty when none is near, or when so many were looked up
  /// that a hostile file would cost real time.
  std::string_view suggest(std::string_view word, std::span<const std::string_view> known);

  /// Whether `map` has the key `written`, by which most likely `key` was meant.
  void note_misspelt(const Value& map, std::string_view key, const Value& written);
  [[nodiscard]] const Value* find_misspelt(const Value& map, std::string_view key) const;

 private:
  bool is_kind(Value::Kind kind, const Value& value, std::string_view label, std::string_view example);
  bool is_scalar(const Value& value, std::string_view label, std::string_view expected);
  /// A scalar that is no number when quoted.
  bool is_plain_scalar(const Value& value, std::string_view label, std::string_view expected);
  /// A scalar (`plain`: not in quotes) in the form that `parse` takes.
  template <typename T>
  std::optional<T> parsed(const Value& value, std::string_view label, std::string_view expected,
                          Parsed<T> (*parse)(std::string_view), bool plain = false);
  std::optional<std::size_t> choose(const Value& value, std::string_view label,
                                    std::span<const std::string_view> words);

  ProblemList* problems_;
  Subject subject_;
  std::unordered_set<const Value*> rejected_;
  std::unordered_map<const Value*, std::vector<std::pair<std::string, const Value*>>> misspelt_;
  std::size_t compared_ = 0;
};

/// The entries of a map whose keys are known beforehand.
class Fields {
 public:
  /// Reports every unknown key. The map must outlive the fields.
  Fields(Reader& reader, const Value& map, std::span<const std::string_view> known);

  [[nodiscard]] const Value* find(std::string_view key) const { return map_->find(key); }
  /// The same for a required key: reports when it is missing.
  [[nodiscard]] const Value* require(std::string_view key, std::string_view owner, std::string_view example);
  /// The version of a format stands at `key`: reports when it is missing, or another than 1.
  void require_version(std::string_view key, std::string_view what);
  /// Sets `target` to the key's value, read by a function of the reader, as an integer (`allowed` is for the
  /// message) or as one of a few words. It stays as it is without the key, and where its value is unusable.
  template <typename Target, typename T>
  void take(std::string_view key, Target& target,
            std::optional<T> (Reader::*read)(const Value&, std::string_view)) const {
    if (const Value* given = find(key)) assign(target, (reader_->*read)(*given, key));
  }
  void take(std::string_view key, std::int32_t& target, Range allowed) const {
    if (const Value* given = find(key)) assign(target, reader_->small_integer(*given, key, allowed));
  }
  template <typename T, std::size_t n>
  void take(std::string_view key, T& target, const std::array<Choice<T>, n>& choices) const {
    if (const Value* given = find(key)) assign(target, reader_->choice<T>(*given, key, choices));
  }
  /// Whether the key is there, or something that was most likely meant to be it.
  [[nodiscard]] bool mentions(std::string_view key) const;
  /// The position of the key itself.
  [[nodiscard]] std::size_t key_offset(std::string_view key) const;

 private:
  static void assign(auto& target, auto value) {
    if (value) target = *std::move(value);
  }

  Reader* reader_;
  const Value* map_;
};

template <typename T>
std::optional<T> Reader::choice(const Value& value, std::string_view label,
                                std::span<const Choice<T>> choices) {
  std::vector<std::string_view> words;
  for (const Choice<T>& choice : choices) words.push_back(choice.word);
  const std::optional<std::size_t> index = choose(value, label, words);
  if (!index) return std::nullopt;
  return choices[*index].value;
}

}  // namespace tactus::io
