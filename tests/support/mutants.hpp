// Sound analyses with one term dropped or changed. The adversary must break every one of them.
#pragma once

#include <string>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/falsify/borderline_systems.hpp"

namespace tactus::test {

struct Mutant {
  std::string id;               // "np-edf/no-blocking"
  std::string what;             // the change in words
  analysis::Analysis analysis;  // without an id: that is above
  falsify::Family family;       // of the systems to attack it with
  /// Empty: it must be broken. Else why it cannot be.
  std::string survives_because;
};

const std::vector<Mutant>& mutants();

}  // namespace tactus::test
