// Random task sets from the generators of the literature: the same seed gives the same system everywhere.
//
//   const tactus::generate::Generator& generator = *tactus::generate::find_generator("gpu-jobs");
//   tactus::generate::Parameters parameters{generator.parameters};
//   parameters.set("tasks", std::int64_t{5});
//   const tactus::System system = generator.make(parameters, 1);
//
// See docs/experiments.md.
#pragma once

#include "tactus/generate/generator.hpp"
