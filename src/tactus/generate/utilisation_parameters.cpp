#include "tactus/generate/utilisation_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "tactus/base/error.hpp"
#include "tactus/generate/rand_fixed_sum.hpp"

namespace tactus::generate {

namespace {

std::string text_of(const Parameters& parameters, std::string_view key) {
  return to_text(*parameters.value_of(key));
}

Utilisation total_of(const Parameters& parameters) {
  return Utilisation::of(parameters.decimal("utilisation"));
}

/// Whether the bounds leave room for the total.
void check_room(const Parameters& parameters, std::vector<ParameterProblem>& problems) {
  const UtilisationBounds bounds = utilisation_bounds(parameters);
  const Int128 total = total_of(parameters).steps;
  const auto tasks = static_cast<Int128>(parameters.integer("tasks"));
  const auto told = [&](std::string_view relation, std::string_view key) {
    return fmt::format("{} tasks of at {} {} each cannot have the utilisation {}",
                       text_of(parameters, "tasks"), relation, text_of(parameters, key),
                       text_of(parameters, "utilisation"));
  };
  if (tasks * bounds.most.steps < total) {
    problems.push_back(
        {"utilisation", told("most", "utilisation_limit"), "use more tasks or a smaller utilisation"});
  } else if (tasks * bounds.least.steps > total) {
    problems.push_back({"utilisation", told("least", "utilisation_least"),
                        "use fewer tasks, a larger utilisation or a smaller utilisation_least"});
  }
}

}  // namespace

std::span<const std::string_view> utilisation_method_words() {
  static constexpr std::array<std::string_view, 3> words{utilisation_method::uunifast_discard,
                                                         utilisation_method::rand_fixed_sum,
                                                         utilisation_method::scaled_uniform};
  return words;
}

UtilisationBounds utilisation_bounds(const Parameters& parameters) {
  return {.least = Utilisation::of(parameters.decimal("utilisation_least")),
          .most = Utilisation::of(parameters.decimal("utilisation_limit"))};
}

void check_utilisations(const Parameters& parameters, std::vector<ParameterProblem>& problems) {
  const UtilisationBounds bounds = utilisation_bounds(parameters);
  const std::string& method = parameters.word("utilisation_method");
  if (total_of(parameters).steps == 0) {
    problems.push_back({"utilisation", "utilisation is 0", "make it more than 0"});
  } else if (bounds.least > bounds.most) {
    problems.push_back(
        {"utilisation_least",
         fmt::format("utilisation_least {} is more than utilisation_limit {}",
                     text_of(parameters, "utilisation_least"), text_of(parameters, "utilisation_limit")),
         "make it smaller, or the limit larger"});
  } else if (method == utilisation_method::scaled_uniform) {
    if (bounds.most.steps > 0) return;
    problems.push_back({"utilisation_limit", "utilisation_limit is 0: nothing can be scaled to a utilisation",
                        "make it more than 0, for instance 1"});
  } else {
    check_room(parameters, problems);
  }
  const auto most = static_cast<std::int64_t>(rand_fixed_sum_max_tasks);
  if (method == utilisation_method::rand_fixed_sum && parameters.integer("tasks") > most) {
    problems.push_back(
        {"tasks",
         fmt::format("tasks is {}, but rand-fixed-sum takes at most {}", text_of(parameters, "tasks"), most),
         "use fewer tasks, or utilisation_method: uunifast-discard"});
  }
}

std::vector<Utilisation> draw_utilisations(const Parameters& parameters, std::string_view generator,
                                           std::uint64_t seed) {
  const auto tasks = static_cast<std::size_t>(parameters.integer("tasks"));
  const Utilisation total = total_of(parameters);
  const UtilisationBounds bounds = utilisation_bounds(parameters);
  const std::string& method = parameters.word("utilisation_method");
  if (method == utilisation_method::rand_fixed_sum) return rand_fixed_sum(tasks, total, bounds, seed, 0);
  if (method == utilisation_method::scaled_uniform) return scaled_uniform(tasks, total, bounds, seed, 0);
  std::optional<std::vector<Utilisation>> shares = uunifast_discard(tasks, total, bounds, seed, 0);
  if (shares) return *std::move(shares);
  throw FailureError{fmt::format(
      "{}: 10,000 attempts to share the utilisation {} among {} tasks gave one of them more than {}; use "
      "utilisation_method: rand-fixed-sum, more tasks or a smaller utilisation",
      generator, text_of(parameters, "utilisation"), tasks, text_of(parameters, "utilisation_limit"))};
}

Utilisation min_possible(const Parameters& parameters) {
  const UtilisationBounds bounds = utilisation_bounds(parameters);
  if (parameters.word("utilisation_method") != utilisation_method::scaled_uniform) return bounds.least;
  // The smallest possible result: one task draws the least, all others the most; two steps for rounding.
  const Int128 max_sum = static_cast<Int128>(parameters.integer("tasks")) * bounds.most.steps;
  const Int128 product = static_cast<Int128>(total_of(parameters).steps) * bounds.least.steps;
  const auto steps = static_cast<std::int64_t>(product / max_sum);
  return {std::max<std::int64_t>(0, steps - 2)};
}

}  // namespace tactus::generate
