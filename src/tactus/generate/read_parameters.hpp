// Reads the parameters of generators from a document; every problem has a position.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tactus/generate/generator.hpp"
#include "tactus/io/document.hpp"
#include "tactus/io/reader.hpp"

namespace tactus::generate {

/// A value of the parameter's kind, within its bounds. Nothing when it is not; the problem was reported.
std::optional<ParameterValue> read_value(const Parameter& parameter, const io::Value& value,
                                         io::Reader& reader);

/// The same from a separate text, for instance of a command line; `origin` names it in the InputError.
ParameterValue parse_value(const Parameter& parameter, std::string_view text, const std::string& origin);

/// The entries of `map` whose keys are parameters; other keys are left to the caller.
Parameters read_parameters(const Generator& generator, const io::Value& map, io::Reader& reader);

}  // namespace tactus::generate
