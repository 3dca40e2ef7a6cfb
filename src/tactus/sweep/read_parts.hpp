// The parts of an experiment file: `analyses`, `policies` and `vary`.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/generate/parameters.hpp"
#include "tactus/io/reader.hpp"
#include "tactus/sweep/policy_variant.hpp"

namespace tactus::sweep {

/// A list of ids, each once.
std::vector<analysis::Analysis> read_analyses(const io::Value& value, io::Reader& reader);

struct ReadPolicy {
  PolicyVariant variant;
  std::vector<analysis::Analysis> analyses;
  const io::Value* written = nullptr;  // the `policy` in the document
};

/// The readable entries of `policies`. No two have the same name.
std::vector<ReadPolicy> read_policies(const io::Value& value, io::Reader& reader);

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
