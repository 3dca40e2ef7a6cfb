// What a model holds: how many of each class, which references lead nowhere, and what is not understood.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/import/documents.hpp"

namespace tactus::import {

struct ClassCount {
  std::string name;
  std::size_t count = 0;
};

/// How much an element that is not understood may change the times.
enum class Effect : std::uint8_t {
  response_time,
  limit,  // it asks for something that is not checked
  maybe,
  none
};

/// Whether the model may not hold though the system does.
constexpr bool is_open(Effect effect) { return effect == Effect::response_time || effect == Effect::limit; }

/// Elements of one class that are left out.
struct Ignored {
  std::string name;
  std::size_t count = 0;
  Effect effect = Effect::maybe;
  std::string meaning;  // what that does to the answer
  Place first;
};

struct Census {
  std::vector<ClassCount> classes;  // by name
  std::size_t references = 0;
  std::size_t lost = 0;  // references that lead nowhere; `unresolved` tells them, or the first of very many
  std::vector<Problem> unresolved;
  std::vector<Problem> ambiguous;  // references that may mean several elements
  std::vector<Ignored> ignored;    // what matters most first

  [[nodiscard]] std::size_t count_of(std::string_view name) const;
};

Census take_census(const Documents& documents);

/// For output: "affects response times".
std::string_view to_string(Effect effect);

}  // namespace tactus::import
