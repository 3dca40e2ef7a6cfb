// The values that a parameter of an experiment takes: a list, or a range in steps.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tactus/generate/parameters.hpp"
#include "tactus/io/document.hpp"
#include "tactus/io/reader.hpp"

namespace tactus::sweep {

/// A value of the varied parameter and its position.
struct Varied {
  generate::ParameterValue value;
  std::size_t offset = 0;
};

/// Reads `values`, or `from`, `to` and `step`, of the map `vary`. At least one value, each once. Nothing when
/// a problem was reported.
std::optional<std::vector<Varied>> read_varied(io::Fields& fields, const io::Value& vary,
                                               const generate::Parameter& parameter, io::Reader& reader);

}  // namespace tactus::sweep
