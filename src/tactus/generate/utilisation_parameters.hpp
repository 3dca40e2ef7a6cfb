// The parameters of generators that distribute a total utilisation: `tasks`, `utilisation`,
// `utilisation_method`, `utilisation_least` and `utilisation_limit`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tactus/generate/parameters.hpp"
#include "tactus/generate/utilisations.hpp"

namespace tactus::generate {

namespace utilisation_method {
inline constexpr std::string_view uunifast_discard = "uunifast-discard";
inline constexpr std::string_view rand_fixed_sum = "rand-fixed-sum";
inline constexpr std::string_view scaled_uniform = "scaled-uniform";
}  // namespace utilisation_method

/// The values of `utilisation_method`.
std::span<const std::string_view> utilisation_method_words();

/// The two bounds. They hold for the result, except that `scaled-uniform` draws between them and then scales.
UtilisationBounds utilisation_bounds(const Parameters& parameters);

/// Reports why the five parameters are impossible together.
void check_utilisations(const Parameters& parameters, std::vector<ParameterProblem>& problems);

/// One utilisation a task. FailureError, which names the generator, when the method gives up.
std::vector<Utilisation> draw_utilisations(const Parameters& parameters, std::string_view generator,
                                           std::uint64_t seed);

/// No task can get less than this. Needs parameters without problems.
Utilisation min_possible(const Parameters& parameters);

}  // namespace tactus::generate
