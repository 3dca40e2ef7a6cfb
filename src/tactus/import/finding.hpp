// What the importer noticed: warnings about the model, what was assumed where it leaves a choice, and
// problems that leave no answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
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
  Place place;       // line 0: the model as a whole
  std::string message;
  std::string hint;  // what to do or which option chooses; may be empty
};

/// Whether the system may need less time, or see less of others, than the model says.
bool is_optimistic(const Finding& finding);

/// Everything that is noticed while a model is read and converted. A hostile model could ask for millions: of
/// each kind the first ones are kept.
class Notes {
 public:
  explicit Notes(const Documents& documents) : documents_{&documents} {}

  void add(Severity severity, std::string_view kind, const Element* where, const std::string& message,
           const std::string& hint = {});
  void warn(std::string_view kind, const Element* where, const std::string& message,
            const std::string& hint = {}) {
    add(Severity::warning, kind, where, message, hint);
  }
  void assume(std::string_view kind, const Element* where, const std::string& message,
              const std::string& hint = {}) {
    add(Severity::assumption, kind, where, message, hint);
  }
  void note(std::string_view kind, const Element* where, const std::string& message,
            const std::string& hint = {}) {
    add(Severity::note, kind, where, message, hint);
  }
  /// Without an answer to this there is no system.
  void refuse(const Element& where, ProblemId id, const std::string& message, const std::string& hint);

  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }
  [[nodiscard]] const Documents& documents() const { return *documents_; }

 private:
  const Documents* documents_;
  std::vector<Finding> findings_;
  using Said = std::tuple<std::string, int, int, std::string>;

  std::set<Said> said_;
  std::map<std::string, std::size_t, std::less<>> of_kind_;
  std::vector<Problem> problems_;
  std::set<Said> refused_;
};

std::string_view to_string(Severity severity);

}  // namespace tactus::import
