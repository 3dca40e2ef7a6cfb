// What a result says beside its sentence: named values, in the order in which they are told.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::analysis {

struct Fact;
using Detail = std::vector<Fact>;

/// Nothing: known to be none, as where no task blocks. A list holds entries of the same facts.
using FactValue =
    std::variant<std::monostate, std::int64_t, Duration, std::string, Detail, std::vector<Detail>>;

/// Lengths of time have names that end in "_ns", as they are written.
struct Fact {
  std::string name;
  FactValue value;

  friend bool operator==(const Fact&, const Fact&) = default;
};

}  // namespace tactus::analysis
