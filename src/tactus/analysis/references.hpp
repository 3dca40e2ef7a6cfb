// The literature the analyses come from: what the short names in their `source` stand for.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

struct Reference {
  std::string_view name;      // as `source` says it
  std::string_view citation;  // authors, title, venue, year
  std::string_view doi;       // empty where none is known
};

std::span<const Reference> references();

/// Those that the analysis names, in the order of the list.
std::vector<Reference> references_of(const Analysis& analysis);

}  // namespace tactus::analysis
