// Reads `analyses` and `policies` of an experiment file.
#pragma once

#include <string_view>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/io/document.hpp"
#include "tactus/io/reader.hpp"
#include "tactus/sweep/policy_variant.hpp"

namespace tactus::sweep {

inline constexpr std::string_view policies_example =
    "[{policy: {strategy: multi-stream, order: fp}, analyses: [ms-fp]}]";

/// A list of ids, each once.
std::vector<analysis::Analysis> read_analyses(const io::Value& value, io::Reader& reader);

struct ReadPolicy {
  PolicyVariant variant;
  std::vector<analysis::Analysis> analyses;
  const io::Value* written = nullptr;  // the `policy` in the document
};

/// The readable entries of `policies`. No two have the same name.
std::vector<ReadPolicy> read_policies(const io::Value& value, io::Reader& reader);

}  // namespace tactus::sweep
