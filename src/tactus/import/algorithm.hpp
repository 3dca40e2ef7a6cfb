// What the names of scheduling algorithms mean.
#pragma once

#include <cstdint>
#include <string_view>

namespace tactus::import {

enum class Rule : std::uint8_t {
  priorities,  // the numbers of the model, with preemption
  rate,        // the shorter period first, whatever numbers say
  deadline,    // the shorter relative deadline first, whatever numbers say
  edf,         // the earlier deadline first
  other,       // taken as priorities, which is not the same
};

/// Of a class of the metamodel, or of a scheduler definition's name.
Rule rule_of(std::string_view algorithm);

/// Whether the metamodel says what it does.
bool is_known_algorithm(std::string_view algorithm);

/// What it means for times that an algorithm ("there") is taken as fixed priorities with preemption ("here").
/// Empty where that is what it does.
std::string_view difference_of(std::string_view algorithm);

}  // namespace tactus::import
