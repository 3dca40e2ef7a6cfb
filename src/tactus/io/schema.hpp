// What the keys of system files mean, in the words of their schema.
#pragma once

#include <string>
#include <vector>

namespace tactus::io {

struct KeyMeaning {
  std::string key;
  std::string place;  // the keys around it, "policy.reservations"; empty at the top level
  std::string meaning;
};

/// In the order of the schema. A key with the same meaning in several places is there once.
std::vector<KeyMeaning> key_meanings();

}  // namespace tactus::io
