// What the importer noticed: warnings about the model, what was assumed where it leaves a choice, and
// problems that leave no answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tactus/import/documents.hpp"

namespace tactus::import {

enum class Severity : std::uint8_t {
  warning,     // the model contradicts itself, or cannot hold
  assumption,  // the model leaves a choice, and this one was made
  note,        // worth knowing
};

struct Finding {
  Severity severity = Severity::note;
  std::string kind;  // stable, for programs: "affinity-conflict"
  Place place{};     // line 0: the model as a whole
  std::string message{};
  std::string hint{};  // what to do or which option chooses; may be empty
  /// The system may need less time, see less of others, or promise less than the model: that the system holds
  /// does not say that the model does.
  bool is_open = false;
  /// The system asks for more than the model: that it cannot hold does not say that the model cannot.
  bool is_stricter = false;
};

/// Everything that is noticed while a model is read and converted. A hostile model could ask for millions: of
/// each kind the first ones are kept.
class Notes {
 public:
  explicit Notes(const Documents& documents) : documents_{&documents} {}

  /// Of something that the system does not account for: `is_open`.
  void warn(std::string_view kind, const Element* where, const std::string& message,
            const std::string& hint = {}) {
    add({.severity = Severity::warning, .kind = std::string{kind}, .is_open = true}, where, message, hint);
  }
  /// A warning of something that the system shares with the model.
  void point_out(std::string_view kind, const Element* where, const std::string& message,
                 const std::string& hint = {}) {
    add({.severity = Severity::warning, .kind = std::string{kind}}, where, message, hint);
  }
  void assume(std::string_view kind, const Element* where, const std::string& message,
              const std::string& hint = {}) {
    add({.severity = Severity::assumption, .kind = std::string{kind}}, where, message, hint);
  }
  /// Where the system asks for more than the model: `is_stricter`.
  void assume_more(std::string_view kind, const Element* where, const std::string& message,
                   const std::string& hint = {}) {
    add({.severity = Severity::assumption, .kind = std::string{kind}, .is_stricter = true}, where, message,
        hint);
  }
  void note(std::string_view kind, const Element* where, const std::string& message,
            const std::string& hint = {}) {
    add({.severity = Severity::note, .kind = std::string{kind}}, where, message, hint);
  }
  /// Without an answer to this there is no system.
  void refuse(const Element& where, ProblemId id, const std::string& message, const std::string& hint);
  /// The same of a quantity that is there and cannot be read: what it says may matter.
  void refuse_quantity(const Element& quantity, const std::string& hint);

  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }
  [[nodiscard]] const Documents& documents() const { return *documents_; }

 private:
  void add(Finding finding, const Element* where, const std::string& message, const std::string& hint);

  const Documents* documents_;
  std::vector<Finding> findings_;
  std::map<std::tuple<std::string, Severity, bool>, std::size_t> counts_;  // by kind, severity, `is_open`
  using Said = std::tuple<std::string, int, int, std::string>;
  std::set<Said> said_;
  std::vector<Problem> problems_;
  std::set<Said> refused_;
};

std::string_view to_string(Severity severity);

}  // namespace tactus::import
